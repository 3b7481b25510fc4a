//! Runs held against a baseline and against budgets: `check/1`.

#[cfg(feature = "schema")]
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Value;

use crate::Schema;
#[cfg(feature = "schema")]
use crate::words;

/// Runs held against a baseline and against budgets. Times are nanoseconds, sizes bytes, shares and ratios
/// fractions.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct Check {
    /// A budget that is exceeded is regressed; what is not worse by more than the margin is same.
    #[cfg_attr(feature = "schema", schemars(with = "words::Verdict"))]
    pub verdict: &'static str,
    /// 0 the same or better, 1 regressed, 3 undecided, unless `undecided` says otherwise.
    pub exit_code: u8,
    /// What it came to, for people.
    pub sentence: String,
    /// What becomes of an open verdict.
    #[cfg_attr(feature = "schema", schemars(with = "words::OpenVerdict"))]
    pub undecided: &'static str,
    /// How many runs were checked.
    pub runs: usize,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub baseline: Option<Baseline>,
    pub budgets: Vec<Budget>,
    /// The comparison, as `calor schema compare/1` describes it; null where budgets alone were checked.
    #[cfg_attr(feature = "schema", schemars(with = "Option<std::collections::BTreeMap<String, Value>>"))]
    pub compare: Option<Value>,
    /// What would decide, or what to do about it, where it is undecided: one of these, the most helpful first.
    pub advice: Vec<String>,
}

/// What runs were held against; absent where that was a command, or nothing.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct Baseline {
    pub name: String,
    pub runs: usize,
    /// When it was set, in UTC.
    pub set_at: Option<String>,
    /// The commit at which it was set.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub commit: Option<String>,
}

#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct Budget {
    /// The scope or function, with :total and the like behind it, or wall, cpu, peak, allocated, leaked,
    /// allocations of the whole program.
    pub scope: String,
    #[cfg_attr(feature = "schema", schemars(with = "words::Unit"))]
    pub unit: &'static str,
    /// What was taken in a call, or in a run.
    #[cfg_attr(feature = "schema", schemars(with = "words::Each"))]
    pub each: &'static str,
    pub limit: f64,
    pub actual: f64,
    /// null where the budget is of no time.
    pub limit_ns: Option<u64>,
    pub actual_ns: Option<u64>,
    pub ok: bool,
    /// How many calls that is from; absent when not known.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub calls: Option<u64>,
}

impl Schema for Check {
    const NAME: &'static str = "calor/check/1";
}
