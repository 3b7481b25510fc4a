//! Python functions of a region: pieces of the interpreter's memory, of which readers make sense.

use super::{ImageError, Words};
use crate::layout::BLOCK;

/// Pieces of the memory of a process, each with its address.
pub type Pieces = Vec<(u64, Vec<u8>)>;

/// A Python function.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct FunctionImage {
    /// Which one, as in the frames of call paths.
    pub number: u32,
    /// The code object, which is the first, and what it points to.
    pub pieces: Pieces,
}

/// The interpreter that functions are of.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct InterpreterImage {
    /// Its version in words.
    pub version: String,
    /// The beginning of its runtime.
    pub runtime: Vec<u8>,
}

/// Reads the records of one block.
pub(super) fn read(
    words: &Words<'_>,
    block: usize,
    functions: &mut Vec<FunctionImage>,
    interpreter: &mut Option<InterpreterImage>,
) -> Result<(), ImageError> {
    let end = block + BLOCK;
    let mut at = block;
    while at < end {
        let head = words.at(at)?;
        let (number, n_words) = ((head >> 32) as u32, (head & 0xffff_ffff) as usize);
        if n_words == 0 || n_words > (end - at) / 8 {
            break;
        }
        let pieces = pieces(words, at + 8, at + n_words * 8)?;
        match (number, &pieces[..]) {
            (0, [(_, version), (_, runtime)]) => {
                *interpreter = Some(InterpreterImage {
                    version: String::from_utf8_lossy(version).into_owned(),
                    runtime: runtime.clone(),
                });
            }
            (0, _) => {}
            _ => functions.push(FunctionImage { number, pieces }),
        }
        at += n_words * 8;
    }
    Ok(())
}

fn pieces(words: &Words<'_>, mut at: usize, end: usize) -> Result<Pieces, ImageError> {
    let mut pieces = Vec::new();
    while at + 16 <= end {
        let (address, length) = (words.at(at)?, words.at(at + 8)? as usize);
        at += 16;
        let length = length.min(end - at);
        let mut bytes = Vec::with_capacity(length);
        for position in (0..length).step_by(8) {
            bytes.extend(words.at(at + position)?.to_ne_bytes());
        }
        bytes.truncate(length);
        pieces.push((address, bytes));
        at += length.next_multiple_of(8);
    }
    Ok(pieces)
}
