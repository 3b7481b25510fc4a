//! `--heap`: whether, and how, the heap is watched.

use calor_record::{HeapPaths, HeapWay};

/// Bytes between two sampled blocks unless told otherwise.
const SAMPLING_BYTES: u64 = 512 << 10;
/// Closer ones would cost more than watching every block.
const LEAST_BYTES: u64 = 1024;
/// Farther ones would see nothing.
const MOST_BYTES: u64 = 1 << 40;

/// What was chosen.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Choice {
    /// Not to watch it.
    Off,
    /// To watch it in this way.
    On(HeapWay),
}

impl Choice {
    pub(crate) fn way(self) -> Option<HeapWay> {
        match self {
            Self::Off => None,
            Self::On(way) => Some(way),
        }
    }
}

/// A choice by its word.
pub(crate) fn way(given: &str) -> Result<Choice, String> {
    let lower = given.to_ascii_lowercase();
    match lower.as_str() {
        "exact" | "true" | "yes" | "on" | "1" => return Ok(Choice::On(HeapWay::Exact)),
        "sampled" => return Ok(Choice::On(HeapWay::Sampled(SAMPLING_BYTES))),
        "false" | "no" | "off" | "0" => return Ok(Choice::Off),
        _ => {}
    }
    let bytes = lower
        .strip_prefix("sampled:")
        .and_then(bytes)
        .filter(|bytes| (LEAST_BYTES..=MOST_BYTES).contains(bytes));
    bytes.map(|bytes| Choice::On(HeapWay::Sampled(bytes))).ok_or_else(|| {
        "expected exact (every block), sampled (one for every 512 KiB), sampled:64KiB and the like (1 KiB to \
         1 TiB), or off"
            .to_owned()
    })
}

/// What to write where the way was taken for the program, as in `--heap sampled -- CMD`.
pub(crate) fn meant(program: &str) -> Option<String> {
    let is_way = program == "exact" || program.starts_with("sampled") && way(program).is_ok();
    is_way.then(|| format!("the way of watching the heap stands behind `=`: --heap={program}"))
}

/// Which call paths are kept, by its word.
pub(crate) fn paths(given: &str) -> Result<HeapPaths, String> {
    match given.to_ascii_lowercase().as_str() {
        "heavy" => Ok(HeapPaths::Heavy),
        "all" => Ok(HeapPaths::All),
        _ => Err("expected heavy (those that matter, the others as part of their callers) or all".to_owned()),
    }
}

/// A number of bytes, with or without a unit.
fn bytes(text: &str) -> Option<u64> {
    let digits = text.trim_end_matches(|letter: char| letter.is_ascii_alphabetic());
    let factor = match &text[digits.len()..] {
        "" | "b" => 1,
        "k" | "kb" | "kib" => 1 << 10,
        "m" | "mb" | "mib" => 1 << 20,
        "g" | "gb" | "gib" => 1 << 30,
        "t" | "tb" | "tib" => 1 << 40,
        _ => return None,
    };
    digits.parse::<u64>().ok()?.checked_mul(factor)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ways_are_words_with_a_distance() {
        assert_eq!(way("exact"), Ok(Choice::On(HeapWay::Exact)));
        assert_eq!(way("Sampled"), Ok(Choice::On(HeapWay::Sampled(524_288))));
        assert_eq!(way("sampled:64KiB"), Ok(Choice::On(HeapWay::Sampled(65_536))));
        assert_eq!(way("sampled:1TiB"), Ok(Choice::On(HeapWay::Sampled(1 << 40))));
        assert!(way("sampled:2TiB").is_err_and(|expected| expected.contains("1 KiB to 1 TiB")));
        assert_eq!(way("off"), Ok(Choice::Off));
        assert_eq!((paths("All"), paths("heavy")), (Ok(HeapPaths::All), Ok(HeapPaths::Heavy)));
        assert!(paths("some").is_err_and(|expected| expected.contains("heavy")));
        assert!(meant("sampled").is_some_and(|hint| hint.ends_with("--heap=sampled")));
        assert_eq!((meant("./sampled"), meant("1")), (None, None));
        for wrong in ["", "all", "sampled:", "sampled:0", "sampled:12x", "sampled:99999999999999g"] {
            assert!(way(wrong).is_err(), "{wrong}");
        }
    }
}
