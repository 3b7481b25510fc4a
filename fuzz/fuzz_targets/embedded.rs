//! Any bytes as a report that carries its profile: as the whole report, as what stands between its first and last
//! line, and as a profile that is put into a report and taken out again, which gets past the checksum.
//!
//! Run with `cargo +nightly fuzz run embedded -- -max_len=4096 -malloc_limit_mb=64` in the folder above.

#![no_main]

use calor_formats::{embedded, read};
use libfuzzer_sys::fuzz_target;

fuzz_target!(|bytes: &[u8]| {
    let _ = read(bytes);
    let announced = [embedded::ANNOUNCEMENT.as_bytes(), b"\n", bytes].concat();
    let _ = read(&announced);
    let headed = [b"calor-profile 1 bytes=12 crc32=00000000\n", bytes, b"\ncalor-profile end\n"].concat();
    let _ = read(&headed);

    let file = [&calor_formats::native::header()[..], bytes].concat();
    let report = format!("{}\n<!--\n{}-->\n", embedded::ANNOUNCEMENT, embedded::lines(&file));
    assert_eq!(
        read(&file).map(|profile| profile.warnings).map_err(|error| error.to_string()),
        read(report.as_bytes()).map(|profile| profile.warnings).map_err(|error| error.to_string()),
        "a profile inside a report is read as the profile itself"
    );
});
