//! Watching some blocks: each byte has the same chance, so a block of `s` bytes is sampled with the probability
//! 1 - e^(-s/R) and then stands for s / (1 - e^(-s/R)) bytes. Sums are right on average, and their variance is known.
//!
//! When every block is watched, sampled ones still are: only of them is it known when they were allocated.

use core::sync::atomic::Ordering::Relaxed;

use calor_paths::{Lock, Registers, ticks};

use crate::address_table::AddressTable;
use crate::exact;
use crate::filter::{Filter, FilterCounts};
use crate::layout::{HISTOGRAM_BUCKETS, Mode, ThreadBlock, bump};
use crate::number;
use crate::peak;
use crate::state::State;
use crate::thread::Thread;

/// Numbers of blocks have so many parts, since a sampled block may stand for one and a half.
pub(crate) const PARTS: f64 = 1024.0;

/// A live block that was sampled.
#[derive(Clone, Copy, Debug)]
#[repr(C)]
pub(crate) struct Sample {
    site: u32,
    /// Whether its size is not told when it is freed.
    is_estimated: bool,
    /// Bytes that it stands for, and blocks in [`PARTS`].
    bytes: u64,
    count: u64,
    born: u64,
}

/// Live sampled blocks. Zeroed memory holds none.
#[repr(C)]
pub(crate) struct Samples {
    pub(crate) filter: Filter,
    live: Lock<Live>,
}

#[repr(C)]
struct Live {
    blocks: AddressTable<Sample>,
    counts: FilterCounts,
}

impl Samples {
    /// Nothing has to be prepared: the table is made by its first entry.
    pub(crate) fn start(&self) -> bool {
        true
    }

    /// Whether the block at this address may have been sampled.
    #[inline(always)]
    pub(crate) fn may_hold(&self, address: usize) -> bool {
        self.filter.may_hold(address)
    }

    /// Remembers a sampled block, and says which was known at this address: its free was missed.
    pub(crate) fn insert(&self, address: usize, sample: Sample) -> Result<Option<Sample>, ()> {
        let mut live = self.live.lock();
        if live.counts.is_full(address) {
            return Err(());
        }
        let before = live.blocks.insert(address, sample)?;
        if before.is_none() {
            self.filter.add(address, &mut live.counts);
        }
        Ok(before)
    }

    /// Forgets all of them.
    pub(crate) fn forget_all(&self) {
        let mut live = self.live.lock();
        let Live { blocks, counts } = &mut *live;
        blocks.take_all(|address| self.filter.remove(address, counts));
    }

    fn remove(&self, address: usize) -> Option<Sample> {
        let mut live = self.live.lock();
        let sample = live.blocks.remove(address)?;
        self.filter.remove(address, &mut live.counts);
        Some(sample)
    }
}

/// The countdown of a thread has ended: begins a new one, and says whether it is a sample that is due.
#[cold]
#[inline(never)]
pub(crate) fn is_due(state: &State, thread: &Thread) -> bool {
    let own = thread.block();
    let used = own.granted.load(Relaxed).saturating_sub(own.until.load(Relaxed));
    let mut until = thread.until_sample.get().saturating_sub(used);
    let is_due = until <= 0;
    if is_due {
        // Where in the block the next one would have come does not matter: what is behind its end is as random.
        until = thread.distance(state);
    }
    thread.until_sample.set(until);
    thread.grant(state);
    is_due
}

/// Remembers a block that is sampled.
#[cold]
#[inline(never)]
pub(crate) fn take(
    state: &State,
    thread: &Thread,
    address: usize,
    size: usize,
    site: u32,
    is_estimated: bool,
) -> Option<Sample> {
    // A block of no bytes is due where an event before it could not be counted.
    let size = size.max(1);
    let chance = number::chance(size as f64 / state.sampling_bytes.load(Relaxed) as f64);
    let sample = Sample {
        site,
        is_estimated,
        bytes: (size as f64 / chance) as u64,
        count: (PARTS / chance) as u64,
        born: ticks(),
    };
    match state.samples.insert(address, sample) {
        Ok(before) => {
            // When every block is watched, the one whose free was missed is known otherwise too.
            if let Some(before) = before.filter(|_| state.mode() == Some(Mode::Sampled)) {
                state.header().missed_frees.fetch_add(1, Relaxed);
                uncount(state, thread, before);
            }
            Some(sample)
        }
        Err(()) => {
            state.header().samples_lost.fetch_add(1, Relaxed);
            None
        }
    }
}

