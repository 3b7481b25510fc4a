//! What a saved run is called: eight letters and digits, which follow from its content, so that the same profile has the
//! same id in every store.

use std::fmt;

use crate::digest::Digest;

/// Digits and letters without those that are taken for others (i, l, o, u): what is read aloud or typed is not mistaken.
const ALPHABET: &[u8; 32] = b"0123456789abcdefghjkmnpqrstvwxyz";
/// 40 bits: among ten thousand runs one in twenty thousand stores has two that would be called the same.
const LETTERS: u32 = 8;

/// The id of a saved run, such as `k3f9x2a7`.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct SavedId(String);

impl SavedId {
    /// The id as text.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The id of a content; the next attempt is another one, for when the first is taken.
    pub(crate) fn of(digest: Digest, attempt: u32) -> Self {
        let bits = if attempt == 0 { digest.0 } else { digest.and(&attempt.to_le_bytes()).0 };
        // The lowest bits of such a digest know only the lowest bits of the content.
        let bits = bits >> 64 ^ bits >> 24;
        let letter = |place: u32| {
            // The first is a letter: an id is then never taken for a number.
            let letters = if place == 0 { &ALPHABET[10..] } else { &ALPHABET[..] };
            char::from(letters[(bits >> (5 * place)) as usize % 32 % letters.len()])
        };
        Self((0..LETTERS).map(letter).collect())
    }

    pub(crate) fn from_store(text: String) -> Self {
        Self(text)
    }

    /// Whether a text can be the beginning of an id.
    pub(crate) fn can_begin_with(text: &str) -> bool {
        !text.is_empty()
            && text.len() <= LETTERS as usize
            && text.bytes().all(|letter| ALPHABET.contains(&letter))
    }
}

impl fmt::Display for SavedId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.pad(&self.0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_id_is_typeable_and_follows_from_the_content() {
        for content in [&b""[..], b"a", b"another"] {
            let id = SavedId::of(Digest::of(content), 0);
            assert_eq!(id, SavedId::of(Digest::of(content), 0));
            assert!(SavedId::can_begin_with(id.as_str()) && id.as_str().len() == 8, "{id}");
            assert!(id.as_str().starts_with(|letter: char| letter.is_ascii_lowercase()), "{id}");
            assert_ne!(id, SavedId::of(Digest::of(content), 1));
        }
        // Ids are in people's notes: they never change.
        assert_eq!(SavedId::of(Digest::of(b"a"), 0).as_str(), "b7z33z72");
    }

    #[test]
    fn words_that_mean_something_else_are_no_beginning_of_an_id() {
        for text in ["", "latest", "ABC", "profile.calor", "a b", "k3f9x2a70"] {
            assert!(!SavedId::can_begin_with(text), "{text}");
        }
    }
}
