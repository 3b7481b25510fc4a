//! The bits of a `str` object that tell how its characters are kept, which differ between builds.

/// How the characters of a `str` are kept.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct TextState {
    /// Bytes of a character.
    pub width: usize,
    /// Whether the characters follow the head.
    pub is_compact: bool,
    /// Whether all are ASCII.
    pub is_ascii: bool,
}

impl TextState {
    /// Before these bits are those that tell how the text is shared: two of them; eight in free-threaded builds
    /// since 3.14; sixteen in its betas. All but the lowest two are 0, so that a width shows only where it is.
    #[must_use]
    pub fn of(bits: u32) -> Option<Self> {
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
                let state = |kept: u32| TextState::of(kept << skipped | shared);
                let expected = |width, is_compact, is_ascii| Some(TextState { width, is_compact, is_ascii });
                assert_eq!(state(bits(1, 1, 1)), expected(1, true, true));
                assert_eq!(state(bits(2, 1, 0)), expected(2, true, false));
                assert_eq!(state(bits(4, 0, 0)), expected(4, false, false));
            }
        }
        assert_eq!(TextState::of(0), None);
        assert_eq!(TextState::of(7 << 2), None);
    }
}
