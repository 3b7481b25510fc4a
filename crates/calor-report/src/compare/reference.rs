//! Runs with passes of a reference loop between the rest, as those of `calor bench model` have: the same work in every build.
//! How long they took says how fast the machine was during a run, and times are held against that: a machine that is slower for a
//! while is no change of the program.

use calor_analysis::RunFigures;
use calor_model::{Profile, Warning};

use super::facts::other_models;
use super::{CompareMetric, ComparedRun};
use crate::quantity::signed_percent;

/// The scope whose calls are such passes.
pub const REFERENCE: &str = "machine reference";

/// Fewer passes do not tell how fast the machine was.
const LEAST_PASSES: u64 = 6;

/// What a pass took in each run.
pub(super) struct Reference([Vec<f64>; 2]);

impl Reference {
    /// `None` if some run has no passes, they are not of the same work, or it is not time that is compared.
    pub(super) fn of(sides: [&[ComparedRun]; 2], metric: &CompareMetric) -> Option<Self> {
        if *metric != CompareMetric::Scopes || other_models(sides).is_some() {
            return None;
        }
        let of_side = |side: &[ComparedRun]| side.iter().map(|run| pass_nanos(run.profile())).collect();
        let nanos: [Option<Vec<f64>>; 2] = sides.map(of_side);
        let [Some(before), Some(after)] = nanos else { return None };
        Some(Self([before, after]))
    }

    /// Makes figures those of a machine that is as fast in every run, and leaves the passes themselves out.
    pub(super) fn hold_against(&self, figures: &mut [Vec<RunFigures>; 2]) {
        let usual = mean_log(self.0.iter().flatten());
        for (run, nanos) in figures.iter_mut().flatten().zip(self.0.iter().flatten()) {
            let factor = (usual - nanos.ln()).exp();
            for functions in std::iter::once(&mut run.functions).chain(&mut run.own) {
                functions.retain(|figures| figures.function.name != REFERENCE);
                functions.iter_mut().for_each(|figures| figures.value *= factor);
            }
            // What it tells of the machine is told already.
            (run.canary_nanos, run.canary_spread) = (None, None);
        }
    }

    /// What the reader has to know of it.
    pub(super) fn remark(&self) -> Warning {
        let [before, after] = [&self.0[0], &self.0[1]].map(|side| mean_log(side.iter()));
        let moved = signed_percent((after - before).exp_m1());
        Warning::new(
            "by_reference",
            format!(
                "times are held against passes of a loop that is the same in every build (`{REFERENCE}`), which took {moved} \
                 in the runs after: that is the machine, and taken out"
            ),
        )
    }
}

/// The mean of all passes of a run.
fn pass_nanos(profile: &Profile) -> Option<f64> {
    let passes = profile.scopes.iter().filter(|(key, _)| profile.stack_name(key.stack) == REFERENCE);
    let (calls, nanos) = passes.fold((0, 0), |(calls, nanos): (u64, u64), (_, stats)| {
        (calls.saturating_add(stats.calls), nanos.saturating_add(stats.inclusive_nanos()))
    });
    (calls >= LEAST_PASSES && nanos > 0).then(|| nanos as f64 / calls as f64)
}

fn mean_log<'n>(nanos: impl Iterator<Item = &'n f64> + Clone) -> f64 {
    nanos.clone().map(|nanos| nanos.ln()).sum::<f64>() / nanos.count().max(1) as f64
}
