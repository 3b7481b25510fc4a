//! Real files whose bytes were changed, cut or repeated: an error or a profile, never a panic.

use calor_formats::{Format, pprof, read, read_as};
use proptest::prelude::*;

use crate::fixtures::{ALL, CPU, GOROUTINE, HEAP, MUTEX};
use crate::message::unpacked;
use crate::round_trip::written;

/// Reads a file as often as it has bytes, each time with another of them changed. One test for each file, so that
/// they run side by side.
fn read_with_every_byte_changed(packed: &[u8]) {
    let mut bytes = unpacked(packed);
    for at in 0..bytes.len() {
        for mask in [0x01, 0x08, 0x80] {
            bytes[at] ^= mask;
            let _ = pprof::read(&bytes);
            let _ = Format::detect(&bytes);
            bytes[at] ^= mask;
        }
    }
}

#[test]
fn every_changed_byte_of_a_cpu_profile_is_read_or_refused() {
    read_with_every_byte_changed(CPU);
}

#[test]
fn every_changed_byte_of_a_heap_profile_is_read_or_refused() {
    read_with_every_byte_changed(HEAP);
}

#[test]
fn every_changed_byte_of_a_mutex_profile_is_read_or_refused() {
    read_with_every_byte_changed(MUTEX);
}

#[test]
fn every_changed_byte_of_a_goroutine_profile_is_read_or_refused() {
    read_with_every_byte_changed(GOROUTINE);
}

#[test]
fn a_file_that_is_cut_anywhere_is_told_to_be_damaged_or_misses_its_end() {
    for packed in ALL {
        let bytes = unpacked(packed);
        for end in 0..bytes.len() {
            if let Err(error) = pprof::read(&bytes[..end]) {
                let message = error.to_string();
                assert!(message.contains("expected") && message.contains("found"), "{message}");
            }
        }
        for end in 0..packed.len() {
            let _ = read(&packed[..end]);
            let _ = read_as(&packed[..end], Format::Pprof);
        }
    }
}

proptest! {
    #[test]
    fn bursts_of_changed_bytes_never_panic(
        which in 0..ALL.len(),
        at in any::<prop::sample::Index>(),
        burst in proptest::collection::vec(any::<u8>(), 1..32),
    ) {
        let mut bytes = unpacked(ALL[which]);
        let at = at.index(bytes.len());
        for (byte, new) in bytes[at..].iter_mut().zip(&burst) {
            *byte = *new;
        }
        if let Ok(profile) = pprof::read(&bytes) {
            prop_assert!(pprof::read(&written(&profile)).is_ok());
        }
    }

    #[test]
    fn bytes_that_are_no_file_never_panic(bytes in proptest::collection::vec(any::<u8>(), 0..512)) {
        let _ = pprof::read(&bytes);
        let _ = read(&bytes);
        let mut behind_a_type = b"\x0a\x04\x08\x01\x10\x02\x32\x00\x32\x03cpu\x32\x02ns".to_vec();
        behind_a_type.extend(&bytes);
        let _ = pprof::read(&behind_a_type);
    }
}
