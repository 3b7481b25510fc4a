//! Parts of one run a side: they tell how much the run differs from itself.

use calor_analysis::{Given, RunFigures};
use calor_model::{Profile, Warning};

use super::{CompareMetric, ComparedRun, repeated};

/// Differences up to this part count as none, unless told otherwise.
pub(super) const MARGIN: f64 = 0.02;
/// The same of one run a side in rounds: how far machines drift between two runs leaves less undecided by this.
pub(super) const MARGIN_OF_ROUNDS: f64 = 0.05;

/// The label of runs in rounds, which says how many: threads may be called so for other reasons.
pub const ROUNDS: &str = "rounds";

/// Stretches of a single run with samples.
const BLOCKS: usize = 10;

/// What the reader has to know of rounds.
pub(super) fn remark() -> Warning {
    Warning::new(
        "by_rounds",
        "what is compared is the faster half of the rounds of either run: others on the machine make rounds slower and none faster; what \
         is done outside of rounds is not in it",
    )
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
            let told = [before, after].map(|run| n_rounds(run.profile()));
            let [Some(n), Some(others)] = told else { return None };
            let rounds = |profile: &Profile| RunFigures::rounds_of_profile(profile, n);
            (Given::Rounds, of_both(&rounds).filter(|_| n == others))
        }
        None => return None,
    };
    Some((given, parts?))
}

/// How many rounds a run says to have.
fn n_rounds(profile: &Profile) -> Option<usize> {
    let [run] = &profile.runs[..] else { return None };
    run.labels.get(ROUNDS)?.parse().ok()
}
