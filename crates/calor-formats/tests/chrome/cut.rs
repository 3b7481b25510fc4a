//! A trace that ends anywhere: a list is never closed by a program that is killed.

use calor_formats::{Format, chrome};

use crate::fixtures::{KILLED, TRACING_CHROME, VIZTRACER};
use crate::told::{read, warnings};

#[test]
fn a_trace_cut_off_at_any_byte_gives_every_whole_event_before() {
    for bytes in [VIZTRACER, TRACING_CHROME, KILLED] {
        let start = bytes.iter().position(|&byte| byte == b'[').unwrap();
        let mut n_marks_before = 0;
        for end in start + 1..bytes.len() {
            let profile = read(&bytes[..end]);
            let is_whole =
                bytes[..end].trim_ascii_end().ends_with(b"]") && bytes[0] == b'[' && end > start + 2;
            let says_so = warnings(&profile).contains(&"trace_cut_off".to_owned());
            assert!(says_so != is_whole || end + 2 > bytes.len(), "cut at {end}: {:?}", warnings(&profile));
            // What was there in a shorter piece is there in a longer one.
            assert!(profile.timeline.n_marks() >= n_marks_before, "cut at {end}");
            n_marks_before = profile.timeline.n_marks();
        }
    }
}

#[test]
fn every_whole_event_counts_however_short_the_rest_is() {
    let event = |i: usize| format!(r#"{{"ph":"X","pid":1,"tid":1,"ts":{},"dur":5,"name":"f{i}"}}"#, i * 10);
    let events: Vec<String> = (0..20).map(event).collect();
    let trace = format!("[{}]", events.join(",\n"));
    for end in 1..trace.len() {
        let mut n_whole = 0;
        let mut at = 1;
        for event in &events {
            at += event.len();
            n_whole += usize::from(at <= end);
            at += 2;
        }
        assert_eq!(read(&trace[..end]).timeline.n_spans(), n_whole, "cut at {end}");
    }
}

#[test]
fn a_piece_with_its_first_event_is_still_found_out() {
    for bytes in [TRACING_CHROME, KILLED] {
        for end in 80..bytes.len() {
            assert_eq!(Format::detect(&bytes[..end]), Some(Format::Chrome), "cut at {end}");
        }
    }
}

#[test]
fn a_piece_without_even_a_list_is_read_or_refused() {
    for end in 0..VIZTRACER.len().min(40) {
        let _ = chrome::read(&VIZTRACER[..end]);
    }
    let error = chrome::read(b"").unwrap_err().to_string();
    assert!(error.contains("the end of the input"), "{error}");
}
