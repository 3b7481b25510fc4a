//! The messages of `profile.proto`, written down by hand so that no protobuf compiler is needed. Two are
//! missing: the outermost one, which is read and written field by field because it can be larger than memory
//! should hold twice, and what is read of a sample, which is decoded in place (see `sample_row`).

/// The numbers of the fields of the outermost message.
pub(super) mod field {
    pub(in crate::pprof) const SAMPLE_TYPE: u32 = 1;
    pub(in crate::pprof) const SAMPLE: u32 = 2;
    pub(in crate::pprof) const MAPPING: u32 = 3;
    pub(in crate::pprof) const LOCATION: u32 = 4;
    pub(in crate::pprof) const FUNCTION: u32 = 5;
    pub(in crate::pprof) const STRING_TABLE: u32 = 6;
    pub(in crate::pprof) const DROP_FRAMES: u32 = 7;
    pub(in crate::pprof) const KEEP_FRAMES: u32 = 8;
    pub(in crate::pprof) const TIME_NANOS: u32 = 9;
    pub(in crate::pprof) const DURATION_NANOS: u32 = 10;
    pub(in crate::pprof) const PERIOD_TYPE: u32 = 11;
    pub(in crate::pprof) const PERIOD: u32 = 12;
    pub(in crate::pprof) const COMMENT: u32 = 13;
    pub(in crate::pprof) const DEFAULT_SAMPLE_TYPE: u32 = 14;
    pub(in crate::pprof) const DOC_URL: u32 = 15;
}

/// What a column of values is: indexes into the string table.
#[derive(Clone, Copy, PartialEq, prost::Message)]
pub(super) struct ValueType {
    #[prost(int64, tag = "1")]
    pub(super) name: i64,
    #[prost(int64, tag = "2")]
    pub(super) unit: i64,
}

/// A call path, leaf first, with one value for each sample type.
#[derive(Clone, PartialEq, prost::Message)]
pub(super) struct Sample {
    #[prost(uint64, repeated, tag = "1")]
    pub(super) location_ids: Vec<u64>,
    #[prost(int64, repeated, tag = "2")]
    pub(super) values: Vec<i64>,
    #[prost(message, repeated, tag = "3")]
    pub(super) labels: Vec<Label>,
}

/// A label: text if `text` is not 0, else a number.
#[derive(Clone, Copy, PartialEq, Eq, Hash, prost::Message)]
pub(super) struct Label {
    #[prost(int64, tag = "1")]
    pub(super) key: i64,
    #[prost(int64, tag = "2")]
    pub(super) text: i64,
    #[prost(int64, tag = "3")]
    pub(super) number: i64,
    #[prost(int64, tag = "4")]
    pub(super) unit: i64,
}

/// A binary or library that was mapped into the process.
#[derive(Clone, Copy, PartialEq, prost::Message)]
pub(super) struct Mapping {
    #[prost(uint64, tag = "1")]
    pub(super) id: u64,
    #[prost(uint64, tag = "2")]
    pub(super) memory_start: u64,
    #[prost(uint64, tag = "3")]
    pub(super) memory_limit: u64,
    #[prost(uint64, tag = "4")]
    pub(super) file_offset: u64,
    #[prost(int64, tag = "5")]
    pub(super) file: i64,
    #[prost(int64, tag = "6")]
    pub(super) build_id: i64,
    #[prost(bool, tag = "7")]
    pub(super) has_functions: bool,
    #[prost(bool, tag = "8")]
    pub(super) has_files: bool,
    #[prost(bool, tag = "9")]
    pub(super) has_lines: bool,
    #[prost(bool, tag = "10")]
    pub(super) has_inlined: bool,
}

/// An instruction: the function it is in, after those that were put inside that one, innermost first.
#[derive(Clone, PartialEq, prost::Message)]
pub(super) struct Location {
    #[prost(uint64, tag = "1")]
    pub(super) id: u64,
    #[prost(uint64, tag = "2")]
    pub(super) mapping_id: u64,
    #[prost(uint64, tag = "3")]
    pub(super) address: u64,
    #[prost(message, repeated, tag = "4")]
    pub(super) lines: Vec<Line>,
}

/// A line of a function.
#[derive(Clone, Copy, PartialEq, Eq, Hash, prost::Message)]
pub(super) struct Line {
    #[prost(uint64, tag = "1")]
    pub(super) function_id: u64,
    #[prost(int64, tag = "2")]
    pub(super) line: i64,
}

/// A function of the source.
#[derive(Clone, Copy, PartialEq, prost::Message)]
pub(super) struct Function {
    #[prost(uint64, tag = "1")]
    pub(super) id: u64,
    #[prost(int64, tag = "2")]
    pub(super) name: i64,
    #[prost(int64, tag = "3")]
    pub(super) system_name: i64,
    #[prost(int64, tag = "4")]
    pub(super) file: i64,
    #[prost(int64, tag = "5")]
    pub(super) start_line: i64,
}
