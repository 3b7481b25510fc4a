//! What the calls of a scope took.

use calor_model::{DurationStats, ScopeStats};

/// The calls of a scope. Those of coroutines and generators are whole lives, each of many steps: what one took is the time
/// of its steps, and how that spreads over lives is not known.
pub struct ScopeCalls<'s> {
    /// How many there were.
    pub count: u64,
    /// The mean of them, where one was timed.
    pub mean_nanos: Option<f64>,
    /// Of one call each.
    pub timed: Option<&'s DurationStats>,
    /// Of coroutines and generators: the wall time of those that ended.
    pub lives: Option<&'s DurationStats>,
}

impl<'s> ScopeCalls<'s> {
    /// The calls that statistics are of; `total_nanos` is the time of all of them.
    #[must_use]
    pub fn of(stats: &'s ScopeStats, total_nanos: u64) -> Self {
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

    /// What this part of the calls takes no longer than, where calls were timed one by one.
    #[must_use]
    pub fn quantile(&self, part: f64) -> Option<f64> {
        self.timed.and_then(|timed| timed.quantile_nanos(part))
    }

    /// The longest call.
    #[must_use]
    pub fn max_nanos(&self) -> Option<f64> {
        self.timed.map(|timed| timed.max_nanos as f64)
    }

    /// The shortest call.
    #[must_use]
    pub fn min_nanos(&self) -> Option<f64> {
        self.timed.map(|timed| timed.min_nanos as f64)
    }

    /// The mean wall time of a coroutine or generator, from its first step to its end.
    #[must_use]
    pub fn life_mean_nanos(&self) -> Option<f64> {
        self.lives.and_then(DurationStats::mean_nanos)
    }
}

/// How much calls differ; `None` of one call, which differs from nothing.
#[must_use]
pub fn spread_of_calls(timed: &DurationStats) -> Option<f64> {
    timed.stddev_nanos().filter(|_| timed.count > 1)
}
