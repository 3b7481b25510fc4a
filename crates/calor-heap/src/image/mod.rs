//! The region as its readers see it: from outside, while it is written or after its process has ended.

mod functions;
mod held;
mod site_sum;
mod tree;

use std::collections::BTreeMap;

pub use functions::{FunctionImage, InterpreterImage, Pieces};
pub use held::HeldImage;
pub use tree::PathTree;

use crate::arena::{TABLE_OFFSET, reserved_blocks};
use crate::layout::{
    BLOCK, Counters, FILE_SHIFT, HISTOGRAM_BUCKETS, Header, Kind, MAGIC, MAX_MODULES, MAX_SITES,
    MODULES_PER_BLOCK, Mode, ModuleRecord, OWN, PLACES_PER_BLOCK, PythonWatch, SITES_PER_SEGMENT,
    THREADS_PER_BLOCK, ThreadBlock,
};
use crate::python::PythonFrame;
use crate::sampled::PARTS;
use site_sum::{OwnSums, SiteSum, sort_out};

/// Why a region could not be read.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum ImageError {
    /// It was never started: the process ended, or was refused memory, before its first block.
    NotStarted,
    /// It is not a region, or one of another version.
    NotARegion,
    /// It ends before what its header tells of.
    CutOff,
}

impl std::fmt::Display for ImageError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Self::NotStarted => "the process had not begun to count",
            Self::NotARegion => "not a region of counts, or one of another version",
            Self::CutOff => "the region ends early",
        })
    }
}

impl std::error::Error for ImageError {}

/// What a process counted.
#[derive(Clone, Debug)]
pub struct Image {
    /// How the heap was watched.
    pub mode: Mode,
    /// The process.
    pub process: u32,
    /// The mean distance of sampled blocks.
    pub sampling_bytes: u64,
    /// The processor's ticks when it began.
    pub started_ticks: u64,
    /// The steady clock then.
    pub started_nanos: u64,
    /// Whether the process ended in an orderly way.
    pub has_ended: bool,
    /// The largest the heap was.
    pub peak_bytes: u64,
    /// The processor's ticks then.
    pub peak_ticks: u64,
    /// The program.
    pub executable: String,
    /// Loaded files that call paths go through.
    pub modules: Vec<Module>,
    /// Call paths that allocated.
    pub sites: Vec<SiteImage>,
    /// The frames that they are made of.
    pub paths: PathTree,
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
    /// The interpreter, once one of its functions was met.
    pub interpreter: Option<InterpreterImage>,
    /// Python functions of call paths.
    pub functions: Vec<FunctionImage>,
    /// Python functions for which there was no room, by how often they were met.
    pub functions_lost: u64,
}

/// A loaded file.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Module {
    /// Where it begins.
    pub start: u64,
    /// Where it ends.
    pub end: u64,
    /// What is added to the file's addresses.
    pub bias: u64,
    /// Its path; empty for the program itself.
    pub path: String,
    /// Which of the files it is that lay at this place one after the other, loaded and unloaded.
    pub file: u8,
}

impl Module {
    /// The address in the file that an address of a call path stands for; `None` when it belongs to another file.
    #[must_use]
    pub fn address_in_file(&self, address: u64) -> Option<u64> {
        let (file, address) = (address >> FILE_SHIFT, address & ((1 << FILE_SHIFT) - 1));
        let is_here = file == u64::from(self.file) && (self.start..self.end).contains(&address);
        is_here.then(|| address.wrapping_sub(self.bias))
    }
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

/// Reads words of a region.
struct Words<'a> {
    word: &'a dyn Fn(u64) -> Option<u64>,
}

impl Words<'_> {
    fn at(&self, offset: usize) -> Result<u64, ImageError> {
        (self.word)(offset as u64).ok_or(ImageError::CutOff)
    }

    fn half(&self, offset: usize) -> Result<u32, ImageError> {
        let word = self.at(offset & !7)?;
        Ok((word >> (offset % 8 * 8)) as u32)
    }

    fn text(&self, offset: usize, length: usize) -> Result<String, ImageError> {
        let mut bytes = Vec::with_capacity(length);
        for position in (0..length).step_by(8) {
            bytes.extend(self.at(offset + position)?.to_ne_bytes());
        }
        bytes.truncate(length);
        let end = bytes.iter().position(|byte| *byte == 0).unwrap_or(bytes.len());
        bytes.truncate(end);
        Ok(String::from_utf8_lossy(&bytes).into_owned())
    }

    fn histogram(&self, offset: usize) -> Result<Vec<(u64, u64)>, ImageError> {
        (0..HISTOGRAM_BUCKETS)
            .map(|bucket| {
                Ok((self.at(offset + bucket * 8)?, self.at(offset + (HISTOGRAM_BUCKETS + bucket) * 8)?))
            })
            .collect()
    }
}

