//! Base64 as RFC 4648 has it, with padding: forty lines, where a crate would be a dependency of every program that
//! records itself.

const LETTERS: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/";

/// Three bytes are four letters.
pub(super) fn encode(bytes: &[u8]) -> String {
    let mut text = String::with_capacity(bytes.len().div_ceil(3) * 4);
    for group in bytes.chunks(3) {
        let byte = |place: usize| u32::from(group.get(place).copied().unwrap_or(0));
        let bits = byte(0) << 16 | byte(1) << 8 | byte(2);
        for place in 0..4 {
            let letter = LETTERS[(bits >> (18 - 6 * place)) as usize & 63];
            text.push(if place <= group.len() { char::from(letter) } else { '=' });
        }
    }
    text
}

/// The bytes behind letters, between which there may be white space; padding may be missing.
///
/// # Errors
/// With the place of the first byte that is not base64.
pub(super) fn decode(text: &[u8]) -> Result<Vec<u8>, usize> {
    let mut bytes = Vec::with_capacity(text.len() / 4 * 3);
    let (mut bits, mut n_letters, mut is_padded) = (0_u32, 0_u32, false);
    for (place, &letter) in text.iter().enumerate() {
        let value = match letter {
            b' ' | b'\t' | b'\r' | b'\n' => continue,
            b'=' => {
                is_padded = true;
                continue;
            }
            _ if is_padded => return Err(place),
            _ => value(letter).ok_or(place)?,
        };
        bits = bits << 6 | u32::from(value);
        n_letters += 1;
        if n_letters == 4 {
            bytes.extend_from_slice(&bits.to_be_bytes()[1..]);
            (bits, n_letters) = (0, 0);
        }
    }
    match n_letters {
        0 => {}
        2 => bytes.push((bits >> 4) as u8),
        3 => bytes.extend_from_slice(&((bits >> 2) as u16).to_be_bytes()),
        // One letter is less than a byte.
        _ => return Err(text.len()),
    }
    Ok(bytes)
}

fn value(letter: u8) -> Option<u8> {
    Some(match letter {
        b'A'..=b'Z' => letter - b'A',
        b'a'..=b'z' => letter - b'a' + 26,
        b'0'..=b'9' => letter - b'0' + 52,
        b'+' => 62,
        b'/' => 63,
        _ => return None,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_examples_of_the_standard_hold_both_ways() {
        for (bytes, text) in [
            ("", ""),
            ("f", "Zg=="),
            ("fo", "Zm8="),
            ("foo", "Zm9v"),
            ("foob", "Zm9vYg=="),
            ("fooba", "Zm9vYmE="),
            ("foobar", "Zm9vYmFy"),
        ] {
            assert_eq!(encode(bytes.as_bytes()), text);
            assert_eq!(decode(text.as_bytes()), Ok(bytes.as_bytes().to_vec()));
        }
        let all: Vec<u8> = (0..=255).collect();
        assert_eq!(decode(encode(&all).as_bytes()), Ok(all));
    }

    #[test]
    fn white_space_is_skipped_and_anything_else_is_told_by_its_place() {
        assert_eq!(decode(b" Zm9v\r\n\tYg=="), Ok(b"foob".to_vec()));
        for (text, place) in [(&b"Zm9v-mFy"[..], 4), (b"Zg==Zg", 4), (b"Z", 1), (b"Zm9vY", 5)] {
            assert_eq!(decode(text), Err(place));
        }
    }
}
