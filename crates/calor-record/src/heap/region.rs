//! The file that a process counts in, mapped.

#![expect(unsafe_code, reason = "the file changes while it is mapped, so it is read word by word as atomics")]

use std::fs::File;
use std::io;
use std::path::Path;
use std::sync::atomic::AtomicU64;
use std::sync::atomic::Ordering::Relaxed;

use calor_heap::{Image, ImageError};
use memmap2::MmapRaw;

/// A mapped region.
#[derive(Debug)]
pub(super) struct Region {
    map: MmapRaw,
}

impl Region {
    pub(super) fn open(path: &Path) -> io::Result<Self> {
        let file = File::open(path)?;
        // The one who made the file gives it its length before anything else.
        if file.metadata()?.len() == 0 {
            return Err(io::ErrorKind::WouldBlock.into());
        }
        let map = memmap2::MmapOptions::new().map_raw_read_only(&file)?;
        Ok(Self { map })
    }

    fn word(&self, offset: u64) -> Option<u64> {
        let offset = usize::try_from(offset).ok()?;
        if offset % 8 != 0 || offset.checked_add(8)? > self.map.len() {
            return None;
        }
        // SAFETY: the word lies in the mapping and is aligned, as the mapping is.
        let word = unsafe { &*self.map.as_ptr().add(offset).cast::<AtomicU64>() };
        Some(word.load(Relaxed))
    }

    /// All that was counted so far.
    pub(super) fn image(&self) -> Result<Image, ImageError> {
        Image::read(&|offset| self.word(offset))
    }

    /// The process, once it has begun to count.
    pub(super) fn process(&self) -> Option<u32> {
        Image::process(&|offset| self.word(offset)).ok()
    }

    /// Bytes that the process holds now.
    pub(super) fn live_bytes(&self) -> Option<u64> {
        Image::live_bytes(&|offset| self.word(offset)).ok()
    }
}
