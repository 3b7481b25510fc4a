//! What the region looks like that call paths lie in, and what is counted by them: a header, a table that says what each
//! block of the region is for, and the blocks. Whoever writes and whoever reads from outside agree on these types; all of
//! them are valid as zeros.

use core::sync::atomic::{AtomicU32, AtomicU64};

/// A block of the region.
pub const BLOCK: usize = 64 * 1024;
/// How much address space a region takes; only what is touched takes memory. Smaller ones are tried where a limit
/// forbids that.
pub(crate) const REGION_LENGTHS: [usize; 3] = [8 << 30, 1 << 30, 128 << 20];
/// Where the header of whoever counts in the region is; it ends where the table of blocks begins.
pub(crate) const OWNER_OFFSET: usize = 2048;
/// The headers and the table of blocks come first.
pub(crate) const TABLE_OFFSET: usize = 4096;
/// Call paths that are told apart: their numbers have 22 bits. 0 stands for none.
pub const MAX_SITES: u32 = (1 << 22) - 1;
/// Places of so many call paths share a block.
pub(crate) const PLACES_PER_BLOCK: u32 = (BLOCK / 8) as u32;
/// Nodes that share a block.
pub(crate) const NODES_PER_BLOCK: u32 = (BLOCK / size_of::<Node>()) as u32;
/// Loaded files that share a block.
pub(crate) const MODULES_PER_BLOCK: u32 = (BLOCK / size_of::<ModuleRecord>()) as u32;
/// Loaded files that are remembered.
pub(crate) const MAX_MODULES: u32 = 32 * MODULES_PER_BLOCK;
/// In an address of a call path the byte here says which of the files it belongs to that lay there one after the other.
pub(crate) const FILE_SHIFT: u32 = 56;
/// So many are told apart.
pub(crate) const FILES_IN_A_PLACE: u32 = 32;

/// What a block of the region is for; the second number of its entry says which of its kind it is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[repr(transparent)]
pub struct Kind(u16);

impl Kind {
    /// Nodes of the tree of call paths, by number.
    pub(crate) const NODES: Self = Self(1);
    /// Which nodes call paths are, by number.
    pub(crate) const PLACES: Self = Self(2);
    /// Loaded files.
    pub(crate) const MODULES: Self = Self(5);
    /// Python functions, as copies of the interpreter's objects.
    pub(crate) const FUNCTIONS: Self = Self(6);

    /// One of those of whoever counts in the region.
    #[must_use]
    pub const fn of_owner(number: u8) -> Self {
        Self(0x100 | number as u16)
    }

    #[cfg(feature = "read")]
    pub(crate) fn of_entry(entry: u64) -> Self {
        Self((entry >> 48) as u16)
    }
}

/// An entry of the table of blocks: kind, owner and index.
pub(crate) fn block_entry(kind: Kind, owner: u32, index: u32) -> u64 {
    u64::from(kind.0) << 48 | u64::from(owner & 0xff_ffff) << 24 | u64::from(index & 0xff_ffff)
}

/// The beginning of the region.
#[repr(C)]
pub struct Header {
    /// Says whose region it is, and that it has begun.
    pub magic: AtomicU64,
    /// The process that writes to it.
    pub process: AtomicU32,
    /// Set when the process ends in an orderly way.
    pub has_ended: AtomicU32,
    /// How long the region is.
    pub length: AtomicU64,
    /// The processor's ticks when it began.
    pub started_ticks: AtomicU64,
    /// The steady clock then.
    pub started_nanos: AtomicU64,
    /// Blocks in use.
    pub(crate) blocks: AtomicU32,
    /// Call paths that have a number.
    pub sites: AtomicU32,
    pub(crate) modules: AtomicU32,
    /// Python functions that were met.
    pub(crate) functions: AtomicU32,
    /// Python functions that found no room, by how often they were met.
    pub(crate) functions_lost: AtomicU64,
    pub(crate) executable: [AtomicU64; 64],
    /// The file that this is in.
    pub(crate) path: [AtomicU64; 64],
}

/// A frame of call paths.
#[repr(C)]
pub(crate) struct Node {
    /// An address with its file, or a Python frame.
    pub(crate) word: AtomicU64,
    /// The path that leads to it; 0 for the outermost frame.
    pub(crate) parent: AtomicU32,
    _padding: u32,
}

/// A loaded file.
#[repr(C)]
pub(crate) struct ModuleRecord {
    pub(crate) start: AtomicU64,
    pub(crate) end: AtomicU64,
    /// What is added to the file's addresses.
    pub(crate) bias: AtomicU64,
    pub(crate) path_length: AtomicU32,
    /// Which of the files it is that lay here one after the other.
    pub(crate) file: AtomicU32,
    pub(crate) path: [AtomicU64; 60],
}

/// Writes bytes into words that are read from outside.
pub(crate) fn store_bytes(words: &[AtomicU64], bytes: &[u8]) {
    use core::sync::atomic::Ordering::Relaxed;
    for (word, piece) in words.iter().zip(bytes.chunks(8)) {
        let mut value = [0; 8];
        value[..piece.len()].copy_from_slice(piece);
        word.store(u64::from_ne_bytes(value), Relaxed);
    }
}

/// Reads bytes up to the first zero that [`store_bytes`] wrote.
pub(crate) fn load_bytes<'a>(words: &[AtomicU64], bytes: &'a mut [u8]) -> &'a [u8] {
    use core::sync::atomic::Ordering::Relaxed;
    for (word, piece) in words.iter().zip(bytes.chunks_mut(8)) {
        let word = word.load(Relaxed).to_ne_bytes();
        piece.copy_from_slice(&word[..piece.len()]);
    }
    let length = bytes.iter().position(|byte| *byte == 0).unwrap_or(bytes.len());
    &bytes[..length]
}

const _: () = assert!(size_of::<ModuleRecord>() == 512);
const _: () = assert!(size_of::<Header>() <= OWNER_OFFSET);
