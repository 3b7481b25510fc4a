//! Everything that pages are made of: the verdict at the size that is explained, the curve, what was recorded, and causes.

use std::time::Instant;

use anyhow::Result;
use calor_analysis::{
    Experiment, ExperimentOptions, ExperimentOutcome, ExperimentPlan, MeasuredSeries, Metric, Why, WhyClock,
    WhyEvidence, WhySide, why, why_clock, why_elsewhere, why_focus,
};
use calor_model::{Profile, Warning};

use super::super::rounds::Plan;
use super::call::Time;
use super::choice::Choice;
use super::operation::Operation;
use super::recording::{self, Recorded};
use super::sweep::{LEAST, Sized, Sweep};
use crate::{failure, machine, news};

pub(super) struct Explanation {
    /// At the size that is explained, by call.
    pub(super) outcome: ExperimentOutcome,
    pub(super) evidence: WhyEvidence,
    /// `None` where there is no gap.
    pub(super) why: Option<Why>,
    /// Whether sizes mean something.
    pub(super) has_sizes: bool,
    recorded: [Option<Recorded>; 2],
}

impl Explanation {
    pub(super) fn of(
        operation: &mut dyn Operation,
        sweep: Sweep,
        plan: &Plan,
        choice: &Choice,
        is_wall: bool,
        began: Instant,
    ) -> Result<Self> {
        let points = |clock: WhyClock| sweep.sizes.iter().map(|sized| sized.point(clock)).collect::<Vec<_>>();
        let clock = if is_wall { WhyClock::Wall } else { why_clock(&points(WhyClock::Cpu)) };
        let mut points = points(clock);
        let asked = choice.focus().and_then(|size| points.iter().position(|point| point.size == size));
        let widest = why_focus(&points, clock);
        let focus = asked.or(widest).unwrap_or(0);
        let mut warnings: Vec<Warning> =
            sweep.unchecked.iter().map(|words| Warning::new("outputs_unchecked", words.clone())).collect();
        let mut recorded = [None, None];
        let mut evidence = WhyEvidence {
            focus,
            clock,
            roof: Some(machine::roof(&machine::this(false).0)),
            ..WhyEvidence::default()
        };
        let gap = points[focus].gap(clock).abs();
        let has_gap = asked.is_some() && gap > 0.0 || widest.is_some();
        let mut record = || -> Result<()> {
            news::say("recording both sides");
            let mut peaks = [None, None];
            for side in 0..2 {
                let (found, told) = look(
                    operation,
                    side,
                    &sweep.sizes[focus],
                    choice.simulate,
                    &mut evidence.sides[side],
                    &mut warnings,
                )?;
                (recorded[side], peaks[side]) = (found, told);
            }
            let slower = usize::from(points[focus].gap(clock) > 0.0);
            if let Some(at) = why_elsewhere(&points, focus, clock) {
                let sized = &sweep.sizes[at];
                let call = call_of(sized, slower);
                let found = unless_interrupted(recording::samples(operation, slower, sized.size, call, 0.5))?;
                let side = found.map(|found| WhySide::of(&found.profile, operation.within()));
                evidence.elsewhere = side.map(|side| (sized.size, side));
            }
            let held = match peaks[1 - slower] {
                Some(peak) => {
                    let found = footprint(operation, 1 - slower, &sweep.sizes, focus, peak)?;
                    let only = peaks[slower].filter(|_| points.len() == 1);
                    found.or(only.map(|peak| peak / points[focus].size))
                }
                None => None,
            };
            for point in &mut points {
                let each = choice.bytes.map(|each| each * point.size);
                point.bytes = each.or(point.bytes).or(held.map(|each| each * point.size));
            }
            Ok(())
        };
        let recording = if has_gap && !sweep.is_interrupted { record() } else { Ok(()) };
        let is_interrupted = match recording {
            Err(error) if failure::is_interrupted(&error) => true,
            recording => recording.map(|()| sweep.is_interrupted)?,
        };
        if is_interrupted {
            let message = "interrupted before everything was measured and recorded: what was measured by then is told, and nothing \
                           is explained";
            warnings.push(Warning::new("interrupted", message));
        }
        let is_explained = has_gap && !is_interrupted;
        evidence.points = points;
        let mut outcome = outcome(operation, &sweep.sizes[focus], plan, clock, warnings, began)?;
        outcome.is_interrupted = is_interrupted;
        let why = is_explained.then(|| why(&evidence)).flatten();
        Ok(Self { outcome, evidence, why, has_sizes: sweep.sizes.len() > 1, recorded })
    }

    /// The verdict.
    pub(super) fn sentence(&self) -> String {
        self.outcome.comparisons.iter().map(ToString::to_string).collect::<Vec<_>>().join("; ")
    }

    /// What A and B are called.
    pub(super) fn names(&self) -> [String; 2] {
        [0, 1].map(|side| self.outcome.commands.get(side).cloned().unwrap_or_default())
    }

