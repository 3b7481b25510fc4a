//! One function by lines and instructions: `annotate/1`.

#[cfg(feature = "schema")]
use schemars::JsonSchema;
use serde::Serialize;

#[cfg(feature = "schema")]
use crate::words;
use crate::{Schema, Simd};

/// One function: its hottest lines and instructions. Shares are fractions.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct Annotation<'w> {
    pub function: Function<'w>,
    /// All functions of that name, the hottest first; --file and --module choose among them.
    pub candidates: Vec<Candidate<'w>>,
    pub lines: Vec<Line<'w>>,
    /// The function's code, and that of functions it was inlined into, the hottest first.
    pub code: Vec<Code<'w>>,
}

#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct Function<'w> {
    pub name: &'w str,
    #[cfg_attr(feature = "schema", schemars(with = "words::FrameKind"))]
    pub kind: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub module: Option<&'w str>,
    /// Samples that found it innermost.
    pub samples: u64,
    /// Samples in it or in what it called.
    pub total_samples: u64,
    pub all_samples: u64,
    pub share: f64,
    pub total_share: f64,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub simd: Option<Simd>,
}

/// One of the functions of that name.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct Candidate<'w> {
    #[cfg_attr(feature = "schema", schemars(with = "words::FrameKind"))]
    pub kind: &'static str,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub file: Option<&'w str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub module: Option<&'w str>,
    pub samples: u64,
    pub total_samples: u64,
    /// Whether it is part of what is shown.
    pub chosen: bool,
}

#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct Line<'w> {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub file: Option<&'w str>,
    pub line: u32,
    pub samples: u64,
    pub total_samples: u64,
    /// total_samples as a fraction of the function's total_samples.
    pub share: f64,
    /// The line itself, where the file can be read.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub text: Option<String>,
}

#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct Code<'w> {
    pub function: &'w str,
    /// Its address by the file's own reckoning.
    pub start: u64,
    pub size_bytes: u64,
    pub samples: u64,
    /// Addresses of its first and last instruction.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub hottest_loop: Option<[u64; 2]>,
    pub instructions: Vec<Instruction<'w>>,
}

#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct Instruction<'w> {
    pub address: u64,
    pub text: &'w str,
    pub samples: u64,
    /// Of the samples in this code.
    pub share: f64,
    /// How many loops are around it.
    pub loop_depth: usize,
    /// The innermost function that was inlined there.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub function: Option<&'w str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub file: Option<&'w str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub line: Option<u32>,
}

impl Schema for Annotation<'_> {
    const NAME: &'static str = "calor/annotate/1";
}
