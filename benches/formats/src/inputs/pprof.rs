//! A pprof file of 100 MB before compression, and its messages, written down here for the generator and for the
//! peer that decodes them.

use std::io::Write;

use flate2::Compression;
use flate2::write::GzEncoder;
use prost::Message;

use super::numbers::Numbers;

/// How many samples the file holds; with these it has 100 MB.
pub(crate) const N_SAMPLES: usize = 835_000;
const N_FUNCTIONS: u64 = 20_000;
const N_THREADS: u64 = 16;

/// The outermost message.
#[derive(Clone, PartialEq, Message)]
pub(crate) struct Profile {
    #[prost(message, repeated, tag = "1")]
    sample_types: Vec<ValueType>,
    #[prost(message, repeated, tag = "2")]
    pub(crate) samples: Vec<Sample>,
    #[prost(message, repeated, tag = "3")]
    mappings: Vec<Mapping>,
    #[prost(message, repeated, tag = "4")]
    locations: Vec<Location>,
    #[prost(message, repeated, tag = "5")]
    functions: Vec<Function>,
    #[prost(string, repeated, tag = "6")]
    strings: Vec<String>,
    #[prost(int64, tag = "9")]
    time_nanos: i64,
    #[prost(int64, tag = "10")]
    duration_nanos: i64,
    #[prost(message, optional, tag = "11")]
    period_type: Option<ValueType>,
    #[prost(int64, tag = "12")]
    period: i64,
}

#[derive(Clone, Copy, PartialEq, Message)]
struct ValueType {
    #[prost(int64, tag = "1")]
    name: i64,
    #[prost(int64, tag = "2")]
    unit: i64,
}

#[derive(Clone, PartialEq, Message)]
pub(crate) struct Sample {
    #[prost(uint64, repeated, tag = "1")]
    locations: Vec<u64>,
    #[prost(int64, repeated, tag = "2")]
    values: Vec<i64>,
    #[prost(message, repeated, tag = "3")]
    labels: Vec<Label>,
}

#[derive(Clone, Copy, PartialEq, Message)]
struct Label {
    #[prost(int64, tag = "1")]
    key: i64,
    #[prost(int64, tag = "2")]
    text: i64,
}

#[derive(Clone, Copy, PartialEq, Message)]
struct Mapping {
    #[prost(uint64, tag = "1")]
    id: u64,
    #[prost(uint64, tag = "2")]
    start: u64,
    #[prost(uint64, tag = "3")]
    limit: u64,
    #[prost(int64, tag = "5")]
    file: i64,
    #[prost(bool, tag = "7")]
    has_functions: bool,
}

#[derive(Clone, PartialEq, Message)]
struct Location {
    #[prost(uint64, tag = "1")]
    id: u64,
    #[prost(uint64, tag = "2")]
    mapping: u64,
    #[prost(uint64, tag = "3")]
    address: u64,
    #[prost(message, repeated, tag = "4")]
    lines: Vec<Line>,
}

#[derive(Clone, Copy, PartialEq, Message)]
struct Line {
    #[prost(uint64, tag = "1")]
    function: u64,
    #[prost(int64, tag = "2")]
    line: i64,
}

#[derive(Clone, Copy, PartialEq, Message)]
struct Function {
    #[prost(uint64, tag = "1")]
    id: u64,
    #[prost(int64, tag = "2")]
    name: i64,
    #[prost(int64, tag = "3")]
    system_name: i64,
    #[prost(int64, tag = "4")]
    file: i64,
    #[prost(int64, tag = "5")]
    start_line: i64,
}

/// The uncompressed file, in which one function in `one_in` is seen with more callees than one. The samples come in
/// no order, as from the hash tables of the runtimes that write such files.
pub(super) fn message(one_in: u64) -> Vec<u8> {
    let mut numbers = Numbers(1);
    let mut profile = tables();
    let mut add = |text: String| {
        profile.strings.push(text);
        profile.strings.len() as i64 - 1
    };
    let (thread, request) = (add("thread".to_owned()), add("request".to_owned()));
    let threads: Vec<_> = (0..N_THREADS).map(|number| add(format!("worker {number}"))).collect();
    let requests: Vec<_> = (0..64).map(|number| add(format!("request {number}"))).collect();
    for _ in 0..N_SAMPLES {
        let depth = 20 + numbers.below(40);
        let mut path = numbers.path(depth, N_FUNCTIONS, one_in);
        path.reverse();
        let labels = vec![
            Label { key: thread, text: threads[numbers.below(N_THREADS) as usize] },
            Label { key: request, text: requests[numbers.below(64) as usize] },
        ];
        let locations = path.into_iter().map(|function| function + 1).collect();
        profile.samples.push(Sample { locations, values: vec![1, 10_000_000], labels });
    }
    profile.encode_to_vec()
}

/// Everything but the samples: one location a function, one in four with another function inlined into it.
fn tables() -> Profile {
    let words = ["", "samples", "count", "cpu", "nanoseconds", "/usr/lib/libinfer.so", "src/infer.rs"];
    let mut profile = Profile {
        sample_types: vec![ValueType { name: 1, unit: 2 }, ValueType { name: 3, unit: 4 }],
        strings: words.map(str::to_owned).to_vec(),
        mappings: vec![Mapping { id: 1, start: 0x40_0000, limit: 0x4000_0000, file: 5, has_functions: true }],
        time_nanos: 1_700_000_000_000_000_000,
        duration_nanos: 60_000_000_000,
        period_type: Some(ValueType { name: 3, unit: 4 }),
        period: 10_000_000,
        ..Profile::default()
    };
    for id in 1..=N_FUNCTIONS {
        let name = profile.strings.len() as i64;
        profile.strings.push(format!("infer::module_{}::function_{id}", id % 97));
        let start_line = (id % 900 + 1) as i64;
        profile.functions.push(Function { id, name, system_name: name, file: 6, start_line });
        let line = |function| Line { function, line: start_line + 3 };
        let lines = match id % 4 {
            3 => vec![line(id - 1), line(id)],
            _ => vec![line(id)],
        };
        profile.locations.push(Location { id, mapping: 1, address: 0x40_0000 + id * 64, lines });
    }
    profile
}

/// The file as programs write it.
pub(super) fn packed(message: &[u8]) -> Result<Vec<u8>, String> {
    let mut packer = GzEncoder::new(Vec::new(), Compression::default());
    packer
        .write_all(message)
        .and_then(|()| packer.finish())
        .map_err(|error| format!("cannot compress the pprof message: {error}"))
}
