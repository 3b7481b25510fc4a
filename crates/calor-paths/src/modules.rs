//! The loaded files that call paths go through, each written down once.
//!
//! # Safety
//! Records are written under the lock, in blocks that are never given back, before their number says that they are there.

use core::sync::atomic::Ordering::{Relaxed, Release};

use crate::layout::{FILES_IN_A_PLACE, Kind, MAX_MODULES, MODULES_PER_BLOCK, ModuleRecord, store_bytes};
use crate::lock::Lock;
use crate::region::Region;
use crate::walk::objects::Object;

/// Zeroed memory has none.
#[repr(C)]
pub(crate) struct Modules {
    list: Lock<List>,
}

#[repr(C)]
struct List {
    blocks: [*mut ModuleRecord; (MAX_MODULES / MODULES_PER_BLOCK) as usize],
    count: u32,
}

unsafe impl Send for List {}

impl Modules {
    /// Writes down a loaded file, once; which of those it is that lay at its place one after the other.
    pub(crate) fn remember(&self, region: Region, object: &Object) -> u8 {
        let mut modules = self.list.lock();
        let mut file = 0;
        for index in 0..modules.count {
            let known = modules.record(index);
            if known.is(object) {
                return known.file.load(Relaxed) as u8;
            }
            let (start, end) = (known.start.load(Relaxed) as usize, known.end.load(Relaxed) as usize);
            if start < object.end && object.start < end {
                file = file.max(known.file.load(Relaxed) + 1);
            }
        }
        // Of more than can be told apart the last ones share a number.
        let file = file.min(FILES_IN_A_PLACE - 1);
        if modules.count < MAX_MODULES && modules.make_room(region).is_some() {
            modules.record(modules.count).write(object, file);
            modules.count += 1;
            region.header().modules.store(modules.count, Release);
        }
        file as u8
    }
}

impl List {
    fn record(&self, index: u32) -> &ModuleRecord {
        let block = self.blocks[(index / MODULES_PER_BLOCK) as usize];
        unsafe { &*block.add((index % MODULES_PER_BLOCK) as usize) }
    }

    fn make_room(&mut self, region: Region) -> Option<()> {
        let index = self.count / MODULES_PER_BLOCK;
        if self.blocks[index as usize].is_null() {
            self.blocks[index as usize] = region.block(Kind::MODULES, 0, index)?.cast().as_ptr();
        }
        Some(())
    }
}

impl ModuleRecord {
    /// Whether it is this very file in this very place.
    fn is(&self, object: &Object) -> bool {
        let path = object.path.as_bytes();
        self.start.load(Relaxed) == object.start as u64
            && self.bias.load(Relaxed) == object.bias as u64
            && self.path_length.load(Relaxed) == path.len() as u32
            && path.chunks(8).zip(&self.path).all(|(piece, word)| {
                let word = word.load(Relaxed).to_ne_bytes();
                word[..piece.len()] == *piece
            })
    }

    fn write(&self, object: &Object, file: u32) {
        self.start.store(object.start as u64, Relaxed);
        self.end.store(object.end as u64, Relaxed);
        self.bias.store(object.bias as u64, Relaxed);
        self.path_length.store(object.path.as_bytes().len() as u32, Relaxed);
        self.file.store(file, Relaxed);
        store_bytes(&self.path, object.path.as_bytes());
    }
}
