//! A hash for keys of a few words: of 64 bits, so that among the some thousand operations that are kept apart, two that
//! differ are the same with a chance of one in a million million.

/// Adds a word.
#[inline(always)]
pub(super) fn mix(hash: u64, word: u64) -> u64 {
    const FACTOR: u64 = 0x9e37_79b9_7f4a_7c15;
    let product = u128::from(hash.rotate_left(23) ^ word ^ FACTOR).wrapping_mul(u128::from(FACTOR | 1 << 63));
    (product as u64) ^ (product >> 64) as u64
}

/// Adds a text.
#[inline(always)]
pub(super) fn mix_text(hash: u64, text: &[u8]) -> u64 {
    let mut chunks = text.chunks_exact(8);
    let mut hash = mix(hash, text.len() as u64);
    for chunk in &mut chunks {
        hash = mix(hash, chunk.try_into().map_or(0, u64::from_ne_bytes));
    }
    let mut last = [0; 8];
    let rest = chunks.remainder();
    last[..rest.len()].copy_from_slice(rest);
    mix(hash, u64::from_ne_bytes(last))
}
