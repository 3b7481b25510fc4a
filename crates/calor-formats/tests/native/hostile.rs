//! Bytes that were made to do harm: their checksums hold and their lengths, handles and values lie.

use calor_formats::Error;
use calor_formats::native::{self, chunk, decode_part};
use calor_model::Profile;
use proptest::prelude::*;

fn refusal(payload: &[u8]) -> String {
    let mut bytes = native::header().to_vec();
    chunk::encode(chunk::kind::PART, payload, &mut bytes).unwrap();
    native::read(&bytes).unwrap_err().to_string()
}

/// One string "a", one frame of it, one call path of that, one thread.
const TABLES: [u8; 25] = [1, 3, 1, 1, b'a', 2, 7, 1, 0, 0, 0, 0, 0, 0, 3, 3, 1, 0, 0, 4, 4, 1, 0, 0, 0];

#[test]
fn content_that_breaks_a_rule_is_refused_with_what_was_expected_and_found() {
    const HUGE: [u8; 9] = [0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0xff, 0x7f];
    // Two strings and two frames of them.
    const FRAMES: [u8; 22] = [1, 5, 2, 1, 1, b'a', b'b', 2, 13, 2, 0, 1, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0];
    let after_frames = |section: &[u8]| [&FRAMES[..], section].concat();
    let after_tables = |section: &[u8]| [&TABLES[..], section].concat();
    let cases: [(Vec<u8>, &[&str]); 26] = [
        (vec![1], &["section length", "expected an integer", "found the end"]),
        (vec![1, 10, 0], &["section length", "at most 1 rows", "found 10"]),
        (vec![2, 1, 0, 1, 1, 0], &["section number", "after section 2", "found section 1"]),
        ([&[1, 9][..], &HUGE].concat(), &["strings", "at most 0 rows"]),
        (
            vec![1, 11, 255, 255, 255, 255, 255, 255, 255, 255, 255, 2, 0],
            &["strings", "64 bits", "a longer one"],
        ),
        (vec![1, 3, 1, 200, 1], &["string", "200 bytes", "found 0 bytes"]),
        (vec![1, 3, 1, 1, 0xff], &["string", "UTF-8"]),
        (vec![1, 5, 2, 1, 1, b'a', b'a'], &["strings", "every string once", "row 1 again"]),
        (vec![1, 3, 1, 1, b'a', 2, 7, 1, 9, 0, 0, 0, 0, 0], &["frame name", "a table of 1", "found row 9"]),
        (vec![1, 3, 1, 1, b'a', 2, 7, 1, 0, 0, 0, 0, 0, 0, 3, 3, 1, 1, 0], &["stack parents", "1 rows back"]),
        // The same row behind its caller and further on; the same row twice further on.
        (after_frames(&[3, 7, 3, 0, 1, 2, 0, 0, 0]), &["stacks", "every call path once", "row 2 again"]),
        (
            after_frames(&[3, 9, 4, 0, 1, 2, 3, 0, 0, 1, 1]),
            &["stacks", "every call path once", "row 3 again"],
        ),
        (after_tables(&[5, 3, 1, 0x81, 0x08]), &["label set length", "at most 1024", "found 1025"]),
        (after_tables(&[5, 6, 1, 2, 0, 0, 0, 0]), &["label set", "ascending"]),
        (after_tables(&[7, 8, 1, 0, 1, 7, 0, 0, 0, 0]), &["order of spans", "found 7"]),
        (after_tables(&[7, 8, 1, 0, 1, 1, 5, 6, 0, 0]), &["span durations", "an end at 5 ns after 6 ns"]),
        (after_tables(&[7, 8, 1, 0, 1, 0, 5, 6, 2, 0]), &["span stack", "a table of 1", "found row 1"]),
        (after_tables(&[7, 8, 1, 0, 1, 0, 5, 6, 1, 0]), &["span stack", "found row 18446744073709551615"]),
        (after_tables(&[8, 13, 2, 0, 0, 0, 0, 0, 0, 0, 0, 1, 1, 5, 5]), &["samples", "every row once"]),
        (
            after_tables(&[10, 14, 0, 1, 0, 0, 0, 1, 1, 1, 0, 2, 0x7f, 0xf8, 0, 0]),
            &["spread of times", "a number", "not a number"],
        ),
        (after_tables(&[14, 9, 1, 0, 0, 0, 0, 0, 3, 0, 0]), &["code bytes", "at most 2", "found 3"]),
        (after_tables(&[14, 8, 1, 7, 0, 0, 0, 0, 0, 0]), &["functions with code", "at most 0 rows"]),
        (
            after_tables(&[14, 9, 1, 7, 0, 0, 0, 0, 0, 0, 0]),
            &["code function", "a table of 1", "found row 7"],
        ),
        (
            after_tables(&[14, 15, 1, 0, 0, 0, 0, 0, 0, 0, 1, 0xff, 0xff, 0xff, 0xff, 0x10, 5]),
            &["offset of a sampled instruction", "32 bits", "found 4563402751"],
        ),
        (after_tables(&[15, 7, 1, 0, 2, 0, 0, 5, 1]), &["event stack", "a table of 1", "found row 1"]),
        (
            after_tables(&[15, 13, 2, 0, 0, 0, 0, 0, 0, 0, 0, 5, 5, 1, 1]),
            &["event rows", "every row once", "row 1 again"],
        ),
    ];
    for (payload, words) in cases {
        let error = refusal(&payload);
        for word in words.iter().chain(&["of the chunk at byte 16"]) {
            assert!(error.contains(word), "{payload:?}: {error:?} does not say {word:?}");
        }
    }
}

