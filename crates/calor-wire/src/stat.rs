//! What a command costs in events: `stat/1`.

use std::collections::BTreeMap;

#[cfg(feature = "schema")]
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Number;

use crate::Schema;
#[cfg(feature = "schema")]
use crate::words;

/// What a command costs in events of the processor and the kernel. A value
/// that could not be counted is null, and a warning says why.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct Stat<'w> {
    pub command: &'w str,
    /// How many runs the values are of.
    pub runs: usize,
    pub warmup: usize,
    /// That of the program: of the first run that failed, if one did.
    pub exit_code: u8,
    pub counters: Vec<Counter<'w>>,
    /// What follows from two counters, such as instructions_per_cycle; absent where one of them is.
    pub derived: BTreeMap<&'static str, f64>,
    /// With --simulate.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub simulation: Option<Simulation<'w>>,
}

#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct Counter<'w> {
    /// Such as instructions or page-faults, as perf names them.
    pub name: &'w str,
    /// The mean over the runs.
    pub value: Option<Number>,
    /// Null of a single run.
    pub stddev: Option<f64>,
    #[cfg_attr(feature = "schema", schemars(with = "words::CounterSource"))]
    pub source: &'static str,
    #[cfg_attr(feature = "schema", schemars(with = "words::Unit"))]
    pub unit: &'static str,
    pub median: Option<Number>,
    pub min: Option<Number>,
    pub max: Option<Number>,
    /// 95 % interval of the mean: low and high. Null of a single run.
    pub interval: Option<[f64; 2]>,
    /// The share of the time in which it was counted; below 1 it is scaled to the whole.
    pub counted_share: Option<f64>,
}

/// With --simulate.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct Simulation<'w> {
    pub tool: &'w str,
    pub caches: &'w [String],
    /// How long a run takes without it.
    pub plain_ns: Option<u64>,
    /// How long a simulated run took.
    pub simulated_ns: Option<u64>,
    pub slowdown: Option<f64>,
    pub functions: Vec<Function<'w>>,
}

#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct Function<'w> {
    pub name: Option<&'w str>,
    pub file: Option<&'w str>,
    /// Of all instructions, without what it called.
    pub share: f64,
    pub counters: BTreeMap<&'static str, u64>,
}

impl Schema for Stat<'_> {
    const NAME: &'static str = "calor/stat/1";
}
