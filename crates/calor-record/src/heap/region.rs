//! The file that a process counts in, mapped.

#![expect(unsafe_code, reason = "the file changes while it is mapped, so it is read word by word as atomics")]

use std::fs::File;
use std::io;
use std::os::fd::AsRawFd;
use std::path::Path;
use std::sync::atomic::AtomicU64;
use std::sync::atomic::Ordering::Relaxed;

use calor_heap::{HeldImage, Image};
use calor_paths::ImageError;
use memmap2::MmapRaw;

/// A mapped region.
#[derive(Debug)]
pub(super) struct Region {
    map: MmapRaw,
    file: File,
}

impl Region {
    pub(super) fn open(path: &Path) -> io::Result<Self> {
        let file = File::open(path)?;
        // The one who made the file gives it its length before anything else.
        if file.metadata()?.len() == 0 {
            return Err(io::ErrorKind::WouldBlock.into());
        }
        let map = memmap2::MmapOptions::new().map_raw_read_only(&file)?;
        Ok(Self { map, file })
    }

    /// Whether nobody writes to it any more: the process that made it has ended or became another program. The library
    /// locks the file for as long as it is mapped, which works across name spaces of process numbers.
    pub(super) fn is_over(&self) -> bool {
        let file = self.file.as_raw_fd();
        // SAFETY: the descriptor is open as long as the file is.
        unsafe {
            libc::flock(file, libc::LOCK_SH | libc::LOCK_NB) == 0 && libc::flock(file, libc::LOCK_UN) == 0
        }
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

    /// What its call paths hold now.
    pub(super) fn held(&self) -> Result<Vec<HeldImage>, ImageError> {
        Image::held(&|offset| self.word(offset))
    }

    /// How many call paths there are so far.
    pub(super) fn n_paths(&self) -> u32 {
        Image::n_paths(&|offset| self.word(offset)).unwrap_or(0)
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
