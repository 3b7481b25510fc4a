//! Text as UTF-8, whatever it was saved as: tools on Windows write UTF-16, editors add marks in front.

use std::borrow::Cow;

/// The same text without a byte order mark, as UTF-8 if it was UTF-16. Bytes without a mark stay as they are.
///
/// No binary format that is read here begins like one of the marks.
pub(crate) fn utf8(bytes: &[u8]) -> Cow<'_, [u8]> {
    match bytes {
        [0xef, 0xbb, 0xbf, rest @ ..] => Cow::Borrowed(rest),
        [0xff, 0xfe, rest @ ..] => Cow::Owned(from_utf16(rest, u16::from_le_bytes)),
        [0xfe, 0xff, rest @ ..] => Cow::Owned(from_utf16(rest, u16::from_be_bytes)),
        _ => Cow::Borrowed(bytes),
    }
}

/// Halves of characters without their other half, and an odd byte at the end, become U+FFFD.
fn from_utf16(bytes: &[u8], unit: fn([u8; 2]) -> u16) -> Vec<u8> {
    let (pairs, odd) = bytes.as_chunks::<2>();
    let units = pairs.iter().map(|&pair| unit(pair));
    let mut text = String::with_capacity(pairs.len());
    text.extend(char::decode_utf16(units).map(|one| one.unwrap_or(char::REPLACEMENT_CHARACTER)));
    if !odd.is_empty() {
        text.push(char::REPLACEMENT_CHARACTER);
    }
    text.into_bytes()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn marks_are_taken_off_and_utf16_is_turned_into_utf8() {
        let text = "a;größe;𝄞 1\n";
        let units = || text.encode_utf16();
        let little: Vec<u8> = [0xff, 0xfe].into_iter().chain(units().flat_map(u16::to_le_bytes)).collect();
        let big: Vec<u8> = [0xfe, 0xff].into_iter().chain(units().flat_map(u16::to_be_bytes)).collect();
        let marked = [b"\xef\xbb\xbf", text.as_bytes()].concat();
        for bytes in [&little[..], &big, &marked, text.as_bytes()] {
            assert_eq!(&*utf8(bytes), text.as_bytes());
        }
        assert_eq!(&*utf8(b"\xff\xfea\0\x01"), "a\u{fffd}".as_bytes());
    }
}
