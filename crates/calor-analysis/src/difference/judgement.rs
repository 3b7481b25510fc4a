//! How runs of two sides become a verdict: functions are put side by side, what moved all of them is taken out, the rest is
//! judged by what spread is usual, and the list of findings is cut off.

use super::background::{Background, Judged};
use super::common_factor::{Canaries, CommonCause, CommonFactor};
use super::function::FunctionDifference;
use super::outcome::{Difference, DifferenceOptions, Given};
use super::shift::Shift;
use super::table::{self, Row};
use super::{FunctionFigures, RunFigures, rename, rounds};
use crate::Error;
use crate::discovery::q_values;
use crate::verdict::{Change, Verdict};

/// Compares runs of two sides.
///
/// # Errors
/// A side without runs, runs without any work or time, or two sides that have no function in common.
pub fn difference(
    before: &[RunFigures],
    after: &[RunFigures],
    options: &DifferenceOptions,
) -> Result<Difference, Error> {
    check([before, after])?;
    if options.given == Given::Rounds {
        let [before, after] = [before, after].map(rounds::faster_half);
        return of_kept(&before, &after, options);
    }
    of_kept(before, after, options)
}

/// Compares what is left of them.
fn of_kept(
    before: &[RunFigures],
    after: &[RunFigures],
    options: &DifferenceOptions,
) -> Result<Difference, Error> {
    let sides = [before, after];
    // Rounds of two runs did not take turns with each other.
    let is_interleaved =
        options.is_interleaved && before.len() == after.len() && options.given != Given::Rounds;
    let n_runs = sides.map(<[RunFigures]>::len);
    let rows = rows(sides, |run| &run.functions);
    if rows.iter().all(|row| row.total(0) == 0.0 || row.total(1) == 0.0) {
        return Err(Error::NoCommonFunctions);
    }
    let totals = sides.map(mean_total);
    let judged = Judged::of(&rows, totals);
    let background = match sides.into_iter().flatten().any(|run| run.own.is_some()) {
        false => Background::of(&judged, n_runs, is_interleaved),
        true => {
            let own = self::rows(sides, RunFigures::own_functions);
            Background::of(&Judged::of(&own, totals), n_runs, is_interleaved)
        }
    };
    let canaries = Canaries::of(sides, options.given != Given::Runs);
    let common = CommonFactor::new(&background.common_of_runs, canaries, is_interleaved, options.margin);

    let mut functions: Vec<FunctionDifference> =
        rows.iter().map(|row| FunctionDifference::unjudged(row, totals[0])).collect();
    let doubt = common.doubt(&background.common_of_runs, is_interleaved);
    let mut shifts = background.shifts(&judged, &rows, doubt, is_interleaved);
    if options.given == Given::Rounds {
        rounds::widen(&mut shifts);
    }
    judge(&mut functions, &judged, &shifts, options);
    let moved = common.change.effect.ln_1p();
    for (function, row) in functions.iter_mut().zip(&rows) {
        // A build that moved everything, be it by other work, is in what one call took; a machine is not.
        function.split(row, if common.cause == CommonCause::Build { moved } else { 0.0 }, is_interleaved);
    }
    let is_single = n_runs.contains(&1) || options.given == Given::Blocks;
    let are_rounds = options.given == Given::Rounds && !is_single;
    let may_be_machine = !background.common_of_runs.is_known && !is_interleaved;
    for function in &mut functions {
        let is_of_one = is_single || (are_rounds && function.verdict.is_change());
        if is_of_one || is_doubtful(function, &common, moved, may_be_machine) {
            function.suspected = Some(function.verdict).filter(|verdict| *verdict != Verdict::Undecided);
            function.verdict = Verdict::Undecided;
        }
    }
    functions.sort_by(|a, b| {
        b.delta().abs().total_cmp(&a.delta().abs()).then_with(|| a.function.cmp(&b.function))
    });

    let mut total = total_shift(sides, &background.common_of_runs.logs, &common, is_interleaved);
    if common.cause == CommonCause::Machine {
        // What slowed functions by different parts does not cancel out in their sum.
        let concentration: f64 = functions.iter().map(|function| (function.before / totals[0]).powi(2)).sum();
        let extra = background.variance.unwrap_or(0.0);
        total.variance = total.variance.map(|variance| variance + extra * concentration);
    }
    if options.given == Given::Rounds {
        rounds::widen([&mut total]);
    }
    let verdict = total_verdict(&total, options.margin, is_interleaved);
    // Of few functions nobody can tell what moved all of them, but where the machine moved the same way it may be that.
    let is_machine_likely = may_be_machine && common.explains(nearest(total.centre, total.change(0.05)));
    let is_unsure = common.cause == CommonCause::Unknown || is_machine_likely;
    let is_capped = is_single || ((is_unsure || are_rounds) && verdict.is_change());
    let suspected = (is_capped && verdict != Verdict::Undecided).then_some(verdict);
    let verdict = if is_capped { Verdict::Undecided } else { verdict };
    // More of the same runs tell no more.
    let is_open = verdict == Verdict::Undecided && before != after;
    let [fewer, more] = [n_runs[0].min(n_runs[1]), n_runs[0].max(n_runs[1])];
    Ok(Difference {
        metric: options.metric,
        n_runs: if options.given == Given::Runs { n_runs } else { [1, 1] },
        n_rounds: are_rounds.then_some(n_runs),
        before: totals[0],
        after: totals[1],
        verdict,
        suspected,
        change: total.change(0.05),
        needs_runs: is_open.then(|| match total.needs_runs(options.margin, is_interleaved, fewer) {
            _ if is_single || are_rounds => FIRST_RUNS,
            known => known.unwrap_or(TOO_MANY_RUNS).max(more + 1),
        }),
        common,
        margin: options.margin,
        functions,
    })
}