macro_rules! field {
    ($type:ty, $name:ident) => {
        std::mem::offset_of!($type, $name)
    };
}

impl Image {
    /// Reads a region; `word` gives the eight bytes at an offset, `None` outside.
    ///
    /// # Errors
    /// When it is not a region, or does not hold what it says.
    pub fn read(word: &dyn Fn(u64) -> Option<u64>) -> Result<Self, ImageError> {
        let words = Words { word };
        let magic = words.at(field!(Header, magic)).map_err(|_| ImageError::NotStarted)?;
        if magic != MAGIC {
            return Err(if magic == 0 { ImageError::NotStarted } else { ImageError::NotARegion });
        }
        let mode = match words.half(field!(Header, mode))? {
            1 => Mode::Exact,
            2 => Mode::Sampled,
            _ => return Err(ImageError::NotARegion),
        };
        let mut image = Self {
            mode,
            process: words.half(field!(Header, process))?,
            sampling_bytes: words.at(field!(Header, sampling_bytes))?,
            started_ticks: words.at(field!(Header, started_ticks))?,
            started_nanos: words.at(field!(Header, started_nanos))?,
            has_ended: words.half(field!(Header, has_ended))? != 0,
            peak_bytes: words.at(field!(Header, peak_bytes))?,
            peak_ticks: words.at(field!(Header, peak_ticks))?,
            executable: words.text(field!(Header, executable), 512)?,
            modules: Vec::new(),
            sites: Vec::new(),
            paths: PathTree::default(),
            own_bytes: 0,
            threads: Vec::new(),
            sizes: vec![(0, 0); HISTOGRAM_BUCKETS],
            lifetimes: words.histogram(field!(Header, lifetimes))?,
            sites_lost: words.at(field!(Header, sites_lost))?,
            threads_lost: words.at(field!(Header, threads_lost))?,
            missed_frees: words.at(field!(Header, missed_frees))?,
            samples_lost: words.at(field!(Header, samples_lost))?,
            nested: words.at(field!(Header, nested))?,
            python: match words.half(field!(Header, python))? {
                1 => PythonWatch::Whole,
                2 => PythonWatch::BlocksOnly,
                _ => PythonWatch::None,
            },
            interpreter: None,
            functions: Vec::new(),
            functions_lost: words.at(field!(Header, functions_lost))?,
        };
        for (count, _) in &mut image.lifetimes {
            *count = (*count as f64 / PARTS).round() as u64;
        }
        image.read_blocks(&words)?;
        image.take_rounding_off(words.at(field!(Header, peak_count))? as i64);
        Ok(image)
    }

    /// The return addresses of a call path, outermost first; [`Module::address_in_file`] says what they stand for.
    #[must_use]
    pub fn addresses(&self, site: &SiteImage) -> Vec<u64> {
        self.paths.words(site.native)
    }

    /// The Python frames of a call path, outermost first.
    #[must_use]
    pub fn python_frames(&self, site: &SiteImage) -> Vec<PythonFrame> {
        self.paths.words(site.python).into_iter().filter_map(PythonFrame::unpacked).collect()
    }

    /// The process that counts in a region.
    ///
    /// # Errors
    /// As for [`Image::read`].
    pub fn process(word: &dyn Fn(u64) -> Option<u64>) -> Result<u32, ImageError> {
        let words = Words { word };
        match words.at(field!(Header, magic))? {
            MAGIC => words.half(field!(Header, process)),
            _ => Err(ImageError::NotStarted),
        }
    }

