//! Any bytes as a `.calor` file, and any bytes as the content of a chunk whose checksum holds: the second
//! gets past the checksum, which a fuzzer cannot guess. Whatever is let in can be written, and what was
//! written reads back as the same profile.
//!
//! Run with `cargo +nightly fuzz run native -- -max_len=4096 -malloc_limit_mb=64` in the folder above.

#![no_main]

use calor_formats::native::{self, chunk};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    let _ = calor_formats::read(bytes);

    let mut part = Vec::new();
    chunk::encode(chunk::kind::PART, bytes, &mut part).expect("the input is small");
    if let Ok(profile) = native::decode_part(&part) {
        let mut again = Vec::new();
        native::encode_part(&profile, &mut again).expect("what was read can be written");
        let read_again = native::decode_part(&again).expect("what was written can be read");
        let mut third = Vec::new();
        native::encode_part(&read_again, &mut third).expect("what was read can be written");
        assert_eq!(third, again, "a profile that was written and read is written the same again");

        let mut file = native::header().to_vec();
        file.extend(&part);
        file.extend(&again);
        native::read(&file).expect("parts that can be read alone can be added up");
    }
});
