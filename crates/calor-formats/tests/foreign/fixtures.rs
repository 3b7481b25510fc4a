//! Files that other tools wrote, and what they are known to be.

use calor_formats::{Format, read};

/// The files: their format, their names, their content.
pub(crate) const ALL: [(Format, &str, &[u8]); 9] = [
    (
        Format::PerfScript,
        "frame-pointers",
        include_bytes!("../../../../tests/fixtures/perf-script/frame-pointers.txt"),
    ),
    (
        Format::PerfScript,
        "two-events",
        include_bytes!("../../../../tests/fixtures/perf-script/two-events-with-header.txt"),
    ),
    (Format::PerfScript, "inlined", include_bytes!("../../../../tests/fixtures/perf-script/inlined.txt")),
    (
        Format::PerfScript,
        "no-call-graph",
        include_bytes!("../../../../tests/fixtures/perf-script/no-call-graph.txt"),
    ),
    (Format::Folded, "py-spy", include_bytes!("../../../../tests/fixtures/folded/py-spy.folded")),
    (Format::Folded, "perf", include_bytes!("../../../../tests/fixtures/folded/perf.folded")),
    (Format::Speedscope, "py-spy", include_bytes!("../../../../tests/fixtures/speedscope/py-spy.json")),
    (
        Format::Speedscope,
        "pyinstrument",
        include_bytes!("../../../../tests/fixtures/speedscope/pyinstrument.json"),
    ),
    (Format::Json, "sketch", include_bytes!("../../../../tests/fixtures/report/sketch.json")),
];

/// The content of one.
pub(crate) fn fixture(format: Format, name: &str) -> &'static [u8] {
    ALL.iter().find(|(of, called, _)| (*of, *called) == (format, name)).unwrap().2
}

#[test]
fn each_is_told_by_its_content_and_read() {
    for (format, name, bytes) in ALL {
        assert_eq!(Format::detect(bytes), Some(format), "{format} {name}");
        let profile = read(bytes).unwrap();
        assert!(!profile.is_empty(), "{format} {name}");
        assert_eq!(profile.runs.len(), 1, "{format} {name}");
    }
}

#[test]
fn each_is_the_same_when_compressed_or_saved_by_another_editor() {
    use std::io::Write;
    for (format, name, bytes) in ALL {
        let expected = format!("{:?}", crate::told::content(&read(bytes).unwrap()));
        let mut gzip = flate2::write::GzEncoder::new(Vec::new(), flate2::Compression::fast());
        gzip.write_all(bytes).unwrap();
        let text = std::str::from_utf8(bytes).unwrap();
        let utf16 = [0xfeff].into_iter().chain(text.encode_utf16()).flat_map(u16::to_le_bytes).collect();
        let marked = [b"\xef\xbb\xbf", bytes].concat();
        let windows = text.replace('\n', "\r\n").into_bytes();
        for other in [gzip.finish().unwrap(), utf16, marked, windows] {
            assert_eq!(Format::detect(&other), Some(format), "{format} {name}");
            let found = format!("{:?}", crate::told::content(&read(&other).unwrap()));
            assert_eq!(found, expected, "{format} {name}");
        }
    }
}

#[test]
fn reading_one_twice_is_one_run_and_reading_two_is_two() {
    let (one, other) = (ALL[0].2, ALL[4].2);
    let mut profile = read(one).unwrap();
    profile.merge(&read(one).unwrap());
    assert_eq!(profile.runs.len(), 1);
    profile.merge(&read(other).unwrap());
    assert_eq!(profile.runs.len(), 2);
}
