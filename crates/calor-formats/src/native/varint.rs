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
pub(super) enum Fault {
    /// The bytes end inside it.
    Cut,
    /// It has more than 64 bits.
    TooLong,
}

/// The integer at the beginning of `bytes` and how many bytes it took.
#[inline]
pub(super) fn read(bytes: &[u8]) -> Result<(u64, usize), Fault> {
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
    fn more_than_64_bits_are_refused() {
        assert_eq!(read(&[0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x02]), Err(Fault::TooLong));
        assert_eq!(read(&[0xff; 20]), Err(Fault::TooLong));
    }
}
