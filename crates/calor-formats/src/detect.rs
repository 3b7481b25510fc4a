//! Finds out what format bytes are of, by their content and never by a file's name, and puts into words what
//! they look like when it is none of ours.

use crate::Format;
use crate::opening::Opening;

impl Format {
    /// The format that bytes are of, as their content says; gzip is looked into. `None` when it is none that
    /// this build of the crate knows.
    #[must_use]
    pub fn detect(bytes: &[u8]) -> Option<Self> {
        #[cfg(feature = "native")]
        if is_native(bytes) {
            return Some(Self::Native);
        }
        detect_opening(&Opening::of(bytes))
    }
}

/// Says whether an input is of a format.
type Detector = fn(&Opening<'_>) -> bool;

/// Those that can be told for certain come before those that take almost anything.
fn detect_opening(opening: &Opening<'_>) -> Option<Format> {
    let detectors: &[(Format, Detector)] = &[
        #[cfg(feature = "native")]
        (Format::Native, |opening| is_native(opening.bytes()) || crate::embedded::detect(opening)),
        #[cfg(feature = "json")]
        (Format::Json, crate::report::detect),
        #[cfg(feature = "speedscope")]
        (Format::Speedscope, crate::speedscope::detect),
        #[cfg(feature = "firefox")]
        (Format::Firefox, crate::firefox::detect),
        #[cfg(feature = "chrome")]
        (Format::Chrome, crate::chrome::detect),
        #[cfg(feature = "pprof")]
        (Format::Pprof, crate::pprof::detect),
        #[cfg(feature = "perf-script")]
        (Format::PerfScript, crate::perf_script::detect),
        #[cfg(feature = "folded")]
        (Format::Folded, crate::folded::detect),
    ];
    detectors.iter().find(|(_, detect)| detect(opening)).map(|(format, _)| *format)
}

/// Whether bytes begin like a `.calor` file. A file that was cut off inside the first bytes counts too.
#[cfg(feature = "native")]
#[must_use]
pub fn is_native(bytes: &[u8]) -> bool {
    let magic = crate::native::MAGIC;
    !bytes.is_empty() && bytes.iter().zip(&magic).all(|(found, expected)| found == expected)
}

/// First bytes that tell a kind of file.
const SIGNATURES: [(&[u8], &str); 13] = [
    (b"\x89CALOR", "a .calor file whose line ends were rewritten: transfer it as binary and try again"),
    (b"\x1f\x8b", "gzip of something else: see what `gzip -dc` shows of it"),
    (b"\x28\xb5\x2f\xfd", "zstd: decompress it first"),
    (b"\xfd7zXZ", "xz: decompress it first"),
    (b"PK\x03\x04", "a zip archive: extract it first"),
    (b"\x7fELF", "a program (ELF): not a recording of one"),
    (b"\xcf\xfa\xed\xfe", "a program (Mach-O): not a recording of one"),
    (b"MZ", "a program (Windows): not a recording of one"),
    (b"PERFILE2", "a perf.data file: give what `perf script` prints of it"),
    (b"SQLite format 3\0", "an SQLite database"),
    (b"\x89PNG", "a PNG image"),
    (b"%PDF", "a PDF document"),
    (b"\xef\xbb\xbf", "text"),
];

/// A few words on what bytes look like.
pub(crate) fn looks_like(bytes: &[u8]) -> String {
    if bytes.is_empty() {
        return "an empty file".to_owned();
    }
    if let Some((_, words)) = SIGNATURES.iter().find(|(signature, _)| bytes.starts_with(signature)) {
        return format!("what looks like {words}");
    }
    let start = &bytes[..bytes.len().min(64)];
    let is_text = start.iter().all(|byte| matches!(byte, b'\t' | b'\n' | b'\r' | 0x20..=0x7e | 0x80..));
    match start.iter().find(|byte| !byte.is_ascii_whitespace()) {
        Some(b'{' | b'[') if is_text => "what looks like JSON".to_owned(),
        Some(b'<') if is_text => "what looks like HTML or XML".to_owned(),
        _ if start.iter().all(|&byte| byte == 0) => "nothing but zeros".to_owned(),
        _ if is_text && std::str::from_utf8(start).is_ok_and(|text| !text.is_empty()) => {
            let text: String = String::from_utf8_lossy(start).chars().take(24).collect();
            format!("what looks like text: {text:?}")
        }
        _ => {
            let hex: Vec<String> = start.iter().take(8).map(|byte| format!("{byte:02x}")).collect();
            format!("bytes of an unknown kind: {}", hex.join(" "))
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::read;

    #[test]
    fn what_is_no_profile_is_told_by_its_first_bytes() {
        for (bytes, words) in [
            (&b""[..], "an empty file"),
            (b"{\"version\": 1}", "JSON"),
            (b" \n [1, 2]", "JSON"),
            (b"\x1f\x8b\x08\x00", "gzip"),
            (b"\x7fELF\x02", "a program (ELF)"),
            (b"\x89CALOR\n\x01", "transfer it as binary"),
            (b"<!doctype html>", "HTML"),
            (b"hello world\n", "text: \"hello world\\n\""),
            (b"\0\0\0\0", "zeros"),
            (b"\x01\x02\xff", "01 02 ff"),
        ] {
            let error = read(bytes).unwrap_err().to_string();
            assert!(error.contains(words), "{error:?} does not say {words:?}");
            assert!(error.contains(".calor"), "{error:?} does not say what was expected");
        }
    }
}
