//! The alphabet of byte-level tokenisers: vocabularies are written as text, so each byte is written as a character that
//! can be seen. Bytes that are printable in Latin-1 stand for themselves, the 68 others for characters from U+0100 on.

/// Whether a byte stands for itself.
fn is_printable(byte: u8) -> bool {
    matches!(byte, 0x21..=0x7e | 0xa1..=0xac | 0xae..=0xff)
}

/// The character that stands for a byte.
pub(super) fn character(byte: u8) -> char {
    if is_printable(byte) {
        return char::from(byte);
    }
    let n_before = (0..byte).filter(|&earlier| !is_printable(earlier)).count() as u32;
    char::from_u32(0x100 + n_before).expect("68 characters from U+0100 on are there")
}

/// The bytes that a token of the vocabulary stands for; none if it is not written in the alphabet.
pub(super) fn bytes(token: &str) -> Option<Box<[u8]>> {
    let others: Vec<u8> = (0..=255).filter(|&byte| !is_printable(byte)).collect();
    let byte = |c: char| match u8::try_from(c) {
        Ok(byte) => is_printable(byte).then_some(byte),
        Err(_) => others.get((c as usize).checked_sub(0x100)?).copied(),
    };
    token.chars().map(byte).collect()
}

#[cfg(test)]
mod tests {
    use tokenizers::pre_tokenizers::byte_level::ByteLevel;

    use super::*;

    #[test]
    fn every_byte_has_a_character_of_its_own_and_back() {
        let written: std::collections::BTreeSet<char> = (0..=255).map(character).collect();
        assert_eq!(written, ByteLevel::alphabet().into_iter().collect());
        for byte in 0..=255 {
            assert_eq!(bytes(&character(byte).to_string()).as_deref(), Some(&[byte][..]));
        }
        assert_eq!((character(b' '), character(b'\n')), ('Ġ', 'Ċ'));
        assert_eq!(bytes("▁the"), None);
        assert_eq!(bytes("\u{a0}"), None);
    }
}
