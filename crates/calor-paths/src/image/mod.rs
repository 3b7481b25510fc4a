//! A region as its readers see it: from outside, while it is written or after its process has ended.

mod functions;
mod tree;
mod words;

use std::collections::BTreeMap;
use std::mem::offset_of;

pub use functions::{FunctionImage, InterpreterImage, Pieces};
pub use tree::PathTree;
pub use words::{ImageError, Words};

use crate::layout::{
    BLOCK, FILE_SHIFT, Header, Kind, MAX_MODULES, MAX_SITES, MODULES_PER_BLOCK, ModuleRecord, OWNER_OFFSET,
    PLACES_PER_BLOCK, TABLE_OFFSET,
};
use crate::region::reserved_blocks;

/// What a region says of its process and of call paths.
#[derive(Clone, Debug, Default)]
pub struct RegionImage {
    /// The process.
    pub process: u32,
    /// The processor's ticks when it began.
    pub started_ticks: u64,
    /// The steady clock then.
    pub started_nanos: u64,
    /// Whether the process ended in an orderly way.
    pub has_ended: bool,
    /// The program.
    pub executable: String,
    /// Loaded files that call paths go through.
    pub modules: Vec<Module>,
    /// The frames that call paths are made of.
    pub paths: PathTree,
    /// By the number of a call path less one: the nodes of its innermost native frame and of its innermost Python frame, 0
    /// where it has none.
    pub sites: Vec<(u32, u32)>,
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

/// A block of a region.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct BlockImage {
    /// What it is for.
    pub kind: Kind,
    /// Whose it is.
    pub owner: u32,
    /// Which of its kind.
    pub index: u32,
    /// Where it begins.
    pub at: usize,
}

impl RegionImage {
    /// Where the header of whoever counts in a region is.
    pub const OWNER: usize = OWNER_OFFSET;

    /// Reads a region that begins with `magic`.
    ///
    /// # Errors
    /// When it is not such a region, or does not hold what it says.
    pub fn read(words: &Words<'_>, magic: u64) -> Result<Self, ImageError> {
        let found = words.at(offset_of!(Header, magic)).map_err(|_| ImageError::NotStarted)?;
        if found != magic {
            return Err(if found == 0 { ImageError::NotStarted } else { ImageError::NotARegion });
        }
        let mut image = Self {
            process: words.half(offset_of!(Header, process))?,
            started_ticks: words.at(offset_of!(Header, started_ticks))?,
            started_nanos: words.at(offset_of!(Header, started_nanos))?,
            has_ended: words.half(offset_of!(Header, has_ended))? != 0,
            executable: words.text(offset_of!(Header, executable), 512)?,
            functions_lost: words.at(offset_of!(Header, functions_lost))?,
            ..Self::default()
        };
        image.read_blocks(words)?;
        Ok(image)
    }

    /// The process that writes to a region.
    ///
    /// # Errors
    /// As for [`RegionImage::read`].
    pub fn process(words: &Words<'_>, magic: u64) -> Result<u32, ImageError> {
        match words.at(offset_of!(Header, magic))? {
            found if found == magic => words.half(offset_of!(Header, process)),
            _ => Err(ImageError::NotStarted),
        }
    }

    /// How many call paths have a number so far.
    ///
    /// # Errors
    /// As for [`RegionImage::read`].
    pub fn n_sites(words: &Words<'_>) -> Result<u32, ImageError> {
        Ok(words.half(offset_of!(Header, sites))?.min(MAX_SITES))
    }

    /// The blocks of a region.
    ///
    /// # Errors
    /// As for [`RegionImage::read`].
    pub fn blocks(words: &Words<'_>) -> Result<Vec<BlockImage>, ImageError> {
        let length = words.at(offset_of!(Header, length))? as usize;
        // Where all are in use, whoever asks for one more is in this number for an instant.
        let blocks = (words.half(offset_of!(Header, blocks))? as usize).min(length / BLOCK);
        let block = |number: usize| {
            let entry = words.at(TABLE_OFFSET + number * 8)?;
            let (owner, index) = ((entry >> 24) as u32 & 0xff_ffff, (entry & 0xff_ffff) as u32);
            Ok(BlockImage { kind: Kind::of_entry(entry), owner, index, at: number * BLOCK })
        };
        (reserved_blocks(length)..blocks).map(block).collect()
    }

    fn read_blocks(&mut self, words: &Words<'_>) -> Result<(), ImageError> {
        // Before the blocks: what comes meanwhile may lie in blocks that were not seen.
        let n_sites = Self::n_sites(words)?;
        let n_modules = words.half(offset_of!(Header, modules))?.min(MAX_MODULES);
        let mut places: BTreeMap<u32, usize> = BTreeMap::new();
        let mut nodes: BTreeMap<u32, usize> = BTreeMap::new();
        for BlockImage { kind, index, at, .. } in Self::blocks(words)? {
            match kind {
                Kind::PLACES => _ = places.insert(index, at),
                Kind::NODES => _ = nodes.insert(index, at),
                Kind::MODULES => self.read_modules(words, at, index, n_modules)?,
                Kind::FUNCTIONS => {
                    functions::read(words, at, &mut self.functions, &mut self.interpreter)?;
                }
                _ => {}
            }
        }
        self.paths = PathTree::read(words, &nodes)?;
        for site in 0..n_sites {
            let Some(&at) = places.get(&(site / PLACES_PER_BLOCK)) else { break };
            let place = words.at(at + (site % PLACES_PER_BLOCK) as usize * 8)?;
            self.sites.push((place as u32, (place >> 32) as u32));
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
            let length = (words.half(at + offset_of!(ModuleRecord, path_length))? as usize).min(480);
            self.modules.push(Module {
                start: words.at(at + offset_of!(ModuleRecord, start))?,
                end: words.at(at + offset_of!(ModuleRecord, end))?,
                bias: words.at(at + offset_of!(ModuleRecord, bias))?,
                path: words.text(at + offset_of!(ModuleRecord, path), length)?,
                file: words.half(at + offset_of!(ModuleRecord, file))? as u8,
            });
        }
        Ok(())
    }
}
