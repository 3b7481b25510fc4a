//! What functions are judged before: what moved all of them together, and by how much most are apart for no reason of theirs.
//!
//! Both are read off what functions take by themselves, also where functions are listed with what they call: there one slow leaf
//! moves all its callers, and most of the list would pass for moved by the machine.

use super::common_of_runs::CommonOfRuns;
use super::extra_spread::{extra_variance, spread_of_single_runs};
use super::pooling;
use super::shift::{Shift, mean};
use super::table::Row;

/// A function has to take this part of everything to be judged: smaller ones are many and noisy.
const LEAST_SHARE: f64 = 0.001;
/// A sampled function has to have so many samples on both sides together.
const LEAST_SAMPLES: u64 = 30;

/// A function that is large enough to be judged.
pub(super) struct Judged {
    /// Its row.
    pub(super) at: usize,
    /// Logarithms of what it took, by side and run.
    logs: [Vec<f64>; 2],
}

impl Judged {
    /// Those of all rows, where everything took so much before and after.
    pub(super) fn of(rows: &[Row], totals: [f64; 2]) -> Vec<Self> {
        let is_large = |row: &Row| {
            let share = (row.mean(0) + row.mean(1)) / (totals[0] + totals[1]);
            let has_samples = row.samples.is_none_or(|[before, after]| before + after >= LEAST_SAMPLES);
            share >= LEAST_SHARE && has_samples
        };
        let large = rows.iter().enumerate().filter(|(_, row)| is_large(row));
        large.filter_map(|(at, row)| Some(Self { at, logs: row.logs()? })).collect()
    }
}

/// What is common to functions.
pub(super) struct Background {
    /// By how much each run differs from the middle of all; nothing where that is not known.
    pub(super) common_of_runs: CommonOfRuns,
    /// The variance of functions that runs do not show. Of one run a side that is all there is, and `None` for too few functions.
    pub(super) variance: Option<f64>,
}

impl Background {
    pub(super) fn of(judged: &[Judged], n_runs: [usize; 2], is_interleaved: bool) -> Self {
        let logs: Vec<&[Vec<f64>; 2]> = judged.iter().map(|judged| &judged.logs).collect();
        let mut before = Self { common_of_runs: CommonOfRuns::of(&logs, n_runs), variance: None };
        let shifts = before.pooled_shifts(judged, is_interleaved);
        before.variance = match are_of_single_runs(&shifts) {
            true => spread_of_single_runs(&shifts.iter().map(|shift| shift.centre).collect::<Vec<f64>>()),
            false => Some(extra_variance(&shifts, before.common_of_runs.is_moved)),
        };
        before
    }

    /// What each function shifted by beyond what all did, as unsure as functions are and what all did is: by `doubt`.
    pub(super) fn shifts(
        &self,
        judged: &[Judged],
        rows: &[Row],
        doubt: f64,
        is_interleaved: bool,
    ) -> Vec<Shift> {
        let mut shifts = self.pooled_shifts(judged, is_interleaved);
        let Some(extra) = self.variance else { return shifts };
        if are_of_single_runs(&shifts) {
            // Nothing is known but how far functions are apart, and how few samples some have.
            for (shift, judged) in shifts.iter_mut().zip(judged) {
                let counts = rows[judged.at]
                    .samples
                    .map_or(0.0, |samples| samples.map(|n| 1.0 / (n as f64).max(0.5)).iter().sum());
                shift.variance = Some(extra.max(counts));
            }
            return shifts;
        }
        let extra = extra + doubt * doubt;
        for shift in &mut shifts {
            shift.variance = shift.variance.map(|variance| variance + extra);
        }
        shifts
    }

    fn pooled_shifts(&self, judged: &[Judged], is_interleaved: bool) -> Vec<Shift> {
        let without = |side: usize, logs: &[f64]| -> Vec<f64> {
            logs.iter().zip(&self.common_of_runs.logs[side]).map(|(log, common)| log - common).collect()
        };
        let mut shifts: Vec<Shift> = judged
            .iter()
            .map(|Judged { logs: [before, after], .. }| {
                Shift::of(&without(0, before), &without(1, after), is_interleaved)
            })
            .collect();
        if !are_of_single_runs(&shifts) {
            let size = |judged: &Judged| (mean(&judged.logs[0]) + mean(&judged.logs[1])) / 2.0;
            pooling::pool(&mut shifts, &judged.iter().map(size).collect::<Vec<f64>>());
        }
        shifts
    }
}

fn are_of_single_runs(shifts: &[Shift]) -> bool {
    shifts.iter().all(|shift| shift.variance.is_none())
}
