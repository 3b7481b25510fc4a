//! The address spaces of the watched processes: what is mapped where, now. Records are read in the order of
//! time, so that "now" is when the sample at hand was taken.

use std::cell::Cell;
use std::collections::BTreeMap;

use foldhash::fast::RandomState;
use hashbrown::{HashMap, HashSet};

use super::images::{ImageId, Images};
use calor_symbols::unwind::{ModuleId, Place, Space};

/// One mapping.
#[derive(Clone, Copy, Debug)]
struct Region {
    start: u64,
    end: u64,
    image: ImageId,
    /// The unwinder's name for the image and what to take off an address; `None` where no file helps.
    module: Option<(ModuleId, u64)>,
    offset: u64,
}

/// What an address belongs to.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) struct Location {
    /// The file; `None` where nothing is mapped.
    pub(crate) image: Option<ImageId>,
    /// The address by the file's own reckoning, or the offset in the file where that is not known, or the bare
    /// address.
    pub(crate) address: u64,
}

/// What is mapped into one process, by address.
#[derive(Clone, Debug, Default)]
pub(crate) struct Mapped {
    /// By where they start. Programs that make code as they go map regions by the ten thousand.
    regions: BTreeMap<u64, Region>,
    /// The one that was found last: the frames of a stack are mostly of one file.
    last: Cell<Option<Region>>,
    /// Threads that have begun and not ended, as far as was told.
    n_threads: usize,
}

impl Mapped {
    fn region(&self, address: u64) -> Option<Region> {
        let holds = |region: &Region| region.start <= address && address < region.end;
        if let Some(region) = self.last.get().filter(holds) {
            return Some(region);
        }
        let found = self.regions.range(..=address).next_back().map(|(_, region)| *region).filter(holds);
        if found.is_some() {
            self.last.set(found);
        }
        found
    }

    /// Whether nothing is mapped, as before a program's first instruction.
    pub(crate) fn is_empty(&self) -> bool {
        self.regions.is_empty()
    }

    /// How many mappings there are.
    pub(crate) fn n_regions(&self) -> usize {
        self.regions.len()
    }

    /// Where an address belongs.
    pub(crate) fn location(&self, address: u64) -> Location {
        match self.region(address) {
            None => Location { image: None, address },
            Some(Region { image, module: Some((_, bias)), .. }) => {
                Location { image: Some(image), address: address.wrapping_sub(bias) }
            }
            Some(Region { image, start, offset, .. }) => {
                Location { image: Some(image), address: (address - start).wrapping_add(offset) }
            }
        }
    }

    /// Notes a mapping; what was there before is gone.
    fn add(&mut self, region: Region) {
        let Region { start, end, .. } = region;
        if start >= end {
            return;
        }
        self.last.set(None);
        // The one before may reach into it, and beyond it.
        let before = self.regions.range(..start).next_back().map(|(_, old)| *old);
        if let Some(old) = before.filter(|old| old.end > start) {
            self.regions.insert(old.start, Region { end: start, ..old });
            self.keep_behind(old, end);
        }
        while let Some((&at, &old)) = self.regions.range(start..end).next() {
            self.regions.remove(&at);
            self.keep_behind(old, end);
        }
        self.regions.insert(start, region);
    }

    /// Keeps what of an old mapping lies from `end` on.
    fn keep_behind(&mut self, old: Region, end: u64) {
        if old.end > end {
            let offset = old.offset.wrapping_add(end - old.start);
            self.regions.insert(end, Region { start: end, offset, ..old });
        }
    }
}

impl Space for Mapped {
    fn find(&self, address: u64) -> Option<Place> {
        let (module, bias) = self.region(address)?.module?;
        Some(Place { module, svma: address.wrapping_sub(bias) })
    }
}

/// All processes.
#[derive(Debug, Default)]
pub(crate) struct Spaces {
    by_pid: HashMap<i32, Mapped, RandomState>,
    nothing: Mapped,
    /// Those that were not there when last looked for, although nothing was told of their end.
    missed: HashSet<i32, RandomState>,
}

impl Spaces {
    /// A process's mappings; of an unknown one, none.
    pub(crate) fn of(&self, pid: i32) -> &Mapped {
        self.by_pid.get(&pid).unwrap_or(&self.nothing)
    }

    pub(crate) fn knows(&self, pid: i32) -> bool {
        self.by_pid.contains_key(&pid)
    }

    /// A file was mapped.
    pub(crate) fn map(
        &mut self,
        pid: i32,
        (start, end): (u64, u64),
        offset: u64,
        image: ImageId,
        images: &Images,
    ) {
        let opened = images.opened(image);
        let module = opened.module.and_then(|module| {
            let bias = opened.image.as_ref()?.bias(start, end - start, offset)?;
            Some((module, bias))
        });
        self.by_pid.entry(pid).or_default().add(Region { start, end, image, module, offset });
    }

    /// A process began as the copy of another. Its number may have been another's before.
    pub(crate) fn fork(&mut self, pid: i32, parent: i32) {
        match self.by_pid.get(&parent) {
            Some(mapped) => {
                let copy = Mapped { n_threads: 0, ..mapped.clone() };
                self.by_pid.insert(pid, copy);
            }
            None => self.forget(pid),
        }
    }

