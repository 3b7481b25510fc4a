//! `str` and `bytes` objects, copied out of another process.

use super::fields::Fields;
use super::layout::{Layout, TextState};
use super::memory::Memory;

/// No name of a function and no path of a file has more characters.
const MOST_CHARACTERS: u64 = 4096;
/// So much of an object is copied at first: the head, and all of most names.
const FIRST_BYTES: usize = 256;

/// The text of the `str` object at `address`, if there is one of a name's length.
pub(crate) fn text_at(memory: &impl Memory, layout: &Layout, address: u64) -> Option<String> {
    let mut copy = first_bytes(memory, address)?;
    let fields = Fields(&copy);
    let length = fields.word(layout.text.length).filter(|length| *length <= MOST_CHARACTERS)?;
    let state = TextState::of(fields.int(layout.text.state)?.cast_unsigned())?;
    let n_bytes = usize::try_from(length).ok()? * state.width;
    let start = if state.is_compact && state.is_ascii { layout.text.ascii } else { layout.text.compact };
    let characters = if state.is_compact {
        rest_of(memory, address, &mut copy, start as usize, n_bytes)?
    } else {
        // Those of subclasses, and those made piece by piece, have their characters elsewhere.
        copy = vec![0; n_bytes];
        let elsewhere = memory.pointer(address.checked_add(start.into())?)?;
        (memory.read(elsewhere, &mut copy) == n_bytes).then_some(&*copy)?
    };
    Some(match state.width {
        1 => characters.iter().map(|byte| char::from(*byte)).collect(),
        2 => {
            characters.as_chunks().0.iter().map(|unit| character(u16::from_ne_bytes(*unit).into())).collect()
        }
        _ => characters.as_chunks().0.iter().map(|unit| character(u32::from_ne_bytes(*unit))).collect(),
    })
}

/// The content of the `bytes` object at `address`, if it has at most so many.
pub(crate) fn bytes_at(memory: &impl Memory, layout: &Layout, address: u64, most: usize) -> Option<Vec<u8>> {
    let mut copy = first_bytes(memory, address)?;
    let length =
        usize::try_from(Fields(&copy).word(layout.bytes.length)?).ok().filter(|length| *length <= most)?;
    rest_of(memory, address, &mut copy, layout.bytes.data as usize, length).map(<[u8]>::to_vec)
}

fn first_bytes(memory: &impl Memory, address: u64) -> Option<Vec<u8>> {
    let mut copy = vec![0; FIRST_BYTES];
    let n_read = memory.read(address, &mut copy);
    copy.truncate(n_read);
    (n_read > 0).then_some(copy)
}

/// `length` bytes at `start` of the object at `address`, of which `copy` has the beginning.
fn rest_of<'a>(
    memory: &impl Memory,
    address: u64,
    copy: &'a mut Vec<u8>,
    start: usize,
    length: usize,
) -> Option<&'a [u8]> {
    let (had, end) = (copy.len(), start.checked_add(length)?);
    if had < end {
        copy.resize(end, 0);
        let rest = &mut copy[had..];
        if memory.read(address.checked_add(had as u64)?, rest) < rest.len() {
            return None;
        }
    }
    copy.get(start..end)
}

/// A surrogate that stands alone is no character, though Python has it.
fn character(number: u32) -> char {
    char::from_u32(number).unwrap_or(char::REPLACEMENT_CHARACTER)
}