/// A sampled block has ended: how long it lived.
#[cold]
#[inline(never)]
pub(crate) fn ended(state: &State, address: usize) -> Option<Sample> {
    let sample = state.samples.remove(address)?;
    let ticks = ticks().saturating_sub(sample.born);
    let bucket = (64 - ticks.leading_zeros() as usize).min(HISTOGRAM_BUCKETS - 1);
    let lifetimes = &state.header().lifetimes;
    lifetimes.counts[bucket].fetch_add(sample.count, Relaxed);
    lifetimes.bytes[bucket].fetch_add(sample.bytes, Relaxed);
    Some(sample)
}

/// A block was allocated: whether something is due.
#[inline(always)]
pub(crate) fn count_down(own: &ThreadBlock, size: usize) -> bool {
    let until = own.until.load(Relaxed).wrapping_sub(size as i64);
    own.until.store(until, Relaxed);
    bump(&own.allocated_count, 1);
    until <= 0
}

/// A sample is due, or a look at the peak.
#[cold]
#[inline(never)]
pub(crate) fn due(
    state: &State,
    thread: &Thread,
    address: usize,
    size: usize,
    registers: Registers,
    is_estimated: bool,
) {
    if is_due(state, thread) {
        count(state, thread, address, size, registers, is_estimated);
    }
    look(state, thread);
}

fn count(
    state: &State,
    thread: &Thread,
    address: usize,
    size: usize,
    registers: Registers,
    is_estimated: bool,
) {
    // SAFETY: the thread is inside the core once, and the registers are those of a function that runs on it.
    let site = unsafe { state.paths.site(&thread.walker, registers) };
    if site == 0 {
        state.lose_site();
        return;
    }
    let counters = thread.counters(state, site);
    let sample = counters.and_then(|_| take(state, thread, address, size, site, is_estimated));
    let (Some(counters), Some(sample)) = (counters, sample) else { return };
    peak::note(state.header(), counters);
    bump(&counters.allocated_bytes, sample.bytes);
    bump(&counters.allocated_count, sample.count);
    let weight = sample.bytes as f64;
    let chance = size as f64 / weight.max(1.0);
    let variance = f64::from_bits(counters.extra.load(Relaxed)) + weight * weight * (1.0 - chance).max(0.0);
    counters.extra.store(variance.to_bits(), Relaxed);
    counters.extra_count.store(counters.extra_count.load(Relaxed).saturating_add(1), Relaxed);
    if state.knows_sizes.load(Relaxed) == 0 {
        exact::grow(state, thread, sample.bytes as i64);
    } else if is_estimated {
        let own = thread.block();
        estimate(own, sample.bytes as i64);
        bump(&own.estimated_allocated_bytes, sample.bytes);
    }
}

/// A block that may have been sampled is about to be freed. `size` is 0 when the door does not know it.
pub(crate) fn freed(state: &State, thread: &Thread, address: usize, size: usize) {
    bump(&thread.block().freed_bytes, size as u64);
    bump(&thread.block().freed_count, 1);
    if state.samples.may_hold(address)
        && let Some(sample) = ended(state, address)
    {
        uncount(state, thread, sample);
    }
    if thread.block().freed_bytes.load(Relaxed) > thread.block().freed_limit.load(Relaxed) {
        look(state, thread);
    }
}

/// Looks what the thread holds, where that is known by the sizes of blocks.
pub(crate) fn look(state: &State, thread: &Thread) {
    let own = thread.block();
    own.freed_limit.store(own.freed_bytes.load(Relaxed).wrapping_add(state.look_bytes() as u64), Relaxed);
    if state.knows_sizes.load(Relaxed) != 0 {
        let is_reckoned = !state.shadow.is_narrow() && state.remembers_sizes.load(Relaxed) == 0;
        let held = own.held(is_reckoned).wrapping_add(own.estimated_bytes.load(Relaxed));
        exact::grow(state, thread, held.wrapping_sub(own.net.load(Relaxed)));
    }
}

/// A sampled block is gone.
#[cold]
#[inline(never)]
pub(crate) fn uncount(state: &State, thread: &Thread, sample: Sample) {
    let Some(counters) = thread.counters(state, sample.site) else { return };
    peak::note(state.header(), counters);
    bump(&counters.freed_bytes, sample.bytes);
    bump(&counters.freed_count, sample.count);
    let own = thread.block();
    if state.knows_sizes.load(Relaxed) == 0 {
        own.net.store(own.net.load(Relaxed).wrapping_sub(sample.bytes as i64), Relaxed);
    } else if sample.is_estimated {
        estimate(own, -(sample.bytes as i64));
    }
}

/// Adds to what is held in blocks whose sizes are not told again.
fn estimate(own: &ThreadBlock, by: i64) {
    own.estimated_bytes.store(own.estimated_bytes.load(Relaxed).wrapping_add(by), Relaxed);
}

#[cfg(test)]
mod tests;
