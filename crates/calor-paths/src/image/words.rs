//! The words of a region, and why they could not be read.

/// Why a region could not be read.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum ImageError {
    /// It was never started: the process ended, or was refused memory, before its first block.
    NotStarted,
    /// It is not a region, or one of another version.
    NotARegion,
    /// It ends before what its header tells of.
    CutOff,
}

impl std::fmt::Display for ImageError {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str(match self {
            Self::NotStarted => "the process had not begun to count",
            Self::NotARegion => "not a region of counts, or one of another version",
            Self::CutOff => "the region ends early",
        })
    }
}

impl std::error::Error for ImageError {}

/// Reads words of a region: `word` gives the eight bytes at an offset, `None` outside.
pub struct Words<'a> {
    word: &'a dyn Fn(u64) -> Option<u64>,
}

impl<'a> Words<'a> {
    /// Those that `word` gives.
    pub fn new(word: &'a dyn Fn(u64) -> Option<u64>) -> Self {
        Self { word }
    }

    /// The word at an offset.
    ///
    /// # Errors
    /// When the region ends before.
    pub fn at(&self, offset: usize) -> Result<u64, ImageError> {
        (self.word)(offset as u64).ok_or(ImageError::CutOff)
    }

    /// Half a word.
    ///
    /// # Errors
    /// When the region ends before.
    pub fn half(&self, offset: usize) -> Result<u32, ImageError> {
        let word = self.at(offset & !7)?;
        Ok((word >> (offset % 8 * 8)) as u32)
    }

    pub(super) fn text(&self, offset: usize, length: usize) -> Result<String, ImageError> {
        let mut bytes = Vec::with_capacity(length);
        for position in (0..length).step_by(8) {
            bytes.extend(self.at(offset + position)?.to_ne_bytes());
        }
        bytes.truncate(length);
        let end = bytes.iter().position(|byte| *byte == 0).unwrap_or(bytes.len());
        bytes.truncate(end);
        Ok(String::from_utf8_lossy(&bytes).into_owned())
    }
}
