//! The rest of a function that a compiler has put elsewhere: optimised interpreters have most of the loop that runs
//! Python code in a place of its own, which has no name in a stripped file. The part that has the name jumps there.

use std::ops::Range;

use calor_symbols::image::Image;
use calor_symbols::unwind::FunctionStarts;

/// Fewer jumps may be bytes that only look like some.
const LEAST_JUMPS: usize = 3;
/// The rest of the loop is larger than this; small parts are left with what they are.
const LEAST_BYTES: u64 = 4 << 10;

/// Where else the function is that has its named part in `named`: the places without a name, as `is_named` tells, that
/// it jumps to more than once.
pub(super) fn parts(image: &Image, named: &Range<u64>, is_named: impl Fn(u64) -> bool) -> Vec<Range<u64>> {
    let length = usize::try_from(named.end.saturating_sub(named.start)).unwrap_or(0);
    let Some(code) = image.loaded_from(named.start).and_then(|code| code.get(..length)) else {
        return Vec::new();
    };
    let mut functions = FunctionStarts::new(image);
    let mut found: Vec<(Range<u64>, usize)> = Vec::new();
    for target in jumps(code, named.start) {
        if named.contains(&target) || is_named(target) {
            continue;
        }
        let Some(range) = functions.range_of(target) else { continue };
        match found.iter_mut().find(|(known, _)| *known == range) {
            Some((_, count)) => *count += 1,
            None => found.push((range, 1)),
        }
    }
    found.retain(|(range, count)| *count >= LEAST_JUMPS && range.end - range.start >= LEAST_BYTES);
    found.into_iter().map(|(range, _)| range).collect()
}

/// Where jumps of x86-64 code lead to, those that can reach far, whether they are instructions or only look like some.
fn jumps(code: &[u8], start: u64) -> impl Iterator<Item = u64> {
    (0..code.len()).filter_map(move |at| {
        let distance = match code[at..] {
            [0xe9, a, b, c, d, ..] => (5, [a, b, c, d]),
            [0x0f, 0x80..=0x8f, a, b, c, d, ..] => (6, [a, b, c, d]),
            _ => return None,
        };
        let behind = start.wrapping_add((at + distance.0) as u64);
        Some(behind.wrapping_add_signed(i64::from(i32::from_le_bytes(distance.1))))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn jumps_lead_from_behind_them() {
        let code = [0x90, 0xe9, 0x10, 0, 0, 0, 0x0f, 0x84, 0xfa, 0xff, 0xff, 0xff, 0xe9, 1];
        assert_eq!(jumps(&code, 0x1000).collect::<Vec<_>>(), [0x1016, 0x1006]);
    }
}