#[test]
fn the_tables_that_the_cases_stand_on_are_sound() {
    let mut bytes = native::header().to_vec();
    chunk::encode(chunk::kind::PART, &TABLES, &mut bytes).unwrap();
    let profile = native::read(&bytes).unwrap();
    assert_eq!((profile.stacks.len(), profile.threads.len()), (1, 1));
}

/// A chunk of `kind` 1 whose header says what it is told to say, with checks that hold.
fn forged_chunk(codec: u8, claimed_bytes: u32, stored: &[u8]) -> Vec<u8> {
    let mut bytes = chunk::MARKER.to_vec();
    bytes.extend([1, codec, 0, 0]);
    bytes.extend((stored.len() as u32).to_le_bytes());
    bytes.extend(claimed_bytes.to_le_bytes());
    let header = [&bytes[4..6], &bytes[8..16]].concat();
    let check = crc32fast::hash(&header) as u16;
    bytes[6..8].copy_from_slice(&check.to_le_bytes());
    let checksum = crc32fast::hash(&[&bytes[4..16], stored].concat());
    bytes.extend(checksum.to_le_bytes());
    bytes.extend(stored);
    bytes
}

#[test]
fn a_small_chunk_that_claims_to_be_large_is_refused_before_memory_is_taken() {
    // An lz4 block of five literals.
    let hello = b"\x50hello";
    for (codec, claimed_bytes, stored, words) in [
        (1, u32::MAX, &[0; 80][..], "at most 256 MiB, found 4294967295 bytes"),
        (1, 200 << 20, &[0; 80], "at most 64 times its compressed length, found 209715200 bytes from 80"),
        (1, 64 * 80, &[0; 80], "an lz4 block"),
        (1, 4, hello, "an lz4 block"),
        (1, 10, hello, "5 instead of 10 bytes"),
        (0, 81, &[0; 80], "80 and 81 bytes"),
        (2, 80, &[0; 80], "codec 2"),
    ] {
        let error = decode_part(&forged_chunk(codec, claimed_bytes, stored)).unwrap_err().to_string();
        assert!(error.contains(words), "{error:?} does not say {words:?}");
    }
    let honest = forged_chunk(1, 5, hello);
    assert_eq!(chunk::decode(&honest).unwrap(), (chunk::kind::PART, b"hello"[..].into()));
}

#[test]
fn a_payload_that_would_shrink_too_much_is_stored_as_it_is() {
    let payload = vec![7; 1 << 20];
    let mut bytes = Vec::new();
    chunk::encode(9, &payload, &mut bytes).unwrap();
    assert_eq!(bytes.len(), payload.len() + chunk::CHUNK_HEADER_BYTES);
    assert_eq!(chunk::decode(&bytes).unwrap(), (9, payload.into()));
}

#[test]
fn a_chunk_that_claims_to_reach_past_the_end_is_left_out() {
    let mut bytes = native::header().to_vec();
    let mut forged = forged_chunk(0, 5, b"hello");
    forged[8..12].copy_from_slice(&u32::MAX.to_le_bytes());
    let check = crc32fast::hash(&[&forged[4..6], &forged[8..16]].concat()) as u16;
    forged[6..8].copy_from_slice(&check.to_le_bytes());
    bytes.extend(forged);
    assert!(matches!(native::read(&bytes), Err(Error::NothingWhole { n_damaged: 0, .. })));
    // What comes behind it is found all the same.
    native::encode_part(&Profile::default(), &mut bytes).unwrap();
    bytes.extend(native::end_chunk());
    assert_eq!(native::read(&bytes).unwrap().warnings[0].code, "chunk_damaged");
}

#[test]
fn only_one_whole_chunk_is_a_part() {
    let mut part = Vec::new();
    native::encode_part(&crate::sample::parts()[0], &mut part).unwrap();
    let mut two = part.clone();
    two.extend(&part);
    let mut changed = part.clone();
    *changed.last_mut().unwrap() ^= 1;
    for (bytes, words) in [
        (&part[..part.len() - 1], "cut off"),
        (&two, "more bytes after it"),
        (&native::end_chunk(), "one of kind 2"),
        (&[0; 40], "other bytes"),
        (&changed, "checksum"),
    ] {
        let error = decode_part(bytes).unwrap_err().to_string();
        assert!(error.contains(words), "{error:?} does not say {words:?}");
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(1000))]
    #[test]
    fn any_payload_under_a_checksum_that_holds_is_read_or_refused(
        payload in proptest::collection::vec(prop_oneof![0_u8..18, any::<u8>()], 0..200),
    ) {
        let mut bytes = Vec::new();
        chunk::encode(chunk::kind::PART, &payload, &mut bytes).unwrap();
        let _ = decode_part(&bytes);
    }

    #[test]
    fn any_change_to_a_real_payload_is_read_or_refused(
        profile in crate::generated::profiles(),
        changes in proptest::collection::vec((any::<prop::sample::Index>(), any::<u8>()), 1..4),
    ) {
        let mut bytes = Vec::new();
        native::encode_part(&profile, &mut bytes).unwrap();
        let mut payload = chunk::decode(&bytes).unwrap().1.into_owned();
        for (at, value) in &changes {
            let at = at.index(payload.len());
            payload[at] = *value;
        }
        bytes.clear();
        chunk::encode(chunk::kind::PART, &payload, &mut bytes).unwrap();
        if let Ok(profile) = decode_part(&bytes) {
            // What was let in can be written again.
            prop_assert!(native::encode_part(&profile, &mut Vec::new()).is_ok());
        }
    }
}
