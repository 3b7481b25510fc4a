//! Why one command is slower than another: the fields that an explanation adds to `ab/1`.

#[cfg(feature = "schema")]
use schemars::JsonSchema;
use serde::Serialize;

#[cfg(feature = "schema")]
use crate::words;

/// What explains the gap. All times are of one call.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct Why {
    /// With --why: the causes of the gap, the largest part first. All times are of one call then.
    pub why: Vec<Reason>,
    /// The fraction of the gap that no cause explains; null where there is no gap.
    #[cfg_attr(feature = "schema", schemars(extend("x-absent-or-null" = true)))]
    pub unexplained: Option<f64>,
    /// The gap that is explained; null where there is none.
    #[cfg_attr(feature = "schema", schemars(extend("x-absent-or-null" = true)))]
    pub explained: Option<ExplainedGap>,
    /// What a call takes by size, the smallest first; of A and of B.
    pub curve: Vec<CurvePoint>,
    /// What A and B were seen to do at the size that is explained.
    pub sides: [Side; 2],
    pub notes: Vec<String>,
    /// What was not recorded and would tell more.
    pub not_known: Vec<String>,
}

#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct Reason {
    #[cfg_attr(feature = "schema", schemars(with = "words::WhyCause"))]
    pub cause: &'static str,
    /// The cause for people.
    pub name: &'static str,
    /// Its fraction of the gap.
    pub share: f64,
    /// What it is drawn from.
    pub evidence: Vec<String>,
    pub advice: &'static str,
}

/// The gap that is explained; null where there is none.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct ExplainedGap {
    /// Null where there is one size, whatever it is.
    pub size: Option<f64>,
    #[cfg_attr(feature = "schema", schemars(with = "words::Side"))]
    pub slower: char,
    #[cfg_attr(feature = "schema", schemars(with = "words::Clock"))]
    pub clock: &'static str,
    /// How many times as long a call of the slower side takes.
    pub ratio: f64,
    /// What a call of A and of B takes.
    pub ns: [f64; 2],
}

#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct CurvePoint {
    pub size: Option<f64>,
    /// What a call works on.
    pub bytes: Option<f64>,
    /// The nearest memory that holds it.
    pub tier: Option<String>,
    pub cpu_ns: [f64; 2],
    pub wall_ns: [f64; 2],
    /// B by A.
    pub ratio: f64,
}

#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct Side {
    #[cfg_attr(feature = "schema", schemars(with = "words::Side"))]
    pub variant: char,
    pub samples: u64,
    /// Where CPU samples are: copying, memory, locking, interpreter, own. Together they are 1.
    pub parts: Parts,
    /// Hot loops: function, place, share, class, bits, number_bytes, is_strided, streams, moved_by_stream,
    /// converts, locks.
    pub loops: Vec<HotLoop>,
    pub functions: Vec<Function>,
    /// What a call takes before its first element.
    pub fixed_ns: Option<f64>,
    /// What an element takes while data is near.
    pub element_ns: Option<f64>,
    /// By a call.
    pub allocated_bytes: Option<f64>,
    pub allocated_blocks: Option<f64>,
    pub instructions: Option<f64>,
    pub page_faults: Option<f64>,
    pub threads: usize,
    pub blas: Vec<String>,
}

/// Where CPU samples are: copying, memory, locking, interpreter, own. Together they are 1.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct Parts {
    pub copying: f64,
    pub memory: f64,
    pub locking: f64,
    pub interpreter: f64,
    pub own: f64,
}

#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct HotLoop {
    pub function: String,
    pub place: Option<String>,
    pub share: f64,
    pub class: &'static str,
    pub bits: Option<u32>,
    pub number_bytes: Option<u32>,
    pub is_strided: bool,
    pub streams: usize,
    pub moved_by_stream: Option<f64>,
    pub converts: bool,
    pub locks: bool,
}

#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct Function {
    pub name: String,
    pub share: f64,
}
