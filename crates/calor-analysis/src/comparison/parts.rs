//! Parts of one run a side: they tell how much the run differs from itself.

use calor_model::Profile;

use super::{CompareMetric, ComparedRun, repeated};
use crate::workload::{n_rounds, threads_of_rounds};
use crate::{Given, RunFigures};

/// Differences up to this part count as none, unless another is passed in.
const MARGIN: f64 = 0.02;
/// The same of one run a side in rounds: how far machines drift between two runs leaves less undecided by this.
const MARGIN_OF_ROUNDS: f64 = 0.05;

/// Stretches of a single run with samples.
const BLOCKS: usize = 10;

/// The margin of what is compared, where none is passed in.
pub(super) fn usual_margin(given: Given) -> f64 {
    if given == Given::Rounds { MARGIN_OF_ROUNDS } else { MARGIN }
}

/// The parts of one run a side, by what they are.
pub(super) fn of_single_runs(
    sides: [&[ComparedRun]; 2],
    metric: &CompareMetric,
) -> Option<(Given, [Vec<RunFigures>; 2])> {
    let [[before], [after]] = sides else { return None };
    let of_both = |of_run: &dyn Fn(&Profile) -> Option<Vec<RunFigures>>| {
        let parts = [of_run(before.profile())?, of_run(after.profile())?];
        // A part in which nothing ran tells nothing.
        parts.iter().flatten().all(|part| part.total() > 0.0).then_some(parts)
    };
    let (given, parts) = match metric.sample_kind() {
        Some(kind) => {
            let blocks = |profile: &Profile| RunFigures::blocks_of_profile(profile, kind, BLOCKS);
            (Given::Blocks, of_both(&blocks))
        }
        // Cases that are repeated by time are in no round.
        None if *metric == CompareMetric::Scopes && !repeated::are_repeated(sides, metric) => {
            let [Some(n), Some(others)] = [before, after].map(|run| n_rounds(run.profile())) else {
                return None;
            };
            let rounds =
                |profile: &Profile| RunFigures::rounds_of_profile(profile, &threads_of_rounds(profile, n)?);
            (Given::Rounds, of_both(&rounds).filter(|_| n == others))
        }
        None => return None,
    };
    Some((given, parts?))
}
