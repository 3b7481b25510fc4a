//! The measurements, one file each.

pub(super) mod caches;
pub(super) mod counts;
pub(super) mod lengths;
pub(super) mod stages;
pub(super) mod throughput;
pub(super) mod together;

use calor_report::bench::Figure;

use super::bed::{Bed, Side};
use super::choice::Choice;
use super::reference::Reference;
pub(super) use caches::Cached;
pub(super) use counts::Counted;
pub(super) use lengths::Length;
pub(super) use stages::{Stage, Staged};

/// A rate of an implementation at some setting.
#[derive(Clone, Debug)]
pub(super) struct Rate {
    pub side: Side,
    /// What was called: `encode_fast`.
    pub what: &'static str,
    /// MB/s.
    pub megabytes: Figure,
    /// Tokens in a second.
    pub tokens: Figure,
}

/// A rate where several inputs or threads come together.
#[derive(Clone, Debug)]
pub(super) struct Scaled {
    pub side: Side,
    pub batch: usize,
    pub threads: usize,
    /// By the wall.
    pub megabytes: Figure,
    /// Processors that it had, of those that it asked for: CPU time of all threads by time on the wall.
    pub busy: Figure,
    /// How many times as fast as the first of its measurement, round by round. Those of one measurement take turns.
    pub speed_up: Figure,
}

/// All that was measured before the end, or before somebody asked for it.
#[derive(Default, Debug)]
pub(super) struct Measured {
    pub rates: Vec<Rate>,
    pub stages: Vec<Staged>,
    /// Whose stages have no shares, and why.
    pub unknown_shares: Vec<(Side, String)>,
    pub counts: Vec<Counted>,
    pub lengths: Vec<Length>,
    pub batches: Vec<Scaled>,
    pub threads: Vec<Scaled>,
    pub caches: Vec<Cached>,
}

/// Measures everything, in order of importance.
pub(super) fn measured(bed: &Bed<'_>) -> Measured {
    let mut measured = Measured::default();
    let parts: [fn(&Bed<'_>, &mut Measured); 7] = [
        throughput::measure,
        stages::measure,
        counts::measure,
        lengths::measure,
        together::batches,
        together::threads,
        caches::measure,
    ];
    for part in parts {
        if !bed.is_stopped() {
            part(bed, &mut measured);
        }
    }
    measured
}

/// How many steps that is, for those who wait.
pub(super) fn n_steps(choice: &Choice, has_ours: bool, reference: &Reference) -> usize {
    let n_sides = 1 + usize::from(has_ours);
    let n_cached = usize::from(reference.has_word_cache()) + usize::from(has_ours);
    // Two rates and stages, lengths one by one, batches and threads.
    let each_side = 3 + choice.lengths.len() + 2;
    // `encode` of the crate, and the counts.
    2 + n_sides * each_side + n_cached * choice.caches.len()
}

impl Measured {
    /// The rate of a call.
    pub(super) fn rate(&self, side: Side, what: &str) -> Option<f64> {
        let rate = self.rates.iter().find(|rate| rate.side == side && rate.what == what)?;
        Some(rate.megabytes.median)
    }
}
