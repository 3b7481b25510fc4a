//! `str` and `bytes` objects, copied out of another process.

use super::fields::Fields;
use super::layout::Layout;
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
    let state = State::of(fields.int(layout.text.state)?.cast_unsigned())?;
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

/// How the characters of a `str` are kept.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct State {
    /// Bytes of a character.
    pub(super) width: usize,
    /// Whether the characters follow the head.
    pub(super) is_compact: bool,
    pub(super) is_ascii: bool,
}

impl State {
    /// Before these bits are those that tell how the text is shared: two of them; eight in free-threaded builds
    /// since 3.14; sixteen in its betas. All but the lowest two are 0, so that a width shows only where it is.
    pub(super) fn of(bits: u32) -> Option<Self> {
        [2, 8, 16].into_iter().map(|skipped| bits >> skipped).find_map(|bits| {
            let width = match bits & 7 {
                width @ (1 | 2 | 4) => width as usize,
                _ => return None,
            };
            let (is_compact, is_ascii) = (bits & 8 != 0, bits & 16 != 0);
            (width == 1 || !is_ascii).then_some(Self { width, is_compact, is_ascii })
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_bits_of_all_builds_are_told_apart() {
        let bits = |width: u32, compact: u32, ascii: u32| width | compact << 3 | ascii << 4;
        for shared in 0..=3 {
            for skipped in [2, 8, 16] {
                let state = |kept: u32| State::of(kept << skipped | shared);
                let expected = |width, is_compact, is_ascii| Some(State { width, is_compact, is_ascii });
                assert_eq!(state(bits(1, 1, 1)), expected(1, true, true));
                assert_eq!(state(bits(2, 1, 0)), expected(2, true, false));
                assert_eq!(state(bits(4, 0, 0)), expected(4, false, false));
            }
        }
        assert_eq!(State::of(0), None);
        assert_eq!(State::of(7 << 2), None);
    }
}
