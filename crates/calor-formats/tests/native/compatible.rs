//! Old files stay readable, and what a newer version adds is stepped over.

use calor_formats::native::{self, Writer, chunk, decode_part};

use crate::round_trip::text_of;
use crate::sample;

/// The file of `sample::parts()` as version 1.0 wrote it.
const VERSION_1_0: &[u8] = include_bytes!("../../../../tests/fixtures/native/version-1.0.calor");

#[test]
fn a_file_of_version_1_0_is_still_read() {
    let mut expected = calor_model::Profile::default();
    sample::parts().iter().for_each(|part| expected.merge(part));
    assert_eq!(text_of(&native::read(VERSION_1_0).unwrap()), text_of(&expected));
}

/// The file of `sample::with_code()` as version 1.1 wrote it.
const VERSION_1_1: &[u8] = include_bytes!("../../../../tests/fixtures/native/version-1.1.calor");

#[test]
fn a_file_of_version_1_1_is_still_read() {
    assert_eq!(text_of(&native::read(VERSION_1_1).unwrap()), text_of(&sample::with_code()));
}

/// As the one of version 1.0, with what 1.1 added.
#[test]
fn the_fixture_with_code_can_be_written_again() {
    let mut bytes = Vec::new();
    native::write(&sample::with_code(), &mut bytes).unwrap();
    if std::env::var_os("CALOR_WRITE_FIXTURES").is_some() {
        let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../tests/fixtures/native/version-1.1.calor");
        std::fs::write(path, &bytes).unwrap();
    }
    assert_eq!(text_of(&native::read(&bytes).unwrap()), text_of(&native::read(VERSION_1_1).unwrap()));
}

/// The file of `sample::with_events()` as version 1.2 wrote it.
const VERSION_1_2: &[u8] = include_bytes!("../../../../tests/fixtures/native/version-1.2.calor");

#[test]
fn a_file_of_version_1_2_is_still_read() {
    assert_eq!(text_of(&native::read(VERSION_1_2).unwrap()), text_of(&sample::with_events()));
}

/// As the one of version 1.0, with what 1.2 added.
#[test]
fn the_fixture_with_events_can_be_written_again() {
    let mut bytes = Vec::new();
    native::write(&sample::with_events(), &mut bytes).unwrap();
    if std::env::var_os("CALOR_WRITE_FIXTURES").is_some() {
        let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../tests/fixtures/native/version-1.2.calor");
        std::fs::write(path, &bytes).unwrap();
    }
    assert_eq!(text_of(&native::read(&bytes).unwrap()), text_of(&native::read(VERSION_1_2).unwrap()));
}

/// The file of `sample::with_heap()` as version 1.3 wrote it.
const VERSION_1_3: &[u8] = include_bytes!("../../../../tests/fixtures/native/version-1.3.calor");

#[test]
fn a_file_of_version_1_3_is_still_read() {
    assert_eq!(text_of(&native::read(VERSION_1_3).unwrap()), text_of(&sample::with_heap()));
}

/// As the one of version 1.0, with what 1.3 added.
#[test]
fn the_fixture_with_a_heap_can_be_written_again() {
    let mut bytes = Vec::new();
    native::write(&sample::with_heap(), &mut bytes).unwrap();
    if std::env::var_os("CALOR_WRITE_FIXTURES").is_some() {
        let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../tests/fixtures/native/version-1.3.calor");
        std::fs::write(path, &bytes).unwrap();
    }
    assert_eq!(text_of(&native::read(&bytes).unwrap()), text_of(&native::read(VERSION_1_3).unwrap()));
}

/// The file of `sample::with_links()` as version 1.4 wrote it.
const VERSION_1_4: &[u8] = include_bytes!("../../../../tests/fixtures/native/version-1.4.calor");

#[test]
fn a_file_of_version_1_4_is_still_read() {
    assert_eq!(text_of(&native::read(VERSION_1_4).unwrap()), text_of(&sample::with_links()));
}

/// As the one of version 1.0, with what 1.4 added.
#[test]
fn the_fixture_with_links_can_be_written_again() {
    let mut bytes = Vec::new();
    native::write(&sample::with_links(), &mut bytes).unwrap();
    if std::env::var_os("CALOR_WRITE_FIXTURES").is_some() {
        let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../tests/fixtures/native/version-1.4.calor");
        std::fs::write(path, &bytes).unwrap();
    }
    assert_eq!(text_of(&native::read(&bytes).unwrap()), text_of(&native::read(VERSION_1_4).unwrap()));
}

/// The file of `sample::with_gpu_scopes()` as version 1.5 wrote it.
const VERSION_1_5: &[u8] = include_bytes!("../../../../tests/fixtures/native/version-1.5.calor");

#[test]
fn a_file_of_version_1_5_is_still_read() {
    assert_eq!(text_of(&native::read(VERSION_1_5).unwrap()), text_of(&sample::with_gpu_scopes()));
}

/// As the one of version 1.0, with what 1.5 added.
#[test]
fn the_fixture_with_scopes_of_gpus_can_be_written_again() {
    let mut bytes = Vec::new();
    native::write(&sample::with_gpu_scopes(), &mut bytes).unwrap();
    if std::env::var_os("CALOR_WRITE_FIXTURES").is_some() {
        let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../tests/fixtures/native/version-1.5.calor");
        std::fs::write(path, &bytes).unwrap();
    }
    assert_eq!(text_of(&native::read(&bytes).unwrap()), text_of(&native::read(VERSION_1_5).unwrap()));
}

