//! A file that ends anywhere: a killed process, a full disk, a copy that was stopped.

use calor_formats::native::{self, HEADER_BYTES, Parts, Writer};
use calor_model::{Profile, Span};

use crate::round_trip::text_of;
use crate::sample;

/// The file, and for each part where it ends and what the file is up to there.
fn file() -> (Vec<u8>, Vec<(usize, Profile)>) {
    let mut writer = Writer::new(Vec::new()).unwrap();
    let mut end = HEADER_BYTES;
    let mut sum = Profile::default();
    let mut sums = vec![(end, sum.clone())];
    for part in sample::parts() {
        end += writer.write_part(&part).unwrap();
        sum.merge(&part);
        sums.push((end, sum.clone()));
    }
    (writer.finish().unwrap(), sums)
}

#[test]
fn a_file_cut_at_any_byte_is_read_up_to_its_last_whole_chunk() {
    let (bytes, sums) = file();
    let whole = bytes.len();
    for n_bytes in HEADER_BYTES..whole {
        if (HEADER_BYTES + 1..sums[1].0).contains(&n_bytes) {
            let error = native::read(&bytes[..n_bytes]).unwrap_err().to_string();
            assert!(error.contains("not one part is whole"), "at byte {n_bytes}: {error}");
            continue;
        }
        let read = native::read(&bytes[..n_bytes]).unwrap();
        let (end, expected) = sums.iter().rfind(|(end, _)| *end <= n_bytes).unwrap();
        let codes: Vec<&str> = read.warnings.iter().map(|warning| warning.code.as_str()).collect();
        if n_bytes == *end {
            assert_eq!(codes, ["recording_cut_off"], "at byte {n_bytes}");
        } else {
            assert_eq!(codes, ["file_truncated", "recording_cut_off"], "at byte {n_bytes}");
            assert!(
                read.warnings[0].message.contains(&format!("byte {end} ")),
                "{}",
                read.warnings[0].message
            );
        }
        let mut read = read;
        read.warnings.clear();
        assert_eq!(text_of(&read), text_of(expected), "at byte {n_bytes}");
    }
    assert!(native::read(&bytes).unwrap().warnings.is_empty());
}

#[test]
fn a_large_profile_that_is_written_at_once_keeps_most_when_its_file_is_cut() {
    const SPANS: u64 = 3 << 19;
    let mut profile = sample::parts().remove(0);
    let thread = profile.threads.iter().next().unwrap().0;
    let stack = profile.stacks.iter().next().unwrap().0;
    let before = profile.timeline.n_spans();
    for start_nanos in 0..SPANS {
        let span = Span { start_nanos, duration_nanos: 1 + start_nanos % 1000, stack };
        profile.timeline.track_mut(thread).spans.push(span);
    }
    let mut bytes = Vec::new();
    native::write(&profile, &mut bytes).unwrap();
    let whole = native::read(&bytes).unwrap();
    assert!(whole.warnings.is_empty());
    assert_eq!(whole.timeline.n_spans(), before + SPANS as usize);
    for (kept, n_spans) in [(bytes.len() - 100, 1 << 20), (bytes.len() / 2, 0)] {
        let cut = native::read(&bytes[..kept]).unwrap();
        assert!(cut.timeline.n_spans() >= n_spans, "{}", cut.timeline.n_spans());
        let calls = |profile: &Profile| profile.scopes.iter().map(|(_, stats)| stats.calls).sum::<u64>();
        assert_eq!(calls(&cut), calls(&profile));
        let said: Vec<&str> = cut.warnings.iter().map(|warning| warning.message.as_str()).collect();
        assert!(said[0].contains("miss what they held"), "{said:?}");
        assert!(said[1].contains("the file is not whole, and then there was more"), "{said:?}");
    }
}

#[test]
fn a_file_cut_inside_its_header_is_an_error_that_says_so() {
    let (bytes, _) = file();
    for n_bytes in 0..HEADER_BYTES {
        let error = native::read(&bytes[..n_bytes]).unwrap_err().to_string();
        let expected = if n_bytes == 0 { "an empty file" } else { "cut off inside the file header" };
        assert!(error.contains(expected), "{n_bytes} bytes: {error}");
    }
}

#[test]
fn zeros_after_the_last_chunk_are_left_out_and_told() {
    let (mut bytes, sums) = file();
    bytes.truncate(sums[2].0);
    bytes.extend([0; 4096]);
    let read = native::read(&bytes).unwrap();
    assert_eq!(read.warnings[0].code, "file_truncated");
    assert!(read.warnings[0].message.contains("4096 bytes"), "{}", read.warnings[0].message);
    assert_eq!(read.timeline.n_spans(), sums[2].1.timeline.n_spans());
}

#[test]
fn parts_after_an_end_are_read_and_a_new_end_is_asked_for() {
    let (mut bytes, sums) = file();
    native::encode_part(&sample::parts()[0], &mut bytes).unwrap();
    assert_eq!(Parts::new(&bytes).unwrap().count(), sums.len());
    assert_eq!(native::read(&bytes).unwrap().warnings[0].code, "recording_cut_off");
    bytes.extend(native::end_chunk());
    assert!(native::read(&bytes).unwrap().warnings.is_empty());
}
