//! Any bytes as the text of `perf script`: reading never panics, and what was read can be written.
//!
//! Run with `cargo +nightly fuzz run perf_script -- -max_len=4096 -malloc_limit_mb=256` in the folder above; give
//! `../tests/fixtures/perf-script` as the corpus to begin with real files.

#![no_main]

use calor_formats::{Format, WriteOptions, read, read_as, write};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    let _ = read(bytes);
    let Ok(profile) = read_as(bytes, Format::PerfScript) else { return };
    for format in [Format::Folded, Format::Speedscope, Format::Csv] {
        write(&profile, format, &WriteOptions::default(), std::io::sink())
            .expect("what was read can be written");
    }
});
