//! The experiment: rounds in which every command is run once, until the engine has seen enough or the budget is gone.

use std::time::{Duration, Instant};

use anyhow::{Result, bail};
use calor_analysis::{
    Experiment, ExperimentOptions, ExperimentOutcome, ExperimentPlan, MeasuredSeries, Metric, Step,
    too_short, unmeasurable,
};
use calor_model::Warning;
use calor_record::counters::Absence;

use super::captured::Onward;
use super::measuring::{Measuring, Ran, decisive};
use super::running::Running;
use super::variant::Variant;
use crate::news;

/// What was asked for.
#[derive(Clone, Copy)]
pub(super) struct Plan {
    /// How commands take turns.
    pub(super) of: ExperimentPlan,
    pub(super) shows_output: bool,
    /// Whether the result goes to standard output, and the commands' does not.
    pub(super) has_standard_output: bool,
    /// Whether a bound of what decides will do where it is too small to be measured.
    pub(super) takes_bounds: bool,
}

impl Plan {
    fn options(&self, n_variants: usize) -> ExperimentOptions {
        ExperimentOptions {
            n_variants,
            metric: self.of.metric,
            margin: self.of.margin,
            max_rounds: self.of.max_pairs,
            seed: self.of.seed,
            ..ExperimentOptions::default()
        }
    }

    /// Where standard output and standard error of commands go.
    fn onward(&self) -> [Onward; 2] {
        match (self.shows_output, self.has_standard_output) {
            (false, _) => [Onward::Nowhere; 2],
            (true, true) => [Onward::Errors; 2],
            (true, false) => [Onward::Output, Onward::Errors],
        }
    }
}

/// Runs it; `None` where it was interrupted before there was anything to tell.
pub(super) fn experiment(variants: Vec<Variant>, plan: Plan) -> Result<Option<ExperimentOutcome>> {
    let began = Instant::now();
    let mut experiment = Experiment::new(plan.options(variants.len()))?;
    let mut rounds = Rounds::new(&variants, plan)?;
    if !rounds.warm_up()? {
        return Ok(None);
    }
    let measured_from = Instant::now();
    // Runs to warm up may take longer than those that follow: only what is far too long is told by them.
    if let Some(n_warmup) = u32::try_from(plan.of.warmup).ok().filter(|n| *n > 0) {
        let (round, spent) = ((measured_from - began) / n_warmup, began.elapsed());
        if spent + round / 2 > plan.of.max_time {
            rounds.tell_if_too_long(round, spent);
        }
    }
    let mut running = Running::new(&plan, began);
    let mut is_interrupted = false;
    loop {
        let when = format!("in pair {}", experiment.n_rounds() + 1);
        let Some(figures) = rounds.round(experiment.order(), &when)? else {
            is_interrupted = true;
            experiment.end();
            break;
        };
        let round = measured_from.elapsed() / (experiment.n_rounds() as u32 + 1);
        // A round that would end after the budget is not begun.
        let (spent, wanted) = (began.elapsed(), plan.of.max_time);
        let part = if spent + round > wanted { 1.0 } else { spent.as_secs_f64() / wanted.as_secs_f64() };
        let step = experiment.add(&figures, part)?;
        if experiment.n_rounds() == 1 {
            rounds.tell_if_too_short();
            if step != Step::Ended {
                rounds.tell_if_too_long(round, spent);
            }
        }
        if step == Step::Ended {
            break;
        }
        running.tell(&experiment, rounds.is_heard);
    }
    running.end();
    if experiment.n_rounds() == 0 {
        return Ok(None);
    }
    let n_pairs = experiment.n_rounds();
    let outcome = ExperimentOutcome {
        plan: plan.of,
        comparisons: experiment.comparisons(),
        n_pairs,
        elapsed: began.elapsed(),
        round: measured_from.elapsed() / n_pairs as u32,
        is_interrupted,
        warnings: rounds.warnings(is_interrupted),
        wanted: rounds.wanted,
        advice: Vec::new(),
        series: rounds.series,
        commands: variants.iter().map(|variant| variant.shown.clone()).collect(),
    };
    Ok(Some(outcome.advised()))
}

/// Runs and what was measured of them.
struct Rounds<'v> {
    variants: &'v [Variant],
    plan: Plan,
    measuring: Measuring,
    series: Vec<MeasuredSeries>,
    outputs: Vec<Printed>,
    /// Whether commands have written something that was passed on.
    is_heard: bool,
    /// Why something was not measured, by metric, in the order of time.
    absences: Vec<(Metric, Absence)>,
    /// The time that was said to be enough, where that which was given is not.
    wanted: Option<Duration>,
}

