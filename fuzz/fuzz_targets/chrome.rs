//! Any bytes as a Chrome trace, alone and in the place of a trace's events, which gets past the brackets. Whatever is
//! let in can be written as a trace, which reads back without a warning about its shape, and for the Firefox
//! Profiler.
//!
//! Run with `cargo +nightly fuzz run chrome -- -max_len=4096 -malloc_limit_mb=64` in the folder above; the folder
//! `../tests/fixtures/chrome` is a good first corpus.

#![no_main]

use calor_formats::{WriteOptions, chrome, firefox};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    survive(bytes);
    survive(&[b"[{\"ph\":\"X\",\"ts\":1,\"dur\":2,\"name\":\"a\"},", bytes, b"]"].concat());
});

fn survive(bytes: &[u8]) {
    let _ = calor_formats::read(bytes);
    let Ok(profile) = chrome::read(bytes) else { return };
    let mut again = Vec::new();
    chrome::write(&profile, &WriteOptions::default(), &mut again).expect("what was read can be written");
    let second = chrome::read(&again).expect("what was written can be read");
    assert_eq!(second.timeline.n_spans(), profile.timeline.n_spans(), "no span is lost");
    assert!(second.warnings.iter().all(|warning| warning.code != "trace_cut_off"));
    firefox::write(&profile, &WriteOptions::default(), std::io::sink()).expect("what was read can be written");
}
