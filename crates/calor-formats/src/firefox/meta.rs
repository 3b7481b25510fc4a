//! What the file says about itself: whose it is, when it was recorded, and how its parts are to be shown.

use calor_model::Profile;
use serde::Serialize;
use serde_json::{Value, json};

use super::{category, markers, millis};
use crate::Weights;

/// The version of the processed format that is written.
const PROCESSED_VERSION: u32 = 55;
/// The version of the browser's own format, a field that readers want to be there and do not look at.
const GECKO_VERSION: u32 = 24;

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Meta {
    /// Milliseconds between samples.
    interval: f64,
    /// Milliseconds since 1970.
    start_time: f64,
    process_type: u8,
    product: String,
    #[serde(skip_serializing_if = "String::is_empty")]
    oscpu: String,
    #[serde(skip_serializing_if = "Option::is_none", rename = "logicalCPUs")]
    logical_cpus: Option<u32>,
    stackwalk: u8,
    debug: bool,
    version: u32,
    preprocessed_profile_version: u32,
    categories: Vec<category::Category>,
    marker_schema: Value,
    extensions: Value,
    sample_units: Value,
    paused_ranges: [u8; 0],
    symbolicated: bool,
    uses_only_one_stack_type: bool,
    source_code_is_not_on_searchfox: bool,
}

impl Meta {
    pub(super) fn new(profile: &Profile, weights: &Weights<'_>) -> Self {
        let run = profile.runs.first().cloned().unwrap_or_default();
        let command = run.command.unwrap_or_default();
        let (os, kernel) = (run.host.os, run.host.kernel);
        Self {
            interval: interval_millis(weights),
            start_time: millis(run.started_at_unix_nanos),
            process_type: 0,
            product: if command.is_empty() { "Calor".to_owned() } else { format!("Calor: {command}") },
            oscpu: format!("{os} {kernel}").trim().to_owned(),
            logical_cpus: run.host.cores,
            stackwalk: 1,
            debug: false,
            version: GECKO_VERSION,
            preprocessed_profile_version: PROCESSED_VERSION,
            categories: category::all(),
            marker_schema: markers::schema(),
            extensions: json!({ "length": 0, "baseURL": [], "id": [], "name": [] }),
            sample_units: json!({ "time": "ms", "eventDelay": "ms", "threadCPUDelta": "µs" }),
            paused_ranges: [],
            symbolicated: true,
            uses_only_one_stack_type: true,
            source_code_is_not_on_searchfox: true,
        }
    }
}

/// What one sample stands for on average, where the metric is of samples of time.
fn interval_millis(weights: &Weights<'_>) -> f64 {
    use crate::Metric::{Cpu, OffCpu, Wall};
    let n_samples = weights.rows.iter().fold(0_u64, |sum, row| sum.saturating_add(row.count));
    let is_sampled = matches!(weights.metric, Cpu | OffCpu | Wall);
    let mean = millis(weights.total()) / n_samples as f64;
    if is_sampled && mean.is_normal() { mean } else { 1.0 }
}
