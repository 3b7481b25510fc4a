//! Integers in as few bytes as they need: seven bits a byte, lowest first, the high bit set on all but the
//! last (LEB128). Signed ones are folded first, so that small negative numbers stay short.

/// The longest encoding of 64 bits.
pub(super) const MAX_BYTES: usize = 10;

/// Appends `value`.
#[inline]
pub(super) fn write(out: &mut Vec<u8>, mut value: u64) {
    while value >= 0x80 {
        out.push(value as u8 | 0x80);
        value >>= 7;
    }
    out.push(value as u8);
}

/// Why no integer could be read.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Fault {
    /// The bytes end inside it.
    Cut,
    /// It has more than 64 bits.
    TooLong,
}

/// The integer at the beginning of `bytes` and how many bytes it took.
#[inline]
pub(crate) fn read(bytes: &[u8]) -> Result<(u64, usize), Fault> {
    match bytes {
        [byte, ..] if *byte < 0x80 => Ok((u64::from(*byte), 1)),
        _ => read_long(bytes),
    }
}

/// The same for one of several bytes: eight at once where there are so many, without a branch for each.
#[inline]
fn read_long(bytes: &[u8]) -> Result<(u64, usize), Fault> {
    if let Some(&word) = bytes.first_chunk::<8>() {
        let word = u64::from_le_bytes(word);
        let ends = !word & 0x8080_8080_8080_8080;
        if ends != 0 {
            // The bits below the lowest end are those of the integer.
            let own = word & (ends ^ (ends - 1)) & 0x7f7f_7f7f_7f7f_7f7f;
            let pairs = (own & 0x007f_007f_007f_007f) | (own & 0x7f00_7f00_7f00_7f00) >> 1;
            let fours = (pairs & 0x0000_3fff_0000_3fff) | (pairs & 0x3fff_0000_3fff_0000) >> 2;
            let value = (fours & 0x0fff_ffff) | (fours & 0x0fff_ffff_0000_0000) >> 4;
            return Ok((value, ends.trailing_zeros() as usize / 8 + 1));
        }
    }
    read_slowly(bytes)
}

/// The same byte by byte, for the end of an input and for the longest integers.
#[cold]
fn read_slowly(bytes: &[u8]) -> Result<(u64, usize), Fault> {
    let mut value = 0;
    for (index, &byte) in bytes.iter().take(MAX_BYTES).enumerate() {
        // The tenth byte holds the one bit that is left.
        if index == MAX_BYTES - 1 && byte > 1 {
            return Err(Fault::TooLong);
        }
        value |= u64::from(byte & 0x7f) << (7 * index);
        if byte < 0x80 {
            return Ok((value, index + 1));
        }
    }
    Err(Fault::Cut)
}

/// How many bytes the first `n_integers` of `bytes` take; `None` when there are fewer.
pub(super) fn length_of(bytes: &[u8], n_integers: usize) -> Option<usize> {
    let is_end = |byte: &u8| *byte < 0x80;
    let (mut position, mut n_left) = (0, n_integers);
    // Counted block by block, which the compiler does many bytes at a time.
    for block in bytes.chunks_exact(64) {
        let n_ends = block.iter().map(|byte| u8::from(is_end(byte))).sum::<u8>();
        if usize::from(n_ends) >= n_left {
            break;
        }
        n_left -= usize::from(n_ends);
        position += block.len();
    }
    match n_left {
        0 => Some(position),
        _ => {
            let rest = bytes[position..].iter().enumerate().filter(|(_, byte)| is_end(byte));
            rest.skip(n_left - 1).map(|(at, _)| position + at + 1).next()
        }
    }
}

/// Folds a signed number: 0, -1, 1, -2 become 0, 1, 2, 3.
#[inline]
pub(super) fn fold(value: i64) -> u64 {
    ((value << 1) ^ (value >> 63)) as u64
}

/// The signed number that was folded.
#[inline]
pub(super) fn unfold(value: u64) -> i64 {
    (value >> 1) as i64 ^ -((value & 1) as i64)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_length_survives_a_round_trip_and_every_cut_is_noticed() {
        let edges = (0..64).flat_map(|bit| [(1_u64 << bit) - 1, 1 << bit]).chain([u64::MAX]);
        for value in edges {
            let mut bytes = Vec::new();
            write(&mut bytes, value);
            assert_eq!(read(&bytes), Ok((value, bytes.len())));
            assert_eq!(read(&bytes[..bytes.len() - 1]), Err(Fault::Cut));
            let signed = value as i64;
            assert_eq!(unfold(fold(signed)), signed);
            assert_eq!(unfold(fold(signed.wrapping_neg())), signed.wrapping_neg());
        }
    }

    #[test]
    fn an_integer_is_the_same_whatever_stands_behind_it() {
        for value in (0..64).flat_map(|bit| [(1_u64 << bit) - 1, 1 << bit]).chain([u64::MAX]) {
            let mut bytes = Vec::new();
            write(&mut bytes, value);
            let n_bytes = bytes.len();
            for rest in [[0; 12], [0x7f; 12], [0xff; 12]] {
                bytes.truncate(n_bytes);
                bytes.extend(rest);
                assert_eq!(read(&bytes), Ok((value, n_bytes)));
            }
        }
    }

    #[test]
    fn the_length_of_many_is_the_sum_of_their_lengths() {
        let mut bytes = Vec::new();
        let mut lengths = vec![0];
        for value in 0..400_u64 {
            write(&mut bytes, value.pow(3));
            lengths.push(bytes.len());
        }
        for (n_integers, length) in lengths.into_iter().enumerate() {
            assert_eq!(length_of(&bytes, n_integers), Some(length));
            let cut = length.saturating_sub(1);
            assert_eq!(length_of(&bytes[..cut], n_integers), (length == 0).then_some(0));
        }
        assert_eq!(length_of(&bytes, 401), None);
    }

    #[test]
    fn more_than_64_bits_are_refused() {
        assert_eq!(read(&[0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x02]), Err(Fault::TooLong));
        assert_eq!(read(&[0xff; 20]), Err(Fault::TooLong));
    }
}