/// What is advised to who has a single run a side, of which no spread is known.
const FIRST_RUNS: usize = 10;
/// Told for as many as nobody makes.
const TOO_MANY_RUNS: usize = 1_000_000;

fn check(sides: [&[RunFigures]; 2]) -> Result<(), Error> {
    for (runs, side) in sides.into_iter().zip(["before", "after"]) {
        if runs.is_empty() {
            return Err(Error::NoRuns { side });
        }
        for (at, run) in runs.iter().enumerate() {
            let is_figure = |value: f64| value >= 0.0 && value.is_finite();
            let is_positive = |value: f64| value > 0.0 && value.is_finite();
            let are_figures = run.functions.iter().chain(run.own_functions()).all(|row| is_figure(row.value));
            if !(are_figures && is_positive(run.work) && is_positive(run.total())) {
                return Err(Error::EmptyRun { side, run: at + 1 });
            }
        }
    }
    Ok(())
}

/// A row for each function that took anything, however it was called before.
fn rows(sides: [&[RunFigures]; 2], of_run: impl Fn(&RunFigures) -> &[FunctionFigures]) -> Vec<Row> {
    let mut rows = table::rows(sides, of_run);
    rename::join_renamed(&mut rows);
    rows.retain(|row| row.total(0) > 0.0 || row.total(1) > 0.0);
    rows
}

/// What runs took on average for each unit of work.
fn mean_total(runs: &[RunFigures]) -> f64 {
    runs.iter().map(|run| run.total() / run.work).sum::<f64>() / runs.len() as f64
}

fn judge(
    functions: &mut [FunctionDifference],
    judged: &[Judged],
    shifts: &[Shift],
    options: &DifferenceOptions,
) {
    let known: Vec<(usize, &Shift, f64)> = judged
        .iter()
        .zip(shifts)
        .filter_map(|(judged, shift)| Some((judged.at, shift, shift.p_value()?)))
        .collect();
    let p_values: Vec<f64> = known.iter().map(|(_, _, p)| *p).collect();
    let q_values = q_values(&p_values);
    let n_found = q_values.iter().filter(|q| **q <= options.q).count();
    // Intervals of what was chosen for being far off miss the truth more often; these are as much wider.
    let missed = options.q * n_found as f64 / known.len().max(1) as f64;
    for ((at, shift, _), q) in known.into_iter().zip(q_values) {
        let function = &mut functions[at];
        let is_found = q <= options.q;
        function.q = Some(q);
        function.change = shift.change(if is_found { missed } else { 0.05 });
        let bound = options.margin.ln_1p();
        function.verdict = if is_found && shift.centre.abs() >= bound {
            Verdict::of_change(shift.centre)
        } else if shift.is_within(options.margin) {
            Verdict::Same
        } else {
            Verdict::Undecided
        };
        function.smallest_detectable = shift.error().map(|error| (2.8 * error).exp_m1());
    }
}

fn total_shift(
    sides: [&[RunFigures]; 2],
    common_of_runs: &[Vec<f64>; 2],
    common: &CommonFactor,
    is_interleaved: bool,
) -> Shift {
    let is_machine = common.cause == CommonCause::Machine;
    let [before, after] = [0, 1].map(|side| {
        let runs = sides[side].iter().zip(&common_of_runs[side]);
        let log = |(run, common): (&RunFigures, &f64)| {
            (run.total() / run.work).ln() - if is_machine { *common } else { 0.0 }
        };
        runs.map(log).collect::<Vec<f64>>()
    });
    Shift::of(&before, &after, is_interleaved)
}

pub(super) fn total_verdict(total: &Shift, margin: f64, is_interleaved: bool) -> Verdict {
    let bound = margin.ln_1p();
    if total.variance.is_none() {
        // Of a single run a side all that can be said is whether it is far off.
        let is_far = total.centre.abs() > 2.0 * bound;
        return if is_far { Verdict::of_change(total.centre) } else { Verdict::Undecided };
    }
    if total.is_within(margin) {
        return Verdict::Same;
    }
    let nearest = nearest(total.centre, total.change(0.05)).abs();
    // Runs that took turns saw the same machine; of others, a difference within the margin may be the machine's.
    let is_change =
        if is_interleaved { nearest > 0.0 && total.centre.abs() >= bound } else { nearest > bound };
    if is_change { Verdict::of_change(total.centre) } else { Verdict::Undecided }
}

/// Whether a change of a function may be none of its own: the machine explains it where nothing was taken out, or it is only
/// there because what moved all functions, `moved` as a logarithm, was taken out of one that moved the other way.
fn is_doubtful(
    function: &FunctionDifference,
    common: &CommonFactor,
    moved: f64,
    may_be_machine: bool,
) -> bool {
    let Some(change) = function.change.filter(|_| function.verdict.is_change()) else { return false };
    let centre = change.effect.ln_1p();
    let is_explained = may_be_machine && common.explains(nearest(centre, Some(change)));
    is_explained || centre * (centre + moved) < 0.0
}

/// The least that something moved by, as a logarithm: the end of its interval that is nearer to nothing, and nothing where that
/// lies within.
pub(super) fn nearest(centre: f64, change: Option<Change>) -> f64 {
    let Some(change) = change else { return centre };
    let [low, high] = change.interval.map(f64::ln_1p);
    if low > 0.0 { low } else { high.min(0.0) }
}
