//! Any bytes as a pprof message without the gzip around it, which a fuzzer would only fight with. Whatever is
//! let in can be written, and what was written reads back as a profile that is written the same again.
//!
//! Run with `cargo +nightly fuzz run pprof -- -max_len=4096 -malloc_limit_mb=64` in the folder above; the files
//! of `tests/fixtures/pprof`, unpacked, are a good corpus to begin with.

#![no_main]

use calor_formats::{WriteOptions, pprof};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    let _ = calor_formats::Format::detect(bytes);
    if let Ok(profile) = pprof::read(bytes) {
        let mut first = Vec::new();
        pprof::write(&profile, &WriteOptions::default(), &mut first).expect("what was read can be written");
        let read_again = pprof::read(&first).expect("what was written can be read");
        let mut second = Vec::new();
        pprof::write(&read_again, &WriteOptions::default(), &mut second).expect("what was read can be written");
        let third = pprof::read(&second).expect("what was written can be read");
        assert_eq!(third.samples.len(), read_again.samples.len());
        assert_eq!(third.heap.len(), read_again.heap.len());
        assert_eq!(third.scopes.len(), read_again.scopes.len());
    }
});
