//! What the reader of a comparison has to know of its runs.

use calor_model::Warning;

use super::totals::RunTotals;
use super::{ComparedRun, ComparisonOptions};
use crate::Difference;
use crate::quantity::percent;

/// Programs of which one has less than this in functions of the other are hardly one.
const LEAST_SHARED: f64 = 0.05;
/// Changes that are smaller say nothing beside each other.
const OTHER_WAY: f64 = 0.05;

pub(super) fn of_runs(sides: [&[ComparedRun]; 2], options: &ComparisonOptions) -> Vec<Warning> {
    let mut remarks = options.remarks.clone();
    // What is missing of a file is missing on one side alone: it looks like a change.
    for run in sides.into_iter().flatten() {
        for warning in run.profile.warnings.iter().filter(|warning| warning.is_of_cut()) {
            let message = format!("{} is not whole: {}", run.name, warning.message);
            remarks.push(Warning { message, ..warning.clone() });
        }
    }
    for run in sides.into_iter().flatten().filter(|run| run.profile.runs.len() > 1) {
        let n_runs = run.profile.runs.len();
        let message = format!("{} holds {n_runs} runs that were merged: they count as one", run.name);
        remarks.push(Warning::new("merged_runs", message));
    }
    let has_no_unit =
        |run: &&ComparedRun| run.profile.warnings.iter().any(|warning| warning.code == "unit_unknown");
    let runs: Vec<&ComparedRun> = sides.into_iter().flatten().collect();
    if let Some(unknown) = runs.iter().copied().find(has_no_unit)
        && !runs.iter().all(has_no_unit)
    {
        let message = format!(
            "{} does not tell the unit of its weights, and others do: the difference may be one of units",
            unknown.name
        );
        remarks.push(Warning::new("units_differ", message));
    }
    if options.is_interleaved && sides[0].len() != sides[1].len() {
        let message =
            "runs that took turns are as many on both sides: these are compared side by side instead";
        remarks.push(Warning::new("not_interleaved", message));
    }
    remarks
}

/// Said where next to nothing of a side is in functions that the other has: the kernel and the C library are in all programs.
pub(super) fn strangers(difference: &Difference) -> Option<Warning> {
    let shared = difference.functions.iter().filter(|row| row.before > 0.0 && row.after > 0.0);
    let shared = shared.fold([0.0, 0.0], |sum, row| [sum[0] + row.before, sum[1] + row.after]);
    let [before, after] = [shared[0] / difference.before, shared[1] / difference.after];
    (before.min(after) < LEAST_SHARED).then(|| {
        let message = format!(
            "functions that are in both take {} before and {} after: these may be profiles of two programs",
            percent(before),
            percent(after)
        );
        Warning::new("little_in_common", message)
    })
}

/// Said where time in scopes and the CPU time of the program moved in opposite ways: time on the wall is then that of waiting.
pub(super) fn other_way(of_runs: &[Vec<RunTotals>; 2], difference: &Difference) -> Option<Warning> {
    let [before, after] = of_runs.each_ref().map(|runs| RunTotals::mean(runs).cpu_nanos);
    let cpu = after? / before? - 1.0;
    let scopes = difference.after / difference.before - 1.0;
    let is_other = scopes.signum() != cpu.signum() && scopes.abs().min(cpu.abs()) >= OTHER_WAY;
    is_other.then(|| {
        let way = |change: f64| if change < 0.0 { "fell" } else { "rose" };
        let message = format!(
            "time in scopes, which is by the wall, {} by {}, and the CPU time of the program {} by {}: what changed is how long it \
             waited, such as for processors that other programs had; compare runs of a quiet machine, or runs that took turns",
            way(scopes),
            percent(scopes.abs()),
            way(cpu),
            percent(cpu.abs())
        );
        Warning::new("cpu_moved_the_other_way", message)
    })
}
