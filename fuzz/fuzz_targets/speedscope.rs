//! Any bytes as a document of speedscope: reading never panics, and what was read can be written.
//!
//! Run with `cargo +nightly fuzz run speedscope -- -max_len=4096 -malloc_limit_mb=256` in the folder above; give
//! `../tests/fixtures/speedscope` as the corpus to begin with real files.

#![no_main]

use calor_formats::{Format, WriteOptions, read, read_as, write};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    let _ = read(bytes);
    let Ok(profile) = read_as(bytes, Format::Speedscope) else { return };
    for format in [Format::Folded, Format::Speedscope, Format::Csv] {
        write(&profile, format, &WriteOptions::default(), std::io::sink())
            .expect("what was read can be written");
    }
    let mut text = Vec::new();
    write(&profile, Format::Speedscope, &WriteOptions::default(), &mut text)
        .expect("memory can be written to");
    read_as(&text, Format::Speedscope).expect("what was written can be read");
});
