//! The address spaces of the watched processes: what is mapped where, now. Records are read in the order of
//! time, so that "now" is when the sample at hand was taken.

use std::cell::Cell;

use foldhash::fast::RandomState;
use hashbrown::HashMap;

use super::images::{ImageId, Images};
use crate::unwind::{ModuleId, Place, Space};

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
    regions: Vec<Region>,
    /// The one that was found last: the frames of a stack are mostly of one file.
    last: Cell<usize>,
}

impl Mapped {
    fn region(&self, address: u64) -> Option<&Region> {
        let holds = |region: &&Region| region.start <= address && address < region.end;
        if let Some(region) = self.regions.get(self.last.get()).filter(holds) {
            return Some(region);
        }
        let at = self.regions.partition_point(|region| region.start <= address).checked_sub(1)?;
        self.last.set(at);
        self.regions.get(at).filter(holds)
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
                Location { image: Some(*image), address: address.wrapping_sub(*bias) }
            }
            Some(Region { image, start, offset, .. }) => {
                Location { image: Some(*image), address: address - start + offset }
            }
        }
    }

    /// Notes a mapping; what was there before is gone.
    fn add(&mut self, region: Region) {
        let Region { start, end, .. } = region;
        let mut kept = Vec::with_capacity(self.regions.len() + 2);
        for old in self.regions.drain(..) {
            if old.start < start {
                kept.push(Region { end: old.end.min(start), ..old });
            }
            if old.end > end {
                let cut = end.saturating_sub(old.start);
                kept.push(Region { start: old.start.max(end), offset: old.offset + cut, ..old });
            }
        }
        kept.push(region);
        kept.sort_by_key(|region| region.start);
        self.regions = kept;
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

    /// A process began as the copy of another.
    pub(crate) fn fork(&mut self, pid: i32, parent: i32) {
        if let Some(mapped) = self.by_pid.get(&parent) {
            let copy = mapped.clone();
            self.by_pid.insert(pid, copy);
        }
    }

    /// A process becomes another program, of which nothing is mapped yet.
    pub(crate) fn begin(&mut self, pid: i32) {
        self.by_pid.insert(pid, Mapped::default());
    }

    /// A process ended.
    pub(crate) fn forget(&mut self, pid: i32) {
        self.by_pid.remove(&pid);
    }
}