    /// A process becomes another program, of which nothing is mapped yet and which has one thread.
    pub(crate) fn begin(&mut self, pid: i32) {
        self.by_pid.insert(pid, Mapped { n_threads: 1, ..Mapped::default() });
    }

    /// A process that ran before has so many threads.
    pub(crate) fn adopt(&mut self, pid: i32, n_threads: usize) {
        if let Some(mapped) = self.by_pid.get_mut(&pid) {
            mapped.n_threads = n_threads;
        }
    }

    /// A thread of a process began.
    pub(crate) fn thread_began(&mut self, pid: i32) {
        if let Some(mapped) = self.by_pid.get_mut(&pid) {
            mapped.n_threads += 1;
        }
    }

    /// A thread of a process ended; the process with the last one, which need not be the first one.
    pub(crate) fn thread_ended(&mut self, pid: i32) {
        if let Some(mapped) = self.by_pid.get_mut(&pid) {
            mapped.n_threads = mapped.n_threads.saturating_sub(1);
            if mapped.n_threads == 0 {
                self.forget(pid);
            }
        }
    }

    /// A process ended.
    pub(crate) fn forget(&mut self, pid: i32) {
        self.by_pid.remove(&pid);
        self.missed.remove(&pid);
    }

    /// The processes that are known.
    pub(crate) fn pids(&self) -> impl Iterator<Item = i32> {
        self.by_pid.keys().copied()
    }

    /// Forgets processes whose end was not told, as when records were lost. One has to be missed twice, since what
    /// is known is a little older than what is there.
    pub(crate) fn sweep(&mut self, is_there: impl Fn(i32) -> bool) {
        let gone: HashSet<i32, RandomState> = self.pids().filter(|pid| !is_there(*pid)).collect();
        for pid in gone.intersection(&self.missed) {
            self.by_pid.remove(pid);
        }
        self.missed = gone;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn mapped(regions: &[(u64, u64, u64)]) -> Mapped {
        let mut mapped = Mapped::default();
        for &(start, end, offset) in regions {
            mapped.add(Region { start, end, image: ImageId::of_test(offset), module: None, offset });
        }
        mapped
    }

    fn check(regions: &[(u64, u64, u64)], address: u64, expected: Option<u64>) {
        let location = mapped(regions).location(address);
        let found = location.image.map(|_| location.address);
        assert_eq!(found, expected, "{address:#x} in {regions:x?}");
    }

    #[test]
    fn a_new_mapping_cuts_what_was_there() {
        let old = (0x1000, 0x9000, 0x10_0000);
        let cases = [
            (0x3000, 0x5000, [Some(0x10_1000), Some(0x20_1000), Some(0x10_5000)]),
            (0x1000, 0x5000, [Some(0x20_1000), Some(0x20_3000), Some(0x10_5000)]),
            (0x3000, 0x9000, [Some(0x10_1000), Some(0x20_1000), Some(0x20_3000)]),
            (0x0000, 0xa000, [Some(0x20_2000), Some(0x20_4000), Some(0x20_6000)]),
            (0xb000, 0xc000, [Some(0x10_1000), Some(0x10_3000), Some(0x10_5000)]),
        ];
        for (start, end, expected) in cases {
            for (address, expected) in [0x2000, 0x4000, 0x6000].into_iter().zip(expected) {
                check(&[old, (start, end, 0x20_0000)], address, expected);
            }
        }
        check(&[old], 0x9000, None);
        check(
            &[old, (0x2000, 0x3000, 0), (0x5000, 0x6000, 0), (0, 0xf000, 0x30_0000)],
            0x5800,
            Some(0x30_5800),
        );
    }

    #[test]
    fn a_lookup_before_a_change_does_not_outlive_it() {
        let mut mapped = mapped(&[(0x1000, 0x2000, 0x10_0000)]);
        assert_eq!(mapped.location(0x1800).address, 0x10_0800);
        mapped.add(Region {
            start: 0x1000,
            end: 0x2000,
            image: ImageId::of_test(1),
            module: None,
            offset: 0,
        });
        assert_eq!(mapped.location(0x1800).address, 0x800);
    }

    #[test]
    fn a_process_is_known_until_its_last_thread_ends() {
        let mut spaces = Spaces::default();
        spaces.begin(10);
        spaces.thread_began(10);
        spaces.thread_ended(10);
        assert!(spaces.knows(10), "the first thread may end before others");
        spaces.fork(20, 10);
        spaces.thread_began(20);
        spaces.thread_ended(10);
        assert!(!spaces.knows(10) && spaces.knows(20));
        spaces.fork(20, 99);
        assert!(!spaces.knows(20), "the number belongs to another process, of which nothing is known");
    }

    #[test]
    fn processes_whose_end_was_lost_are_swept_out_the_second_time() {
        let mut spaces = Spaces::default();
        (1..=1000).for_each(|pid| spaces.begin(pid));
        spaces.sweep(|pid| pid == 1);
        assert!(spaces.knows(2));
        spaces.sweep(|pid| pid == 1);
        assert_eq!(spaces.pids().collect::<Vec<_>>(), [1]);
    }
}
