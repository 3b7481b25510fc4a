//! What the heap adds to the region of call paths: a header of its own, and blocks of counters. Whoever writes and whoever
//! reads from outside agree on these types; all of them are valid as zeros.

use core::sync::atomic::{AtomicI64, AtomicU32, AtomicU64};

use calor_paths::{BLOCK, Kind};

/// The first eight bytes of a region.
pub(crate) const MAGIC: u64 = u64::from_le_bytes(*b"calorhp3");
/// Counters of so many call paths share a block.
pub(crate) const SITES_PER_SEGMENT: u32 = (BLOCK / size_of::<Counters>()) as u32;
/// Threads that share a block.
pub(crate) const THREADS_PER_BLOCK: u32 = (BLOCK / size_of::<ThreadBlock>()) as u32;
/// Buckets by powers of two: of sizes in bytes, of lifetimes in nanoseconds.
pub const HISTOGRAM_BUCKETS: usize = 48;

/// How the heap is watched.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(u32)]
pub enum Mode {
    /// Every block.
    Exact = 1,
    /// Some blocks, by bytes.
    Sampled = 2,
}

/// What was found of Python in a process.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(u32)]
pub enum PythonWatch {
    /// No interpreter when the program began.
    None = 0,
    /// Its blocks and its functions are watched.
    Whole = 1,
    /// Its blocks are, its functions cannot be read.
    BlocksOnly = 2,
}

/// Threads.
pub(crate) const THREADS: Kind = Kind::of_owner(3);
/// Counters of one thread for consecutive call paths; the owner is the thread's number.
pub(crate) const COUNTERS: Kind = Kind::of_owner(4);
/// Threads while they are at work for the profiler itself.
pub(crate) const OWN_THREADS: Kind = Kind::of_owner(7);

/// Set in the owner of counters that are of the profiler itself.
pub(crate) const OWN: u32 = 1 << 23;

/// The header of the heap.
#[repr(C, align(64))]
pub(crate) struct Header {
    pub(crate) mode: AtomicU32,
    /// What was found of Python: see [`PythonWatch`].
    pub(crate) python: AtomicU32,
    pub(crate) sampling_bytes: AtomicU64,
    pub(crate) threads: AtomicU32,
    /// Threads that were at work for the profiler itself.
    pub(crate) own_threads: AtomicU32,
    _padding: [u32; 10],
    // A line of its own: threads read it at every event.
    /// Rises with each new peak.
    pub(crate) epoch: AtomicU32,
    _padding_of_epoch: [u32; 15],
    pub(crate) peak_bytes: AtomicI64,
    pub(crate) peak_ticks: AtomicU64,
    /// When sampled, blocks that were held then.
    pub(crate) peak_count: AtomicI64,
    // What could not be followed.
    /// Allocations whose call path found no room.
    pub(crate) sites_lost: AtomicU64,
    /// Events of threads that found no room.
    pub(crate) threads_lost: AtomicU64,
    /// Blocks that were handed out again although no free was seen.
    pub(crate) missed_frees: AtomicU64,
    /// Live sampled blocks that found no room.
    pub(crate) samples_lost: AtomicU64,
    /// Events of threads that were inside the core and not there yet.
    pub(crate) nested: AtomicU64,
    pub(crate) lifetimes: Histogram,
}

/// Counts and bytes by powers of two.
#[repr(C)]
pub(crate) struct Histogram {
    pub(crate) counts: [AtomicU64; HISTOGRAM_BUCKETS],
    pub(crate) bytes: [AtomicU64; HISTOGRAM_BUCKETS],
}

/// What a thread counts besides its call paths.
#[repr(C, align(64))]
pub(crate) struct ThreadBlock {
    // One line: what decides about the peak. Others write `limit`, rarely.
    /// Bytes that this thread allocated, less those it freed.
    pub(crate) net: AtomicI64,
    /// As long as `net` is not above it, the whole heap is not above its peak.
    pub(crate) limit: AtomicI64,
    pub(crate) thread: AtomicU32,
    _reserved: u32,
    /// When sampled, bytes of those blocks whose sizes are not told when they are freed, as sampled ones stand for them:
    /// held and allocated.
    pub(crate) estimated_bytes: AtomicI64,
    pub(crate) estimated_allocated_bytes: AtomicU64,
    _padding_of_peak: [u64; 1],
    /// Events inside the core itself, as when a signal's handler allocates.
    pub(crate) nested: AtomicU64,
    /// Frees of blocks that were not seen when they were allocated.
    pub(crate) unknown_frees: AtomicU64,
    // One line: all that most events touch when blocks are sampled.
    /// Bytes until something is due: a sampled block, or a look at the peak.
    pub(crate) until: AtomicI64,
    /// What `until` began with: the difference of the two is not in `allocated_bytes` yet.
    pub(crate) granted: AtomicI64,
    pub(crate) allocated_count: AtomicU64,
    pub(crate) freed_bytes: AtomicU64,
    pub(crate) freed_count: AtomicU64,
    pub(crate) allocated_bytes: AtomicU64,
    /// Bytes allocated by the allocator's reckoning, where that is the only one that is known of freed blocks.
    pub(crate) reckoned_bytes: AtomicU64,
    /// Once `freed_bytes` is above it, what the thread holds is looked at: others see it only then.
    pub(crate) freed_limit: AtomicU64,
    pub(crate) sizes: Histogram,
}

impl ThreadBlock {
    /// Bytes held by what this thread allocated and freed, when blocks are sampled and freed ones have sizes: those that
    /// they were allocated with, or those of the allocator's reckoning.
    pub(crate) fn held(&self, is_reckoned: bool) -> i64 {
        use core::sync::atomic::Ordering::Relaxed;
        let allocated = if is_reckoned { self.reckoned_bytes.load(Relaxed) } else { self.allocated() };
        allocated.wrapping_sub(self.freed_bytes.load(Relaxed)) as i64
    }

    /// Bytes allocated so far, when blocks are sampled.
    pub(crate) fn allocated(&self) -> u64 {
        use core::sync::atomic::Ordering::Relaxed;
        let used = self.granted.load(Relaxed).wrapping_sub(self.until.load(Relaxed));
        self.allocated_bytes.load(Relaxed).wrapping_add(used as u64)
    }
}

/// What one thread counts for one call path: a cache line.
#[repr(C, align(64))]
pub(crate) struct Counters {
    pub(crate) allocated_bytes: AtomicU64,
    pub(crate) allocated_count: AtomicU64,
    pub(crate) freed_bytes: AtomicU64,
    pub(crate) freed_count: AtomicU64,
    /// Net bytes and blocks at the peak of `epoch`; while that is not the last peak, the present ones are meant.
    pub(crate) peak_bytes: AtomicI64,
    pub(crate) peak_count: AtomicI64,
    /// When exact, bytes of blocks that the next event freed; when sampled, the variance of `allocated_bytes`.
    pub(crate) extra: AtomicU64,
    pub(crate) epoch: AtomicU32,
    /// When exact, the number of blocks that the next event freed; when sampled, of sampled blocks.
    pub(crate) extra_count: AtomicU32,
}

/// Adds to a counter that only one thread writes.
#[inline(always)]
pub(crate) fn bump(counter: &AtomicU64, by: u64) {
    use core::sync::atomic::Ordering::Relaxed;
    counter.store(counter.load(Relaxed).wrapping_add(by), Relaxed);
}

const _: () = assert!(size_of::<Counters>() == 64);