/// What one command prints, run for run.
#[derive(Clone, Default)]
struct Printed {
    first: Option<(u64, u64)>,
    varies: bool,
}

impl<'v> Rounds<'v> {
    fn new(variants: &'v [Variant], plan: Plan) -> Result<Self> {
        let measuring = Measuring::new(plan.of.metric, plan.onward())?;
        let values = vec![Vec::new(); variants.len()];
        let series =
            measuring.metrics().iter().map(|&metric| MeasuredSeries { metric, values: values.clone() });
        let series = series.collect();
        let outputs = vec![Printed::default(); variants.len()];
        let (is_heard, absences) = (false, Vec::new());
        Ok(Self { variants, plan, measuring, series, outputs, is_heard, absences, wanted: None })
    }

    /// Runs every command without measuring; whether nobody interrupted it.
    fn warm_up(&mut self) -> Result<bool> {
        for _ in 0..self.plan.of.warmup {
            for at in 0..self.variants.len() {
                let ran = self.run(at, "while warming up")?;
                if ran.was_interrupted {
                    return Ok(false);
                }
            }
        }
        Ok(true)
    }

    /// Runs every command once and returns what decides, by variant; `None` when interrupted.
    fn round(&mut self, order: &[usize], when: &str) -> Result<Option<Vec<f64>>> {
        let mut runs: Vec<Option<Ran>> = self.variants.iter().map(|_| None).collect();
        for &at in order {
            let ran = self.run(at, when)?;
            if ran.was_interrupted {
                return Ok(None);
            }
            runs[at] = Some(ran);
        }
        let runs: Vec<Ran> = runs.into_iter().flatten().collect();
        let mut figures = Vec::with_capacity(runs.len());
        for (at, (ran, variant)) in runs.iter().zip(self.variants).enumerate() {
            // What all are compared with has to be known.
            let figure = decisive(self.plan.of.metric, ran, self.plan.takes_bounds && at > 0)?;
            if figure <= 0.0 {
                bail!(unmeasurable(variant.name, self.plan.of.metric));
            }
            figures.push(figure);
        }
        for (at, ran) in runs.iter().enumerate() {
            for (series, figure) in self.series.iter_mut().zip(&ran.figures) {
                series.values[at].push(figure.unwrap_or(f64::NAN));
                if let Err(absence) = figure
                    && !self.absences.iter().any(|(metric, _)| *metric == series.metric)
                {
                    self.absences.push((series.metric, *absence));
                }
            }
        }
        Ok(Some(figures))
    }

    fn run(&mut self, at: usize, when: &str) -> Result<Ran> {
        let ran = self.measuring.run(&self.variants[at], when)?;
        self.is_heard |= ran.has_written && self.plan.shows_output;
        let printed = &mut self.outputs[at];
        printed.varies |= *printed.first.get_or_insert(ran.digest) != ran.digest;
        Ok(ran)
    }

    /// Says at once what would make it a waste to wait for the end: that there is hardly anything to measure,
    fn tell_if_too_short(&self) {
        if let Some(warning) = too_short(&self.series, self.plan.of.metric) {
            news::say_wrapped(&format!("warning: {}", warning.message));
        }
    }

    /// or that too little fits into the time, where a round takes so long and so much of the time is spent. It is said once.
    fn tell_if_too_long(&mut self, round: Duration, spent: Duration) {
        if self.wanted.is_none()
            && let Some(too_long) = self.plan.of.too_long(round, spent)
        {
            self.wanted = Some(too_long.wanted);
            news::say_wrapped(&format!("warning: {}", too_long.message));
        }
    }

    fn warnings(&self, is_interrupted: bool) -> Vec<Warning> {
        let mut warnings: Vec<Warning> = too_short(&self.series, self.plan.of.metric).into_iter().collect();
        for (variant, printed) in self.variants.iter().zip(&self.outputs).skip(1) {
            let first = &self.outputs[0];
            if !first.varies && !printed.varies && first.first != printed.first {
                let message = format!(
                    "A and {} print different things, each the same in every run: see that they do the same work",
                    variant.name
                );
                warnings.push(Warning::new("outputs_differ", message));
            }
        }
        for (metric, absence) in &self.absences {
            let message = format!("{} is not available {}", metric.name(), absence.what());
            warnings.push(Warning::new(absence.code(), message));
        }
        if is_interrupted {
            warnings.push(Warning::new("interrupted", "interrupted: this is what was known by then"));
        }
        warnings
    }
}
