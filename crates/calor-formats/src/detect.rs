//! Finds out what format bytes are of, by their content and never by a file's name, and puts into words what
//! they look like when it is none of ours.

mod json;

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
    (
        b"PERFILE2",
        "a perf.data file: `calor` reads it on Linux; elsewhere give what `perf script` prints of it",
    ),
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
    let opening = Opening::of(bytes);
    if let Some(words) = json::looks_like(&opening).or_else(|| table_looks_like(&opening)) {
        return words;
    }
    let start = &bytes[..bytes.len().min(64)];
    let is_text = start.iter().all(|byte| matches!(byte, b'\t' | b'\n' | b'\r' | 0x20..=0x7e | 0x80..));
    match start.iter().find(|byte| !byte.is_ascii_whitespace()) {
        Some(b'<') if is_text => {
            "what looks like HTML or XML that carries no profile: reports that `calor report -o` \
                                  writes do"
                .to_owned()
        }
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

/// Tables for spreadsheets: our own above all, because who wrote it here may well give it here again.
fn table_looks_like(opening: &Opening<'_>) -> Option<String> {
    let heading = opening.is_text().then(|| opening.lines().next())??;
    if heading.starts_with(b"path,name,kind,") {
        return Some(
            "the table that Calor writes as CSV, which is for spreadsheets and is not read back: give the profile it \
             was made of, or convert that to pprof or folded"
                .to_owned(),
        );
    }
    let n_fields = |line: &[u8]| line.iter().filter(|byte| **byte == b',').count();
    let is_table = n_fields(heading) > 0
        && opening
            .lines()
            .skip(1)
            .filter(|line| !line.is_empty())
            .take(4)
            .all(|line| n_fields(line) == n_fields(heading))
        && opening.lines().filter(|line| !line.is_empty()).nth(1).is_some();
    is_table.then(|| {
        let heading = String::from_utf8_lossy(&heading[..heading.len().min(40)]);
        format!("what looks like a table (CSV) with the heading {heading:?}")
    })
}

#[cfg(test)]
mod tests {
    use crate::read;

    #[test]
    fn what_is_no_profile_is_told_by_its_first_bytes() {
        for (bytes, words) in [
            (&b""[..], "an empty file"),
            (b"{\"version\": 1}", "a JSON object with the key \"version\""),
            (b"{\"a\": 1, \"b\": {\"c\": 2}, \"d\": [", "the keys \"a\", \"b\" and \"d\""),
            (b"{", "a JSON object without a key"),
            (b" \n [1, 2]", "a JSON list that begins with a number"),
            (b"[", "a JSON list that is empty or cut off: a trace of Chrome holds events"),
            (b"[]", "a JSON list that is empty or cut off"),
            (b"[{\"id\": 1, \"title\": \"x\"}]", "a JSON list of objects with the keys \"id\" and \"title\""),
            (b"path,name,kind,module\r\na,a,scope,\r\n", "the table that Calor writes as CSV"),
            (b"time,value\n1,x\n2,y\n", "a table (CSV) with the heading \"time,value\""),
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
            assert!(
                error.contains("formats read here are calor, "),
                "{error:?} does not say what was expected"
            );
        }
    }
}
