//! The small symbol table that some distributions pack into stripped files: names of functions and nothing else.

use std::io::{self, Write};
use std::sync::Arc;

use crate::image::Image;

const SECTION: &str = ".gnu_debugdata";

/// Larger tables are not unpacked; real ones have a few megabytes.
const MAX_BYTES: usize = 256 << 20;

/// Whether the image has one.
pub(super) fn is_in(image: &Image) -> bool {
    image.has_section(SECTION)
}

/// Unpacks it, if there is one and it is whole.
pub(super) fn open(image: &Image) -> Option<Arc<Image>> {
    let (_, mut packed) = image.section(SECTION)?;
    let mut bytes = Bounded(Vec::new());
    lzma_rs::xz_decompress(&mut packed, &mut bytes).ok()?;
    Image::from_bytes(image.name(), bytes.0).ok().map(Arc::new)
}

struct Bounded(Vec<u8>);

impl Write for Bounded {
    fn write(&mut self, piece: &[u8]) -> io::Result<usize> {
        if self.0.len() + piece.len() > MAX_BYTES {
            return Err(io::ErrorKind::OutOfMemory.into());
        }
        self.0.extend_from_slice(piece);
        Ok(piece.len())
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
