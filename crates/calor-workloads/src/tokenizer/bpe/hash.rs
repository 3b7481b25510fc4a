//! A quick hash of words: a multiplication for each eight bytes, both halves of whose product are kept. It need not
//! resist an attacker who chooses words: a table it serves is bounded, and its slots are compared in full.

const FACTOR: u64 = 0x9e37_79b9_7f4a_7c15;
const START: u64 = 0x2545_f491_4f6c_dd1d;

/// The hash of a word.
#[inline]
pub(super) fn of(word: &[u8]) -> u64 {
    // The length goes where the last bytes of a word, of which there are at most seven, never are.
    let mut hash = START ^ (word.len() as u64).rotate_right(8);
    let (eights, rest) = word.as_chunks::<8>();
    for eight in eights {
        hash = folded(hash ^ u64::from_le_bytes(*eight));
    }
    let mut last = [0; 8];
    last[..rest.len()].copy_from_slice(rest);
    folded(hash ^ u64::from_le_bytes(last))
}

#[inline]
fn folded(value: u64) -> u64 {
    let product = u128::from(value) * u128::from(FACTOR);
    product as u64 ^ (product >> 64) as u64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_that_differ_in_one_byte_or_in_length_differ() {
        let words: Vec<Vec<u8>> = (0..=255u8)
            .flat_map(|byte| {
                [vec![byte], vec![byte, 0], vec![b'x', byte], vec![0, 0, 0, 0, 0, 0, 0, 0, byte]]
            })
            .collect();
        let distinct: std::collections::BTreeSet<u64> = words.iter().map(|word| of(word)).collect();
        // `x` followed by 0 is made twice.
        let n_words = words.iter().collect::<std::collections::BTreeSet<_>>().len();
        assert_eq!(distinct.len(), n_words);
    }
}
