//! The version of an interpreter that has no `Py_Version`, told by the texts among its constants.

use super::layout::Version;

/// Paths are cut off at so many bytes by most systems; longer constants are prose.
const MOST_CONSTANT_BYTES: usize = 255;

/// The version by the constants of a program or library that has no `Py_Version`, which are those before 3.11. Among
/// them is the name of the folder of its modules, `lib/python3.9`, and often its version as a text of its own; other
/// libraries may be linked in that have a version 3 as well, so texts that contradict each other tell nothing.
pub(super) fn version_in(bytes: &[u8]) -> Option<Version> {
    let (mut named, mut told) = (Vec::new(), Vec::new());
    for text in bytes.split(|byte| *byte == 0).filter(|text| (5..=MOST_CONSTANT_BYTES).contains(&text.len()))
    {
        let Ok(text) = std::str::from_utf8(text) else { continue };
        named.extend(Version::from_name(text).filter(has_no_number));
        told.extend(Version::from_text(text).filter(has_no_number));
    }
    named.sort_unstable();
    named.dedup();
    if let [version] = named[..] {
        told.retain(|told: &Version| told.minor == version.minor);
    }
    told.sort_unstable();
    told.dedup();
    match (&named[..], &told[..]) {
        (_, [version]) | ([version], _) => Some(*version),
        _ => None,
    }
}

/// Whether it is one of those that are known here and have no `Py_Version`.
fn has_no_number(version: &Version) -> bool {
    (8..=10).contains(&version.minor)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_constants_of_a_file_tell_the_version_unless_they_disagree() {
        let check = |bytes: &[u8], expected| {
            assert_eq!(version_in(bytes).map_or("none".to_owned(), |version| version.to_string()), expected);
        };
        check(b"abc\x003.10.13\0def\x003.45.1\x003.2.1\0", "3.10.13");
        check(b"/opt/3.9.1\0lib/python3.9\0", "3.9");
        // A library of another kind has version 3.8.11.
        check(b"\x003.8.11\x003.9.18\0python3.9\0", "3.9.18");
        check(b"\x003.8.11\0python3.9\0", "3.9");
        check(b"\x003.8.18\x003.9.1\0", "none");
        check(b"\0python3.8\0python3.9\0", "none");
        check(b"\0lib/python3.8\x003.9.1\0python3.8\0", "3.8");
        check(b"\0python3.11\0", "none");
        check(b"x3.8.18\0", "none");
        check(b"", "none");
    }
}
