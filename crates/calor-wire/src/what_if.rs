//! What a run would gain: `whatif/1`.

#[cfg(feature = "schema")]
use schemars::JsonSchema;
use serde::Serialize;

use crate::Schema;
#[cfg(feature = "schema")]
use crate::words;

/// The critical path of a run, and what the run would gain if scopes were faster.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct WhatIf<'w> {
    /// The command line that was recorded.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub command: Option<&'w str>,
    /// Whether the timeline was run again, or shares of the time were taken by Amdahl's law.
    #[cfg_attr(feature = "schema", schemars(with = "words::WhatIfMethod"))]
    pub method: &'static str,
    /// The length of the run; without a timeline, the recorded time of all threads.
    pub whole_ns: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub path: Option<CriticalPath>,
    /// How many times as fast each of the scopes is taken to be.
    pub factor: f64,
    /// Those that would give most first.
    pub scopes: Vec<Scope<'w>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub asked: Option<AskedFor<'w>>,
}

/// The critical path; absent without a timeline.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct CriticalPath {
    /// From where it is known which thread waited for which.
    #[cfg_attr(feature = "schema", schemars(with = "words::WaitBasis"))]
    pub basis: &'static str,
    pub threads: usize,
    /// Its length.
    pub path_ns: u64,
    /// The part of it outside any scope.
    pub outside_ns: u64,
    /// The part of it until threads had started or woken up.
    pub handover_ns: u64,
    /// What threads waited for, most first.
    pub waits: Vec<Wait>,
}

#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct Wait {
    pub kind: &'static str,
    pub count: u64,
    pub total_ns: u64,
}

#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct Scope<'w> {
    pub name: &'w str,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub file: Option<&'w str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub line: Option<u32>,
    /// Time at work in it and what it calls, over all threads.
    pub total_ns: u64,
    /// The part of the critical path in it and what it calls; without a timeline as total_ns.
    pub path_ns: u64,
    /// The same without what it calls.
    pub path_self_ns: u64,
    /// path_ns as a part of whole_ns.
    pub share: f64,
    /// How much longer any one call could have taken without the run ending later; null where it is not known.
    pub slack_ns: Option<u64>,
    /// How many times as long each call could take without the run ending later, up to 64; null on the path, and
    /// where it was not asked.
    pub slack_factor: Option<f64>,
    /// How many times as fast the run would be; null where it was not worked out.
    pub overall: Option<f64>,
    /// The same if the scope took no time; null where it was not worked out, or there is no bound.
    pub bound: Option<f64>,
}

/// What --speedup asked for; absent without.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct AskedFor<'w> {
    pub speedups: Vec<Speedup<'w>>,
    /// What whole_ns would be.
    pub predicted_ns: u64,
    /// How many times as fast the run would be.
    pub overall: Option<f64>,
    /// The same however fast these scopes get.
    pub bound: Option<f64>,
}

#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct Speedup<'w> {
    pub scope: &'w str,
    /// null for no time at all.
    pub factor: Option<f64>,
}

impl Schema for WhatIf<'_> {
    const NAME: &'static str = "calor/whatif/1";
}
