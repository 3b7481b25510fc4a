//! What the calls of a scope took, as programs read it.

use calor_model::{DurationStats, ScopeStats};
use serde::Serialize;

/// The calls of a scope. Those of coroutines and generators are whole lives, each of many steps: what one took is the time
/// of its steps, and how that spreads over lives is not known.
pub(super) struct Calls<'s> {
    pub(super) count: u64,
    pub(super) mean_nanos: Option<f64>,
    /// Of one call each.
    pub(super) timed: Option<&'s DurationStats>,
    /// Of coroutines and generators: the wall time of those that ended.
    pub(super) lives: Option<&'s DurationStats>,
}

impl<'s> Calls<'s> {
    pub(super) fn of(stats: &'s ScopeStats, total_nanos: u64) -> Self {
        let future = stats.future.as_ref();
        match future.map(|future| (&future.wall, future.wall.count.saturating_add(future.cancelled))) {
            Some((wall, count)) if count > 0 => Self {
                count,
                mean_nanos: Some(total_nanos as f64 / count as f64),
                timed: None,
                lives: Some(wall).filter(|wall| wall.count > 0),
            },
            _ => Self {
                count: stats.calls,
                mean_nanos: stats.mean_nanos(),
                timed: Some(&stats.timed).filter(|timed| timed.count > 0),
                lives: None,
            },
        }
    }

    pub(super) fn quantile(&self, part: f64) -> Option<f64> {
        self.timed.and_then(|timed| timed.quantile_nanos(part))
    }

    pub(super) fn max_nanos(&self) -> Option<f64> {
        self.timed.map(|timed| timed.max_nanos as f64)
    }

    pub(super) fn min_nanos(&self) -> Option<f64> {
        self.timed.map(|timed| timed.min_nanos as f64)
    }

    pub(super) fn life_mean_nanos(&self) -> Option<f64> {
        self.lives.and_then(DurationStats::mean_nanos)
    }
}

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
    pub(super) fn of(calls: &Calls<'_>, total_nanos: u64) -> Self {
        let quantile = |part: f64| calls.quantile(part).map(millis);
        Self {
            total_time_ms: millis(total_nanos as f64),
            count: calls.count,
            mean_ms: calls.mean_nanos.map(millis),
            min_ms: calls.min_nanos().map(millis),
            max_ms: calls.max_nanos().map(millis),
            stddev_ms: calls.timed.and_then(spread).map(millis),
            p50_ms: quantile(0.5),
            p95_ms: quantile(0.95),
            p99_ms: quantile(0.99),
        }
    }
}

/// How much calls differ; `None` of one call, which differs from nothing.
pub(super) fn spread(timed: &DurationStats) -> Option<f64> {
    timed.stddev_nanos().filter(|_| timed.count > 1)
}

pub(super) fn millis(nanos: f64) -> f64 {
    nanos / 1e6
}
