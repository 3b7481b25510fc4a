//! The region as its readers see it: from outside, while it is written or after its process has ended.

mod held;
mod site_sum;

use std::mem::offset_of;

use calor_paths::{BlockImage, ImageError, PythonFrame, RegionImage, Words};
pub use held::HeldImage;

use crate::layout::{
    COUNTERS, Counters, HISTOGRAM_BUCKETS, Header, MAGIC, Mode, OWN, OWN_THREADS, PythonWatch,
    SITES_PER_SEGMENT, THREADS, THREADS_PER_BLOCK, ThreadBlock,
};
use crate::sampled::PARTS;
use site_sum::{OwnSums, SiteSum, sort_out};

/// What a process counted.
#[derive(Clone, Debug)]
pub struct Image {
    /// The process, and its call paths.
    pub region: RegionImage,
    /// How the heap was watched.
    pub mode: Mode,
    /// The mean distance of sampled blocks.
    pub sampling_bytes: u64,
    /// The largest the heap was.
    pub peak_bytes: u64,
    /// The processor's ticks then.
    pub peak_ticks: u64,
    /// Call paths that allocated.
    pub sites: Vec<SiteImage>,
    /// Bytes that the profiler itself holds in this process: no part of all else.
    pub own_bytes: u64,
    /// Threads, or rather sets of counters: one may have served several threads after each other.
    pub threads: Vec<ThreadImage>,
    /// Sizes by powers of two: bucket `n` holds those below 2^n and not below 2^(n-1), as number and bytes. Only when
    /// every block was watched.
    pub sizes: Vec<(u64, u64)>,
    /// Lifetimes of sampled blocks in ticks, in the same way.
    pub lifetimes: Vec<(u64, u64)>,
    /// Allocations without a call path, for want of room.
    pub sites_lost: u64,
    /// Events of threads for which there was no room.
    pub threads_lost: u64,
    /// Blocks that were handed out again although no free was seen.
    pub missed_frees: u64,
    /// Sampled blocks for which there was no room.
    pub samples_lost: u64,
    /// Events inside the core itself, of threads that were not there yet.
    pub nested: u64,
    /// What was found of Python.
    pub python: PythonWatch,
}

/// What became of the blocks of one call path.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub struct SiteImage {
    /// Which one; it stays the same as long as the process runs.
    pub number: u32,
    /// The node of its innermost native frame, whose word is a return address; 0 where it has none.
    pub native: u32,
    /// The node of its innermost Python frame, 0 where it has none. Python frames belong to those of the native ones that
    /// run Python code.
    pub python: u32,
    /// Bytes allocated.
    pub allocated_bytes: u64,
    /// Blocks allocated.
    pub allocated_count: f64,
    /// Bytes freed.
    pub freed_bytes: u64,
    /// Blocks freed.
    pub freed_count: f64,
    /// Bytes held when the heap was largest.
    pub peak_bytes: u64,
    /// Blocks held then.
    pub peak_count: f64,
    /// Bytes of blocks that the thread's next event freed; exact only.
    pub temporary_bytes: u64,
    /// Number of such blocks.
    pub temporary_count: u64,
    /// Sampled blocks that the figures stand on; 0 when exact.
    pub samples: u64,
    /// The variance of `allocated_bytes`; 0 when exact.
    pub variance: f64,
}

/// What a thread counted besides.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct ThreadImage {
    /// The last thread that counted here.
    pub thread: u32,
    /// Events inside the core itself.
    pub nested: u64,
    /// Frees of blocks that were not seen when they were allocated.
    pub unknown_frees: u64,
    /// Bytes allocated, of all blocks; only when sampled.
    pub allocated_bytes: u64,
    /// Blocks allocated; only when sampled.
    pub allocated_count: u64,
    /// Blocks freed; only when sampled.
    pub freed_count: u64,
    /// Bytes allocated by the allocator's reckoning, 0 when that was not asked.
    pub reckoned_bytes: u64,
    /// Bytes of blocks that it does not reckon with, as sampled ones stand for them.
    pub estimated_bytes: u64,
}

/// Where a field of the heap's header is.
macro_rules! of_header {
    ($name:ident) => {
        RegionImage::OWNER + offset_of!(Header, $name)
    };
}

