//! What the calls of a scope took, as programs read it.

use calor_analysis::{ScopeCalls, spread_of_calls};
use serde::Serialize;

/// What the calls of a scope took.
#[derive(Serialize)]
pub(super) struct Times {
    total_time_ms: f64,
    count: u64,
    mean_ms: Option<f64>,
    min_ms: Option<f64>,
    max_ms: Option<f64>,
    stddev_ms: Option<f64>,
    p50_ms: Option<f64>,
    p95_ms: Option<f64>,
    p99_ms: Option<f64>,
}

impl Times {
    pub(super) fn of(calls: &ScopeCalls<'_>, total_nanos: u64) -> Self {
        let quantile = |part: f64| calls.quantile(part).map(millis);
        Self {
            total_time_ms: millis(total_nanos as f64),
            count: calls.count,
            mean_ms: calls.mean_nanos.map(millis),
            min_ms: calls.min_nanos().map(millis),
            max_ms: calls.max_nanos().map(millis),
            stddev_ms: calls.timed.and_then(spread_of_calls).map(millis),
            p50_ms: quantile(0.5),
            p95_ms: quantile(0.95),
            p99_ms: quantile(0.99),
        }
    }
}

pub(super) fn millis(nanos: f64) -> f64 {
    nanos / 1e6
}