#[test]
fn a_link_of_an_unknown_kind_is_left_out_and_told() {
    // Strings "a", one thread of that name, one link of kind 77 from it to itself.
    let read = read_payload(&[1, 3, 1, 1, b'a', 4, 4, 1, 0, 0, 0, 18, 9, 1, 77, 0, 0, 0, 0, 0, 0, 0]);
    assert_eq!(read.timeline.links, []);
    assert_eq!((read.warnings[0].code.as_str(), read.warnings[0].count), ("unknown_value", Some(1)));
}

#[test]
fn an_exact_heap_of_which_no_more_is_known_is_written_as_1_0_wrote_it() {
    let mut profile = calor_model::Profile::default();
    profile.heap.summary = Some(calor_model::HeapSummary::new(calor_model::HeapMode::Exact, 300, Some(5)));
    let mut bytes = Vec::new();
    native::encode_part(&profile, &mut bytes).unwrap();
    // Section 9 of six bytes: exact, a peak of 300 bytes, at 5, no rows.
    assert_eq!(bytes[20..], [9, 6, 1, 0xac, 2, 1, 5, 0]);
}

/// Writes the fixture anew when `CALOR_WRITE_FIXTURES` is set; otherwise proves that today's writer writes
/// something that means the same.
#[test]
fn the_fixture_can_be_written_again() {
    let mut writer = Writer::new(Vec::new()).unwrap();
    for part in sample::parts() {
        writer.write_part(&part).unwrap();
    }
    let bytes = writer.finish().unwrap();
    if std::env::var_os("CALOR_WRITE_FIXTURES").is_some() {
        let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../../tests/fixtures/native/version-1.0.calor");
        std::fs::write(path, &bytes).unwrap();
    }
    assert_eq!(text_of(&native::read(&bytes).unwrap()), text_of(&native::read(VERSION_1_0).unwrap()));
}

#[test]
fn a_chunk_of_an_unknown_kind_is_stepped_over() {
    let mut bytes = native::header().to_vec();
    chunk::encode(200, b"from the future", &mut bytes).unwrap();
    native::encode_part(&sample::parts()[0], &mut bytes).unwrap();
    bytes.extend(native::end_chunk());
    let read = native::read(&bytes).unwrap();
    assert_eq!((read.timeline.n_spans(), read.warnings.len()), (40, 0));
}

/// The profile in a part with this payload.
fn read_payload(payload: &[u8]) -> calor_model::Profile {
    let mut bytes = Vec::new();
    chunk::encode(chunk::kind::PART, payload, &mut bytes).unwrap();
    decode_part(&bytes).unwrap()
}

#[test]
fn an_unknown_section_and_new_columns_are_stepped_over_and_told() {
    // One string "a" with two bytes behind its column, then a section that does not exist.
    let read = read_payload(&[1, 5, 1, 1, b'a', 9, 9, 250, 3, 1, 2, 3]);
    assert_eq!(read.strings.iter().next().map(|(_, text)| text), Some("a"));
    assert_eq!((read.warnings[0].code.as_str(), read.warnings[0].count), ("newer_content", Some(2)));
}

#[test]
fn a_frame_of_an_unknown_kind_stays_apart_and_is_told() {
    // Strings: "a". Frames: "a" synthetic (6), "a" of kind 99. Stacks: one root of each.
    let read =
        read_payload(&[1, 3, 1, 1, b'a', 2, 13, 2, 0, 0, 6, 99, 0, 0, 0, 0, 0, 0, 0, 0, 3, 5, 2, 0, 0, 0, 1]);
    let names: Vec<_> = read.stacks.iter().map(|(id, _)| read.stack_name(id)).collect();
    assert_eq!(names, ["a", "a (unknown kind 99)"]);
    assert_eq!((read.warnings[0].code.as_str(), read.warnings[0].count), ("unknown_value", Some(1)));
}

#[test]
fn unknown_samples_and_recorders_are_left_out_and_told() {
    let code = [1, 3, 1, 1, b'a', 2, 7, 1, 0, 0, 0, 0, 0, 0, 3, 3, 1, 0, 0, 4, 4, 1, 0, 0, 0];
    // Samples: one of kind 77 with an instant, one of the CPU.
    let samples = [8, 14, 2, 0x80 + 77, 0, 0, 0, 0, 0, 0, 0, 6, 1, 1, 5, 5];
    // A run with two recorders: heap (3) and one that does not exist.
    let mut run = vec![12, 23, 1];
    run.extend([7; 16]);
    run.extend([0x80, 0x80, 0x08, 2, 3, 99]);
    let read = read_payload(&[&code[..], &samples, &run].concat());
    assert_eq!(read.samples.iter().map(|(key, _)| key.at_nanos).collect::<Vec<_>>(), [None]);
    assert_eq!(read.runs[0].recorders, [calor_model::Recorder::Heap].into());
    assert_eq!(read.warnings.iter().map(|warning| warning.count).collect::<Vec<_>>(), [Some(1), Some(1)]);
}