impl Image {
    /// Reads a region; `word` gives the eight bytes at an offset, `None` outside.
    ///
    /// # Errors
    /// When it is not a region, or does not hold what it says.
    pub fn read(word: &dyn Fn(u64) -> Option<u64>) -> Result<Self, ImageError> {
        let words = Words::new(word);
        let region = RegionImage::read(&words, MAGIC)?;
        let mode = match words.half(of_header!(mode))? {
            1 => Mode::Exact,
            2 => Mode::Sampled,
            _ => return Err(ImageError::NotARegion),
        };
        let mut image = Self {
            region,
            mode,
            sampling_bytes: words.at(of_header!(sampling_bytes))?,
            peak_bytes: words.at(of_header!(peak_bytes))?,
            peak_ticks: words.at(of_header!(peak_ticks))?,
            sites: Vec::new(),
            own_bytes: 0,
            threads: Vec::new(),
            sizes: vec![(0, 0); HISTOGRAM_BUCKETS],
            lifetimes: histogram(&words, of_header!(lifetimes))?,
            sites_lost: words.at(of_header!(sites_lost))?,
            threads_lost: words.at(of_header!(threads_lost))?,
            missed_frees: words.at(of_header!(missed_frees))?,
            samples_lost: words.at(of_header!(samples_lost))?,
            nested: words.at(of_header!(nested))?,
            python: match words.half(of_header!(python))? {
                1 => PythonWatch::Whole,
                2 => PythonWatch::BlocksOnly,
                _ => PythonWatch::None,
            },
        };
        for (count, _) in &mut image.lifetimes {
            *count = (*count as f64 / PARTS).round() as u64;
        }
        image.read_blocks(&words)?;
        image.take_rounding_off(words.at(of_header!(peak_count))? as i64);
        Ok(image)
    }

    /// The return addresses of a call path, outermost first; [`Module::address_in_file`](calor_paths::Module::address_in_file) says what they stand for.
    #[must_use]
    pub fn addresses(&self, site: &SiteImage) -> Vec<u64> {
        self.region.paths.words(site.native)
    }

    /// The Python frames of a call path, outermost first.
    #[must_use]
    pub fn python_frames(&self, site: &SiteImage) -> Vec<PythonFrame> {
        self.region.paths.words(site.python).into_iter().filter_map(PythonFrame::unpacked).collect()
    }

    /// The process that counts in a region.
    ///
    /// # Errors
    /// As for [`Image::read`].
    pub fn process(word: &dyn Fn(u64) -> Option<u64>) -> Result<u32, ImageError> {
        RegionImage::process(&Words::new(word), MAGIC)
    }

    /// Bytes that are held now, without reading what call paths did.
    ///
    /// # Errors
    /// As for [`Image::read`].
    pub fn live_bytes(word: &dyn Fn(u64) -> Option<u64>) -> Result<u64, ImageError> {
        let words = Words::new(word);
        let n_threads = words.half(of_header!(threads))?;
        let mut live = 0i64;
        for block in RegionImage::blocks(&words)?.iter().filter(|block| block.kind == THREADS) {
            live = live.wrapping_add(held(&words, block.at, block.index, n_threads)?);
        }
        Ok(live.max(0) as u64)
    }

    /// A peak by the allocator's reckoning, which rounds blocks up, becomes one of the bytes that were asked for: of each
    /// block that was held then, what blocks are rounded up by on average is taken off.
    fn take_rounding_off(&mut self, held: i64) {
        /// No allocator that reckons this way adds more.
        const MOST: f64 = 32.0;
        let sum = |figure: fn(&ThreadImage) -> u64| self.threads.iter().map(figure).sum::<u64>() as f64;
        let (asked, reckoned) = (sum(|thread| thread.allocated_bytes), sum(|thread| thread.reckoned_bytes));
        let (estimated, count) =
            (sum(|thread| thread.estimated_bytes), sum(|thread| thread.allocated_count).max(1.0));
        if self.mode == Mode::Sampled && reckoned > 0.0 {
            let rounding = ((reckoned + estimated - asked) / count).clamp(0.0, MOST);
            let taken_off = (rounding * held.max(0) as f64) as u64;
            self.peak_bytes = self.peak_bytes.saturating_sub(taken_off);
        }
    }

