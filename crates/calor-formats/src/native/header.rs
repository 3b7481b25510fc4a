//! The first 16 bytes of a file: what it is and which version of the format.

use std::io::{self, Read};

use crate::Error;
use crate::detect::looks_like;

/// The first bytes of every file. The first is no text in any encoding, and the last two are a line end that
/// a transfer as text would rewrite.
pub const MAGIC: [u8; 8] = *b"\x89CALOR\r\n";

/// The version of the format that is written. A reader refuses a larger one.
pub const VERSION_MAJOR: u16 = 1;

/// Counts additions that an older reader can skip.
pub const VERSION_MINOR: u16 = 5;

/// How long a header is.
pub const HEADER_BYTES: usize = 16;

/// The header of a new file.
#[must_use]
pub fn header() -> [u8; HEADER_BYTES] {
    let mut bytes = [0; HEADER_BYTES];
    bytes[..8].copy_from_slice(&MAGIC);
    bytes[8..10].copy_from_slice(&VERSION_MAJOR.to_le_bytes());
    bytes[10..12].copy_from_slice(&VERSION_MINOR.to_le_bytes());
    bytes
}

/// Whether what is there is something else than a profile of this format, and not nothing: a recording must not take its place.
///
/// # Errors
/// When it cannot be read.
pub fn is_foreign(there: impl Read) -> io::Result<bool> {
    let mut beginning = Vec::new();
    there.take(MAGIC.len() as u64).read_to_end(&mut beginning)?;
    Ok(!beginning.is_empty() && !crate::is_native(&beginning))
}

/// Checks that a file begins with a header of a version that can be read.
pub(super) fn check(bytes: &[u8]) -> Result<(), Error> {
    if !crate::is_native(bytes) {
        return Err(Error::UnknownFormat { found: looks_like(bytes) });
    }
    let Some(&[major_low, major_high]) = bytes.get(8..10).and_then(|found| found.first_chunk()) else {
        return Err(Error::HeaderCut { expected: HEADER_BYTES, found: bytes.len() });
    };
    // A later version may have a longer header: its number is looked at before anything else.
    match u16::from_le_bytes([major_low, major_high]) {
        0 => {
            Err(Error::UnknownFormat { found: "a .calor file of format 0, which does not exist".to_owned() })
        }
        found if found > VERSION_MAJOR => Err(Error::Newer { found, supported: VERSION_MAJOR }),
        _ if bytes.len() < HEADER_BYTES => {
            Err(Error::HeaderCut { expected: HEADER_BYTES, found: bytes.len() })
        }
        _ => Ok(()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_newer_major_version_is_refused_and_a_newer_minor_one_is_not() {
        let mut newer = header();
        newer[10] = 200;
        assert!(check(&newer).is_ok());
        newer[8] = 2;
        let error = check(&newer).unwrap_err().to_string();
        assert_eq!(error, "written by a newer Calor (format 2); this one reads up to 1: update calor");
    }

    #[test]
    fn an_empty_file_and_a_profile_are_not_foreign() {
        for (there, expected) in [
            (&b""[..], false),
            (&header(), false),
            (&header()[..3], false),
            (b"Abstract.", true),
            (b"\x89PNG", true),
        ] {
            assert_eq!(is_foreign(there).unwrap(), expected, "{there:?}");
        }
    }

    #[test]
    fn a_header_cut_at_any_byte_is_a_clear_error() {
        for n_bytes in 0..HEADER_BYTES {
            let error = check(&header()[..n_bytes]).unwrap_err();
            let is_clear = match n_bytes {
                0 => matches!(error, Error::UnknownFormat { .. }),
                _ => matches!(error, Error::HeaderCut { found, .. } if found == n_bytes),
            };
            assert!(is_clear, "{n_bytes} bytes: {error}");
        }
    }
}
