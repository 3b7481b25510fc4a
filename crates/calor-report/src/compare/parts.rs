//! Parts of one run a side: they tell how much the run differs from itself.

use calor_analysis::{Given, RunFigures};
use calor_model::Profile;

use super::{CompareMetric, ComparedRun, repeated};

/// Differences up to this part count as none, unless told otherwise.
pub(super) const MARGIN: f64 = 0.02;
/// The same of one run a side in rounds. Rounds do not tell how far machines drift between two runs: on one that is shared, by up
/// to 3 % from one run of some seconds to the next.
const MARGIN_OF_ROUNDS: f64 = 0.05;

/// Stretches of a single run with samples.
const BLOCKS: usize = 10;

/// What differences count as none, where nobody told: what is told with the verdict.
#[must_use]
pub fn usual_margin(before: &[ComparedRun], after: &[ComparedRun], metric: Option<&CompareMetric>) -> f64 {
    let metric = metric.unwrap_or(&CompareMetric::Scopes);
    match of_single_runs([before, after], metric) {
        Some((Given::Rounds, _)) => MARGIN_OF_ROUNDS,
        _ => MARGIN,
    }
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
            (Given::Rounds, of_both(&RunFigures::rounds_of_profile))
        }
        None => return None,
    };
    Some((given, parts?))
}
