//! Compressed sections of debug information, kept as they are when unpacked: unpacking those of a C library takes longer
//! than all else that a short recording does, and every recording meets some function that none before it has met.

use std::fs;
use std::path::PathBuf;

use super::super::debug_file::hexadecimal;
use super::{Cache, put_whole};
use crate::image::Image;

pub(super) const EXTENSION: &str = "unpacked";

/// Smaller sections are unpacked in no time, and larger ones would drive all others out of the folder.
const LEAST_BYTES: usize = 64 << 10;
const MOST_BYTES: usize = 64 << 20;
const CHECKSUM: usize = 4;

impl Cache {
    /// A section of an image, from the folder or else from `unpack`.
    pub(crate) fn unpacked(
        &self,
        image: &Image,
        section: &str,
        unpack: impl FnOnce() -> Option<Vec<u8>>,
    ) -> Option<Vec<u8>> {
        let path = self.unpacked_path(image, section);
        if let Some(kept) = path.as_ref().and_then(|path| fs::read(path).ok()).and_then(checked) {
            return Some(kept);
        }
        let bytes = unpack()?;
        if let Some(path) = path.filter(|_| (LEAST_BYTES..MOST_BYTES).contains(&bytes.len())) {
            // A folder that cannot be written to costs time next time, and nothing now.
            let _ = put_whole(&path, &[&bytes, &crc32fast::hash(&bytes).to_le_bytes()]);
        }
        Some(bytes)
    }

    /// A build id stands for one content; what has none is not kept.
    fn unpacked_path(&self, image: &Image, section: &str) -> Option<PathBuf> {
        let id = image.build_id().filter(|id| id.len() >= 8 && id.len() <= 64)?;
        Some(self.folder.join(format!("{}{section}.{}.{EXTENSION}", hexadecimal(id), image.bytes().len())))
    }
}

/// Without the checksum at their end, if that is right.
fn checked(mut bytes: Vec<u8>) -> Option<Vec<u8>> {
    let content = bytes.len().checked_sub(CHECKSUM)?;
    let is_right = bytes[content..] == crc32fast::hash(&bytes[..content]).to_le_bytes();
    bytes.truncate(content);
    is_right.then_some(bytes)
}
