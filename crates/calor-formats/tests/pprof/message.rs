//! The whole message, written down a second time, so that files can be made and looked into without the code
//! that is tested.

use std::io::Read;

use prost::Message;

#[derive(Clone, PartialEq, Message)]
pub(crate) struct File {
    #[prost(message, repeated, tag = "1")]
    pub(crate) sample_type: Vec<ValueType>,
    #[prost(message, repeated, tag = "2")]
    pub(crate) sample: Vec<Sample>,
    #[prost(message, repeated, tag = "3")]
    pub(crate) mapping: Vec<Mapping>,
    #[prost(message, repeated, tag = "4")]
    pub(crate) location: Vec<Location>,
    #[prost(message, repeated, tag = "5")]
    pub(crate) function: Vec<Function>,
    #[prost(string, repeated, tag = "6")]
    pub(crate) string_table: Vec<String>,
    #[prost(int64, tag = "7")]
    pub(crate) drop_frames: i64,
    #[prost(int64, tag = "8")]
    pub(crate) keep_frames: i64,
    #[prost(int64, tag = "9")]
    pub(crate) time_nanos: i64,
    #[prost(int64, tag = "10")]
    pub(crate) duration_nanos: i64,
    #[prost(message, optional, tag = "11")]
    pub(crate) period_type: Option<ValueType>,
    #[prost(int64, tag = "12")]
    pub(crate) period: i64,
    #[prost(int64, repeated, tag = "13")]
    pub(crate) comment: Vec<i64>,
    #[prost(int64, tag = "14")]
    pub(crate) default_sample_type: i64,
    #[prost(int64, tag = "15")]
    pub(crate) doc_url: i64,
}

#[derive(Clone, Copy, PartialEq, Message)]
pub(crate) struct ValueType {
    #[prost(int64, tag = "1")]
    pub(crate) r#type: i64,
    #[prost(int64, tag = "2")]
    pub(crate) unit: i64,
}

#[derive(Clone, PartialEq, Message)]
pub(crate) struct Sample {
    #[prost(uint64, repeated, tag = "1")]
    pub(crate) location_id: Vec<u64>,
    #[prost(int64, repeated, tag = "2")]
    pub(crate) value: Vec<i64>,
    #[prost(message, repeated, tag = "3")]
    pub(crate) label: Vec<Label>,
}

#[derive(Clone, Copy, PartialEq, Message)]
pub(crate) struct Label {
    #[prost(int64, tag = "1")]
    pub(crate) key: i64,
    #[prost(int64, tag = "2")]
    pub(crate) str: i64,
    #[prost(int64, tag = "3")]
    pub(crate) num: i64,
    #[prost(int64, tag = "4")]
    pub(crate) num_unit: i64,
}

#[derive(Clone, Copy, PartialEq, Message)]
pub(crate) struct Mapping {
    #[prost(uint64, tag = "1")]
    pub(crate) id: u64,
    #[prost(uint64, tag = "2")]
    pub(crate) memory_start: u64,
    #[prost(uint64, tag = "3")]
    pub(crate) memory_limit: u64,
    #[prost(uint64, tag = "4")]
    pub(crate) file_offset: u64,
    #[prost(int64, tag = "5")]
    pub(crate) filename: i64,
    #[prost(int64, tag = "6")]
    pub(crate) build_id: i64,
    #[prost(bool, tag = "7")]
    pub(crate) has_functions: bool,
    #[prost(bool, tag = "8")]
    pub(crate) has_filenames: bool,
    #[prost(bool, tag = "9")]
    pub(crate) has_line_numbers: bool,
    #[prost(bool, tag = "10")]
    pub(crate) has_inline_frames: bool,
}

#[derive(Clone, PartialEq, Message)]
pub(crate) struct Location {
    #[prost(uint64, tag = "1")]
    pub(crate) id: u64,
    #[prost(uint64, tag = "2")]
    pub(crate) mapping_id: u64,
    #[prost(uint64, tag = "3")]
    pub(crate) address: u64,
    #[prost(message, repeated, tag = "4")]
    pub(crate) line: Vec<Line>,
    #[prost(bool, tag = "5")]
    pub(crate) is_folded: bool,
}

#[derive(Clone, Copy, PartialEq, Message)]
pub(crate) struct Line {
    #[prost(uint64, tag = "1")]
    pub(crate) function_id: u64,
    #[prost(int64, tag = "2")]
    pub(crate) line: i64,
    #[prost(int64, tag = "3")]
    pub(crate) column: i64,
}

#[derive(Clone, Copy, PartialEq, Message)]
pub(crate) struct Function {
    #[prost(uint64, tag = "1")]
    pub(crate) id: u64,
    #[prost(int64, tag = "2")]
    pub(crate) name: i64,
    #[prost(int64, tag = "3")]
    pub(crate) system_name: i64,
    #[prost(int64, tag = "4")]
    pub(crate) filename: i64,
    #[prost(int64, tag = "5")]
    pub(crate) start_line: i64,
}

impl File {
    /// The message inside a gzip file.
    pub(crate) fn unpack(bytes: &[u8]) -> Self {
        Self::decode(unpacked(bytes).as_slice()).unwrap()
    }

    /// The index of a text, which is stored if it is new.
    pub(crate) fn text(&mut self, text: &str) -> i64 {
        if self.string_table.is_empty() {
            self.string_table.push(String::new());
        }
        let known = self.string_table.iter().position(|known| known == text);
        known.unwrap_or_else(|| {
            self.string_table.push(text.to_owned());
            self.string_table.len() - 1
        }) as i64
    }

    /// A file of these sample types, with one function at location 1 named `main`.
    pub(crate) fn with_types(types: &[(&str, &str)]) -> Self {
        let mut file = Self::default();
        for (name, unit) in types {
            let sample_type = ValueType { r#type: file.text(name), unit: file.text(unit) };
            file.sample_type.push(sample_type);
        }
        file.add_function(1, "main");
        file
    }

    /// A function, and a location of the same number that is in it.
    pub(crate) fn add_function(&mut self, id: u64, name: &str) {
        let name = self.text(name);
        self.function.push(Function { id, name, ..Function::default() });
        self.location.push(Location {
            id,
            line: vec![Line { function_id: id, ..Line::default() }],
            ..Default::default()
        });
    }

    pub(crate) fn add_sample(&mut self, location_id: &[u64], value: &[i64]) -> &mut Sample {
        let (location_id, value) = (location_id.to_vec(), value.to_vec());
        self.sample.push(Sample { location_id, value, label: Vec::new() });
        self.sample.last_mut().unwrap()
    }

    /// The sum of the values of a sample type.
    pub(crate) fn sum(&self, name: &str) -> i64 {
        let column = self.columns().iter().position(|column| column == name);
        column.map_or(0, |column| self.sample.iter().map(|sample| sample.value[column]).sum())
    }

    /// The names of the sample types.
    pub(crate) fn columns(&self) -> Vec<String> {
        self.sample_type.iter().map(|of| self.string_table[of.r#type as usize].clone()).collect()
    }
}

/// What is inside a gzip file.
pub(crate) fn unpacked(bytes: &[u8]) -> Vec<u8> {
    let mut unpacked = Vec::new();
    flate2::read::GzDecoder::new(bytes).read_to_end(&mut unpacked).unwrap();
    unpacked
}
