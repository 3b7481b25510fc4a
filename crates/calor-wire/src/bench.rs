//! What a built-in workload measured: `bench/1`.

mod models;

use std::collections::BTreeMap;

#[cfg(feature = "schema")]
use schemars::JsonSchema;
use serde::Serialize;
use serde_json::Value;

pub use self::models::{Model, OperationTime, Phase};
use crate::Schema;
#[cfg(feature = "schema")]
use crate::words;

/// What a run of a built-in workload measured; also what `calor compare --models` prints. What was not measured is null or left out, and a warning says why.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct Bench<'w> {
    /// The workload, as on the command line.
    pub name: &'static str,
    pub title: &'w str,
    /// What it ran on, and how.
    pub facts: Vec<Fact<'w>>,
    /// What was measured.
    pub results: Vec<Figure<'w>>,
    /// The same for people, as text.
    pub tables: Vec<Table<'w>>,
    pub charts: Vec<Chart<'w>>,
    /// What follows from it.
    pub advice: Vec<Advice<'w>>,
    /// The models that were run, smallest first.
    #[serde(skip_serializing_if = "Vec::is_empty")]
    pub models: Vec<Model>,
}

#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct Fact<'w> {
    pub name: &'w str,
    pub value: &'w str,
}

#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct Figure<'w> {
    pub case: &'w str,
    /// What the case was run with, by name.
    pub params: &'w BTreeMap<String, Value>,
    pub unit: &'w str,
    pub median: Option<f64>,
    /// The low end of the median's interval of 95 %; of fewer than six repetitions the least.
    pub low: Option<f64>,
    pub high: Option<f64>,
    /// Repetitions.
    pub n: u64,
    /// Whether the result was the right one; null where nothing can be checked.
    pub verified: Option<bool>,
}

#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct Table<'w> {
    pub title: &'w str,
    pub columns: Vec<&'w str>,
    pub rows: &'w [Vec<String>],
    #[serde(skip_serializing_if = "Option::is_none")]
    pub note: Option<&'w str>,
}

#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct Chart<'w> {
    pub title: &'w str,
    #[cfg_attr(feature = "schema", schemars(with = "words::ChartKind"))]
    pub kind: &'static str,
    pub x: Axis<'w>,
    pub y: Axis<'w>,
    pub series: Vec<Series<'w>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub note: Option<&'w str>,
}

#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct Axis<'w> {
    pub label: &'w str,
    pub is_log: bool,
}

#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct Series<'w> {
    pub name: &'w str,
    /// Of points, whether it is the front of the best; of lines, whether it is a level that they are held
    /// against.
    pub is_front: bool,
    pub points: Vec<Point<'w>>,
}

#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct Point<'w> {
    #[serde(skip_serializing_if = "Option::is_none")]
    pub label: Option<&'w str>,
    /// null where it is no number.
    #[cfg_attr(feature = "schema", schemars(with = "Option<f64>"))]
    pub x: f64,
    /// The same.
    #[cfg_attr(feature = "schema", schemars(with = "Option<f64>"))]
    pub y: f64,
}

#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct Advice<'w> {
    pub title: &'w str,
    pub text: &'w str,
    pub evidence: &'w [String],
}

impl Schema for Bench<'_> {
    const NAME: &'static str = "calor/bench/1";
}
