//! The beginning of an input as the formats look at it to tell whether it is theirs: unpacked, as UTF-8, and,
//! if it is JSON, with the keys of its outermost object.

use std::borrow::Cow;

use crate::{compressed, encoding};

/// How much is looked at. Tools write what tells their format in front; a megabyte is plenty.
const OPENING_BYTES: usize = 1 << 20;

/// The beginning of an input.
pub(crate) struct Opening<'a> {
    bytes: Cow<'a, [u8]>,
    /// The keys of the outermost JSON object as they stand between their quotes, and where their values begin.
    members: Vec<(std::ops::Range<usize>, usize)>,
}

impl<'a> Opening<'a> {
    pub(crate) fn of(input: &'a [u8]) -> Self {
        let raw = if compressed::is_gzip(input) {
            Cow::Owned(compressed::beginning(input, OPENING_BYTES))
        } else {
            Cow::Borrowed(&input[..input.len().min(OPENING_BYTES)])
        };
        let bytes = match raw {
            Cow::Borrowed(raw) => encoding::utf8(raw),
            Cow::Owned(raw) => Cow::Owned(encoding::utf8(&raw).into_owned()),
        };
        let members = members(&bytes);
        Self { bytes, members }
    }

    /// The bytes.
    pub(crate) fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    /// The first byte that is no white space.
    pub(crate) fn first(&self) -> Option<u8> {
        self.bytes.iter().copied().find(|byte| !byte.is_ascii_whitespace())
    }

    /// Whether it is a JSON object with this key at the outermost level.
    pub(crate) fn has_key(&self, key: &str) -> bool {
        self.value(key).is_some()
    }

    /// The keys of the outermost JSON object as they stand between their quotes, in order.
    pub(crate) fn keys(&self) -> impl Iterator<Item = &[u8]> {
        self.members.iter().map(|(range, _)| &self.bytes[range.clone()])
    }

    /// The text from the value of a key on.
    pub(crate) fn value(&self, key: &str) -> Option<&[u8]> {
        let member = self.members.iter().find(|(range, _)| &self.bytes[range.clone()] == key.as_bytes());
        member.map(|(_, value)| &self.bytes[*value..])
    }

    /// Whether it could be text: no control characters but white space and the escapes of terminals.
    pub(crate) fn is_text(&self) -> bool {
        let is_fine = |byte: &u8| matches!(byte, b'\t'..=b'\r' | 0x1b | 0x20..=0x7e | 0x80..);
        !self.bytes.is_empty() && self.bytes.iter().take(4096).all(is_fine)
    }

    /// The first lines, without their ends, and no piece of a line that is cut off.
    pub(crate) fn lines(&self) -> impl Iterator<Item = &[u8]> {
        let is_whole = self.bytes.len() < OPENING_BYTES;
        let end = self.bytes.iter().rposition(|&byte| byte == b'\n').unwrap_or(self.bytes.len());
        let lines = if is_whole { &self.bytes[..] } else { &self.bytes[..end] };
        lines.split(|&byte| byte == b'\n').map(|line| line.strip_suffix(b"\r").unwrap_or(line))
    }
}

/// Where the keys of the outermost JSON object are and where their values begin, as far as can be seen.
fn members(bytes: &[u8]) -> Vec<(std::ops::Range<usize>, usize)> {
    let mut members = Vec::new();
    if bytes.iter().find(|byte| !byte.is_ascii_whitespace()) != Some(&b'{') {
        return members;
    }
    let (mut at, mut depth) = (0, 0_usize);
    let mut last_string = 0..0;
    while at < bytes.len() {
        match bytes[at] {
            b'"' => {
                let start = at + 1;
                at = start;
                while at < bytes.len() && bytes[at] != b'"' {
                    at += if bytes[at] == b'\\' { 2 } else { 1 };
                }
                last_string = start..at.min(bytes.len());
            }
            b':' if depth == 1 => {
                let white = bytes[at + 1..].iter().take_while(|byte| byte.is_ascii_whitespace()).count();
                members.push((last_string.clone(), at + 1 + white));
            }
            b'{' | b'[' => depth += 1,
            b'}' | b']' => depth = depth.saturating_sub(1),
            _ => {}
        }
        at += 1;
    }
    members
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_of_the_outermost_object_are_seen_and_no_others() {
        let text = br#" {"a": {"inner": [1, {"x": 2}]}, "b\"c" : "d: e", "f":3, "cut": [{"g": "#;
        let opening = Opening::of(text);
        for key in ["a", "b\\\"c", "f", "cut"] {
            assert!(opening.has_key(key), "{key}");
        }
        for key in ["inner", "x", "d", "g", "e"] {
            assert!(!opening.has_key(key), "{key}");
        }
        assert!(opening.value("f").unwrap().starts_with(b"3"));
        assert_eq!(opening.first(), Some(b'{'));
    }

    #[test]
    fn any_piece_of_json_is_looked_at_without_a_panic() {
        let text = br#"{"a\\": "\"", "b": [{"c": "\u12"}], "d"#;
        for end in 0..=text.len() {
            let _ = Opening::of(&text[..end]).has_key("b");
        }
    }
}
