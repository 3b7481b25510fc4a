//! Runs with passes of a reference loop between the rest, as those of `calor bench model` have: work that has nothing to do with
//! the program. How long they took says how fast the machine was during a run, and times are held against that: a machine that is
//! slower for a while is no change of the program. In what is compared they are never.

use calor_analysis::RunFigures;
use calor_model::{DurationStats, Profile, Warning};

use super::facts::other_models;
use super::repeated::are_repeated;
use super::{CompareMetric, ComparedRun};
use crate::quantity::signed_percent;

/// The scope whose calls are such passes.
pub const REFERENCE: &str = "machine reference";

/// Fewer passes do not tell how fast the machine was.
const LEAST_PASSES: u64 = 40;

/// What a pass took in each run.
pub(super) struct Reference([Vec<f64>; 2]);

impl Reference {
    /// `None` if some run has too few, if what is compared is no time on the wall, or is of other models.
    pub(super) fn of(sides: [&[ComparedRun]; 2], metric: &CompareMetric) -> Option<Self> {
        let is_by_wall = *metric == CompareMetric::Scopes && !are_repeated(sides, metric);
        if !is_by_wall || other_models(sides).is_some() {
            return None;
        }
        let of_side = |side: &[ComparedRun]| side.iter().map(|run| pass_nanos(run.profile())).collect();
        let nanos: [Option<Vec<f64>>; 2] = sides.map(of_side);
        let [Some(before), Some(after)] = nanos else { return None };
        Some(Self([before, after]))
    }

    /// Makes figures those of a machine that is as fast in every run.
    pub(super) fn hold_against(&self, figures: &mut [Vec<RunFigures>; 2]) {
        let usual = mean_log(self.0.iter().flatten());
        for (run, nanos) in figures.iter_mut().flatten().zip(self.0.iter().flatten()) {
            let factor = (usual - nanos.ln()).exp();
            for functions in std::iter::once(&mut run.functions).chain(&mut run.own) {
                functions.iter_mut().for_each(|figures| figures.value *= factor);
            }
            // The machine is as fast in all of them now.
            (run.canary_nanos, run.canary_spread) = (Some(usual.exp()), None);
        }
    }

    /// What the reader has to know of it.
    pub(super) fn remark(&self) -> Warning {
        let [before, after] = [&self.0[0], &self.0[1]].map(|side| mean_log(side.iter()));
        let moved = signed_percent((after - before).exp_m1());
        Warning::new(
            "by_reference",
            format!(
                "times in scopes are held against passes of a loop beside the program (`{REFERENCE}`), which took {moved} in the \
                 runs after: that is the machine, and taken out of them, and of no other figure"
            ),
        )
    }
}

/// Takes the passes out of what is compared.
pub(super) fn leave_out(figures: &mut [Vec<RunFigures>; 2]) {
    for run in figures.iter_mut().flatten() {
        for functions in std::iter::once(&mut run.functions).chain(&mut run.own) {
            functions.retain(|figures| figures.function.name != REFERENCE);
        }
    }
}

/// The median of all passes of a run: one that was interrupted tells nothing of the rest.
fn pass_nanos(profile: &Profile) -> Option<f64> {
    let passes = profile.scopes.iter().filter(|(key, _)| profile.stack_name(key.stack) == REFERENCE);
    let mut all = DurationStats::default();
    passes.for_each(|(_, stats)| all.add(&stats.timed));
    all.quantile_nanos(0.5).filter(|nanos| all.count >= LEAST_PASSES && *nanos > 0.0)
}

fn mean_log<'n>(nanos: impl Iterator<Item = &'n f64> + Clone) -> f64 {
    nanos.clone().map(|nanos| nanos.ln()).sum::<f64>() / nanos.count().max(1) as f64
}
