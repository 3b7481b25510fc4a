//! Files that were cut off, changed, or made to do harm: reading ends with a profile or an error, never a panic.

use calor_formats::{Format, read, read_as};
use proptest::prelude::*;

use crate::fixtures::ALL;

const TEXT_FORMATS: [Format; 4] = [Format::Folded, Format::PerfScript, Format::Speedscope, Format::Json];

#[test]
fn a_file_that_was_cut_off_anywhere_is_read_or_refused() {
    for (format, _, bytes) in ALL {
        for end in 0..bytes.len() {
            let _ = read(&bytes[..end]);
            if end % 7 == 0 {
                let _ = read_as(&bytes[..end], format);
            }
        }
    }
}

#[test]
fn json_that_nests_without_end_is_refused() {
    for deep in ["[".repeat(1 << 20), "{\"a\":".repeat(1 << 18)] {
        for start in [
            "{\"$schema\":\"https://www.speedscope.app/file-format-schema.json\",\"x\":",
            "{\"schema\":\"calor/report/1\",\"x\":",
            "{\"schema\":\"calor/report/1\",\"hot_paths\":",
            "{\"shared\":{\"frames\":[]},\"profiles\":",
        ] {
            let error = read(format!("{start}{deep}").as_bytes()).unwrap_err().to_string();
            assert!(error.contains("at line 1, column"), "{error}");
        }
    }
}

#[test]
fn an_error_says_what_was_expected_what_was_found_and_where() {
    let speedscope =
        |rest: &str| format!("{{\"shared\":{{\"frames\":[{{\"name\":\"a\"}}]}},\"profiles\":[{rest}]}}");
    for (format, input, words) in [
        (Format::Folded, String::new(), &["`main;work 12`", "the end of the input"][..]),
        (Format::PerfScript, "# x\nnothing here".to_owned(), &["cycles:", "\"nothing here\"", "line 2"]),
        (
            Format::Speedscope,
            "{\"shared\": 3}".to_owned(),
            &["struct Shared", "integer `3`", "line 1, column 12"],
        ),
        (
            Format::Speedscope,
            speedscope("{\"type\":\"sampled\",\"unit\":\"none\",\"samples\":[[0],[0,1]],\"weights\":[1,1]}"),
            &["a frame below 1", "found 1", "entry 1 of samples"],
        ),
        (
            Format::Speedscope,
            speedscope(
                "{\"type\":\"evented\",\"unit\":\"none\",\"events\":[{\"type\":\"O\",\"at\":0,\"frame\":7}]}",
            ),
            &["found 7", "entry 0 of events"],
        ),
        (
            Format::Speedscope,
            speedscope("{\"type\":\"sampled\",\"unit\":\"parsecs\",\"samples\":[]}"),
            &["a unit of time", "\"parsecs\"", "entry 0 of profiles"],
        ),
        (
            Format::Speedscope,
            speedscope("{\"type\":\"odd\"}"),
            &["\"evented\"", "\"odd\"", "entry 0 of profiles"],
        ),
        (Format::Json, "{\"schema\":\"calor/report/2\"}".to_owned(), &["calor/report/1", "calor/report/2"]),
        (
            Format::Json,
            "{\"schema\":\"calor/bench/1\"}".to_owned(),
            &["figures of a bench", "--profile run.calor", ".html or .md", "calor compare --models"],
        ),
        (Format::Json, "{\"schema\":".to_owned(), &["the rest of the JSON", "line 1, column 10"]),
        (Format::Csv, "path,name\n".to_owned(), &["csv cannot be read", "speedscope"]),
    ] {
        let error = read_as(input.as_bytes(), format).unwrap_err().to_string();
        for word in words {
            assert!(error.contains(word), "{error:?} does not say {word:?}");
        }
    }
}

#[test]
fn numbers_beyond_all_bounds_are_read_or_refused() {
    for number in ["1e308", "-1e308", "1e999", "-5", "18446744073709551616", "0.5", "null", "\"x\""] {
        let sampled = format!(
            "{{\"shared\":{{\"frames\":[{{\"name\":\"a\",\"line\":{number}}}]}},\"profiles\":[{{\"type\":\"sampled\",\
             \"unit\":\"seconds\",\"endValue\":{number},\"samples\":[[0]],\"weights\":[{number}]}},{{\"type\":\
             \"evented\",\"name\":\"e\",\"unit\":\"seconds\",\"startValue\":{number},\"events\":[{{\"type\":\"O\",\"at\":\
             {number},\"frame\":0}},{{\"type\":\"C\",\"at\":0,\"frame\":0}}]}}]}}"
        );
        let _ = read_as(sampled.as_bytes(), Format::Speedscope);
        let report = format!(
            "{{\"schema\":\"calor/report/1\",\"hot_paths\":[{{\"path\":[\"a\"],\"kind\":\"scope\",\"calls\":{number},\
             \"total_ns\":{number},\"self_ns\":{number}}}]}}"
        );
        let _ = read_as(report.as_bytes(), Format::Json);
        let _ = read_as(format!("a;b {number}\n").as_bytes(), Format::Folded);
        let perf = format!("a {number} {number}.{number}: {number} cycles:\n\t{number} x ({number})\n\n");
        let _ = read_as(perf.as_bytes(), Format::PerfScript);
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(256))]

    #[test]
    fn changed_bytes_of_real_files_never_panic(
        which in 0..ALL.len(),
        changes in proptest::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..16),
    ) {
        let (format, _, bytes) = ALL[which];
        let mut damaged = bytes.to_vec();
        for (at, byte) in changes {
            let at = at.index(damaged.len());
            damaged[at] = byte;
        }
        let _ = read(&damaged);
        let _ = read_as(&damaged, format);
    }

    #[test]
    fn pieces_put_together_in_another_order_never_panic(
        which in 0..ALL.len(),
        cuts in proptest::collection::vec(any::<prop::sample::Index>(), 2..12),
    ) {
        let (format, _, bytes) = ALL[which];
        let pieces: Vec<&[u8]> = cuts
            .windows(2)
            .map(|pair| {
                let (a, b) = (pair[0].index(bytes.len()), pair[1].index(bytes.len()));
                &bytes[a.min(b)..a.max(b)]
            })
            .collect();
        let _ = read_as(&pieces.concat(), format);
    }

    #[test]
    fn bytes_of_any_kind_never_panic(bytes in proptest::collection::vec(any::<u8>(), 0..512)) {
        let _ = read(&bytes);
        for format in TEXT_FORMATS {
            let _ = read_as(&bytes, format);
        }
        let marked = [b"\xff\xfe", &bytes[..]].concat();
        let _ = read(&marked);
    }

    #[test]
    fn text_of_any_kind_never_panics(text in "[ \t\n;#:./\\[\\]()0-9a-f{}\"x+-]{0,200}") {
        for format in TEXT_FORMATS {
            let _ = read_as(text.as_bytes(), format);
        }
    }
}
