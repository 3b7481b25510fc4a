//! The experiments under way: one after the other as the program makes progress, or one for all of it.

use std::time::Duration;

use crate::Site;
use crate::clock::Scale;
use crate::own_memory::as_own;
use crate::process_lock::ProcessLock;

use super::account::Moment;
use super::handover::Results;
use super::outcome::{Experiment, Outcome};
use super::plan::{CausalError, Plan};
use super::schedule::{Choice, Schedule};
use super::visits::{Enough, Measured, Visits};
use super::{boundary, desk};

/// Visits that are left out when another experiment begins.
const N_SETTLING: u64 = 3;
/// Experiments that are remembered.
const MOST_EXPERIMENTS: usize = 1 << 16;

static SESSION: ProcessLock<Option<Session>> = ProcessLock::new();

/// A series of experiments.
pub(super) struct Session {
    speedups: Vec<(&'static str, f64)>,
    enough: Enough,
    point: Option<String>,
    schedule: Schedule,
    now: (Choice, u64),
    visits: Visits,
    began: Option<Moment>,
    n_left_alone: u64,
    /// Threads and told waits of earlier series.
    earlier: (u64, u64),
    is_whole: bool,
    /// Whether progress ends it.
    is_one: bool,
    finished: Vec<Experiment>,
    results: Option<Results>,
}

impl Session {
    /// With this experiment of the plan for all of the run, unless the program tells its progress.
    pub(super) fn new(plan: &Plan, whole: Choice) -> Self {
        let shortest = plan.shortest.as_nanos() as f64 / Scale::measure().nanos_per_tick();
        let enough = Enough { n_settling: N_SETTLING, n_visits: plan.n_visits, ticks: shortest as u64 };
        Self {
            speedups: plan.speedups().map(|(scope, factor)| (Site::named(scope).name(), factor)).collect(),
            enough,
            point: plan.point.clone(),
            schedule: Schedule::new(plan.speedups.len(), plan.seed),
            now: (whole.min(plan.speedups.len()), 1),
            visits: Visits::default(),
            began: None,
            n_left_alone: desk::n_turned_away(),
            earlier: boundary::taken_part(),
            is_whole: true,
            is_one: false,
            finished: Vec::new(),
            results: None,
        }
    }

    /// With one experiment, whatever the program tells.
    pub(super) fn of_one(plan: &Plan) -> Self {
        Self { is_one: true, ..Self::new(plan, 1) }
    }

    /// What is measured is written there, too.
    pub(super) fn told_to(self, results: Results) -> Self {
        Self { results: Some(results), ..self }
    }

    fn try_out(&mut self) {
        let speedup = self.now.0.checked_sub(1).and_then(|at| self.speedups.get(at));
        // One that is to be as fast as it is takes nothing away: then nothing has to be looked for.
        match speedup.filter(|(_, factor)| *factor > 1.0) {
            Some((scope, factor)) => boundary::try_out(Some(scope), *factor),
            None => boundary::try_out(None, 1.0),
        }
    }

    fn visit(&mut self, point: &str, now: Moment) {
        if self.is_one || self.point.get_or_insert_with(|| point.to_owned()) != point {
            return;
        }
        if self.is_whole {
            self.is_whole = false;
        } else if let Some(measured) = self.visits.visit(now, self.enough) {
            self.keep(measured);
        } else {
            return;
        }
        self.now = self.schedule.next();
        self.visits = Visits::default();
        self.try_out();
    }

    fn keep(&mut self, measured: Measured) {
        let scale = Scale::measure();
        let time = |ticks: u64| Duration::from_nanos(scale.nanos(ticks));
        let speedup = self.now.0.checked_sub(1).and_then(|at| self.speedups.get(at));
        let experiment = Experiment {
            scope: speedup.map(|(scope, _)| (*scope).to_owned()),
            factor: speedup.map_or(1.0, |(_, factor)| *factor),
            round: self.now.1,
            visits: measured.n_visits,
            wall: time(measured.wall),
            effective: time(measured.effective),
        };
        if let Some(results) = &mut self.results {
            results.tell(self.now.0, &experiment);
        }
        if self.finished.len() < MOST_EXPERIMENTS {
            self.finished.push(experiment);
        }
    }

    fn finish(mut self, now: Option<Moment>) -> Outcome {
        if let (true, Some(began), Some(now)) = (self.is_whole, self.began, now) {
            self.keep(Measured::between(began, now, 0));
        }
        let ticks = self.began.zip(now).map_or(0, |(began, now)| now.ticks.saturating_sub(began.ticks));
        let (n_threads, n_told) = boundary::taken_part();
        let outcome = Outcome {
            behind: boundary::behind(ticks),
            left_alone: desk::n_turned_away().saturating_sub(self.n_left_alone),
            threads: n_threads - self.earlier.0,
            waits_told: n_told - self.earlier.1,
            experiments: self.finished,
        };
        if let Some(results) = &mut self.results {
            results.close(&outcome);
        }
        outcome
    }
}

/// Begins a session, unless there is one.
pub(super) fn begin(make: impl FnOnce() -> Session) -> Result<(), CausalError> {
    let mut current = SESSION.lock();
    if current.is_some() {
        return Err(CausalError::UnderWay);
    }
    let mut session = make();
    if session.speedups.is_empty() {
        return Err(CausalError::NothingToTry);
    }
    session.try_out();
    session.began = boundary::moment();
    *current = Some(session);
    Ok(())
}

/// Ends the session, if there is one.
pub(super) fn finish() -> Option<Outcome> {
    let session = SESSION.lock().take()?;
    let outcome = session.finish(boundary::moment());
    boundary::end();
    Some(outcome)
}

/// The program made progress.
#[cold]
pub(super) fn visited(point: &str) {
    boundary::before_scope();
    let Some(now) = boundary::moment() else { return };
    as_own(|| {
        if let Some(session) = SESSION.lock().as_mut() {
            session.visit(point, now);
        }
    });
}

pub(super) fn forget() {
    SESSION.forget();
}
