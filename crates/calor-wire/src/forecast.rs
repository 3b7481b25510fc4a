//! What a program is expected to take: `forecast/1`.

#[cfg(feature = "schema")]
use schemars::JsonSchema;
use serde::Serialize;

use crate::Schema;

/// What a program is expected to take at a size that it was not run at.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct Forecast<'w> {
    /// What the size is called.
    pub variable: &'w str,
    /// The size of the forecast.
    pub at: f64,
    /// The sizes that were measured, ascending.
    pub sizes: &'w [f64],
    pub runs: usize,
    /// How long the program runs; null where not all runs tell.
    pub time_ns: Option<Figure>,
    /// Its CPU time; null where not all runs tell.
    pub cpu_ns: Option<Figure>,
    /// The most memory that it holds; null where not all runs tell.
    pub peak_bytes: Option<Figure>,
    /// Tiers of memory that the working set leaves on the way.
    pub crossings: Vec<Crossing<'w>>,
    /// The size whose measurement would narrow the interval most; null where none would.
    pub next_size: Option<NextSize>,
    /// Those with the most expected time first.
    pub scopes: Vec<Scope<'w>>,
}

#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct Figure {
    /// What is expected.
    pub value: u64,
    /// With 90 % certainty: low, high.
    pub interval: [u64; 2],
    /// What it was at the largest size, the mean of its runs.
    pub measured: u64,
    /// The curve with the most weight, such as n + n^2.
    pub growth: String,
    /// Its weight among all that were considered.
    pub weight: f64,
}

#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct Crossing<'w> {
    pub from: &'w str,
    /// null when it fits none.
    pub to: Option<&'w str>,
    pub before_bytes: u64,
    pub after_bytes: u64,
}

#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct NextSize {
    pub size: f64,
    /// The width expected then, as a part of what it is.
    pub narrower: f64,
}

#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct Scope<'w> {
    pub name: &'w str,
    pub time_ns: Figure,
}

impl Schema for Forecast<'_> {
    const NAME: &'static str = "calor/forecast/1";
}