    /// The recordings and how many calls they are of.
    pub(super) fn recorded(&self) -> [Option<(&Profile, f64)>; 2] {
        self.recorded.each_ref().map(|side| side.as_ref().map(|it| (&it.profile, it.calls)))
    }
}

fn call_of(sized: &Sized, side: usize) -> Time {
    let point = sized.point(WhyClock::Cpu);
    Time { cpu: point.cpu[side], wall: point.wall[side] }
}

/// Bytes for each element: by how much more a side holds at another size, so that what any program holds is left out. What
/// the quicker side holds is what the operation needs.
fn footprint(
    operation: &dyn Operation,
    side: usize,
    sizes: &[Sized],
    focus: usize,
    peak: f64,
) -> Result<Option<f64>> {
    const LARGE: f64 = 65_536.0;
    let here = sizes[focus].size;
    let others = sizes.iter().map(|sized| sized.size).filter(|size| *size != here);
    // One that is large enough to show, and not so large that it takes long.
    let Some(other) = others.min_by(|a, b| (a / LARGE).ln().abs().total_cmp(&(b / LARGE).ln().abs())) else {
        return Ok(None);
    };
    let found = unless_interrupted(recording::heap(operation, side, other))?;
    Ok(found.map(|(_, there)| (there - peak) / (other - here)).filter(|each| *each > 0.0))
}

/// What could be had, or nothing; an error only where somebody asked for the end.
fn unless_interrupted<T>(found: Result<T>) -> Result<Option<T>> {
    match found {
        Err(error) if failure::is_interrupted(&error) => Err(error),
        found => Ok(found.ok()),
    }
}

/// Records one side, and returns its profile and the most that it held. What cannot be had is a warning: the rest is told.
fn look(
    operation: &dyn Operation,
    side: usize,
    sized: &Sized,
    simulates: bool,
    into: &mut WhySide,
    warnings: &mut Vec<Warning>,
) -> Result<(Option<Recorded>, Option<f64>)> {
    let name = ['A', 'B'][side];
    let mut warn = |code: &str, what: &str, error: anyhow::Error| {
        if failure::is_interrupted(&error) {
            return Err(error);
        }
        let first = format!("{error:#}");
        let first = first.lines().next().unwrap_or_default().to_owned();
        warnings.push(Warning::new(code, format!("{what} of {name} is not known: {first}")));
        Ok(())
    };
    let found = match recording::samples(operation, side, sized.size, call_of(sized, side), 1.0) {
        Ok(found) => {
            *into = WhySide::of(&found.profile, operation.within());
            Some(found)
        }
        Err(error) => {
            warn("not_sampled", "what the processor does", error)?;
            None
        }
    };
    let mut peak = None;
    match recording::heap(operation, side, sized.size) {
        Ok(([bytes, blocks], held)) => {
            (into.heap_bytes, into.heap_blocks) = (Some(bytes), Some(blocks));
            peak = Some(held).filter(|held| *held > 0.0);
        }
        Err(error) => warn("heap_not_watched", "what calls allocate", error)?,
    }
    if let Err(error) = recording::count(operation, side, sized.size, simulates, into) {
        warn("not_counted", "how many instructions calls take", error)?;
    }
    Ok((found, peak))
}

/// The verdict on one size, by call.
fn outcome(
    operation: &dyn Operation,
    sized: &Sized,
    plan: &Plan,
    clock: WhyClock,
    warnings: Vec<Warning>,
    began: Instant,
) -> Result<ExperimentOutcome> {
    let metric = if clock == WhyClock::Wall { Metric::Wall } else { Metric::Cpu };
    let n_pairs = sized.pairs.len();
    let options = ExperimentOptions {
        metric,
        margin: plan.of.margin,
        max_rounds: n_pairs,
        ..ExperimentOptions::default()
    };
    let mut experiment = Experiment::new(options)?;
    for pair in &sized.pairs {
        let _ = experiment.add(&pair.map(|time| time.by(clock).max(LEAST)), 0.0)?;
    }
    experiment.end();
    let values = |of: fn(&Time) -> f64| {
        [0, 1].map(|side: usize| sized.pairs.iter().map(|pair| of(&pair[side])).collect()).to_vec()
    };
    let mut series = vec![
        MeasuredSeries { metric: Metric::Cpu, values: values(|time| time.cpu) },
        MeasuredSeries { metric: Metric::Wall, values: values(|time| time.wall) },
        MeasuredSeries { metric: Metric::Rss, values: values(|_| f64::NAN) },
    ];
    series.sort_by_key(|series| series.metric != metric);
    Ok(ExperimentOutcome {
        plan: ExperimentPlan { metric, warmup: 0, ..plan.of },
        commands: operation.shown().into_iter().collect(),
        comparisons: experiment.comparisons(),
        series,
        n_pairs,
        elapsed: began.elapsed(),
        round: began.elapsed() / u32::try_from(n_pairs.max(1)).unwrap_or(u32::MAX),
        is_interrupted: false,
        warnings,
        wanted: None,
        advice: Vec::new(),
    })
}
