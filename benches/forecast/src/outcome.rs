//! What was said of a program, and what came.

use calor_analysis::{MemoryTier, SizePoint, SizedRun};
use calor_report::{ForecastPage, WhatIfFormat, render_forecast};
use harness::median_of_sorted;
use serde_json::Value;

use crate::kernels::Kernel;
use crate::recorded::{Runs, TIMES};
use crate::rivals;

pub(crate) struct Outcome {
    pub(crate) kernel: &'static str,
    pub(crate) about: &'static str,
    /// CPU time at the largest size measured and at the one that was forecast, in nanoseconds, the middle one.
    pub(crate) largest: f64,
    pub(crate) truth: f64,
    /// What was said, each as a part of the truth less 1.
    pub(crate) error: f64,
    pub(crate) power_law: f64,
    pub(crate) normal_form: f64,
    /// Whether the truth lies in the interval, and how many times its lower end the upper one is.
    pub(crate) is_inside: bool,
    pub(crate) width: f64,
    pub(crate) growth: String,
    /// Peak memory that was measured, and the error of what was said.
    pub(crate) peak: f64,
    pub(crate) peak_error: f64,
    /// Tiers that were left, and those that were said to be left.
    pub(crate) left: Vec<String>,
    pub(crate) told: Vec<String>,
}

impl Outcome {
    pub(crate) fn of(kernel: &'static Kernel, runs: &Runs, tiers: &[MemoryTier]) -> Result<Self, String> {
        let at = (TIMES * kernel.largest()) as f64;
        let page = ForecastPage {
            format: WhatIfFormat::Json,
            variable: "n".to_owned(),
            at,
            tiers: tiers.to_vec(),
            ..ForecastPage::default()
        };
        let mut json = Vec::new();
        render_forecast(&runs.small, &page, &mut json).map_err(|error| error.to_string())?;
        let told: Value = serde_json::from_slice(&json).map_err(|error| error.to_string())?;
        let number = |pointer: &str| {
            told.pointer(pointer)
                .and_then(Value::as_f64)
                .ok_or_else(|| format!("the forecast has no {pointer}"))
        };
        let small = cpu(&runs.small)?;
        let largest: Vec<SizePoint> =
            small.iter().filter(|point| point.size == kernel.largest() as f64).copied().collect();
        let (largest, truth) = (middle(&largest), middle(&cpu(&runs.large)?));
        let of_largest = |runs: &[SizedRun]| peaks(runs).map(|peaks| middle(&peaks));
        let of_kernel: Vec<SizedRun> =
            runs.small.iter().filter(|run| run.size == kernel.largest() as f64).cloned().collect();
        let (before, peak) = (of_largest(&of_kernel)?, of_largest(&runs.large)?);
        let is_left = |tier: &&MemoryTier| before <= tier.bytes as f64 && peak > tier.bytes as f64;
        let crossings = told.pointer("/crossings").and_then(Value::as_array).cloned().unwrap_or_default();
        let (low, high) = (number("/cpu_ns/interval/0")?, number("/cpu_ns/interval/1")?);
        Ok(Self {
            kernel: kernel.name,
            about: kernel.about,
            largest,
            truth,
            error: number("/cpu_ns/value")? / truth - 1.0,
            power_law: rivals::power_law(&small, at) / truth - 1.0,
            normal_form: rivals::normal_form(&small, at) / truth - 1.0,
            is_inside: (low..=high).contains(&truth),
            width: high / low.max(1.0),
            growth: told.pointer("/cpu_ns/growth").and_then(Value::as_str).unwrap_or_default().to_owned(),
            peak,
            peak_error: number("/peak_bytes/value")? / peak - 1.0,
            left: tiers.iter().filter(is_left).map(|tier| tier.name.clone()).collect(),
            told: crossings
                .iter()
                .filter_map(|crossing| crossing.get("from")?.as_str().map(str::to_owned))
                .collect(),
        })
    }
}

fn cpu(runs: &[SizedRun]) -> Result<Vec<SizePoint>, String> {
    points(runs, |run| run.cpu_nanos).ok_or_else(|| "a run does not tell its CPU time".to_owned())
}

fn peaks(runs: &[SizedRun]) -> Result<Vec<SizePoint>, String> {
    points(runs, |run| run.peak_bytes).ok_or_else(|| "a run does not tell its peak memory".to_owned())
}

fn points(runs: &[SizedRun], of: fn(&SizedRun) -> Option<u64>) -> Option<Vec<SizePoint>> {
    runs.iter().map(|run| Some(SizePoint { size: run.size, value: of(run)? as f64 })).collect()
}

fn middle(points: &[SizePoint]) -> f64 {
    let mut values: Vec<f64> = points.iter().map(|point| point.value).collect();
    values.sort_unstable_by(f64::total_cmp);
    median_of_sorted(&values)
}