    /// Bytes that are held now, without reading what call paths did.
    ///
    /// # Errors
    /// As for [`Image::read`].
    pub fn live_bytes(word: &dyn Fn(u64) -> Option<u64>) -> Result<u64, ImageError> {
        let words = Words { word };
        let length = words.at(field!(Header, length))? as usize;
        let blocks = words.half(field!(Header, blocks))? as usize;
        let n_threads = words.half(field!(Header, threads))?;
        let mut live = 0i64;
        for number in reserved_blocks(length)..blocks.min(length / BLOCK) {
            let entry = words.at(TABLE_OFFSET + number * 8)?;
            if entry >> 48 != Kind::Threads as u64 {
                continue;
            }
            let held = held(&words, number * BLOCK, (entry & 0xff_ffff) as u32, n_threads)?;
            live = live.wrapping_add(held);
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
        let length = words.at(field!(Header, length))? as usize;
        // Where all are in use, whoever asks for one more is in this number for an instant.
        let blocks = (words.half(field!(Header, blocks))? as usize).min(length / BLOCK);
        let n_sites = words.half(field!(Header, sites))?.min(MAX_SITES);
        let n_threads = words.half(field!(Header, threads))?;
        let n_modules = words.half(field!(Header, modules))?.min(MAX_MODULES);
        let epoch = words.half(field!(Header, epoch))?;
        let mut sums = vec![SiteSum::default(); n_sites as usize];
        let mut own_sums = OwnSums::new();
        let mut places: BTreeMap<u32, usize> = BTreeMap::new();
        let mut nodes: BTreeMap<u32, usize> = BTreeMap::new();
        for number in reserved_blocks(length)..blocks {
            let entry = words.at(TABLE_OFFSET + number * 8)?;
            let (kind, index) = (entry >> 48, (entry & 0xff_ffff) as u32);
            let at = number * BLOCK;
            match kind {
                _ if kind == Kind::Places as u64 => {
                    places.insert(index, at);
                }
                _ if kind == Kind::Nodes as u64 => {
                    nodes.insert(index, at);
                }
                _ if kind == Kind::Threads as u64 => self.read_threads(words, at, index, n_threads)?,
                _ if kind == Kind::Modules as u64 => self.read_modules(words, at, index, n_modules)?,
                _ if kind == Kind::Functions as u64 => {
                    functions::read(words, at, &mut self.functions, &mut self.interpreter)?;
                }
                _ if kind == Kind::OwnThreads as u64 => {
                    let n_threads = words.half(field!(Header, own_threads))?;
                    self.own_bytes += held(words, at, index, n_threads)?.max(0) as u64;
                }
                _ if kind == Kind::Counters as u64 => {
                    let is_own = (entry >> 24) as u32 & OWN != 0;
                    let first = index.saturating_mul(SITES_PER_SEGMENT);
                    let last = n_sites.saturating_sub(first).min(SITES_PER_SEGMENT);
                    for position in 0..last {
                        let at = at + position as usize * size_of::<Counters>();
                        if words.at(at + field!(Counters, allocated_count))? == 0
                            && words.at(at + field!(Counters, freed_count))? == 0
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
        self.paths = PathTree::read(words, &nodes)?;
        self.sites.reserve(sums.len());
        for (site, sum) in (0..).zip(sums).filter(|(_, sum)| sum.is_used()) {
            let Some(&at) = places.get(&(site / PLACES_PER_BLOCK)) else { continue };
            let place = words.at(at + (site % PLACES_PER_BLOCK) as usize * 8)?;
            let (native, python) = (place as u32, (place >> 32) as u32);
            self.sites.push(SiteImage { number: site, native, python, ..sum.finished(self.mode) });
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
                thread: words.half(at + field!(ThreadBlock, thread))?,
                nested: words.at(at + field!(ThreadBlock, nested))?,
                unknown_frees: words.at(at + field!(ThreadBlock, unknown_frees))?,
                allocated_bytes: words
                    .at(at + field!(ThreadBlock, allocated_bytes))?
                    .wrapping_add(words.at(at + field!(ThreadBlock, granted))?)
                    .wrapping_sub(words.at(at + field!(ThreadBlock, until))?),
                allocated_count: words.at(at + field!(ThreadBlock, allocated_count))?,
                freed_count: words.at(at + field!(ThreadBlock, freed_count))?,
                reckoned_bytes: words.at(at + field!(ThreadBlock, reckoned_bytes))?,
                estimated_bytes: words.at(at + field!(ThreadBlock, estimated_allocated_bytes))?,
            });
            let sizes = words.histogram(at + field!(ThreadBlock, sizes))?;
            for (sum, own) in self.sizes.iter_mut().zip(sizes) {
                *sum = (sum.0 + own.0, sum.1 + own.1);
            }
        }
        Ok(())
    }

    fn read_modules(
        &mut self,
        words: &Words<'_>,
        at: usize,
        index: u32,
        count: u32,
    ) -> Result<(), ImageError> {
        let first = index.saturating_mul(MODULES_PER_BLOCK);
        for position in 0..count.saturating_sub(first).min(MODULES_PER_BLOCK) as usize {
            let at = at + position * size_of::<ModuleRecord>();
            let length = (words.half(at + field!(ModuleRecord, path_length))? as usize).min(480);
            self.modules.push(Module {
                start: words.at(at + field!(ModuleRecord, start))?,
                end: words.at(at + field!(ModuleRecord, end))?,
                bias: words.at(at + field!(ModuleRecord, bias))?,
                path: words.text(at + field!(ModuleRecord, path), length)?,
                file: words.half(at + field!(ModuleRecord, file))? as u8,
            });
        }
        Ok(())
    }
}

/// What the threads of a block hold.
fn held(words: &Words<'_>, at: usize, index: u32, n_threads: u32) -> Result<i64, ImageError> {
    let first = index.saturating_mul(THREADS_PER_BLOCK);
    (0..n_threads.saturating_sub(first).min(THREADS_PER_BLOCK)).try_fold(0i64, |sum, position| {
        let at = at + position as usize * size_of::<ThreadBlock>();
        Ok(sum.wrapping_add(words.at(at + field!(ThreadBlock, net))? as i64))
    })
}
