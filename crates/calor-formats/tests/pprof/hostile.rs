//! Files that are made to do harm: small ones that describe something large.

use std::io::Write;

use calor_formats::{pprof, read};
use prost::Message;

use crate::message::{File, Label, Line, Mapping, ValueType};

#[test]
fn inlined_functions_without_end_are_refused() {
    let mut file = File::with_types(&[("cpu", "nanoseconds")]);
    file.location[0].line = (1..5000).map(|line| Line { function_id: 1, line, column: 0 }).collect();
    file.add_sample(&[1; 5000], &[1]);
    let bytes = file.encode_to_vec();
    assert!(bytes.len() < 50_000);
    let message = pprof::read(&bytes).unwrap_err().to_string();
    assert!(message.contains("in proportion to the size of the file"), "{message}");
}

#[test]
fn a_path_that_is_deep_and_names_itself_again_and_again_is_read() {
    let mut file = File::with_types(&[("cpu", "nanoseconds")]);
    file.add_sample(&vec![1; 200_000], &[1]);
    let profile = pprof::read(&file.encode_to_vec()).unwrap();
    assert_eq!(profile.stacks.len(), 200_000);
    let mut again = Vec::new();
    pprof::write(&profile, &calor_formats::WriteOptions::default(), &mut again).unwrap();
    assert_eq!(File::unpack(&again).sample[0].location_id.len(), 200_000);
}

#[test]
fn numbers_that_are_far_out_of_line_cost_no_more_than_others() {
    let mut file = File::with_types(&[("cpu", "nanoseconds")]);
    for id in [u64::MAX, u64::MAX - 1, 1 << 40, 1 << 33] {
        file.add_function(id, "far");
        file.add_sample(&[id, 1], &[i64::MAX]);
    }
    let profile = pprof::read(&file.encode_to_vec()).unwrap();
    let (key, weight) = profile.samples.iter().next().unwrap();
    assert_eq!((profile.path_names(key.stack), weight.nanos), (vec!["main", "far"], u64::MAX));
}

#[test]
fn labels_without_end_are_cut() {
    let mut file = File::with_types(&[("cpu", "nanoseconds")]);
    let labels =
        (0..5000).map(|num| Label { key: file.text(&format!("key {num}")), num, ..Label::default() });
    let labels: Vec<Label> = labels.collect();
    file.add_sample(&[1], &[1]).label = labels;
    let profile = pprof::read(&file.encode_to_vec()).unwrap();
    assert_eq!(profile.labels.iter().map(|(_, set)| set.len()).max(), Some(256));
    let warning = &profile.warnings[0];
    assert_eq!((warning.code.as_str(), warning.count), ("labels_left_out", Some(5000 - 256)));
}

/// How often the long string is named.
const N_NAMED: usize = 20_000;

/// One long string, named over and over by everything that can name one, must neither be copied nor even be
/// looked at each time: this would take minutes and tens of gigabytes.
#[test]
fn a_long_string_that_everything_names_is_stored_once() {
    let mut file = File::with_types(&[("cpu", "nanoseconds")]);
    let long = file.text(&"x".repeat(1 << 20));
    let unit = file.text(&"u".repeat(1 << 20));
    let thread = file.text("thread");
    file.comment = vec![long; N_NAMED];
    for id in 1..N_NAMED as u64 {
        file.mapping.push(Mapping { id, filename: long, build_id: unit, ..Mapping::default() });
        let label = Label { key: long, num: id as i64, num_unit: unit, ..Label::default() };
        let thread = Label { key: thread, str: long, ..Label::default() };
        file.add_sample(&[1], &[1]).label = vec![thread, label];
    }
    let profile = pprof::read(&file.encode_to_vec()).unwrap();
    assert!(profile.strings.iter().map(|(_, text)| text.len()).sum::<usize>() < 8 << 20);
    assert!(profile.runs[0].labels.values().map(String::len).sum::<usize>() < 2 << 20);
    file.sample_type = vec![ValueType { r#type: long, unit }; 1000];
    let message = pprof::read(&file.encode_to_vec()).unwrap_err().to_string();
    assert!(message.contains("at most 64 sample types, found 1000"), "{message}");
}

#[test]
fn a_file_that_unpacks_to_gigabytes_is_refused() {
    let mut packed = Vec::new();
    let mut gzip = flate2::write::GzEncoder::new(&mut packed, flate2::Compression::fast());
    gzip.write_all(b"\x0a\x04\x08\x01\x10\x02").unwrap();
    // Empty samples, one after the other.
    let samples = b"\x12\x00".repeat(1 << 19);
    for _ in 0..300 {
        gzip.write_all(&samples).unwrap();
    }
    gzip.finish().unwrap();
    assert!(packed.len() < 4 << 20);
    assert!(read(&packed).unwrap_err().to_string().contains("unpacks to more than"));
}
