//! A file whose bytes were changed after it was written.

use calor_formats::Error;
use calor_formats::native::{self, HEADER_BYTES, Parts, Writer};
use proptest::prelude::*;

use crate::generated::profiles;
use crate::sample;

/// The file of the sample, and where each of its chunks begins.
fn file() -> (Vec<u8>, Vec<usize>) {
    let mut writer = Writer::new(Vec::new()).unwrap();
    let mut starts = vec![HEADER_BYTES];
    for part in sample::parts() {
        starts.push(starts[starts.len() - 1] + writer.write_part(&part).unwrap());
    }
    (writer.finish().unwrap(), starts)
}

#[test]
fn a_changed_byte_costs_the_chunk_it_is_in_and_no_other() {
    let (bytes, starts) = file();
    for at in HEADER_BYTES..bytes.len() {
        for mask in [0x01, 0x80, 0xff] {
            let mut damaged = bytes.clone();
            damaged[at] ^= mask;
            let mut parts = Parts::new(&damaged).unwrap();
            let n_parts = parts.by_ref().filter(|part| part.is_ok()).count();
            let codes: Vec<String> = parts.warnings().into_iter().map(|warning| warning.code).collect();
            if at < starts[4] {
                assert_eq!((n_parts, codes), (3, vec!["chunk_damaged".to_owned()]), "byte {at} ^ {mask:#x}");
                assert_eq!(parts.warnings()[0].count, Some(1));
            } else {
                assert_eq!(n_parts, 4, "byte {at} ^ {mask:#x}");
                assert!(codes.contains(&"recording_cut_off".to_owned()), "byte {at} ^ {mask:#x}");
            }
        }
    }
}

#[test]
fn a_changed_byte_of_the_header_is_read_or_refused() {
    let (bytes, _) = file();
    for at in 0..HEADER_BYTES {
        for value in [0, 1, 2, 0x7f, 0xff] {
            let mut damaged = bytes.clone();
            damaged[at] = value;
            match native::read(&damaged) {
                Ok(profile) => assert_eq!(profile.timeline.n_spans(), 160),
                Err(error) => assert!(at < 10, "byte {at} is not looked at, and yet: {error}"),
            }
        }
    }
}

#[test]
fn bytes_missing_from_the_middle_cost_the_chunk_they_were_taken_from() {
    let (bytes, starts) = file();
    let ends = &starts[1..];
    for (from, to) in
        [(starts[1] + 30, starts[1] + 90), (starts[1] + 3, starts[1] + 40), (starts[1] + 30, ends[1])]
    {
        let holed = [&bytes[..from], &bytes[to..]].concat();
        let mut parts = Parts::new(&holed).unwrap();
        assert_eq!(parts.by_ref().filter(|part| part.is_ok()).count(), 3, "without bytes {from} to {to}");
        let warnings = parts.warnings();
        assert_eq!((warnings[0].code.as_str(), warnings[0].count), ("chunk_damaged", Some(1)));
        assert_eq!(warnings.len(), 1);
    }
}

proptest! {
    #[test]
    fn bursts_of_changed_bytes_never_panic(
        profile in profiles(),
        at in any::<prop::sample::Index>(),
        burst in proptest::collection::vec(any::<u8>(), 1..64),
    ) {
        let mut bytes = Vec::new();
        native::write(&profile, &mut bytes).unwrap();
        let at = at.index(bytes.len());
        for (byte, new) in bytes[at..].iter_mut().zip(&burst) {
            *byte = *new;
        }
        let _ = calor_formats::read(&bytes);
    }

    #[test]
    fn bytes_that_are_no_file_never_panic(bytes in proptest::collection::vec(any::<u8>(), 0..512)) {
        let _ = calor_formats::read(&bytes);
        let mut behind_header = native::header().to_vec();
        behind_header.extend(&bytes);
        let is_refused = matches!(native::read(&behind_header), Err(Error::NothingWhole { .. }));
        prop_assert_eq!(is_refused, !bytes.is_empty());
    }
}
