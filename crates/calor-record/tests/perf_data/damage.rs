//! Damaged files: an error or what is left of the profile, never a panic, never memory out of proportion.

use calor_model::SampleKind;
use calor_record::perf_data::PerfDataError;

use super::{kept_bytes, n_samples, read, warning_codes};

const KEPT: [&str; 5] = ["frame-pointers.data", "stacks.data", "compressed.data", "pipe.data", "events.data"];

#[test]
fn a_file_that_is_cut_off_anywhere_is_read_as_far_as_it_goes() {
    for name in KEPT {
        let bytes = without_files(kept_bytes(name));
        let whole = n_samples(&read(&bytes).unwrap(), SampleKind::Cpu);
        let mut n_before = 0;
        for length in (0..bytes.len()).step_by(61) {
            let n_now = read(&bytes[..length]).map_or(0, |profile| n_samples(&profile, SampleKind::Cpu));
            // Features, which stand at the end, may turn some of the samples into those of another event.
            assert!(n_now <= whole && (n_now >= n_before || name == "events.data"), "{name} at {length}");
            n_before = n_now;
        }
        assert!(n_before > 0, "{name}");
    }
}

#[test]
fn changed_bytes_do_no_harm() {
    let mut number = 1_u64;
    let mut random = |below: usize| {
        number = number.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        (number >> 33) as usize % below
    };
    for name in KEPT {
        let bytes = without_files(kept_bytes(name));
        // Names in compressed records stay, and their files may be here, to be opened each time.
        let n_times = if name == "compressed.data" { 40 } else { 400 };
        for _ in 0..n_times {
            let mut changed = bytes.clone();
            for _ in 0..=random(4) {
                let at = random(changed.len());
                changed[at] = [0, 1, 0x7f, 0x80, 0xff, changed[at] ^ 0x10][random(6)];
            }
            // What comes of it is not to be foretold; that it comes is.
            let _ = read(&changed);
        }
    }
}

/// The same with libraries and a kernel that are nowhere, so that it takes no time to look at them.
fn without_files(mut bytes: Vec<u8>) -> Vec<u8> {
    for (name, other) in [(b"/usr/lib/", b"/not/lib/"), (b"[kernel.k", b"[another.")] {
        for at in 0..bytes.len() - name.len() {
            if bytes[at..].starts_with(name) {
                bytes[at..at + name.len()].copy_from_slice(other);
            }
        }
    }
    bytes
}

#[test]
fn every_word_of_the_header_may_be_anything() {
    for name in ["frame-pointers.data", "pipe.data"] {
        let bytes = without_files(kept_bytes(name));
        for at in (8..512.min(bytes.len() - 8)).step_by(4) {
            for value in [0, 1, 0x8000_0000, u64::MAX, u64::MAX - 7, i64::MAX.cast_unsigned(), 1 << 40] {
                let mut changed = bytes.clone();
                changed[at..at + 8].copy_from_slice(&value.to_le_bytes());
                let _ = read(&changed);
            }
        }
    }
}

#[test]
fn a_file_that_perf_did_not_end_is_read_to_its_last_record() {
    let mut bytes = kept_bytes("frame-pointers.data");
    // The size of the records, which perf writes when it is done.
    bytes[48..56].fill(0);
    let profile = read(&bytes).unwrap();
    assert_eq!(n_samples(&profile, SampleKind::Cpu), 23);
    assert!(warning_codes(&profile).contains(&"file_not_ended"));
}

#[test]
fn a_file_cut_off_within_its_records_says_so() {
    let bytes = kept_bytes("frame-pointers.data");
    let profile = read(&bytes[..2_500]).unwrap();
    assert!(warning_codes(&profile).contains(&"file_cut_off"), "{:?}", profile.warnings);
}

#[track_caller]
fn refused(bytes: &[u8]) -> PerfDataError {
    read(bytes).expect_err("it should have been refused")
}

#[test]
fn files_of_other_machines_are_refused_with_a_way_out() {
    let mut bytes = kept_bytes("frame-pointers.data");
    bytes[..8].copy_from_slice(b"2ELIFREP");
    let error = refused(&bytes).to_string();
    assert!(error.contains("big-endian") && error.contains("perf script"), "{error}");

    let mut bytes = kept_bytes("frame-pointers.data");
    let at = bytes.windows(7).position(|window| window == b"x86_64\0").unwrap();
    bytes[at..at + 7].copy_from_slice(b"armv7l\0");
    let error = refused(&bytes).to_string();
    assert!(error.contains("32-bit") && error.contains("armv7l"), "{error}");
}

#[test]
fn what_is_no_such_file_is_refused_by_its_first_bytes() {
    assert!(matches!(refused(b""), PerfDataError::Magic { .. }));
    assert!(matches!(refused(b"PERFILE3aaaaaaaa"), PerfDataError::Magic { .. }));
    assert!(matches!(refused(b"PERFILE2"), PerfDataError::Cut { .. }));
    assert!(matches!(refused(&kept_bytes("frame-pointers.data")[..50]), PerfDataError::Cut { .. }));
    assert!(matches!(refused(b"PERFILE2\x09\0\0\0\0\0\0\0"), PerfDataError::Damaged { .. }));
    assert!(matches!(refused(b"PERFILE2\x10\0\0\0\0\0\0\0"), PerfDataError::Damaged { .. }));
}

#[test]
fn a_file_without_samples_says_what_to_do() {
    // The header of a pipe and the attributes of an event.
    let bytes = kept_bytes("pipe.data");
    let size = usize::from(u16::from_le_bytes([bytes[22], bytes[23]]));
    let error = refused(&bytes[..16 + size]).to_string();
    assert!(error.contains("no samples") && error.contains("perf record"), "{error}");
}
