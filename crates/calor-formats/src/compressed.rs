//! Gzip around any format: looked into when a format is to be found out, unpacked when it is read. A file of a
//! few bytes can claim to be endless, so both are bounded.

use std::borrow::Cow;

use crate::Error;

/// Whether bytes begin like a gzip file.
pub(crate) fn is_gzip(bytes: &[u8]) -> bool {
    bytes.starts_with(b"\x1f\x8b")
}

/// Bytes as they are inside, and whether some are missing at the end.
pub(crate) struct Unpacked<'a> {
    pub(crate) bytes: Cow<'a, [u8]>,
    pub(crate) is_cut: bool,
}

/// What is inside a gzip file, or the bytes themselves if they are none.
///
/// # Errors
/// When it is damaged from the start, or unpacks to more than a profile can be.
#[cfg(feature = "gzip")]
pub(crate) fn unpack(bytes: &[u8]) -> Result<Unpacked<'_>, Error> {
    use std::io::{ErrorKind, Read};

    if !is_gzip(bytes) {
        return Ok(Unpacked { bytes: Cow::Borrowed(bytes), is_cut: false });
    }
    let limit = limit(bytes.len());
    let mut unpacked = Vec::new();
    let mut reader = flate2::bufread::MultiGzDecoder::new(bytes).take(limit + 1);
    let outcome = reader.read_to_end(&mut unpacked);
    if unpacked.len() as u64 > limit {
        return Err(Error::UnpacksToTooMuch { bytes: bytes.len() as u64, limit });
    }
    match outcome {
        Ok(_) => Ok(Unpacked { bytes: Cow::Owned(unpacked), is_cut: false }),
        Err(error) if error.kind() == ErrorKind::UnexpectedEof && !unpacked.is_empty() => {
            Ok(Unpacked { bytes: Cow::Owned(unpacked), is_cut: true })
        }
        Err(error) => Err(Error::Compression { what: error.to_string(), unpacked: unpacked.len() as u64 }),
    }
}

/// The most that a gzip file of so many bytes may unpack to: profiles shrink to a fiftieth at best, a file made
/// to do harm to a thousandth.
#[cfg(feature = "gzip")]
fn limit(compressed: usize) -> u64 {
    const SMALL: u64 = 256 << 20;
    const LARGEST: u64 = 4 << 30;
    (compressed as u64).saturating_mul(200).clamp(SMALL, LARGEST)
}

#[cfg(not(feature = "gzip"))]
pub(crate) fn unpack(bytes: &[u8]) -> Result<Unpacked<'_>, Error> {
    Ok(Unpacked { bytes: Cow::Borrowed(bytes), is_cut: false })
}

/// At most the first `n_bytes` of what is inside a gzip file; empty when not even its beginning makes sense.
#[cfg(feature = "gzip")]
pub(crate) fn beginning(bytes: &[u8], n_bytes: usize) -> Vec<u8> {
    use std::io::Read;

    let mut unpacked = Vec::new();
    let mut reader = flate2::bufread::MultiGzDecoder::new(bytes).take(n_bytes as u64);
    // What was unpacked before an error is in the buffer, and an error later on is met again when reading.
    let _ = reader.read_to_end(&mut unpacked);
    unpacked
}

#[cfg(not(feature = "gzip"))]
pub(crate) fn beginning(_: &[u8], _: usize) -> Vec<u8> {
    Vec::new()
}

#[cfg(all(test, feature = "gzip"))]
mod tests {
    use std::io::Write;

    use super::*;

    fn gzip(bytes: &[u8]) -> Vec<u8> {
        let mut encoder = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::best());
        encoder.write_all(bytes).expect("memory can be written to");
        encoder.finish().expect("memory can be written to")
    }

    #[test]
    fn members_that_follow_each_other_are_read_as_one() {
        let both = [gzip(b"main 1\n"), gzip(b"main;work 2\n")].concat();
        assert_eq!(&*unpack(&both).unwrap().bytes, b"main 1\nmain;work 2\n");
        assert_eq!(beginning(&both, 9), b"main 1\nma");
    }

    #[test]
    fn a_file_that_unpacks_out_of_proportion_is_refused() {
        let bomb = gzip(&vec![0; 300 << 20]);
        assert!(bomb.len() < 400_000);
        let error = unpack(&bomb).err().unwrap().to_string();
        assert!(error.contains("268435456"), "{error}");
    }

    #[test]
    fn a_file_that_was_cut_off_gives_what_it_has_and_says_so() {
        let text: Vec<u8> =
            (0..20_000_u32).flat_map(|i| format!("a;b{} {i}\n", i * 7919).into_bytes()).collect();
        let whole = gzip(&text);
        let cut = unpack(&whole[..whole.len() / 2]).unwrap();
        assert!(cut.is_cut && !cut.bytes.is_empty() && text.starts_with(&cut.bytes));
        assert!(!unpack(&whole).unwrap().is_cut);
        assert!(unpack(&whole[..5]).is_err());
    }
}
