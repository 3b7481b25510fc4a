//! Memory of this process, read through the kernel: an address that leads nowhere is an absence and no crash. It is slow,
//! and so only for the trial, which follows addresses that nobody vouches for.

use std::fs::File;
use std::os::unix::fs::FileExt;

/// The memory of this process.
pub(super) struct Memory(File);

impl Memory {
    /// `None` where the kernel does not show it.
    pub(super) fn open() -> Option<Self> {
        File::open("/proc/self/mem").ok().map(Self)
    }

    /// As many of `n` words from an address as are there.
    pub(super) fn words(&self, address: u64, n: usize) -> Vec<u64> {
        let mut bytes = vec![0; 8 * n];
        let read = self.0.read_at(&mut bytes, address).unwrap_or(0);
        let word = |bytes: &[u8]| bytes.try_into().map(u64::from_ne_bytes).unwrap_or_default();
        bytes[..read - read % 8].chunks_exact(8).map(word).collect()
    }
}