    fn read_blocks(&mut self, words: &Words<'_>) -> Result<(), ImageError> {
        let n_sites = u32::try_from(self.region.sites.len()).unwrap_or(u32::MAX);
        let n_threads = words.half(of_header!(threads))?;
        let n_own_threads = words.half(of_header!(own_threads))?;
        let epoch = words.half(of_header!(epoch))?;
        let mut sums = vec![SiteSum::default(); n_sites as usize];
        let mut own_sums = OwnSums::new();
        for BlockImage { kind, owner, index, at } in RegionImage::blocks(words)? {
            match kind {
                THREADS => self.read_threads(words, at, index, n_threads)?,
                OWN_THREADS => self.own_bytes += held(words, at, index, n_own_threads)?.max(0) as u64,
                COUNTERS => {
                    let is_own = owner & OWN != 0;
                    let first = index.saturating_mul(SITES_PER_SEGMENT);
                    let last = n_sites.saturating_sub(first).min(SITES_PER_SEGMENT);
                    for position in 0..last {
                        let at = at + position as usize * size_of::<Counters>();
                        if words.at(at + offset_of!(Counters, allocated_count))? == 0
                            && words.at(at + offset_of!(Counters, freed_count))? == 0
                        {
                            continue;
                        }
                        let site = first + position;
                        let sum =
                            if is_own { own_sums.entry(site).or_default() } else { &mut sums[site as usize] };
                        sum.add(words, at, epoch, self.mode)?;
                    }
                }
                _ => {}
            }
        }
        let has_own = !own_sums.is_empty();
        sort_out(&mut sums, own_sums);
        self.sites.reserve(sums.len());
        for ((number, sum), (native, python)) in (0..).zip(sums).zip(&self.region.sites) {
            if sum.is_used() {
                let (native, python) = (*native, *python);
                self.sites.push(SiteImage { number, native, python, ..sum.finished(self.mode) });
            }
        }
        if has_own && self.mode == Mode::Exact {
            // A few blocks of the profiler's were freed as the program's, or the other way round.
            self.peak_bytes = self.sites.iter().map(|site| site.peak_bytes).sum();
        }
        Ok(())
    }

    fn read_threads(
        &mut self,
        words: &Words<'_>,
        at: usize,
        index: u32,
        count: u32,
    ) -> Result<(), ImageError> {
        let first = index * THREADS_PER_BLOCK;
        for position in 0..count.saturating_sub(first).min(THREADS_PER_BLOCK) {
            let at = at + position as usize * size_of::<ThreadBlock>();
            self.threads.push(ThreadImage {
                thread: words.half(at + offset_of!(ThreadBlock, thread))?,
                nested: words.at(at + offset_of!(ThreadBlock, nested))?,
                unknown_frees: words.at(at + offset_of!(ThreadBlock, unknown_frees))?,
                allocated_bytes: words
                    .at(at + offset_of!(ThreadBlock, allocated_bytes))?
                    .wrapping_add(words.at(at + offset_of!(ThreadBlock, granted))?)
                    .wrapping_sub(words.at(at + offset_of!(ThreadBlock, until))?),
                allocated_count: words.at(at + offset_of!(ThreadBlock, allocated_count))?,
                freed_count: words.at(at + offset_of!(ThreadBlock, freed_count))?,
                reckoned_bytes: words.at(at + offset_of!(ThreadBlock, reckoned_bytes))?,
                estimated_bytes: words.at(at + offset_of!(ThreadBlock, estimated_allocated_bytes))?,
            });
            let sizes = histogram(words, at + offset_of!(ThreadBlock, sizes))?;
            for (sum, own) in self.sizes.iter_mut().zip(sizes) {
                *sum = (sum.0 + own.0, sum.1 + own.1);
            }
        }
        Ok(())
    }
}

/// Counts and bytes by powers of two.
fn histogram(words: &Words<'_>, offset: usize) -> Result<Vec<(u64, u64)>, ImageError> {
    let at = |bucket: usize| words.at(offset + bucket * 8);
    (0..HISTOGRAM_BUCKETS).map(|bucket| Ok((at(bucket)?, at(HISTOGRAM_BUCKETS + bucket)?))).collect()
}

/// What the threads of a block hold.
fn held(words: &Words<'_>, at: usize, index: u32, n_threads: u32) -> Result<i64, ImageError> {
    let first = index.saturating_mul(THREADS_PER_BLOCK);
    (0..n_threads.saturating_sub(first).min(THREADS_PER_BLOCK)).try_fold(0i64, |sum, position| {
        let at = at + position as usize * size_of::<ThreadBlock>();
        Ok(sum.wrapping_add(words.at(at + offset_of!(ThreadBlock, net))? as i64))
    })
}
