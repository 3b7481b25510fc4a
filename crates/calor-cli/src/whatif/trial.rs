//! Has the program try speed-ups: it is run again and again, each time with a plan in its environment and a fresh file for
//! what it finds. One that tells its progress tries all of them in every run, one that does not a single one in each.

use std::ffi::OsString;
use std::path::{Path, PathBuf};
use std::process::{Command, ExitStatus, Stdio};
use std::sync::atomic::Ordering::Relaxed;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use anyhow::{Context, Result, bail};
use calor::causal::handover::{Handover, VARIABLE};
use calor::causal::{Outcome, Plan};

use super::candidate::Candidate;
use crate::{command_line, progress};

/// Visits of a progress point, and time, that one experiment takes at least.
const N_VISITS: u64 = 5;
const SHORTEST: Duration = Duration::from_millis(100);
/// The last bytes of what a failed program wrote that are shown.
const TAIL: usize = 2048;
/// A point that no program visits: with it a run is tried as a whole.
const NO_POINT: &str = "(none)";

/// What all runs found.
pub(super) struct Trial {
    pub(super) outcome: Outcome,
    /// How often the program ran.
    pub(super) n_runs: usize,
    /// Whether visits of a progress point were measured instead of whole runs.
    pub(super) has_progress: bool,
}

/// Runs the program in rounds.
pub(super) fn run(
    candidates: &[Candidate],
    command: &[OsString],
    n_rounds: usize,
    point: Option<&str>,
) -> Result<Trial> {
    let folder = Folder::make()?;
    let mut plan = Plan::new().visits(N_VISITS).shortest(SHORTEST);
    if let Some(point) = point {
        plan = plan.point(point);
    }
    for candidate in candidates {
        plan = plan.speedup(&candidate.scope, candidate.factor);
    }
    let n_idle = candidates.len().div_ceil(3).max(1);
    let choices: Vec<usize> = (1..=candidates.len()).chain(std::iter::repeat_n(0, n_idle)).collect();
    let mut trial = Trial { outcome: Outcome::default(), n_runs: 0, has_progress: false };
    let what = format!("trying {}", command_line::shown(command));
    progress::shown(&what, Some(n_rounds * choices.len()), |done| {
        for round in 0..n_rounds {
            // Each choice has another place in every round.
            for at in 0..choices.len() {
                let whole = choices[(at * 7 + round * 5 + 1) % choices.len()];
                let seed = (trial.n_runs as u64 + 1) * 7919;
                let found = one(&plan.clone().seed(seed), whole, command, &folder, trial.n_runs)?;
                trial.n_runs += 1;
                let has_progress = found.experiments.iter().any(|tried| tried.visits > 0);
                if trial.n_runs == 1 && found.experiments.is_empty() && point.is_none() {
                    // It makes too few steps for an experiment: then each run is one.
                    plan = plan.clone().point(NO_POINT);
                }
                trial.add(found, if has_progress { trial.n_runs } else { round + 1 }, has_progress);
                done.store(trial.done(candidates, n_rounds, choices.len()), Relaxed);
                if trial.has_progress && trial.n_pairs(candidates) >= n_rounds {
                    return Ok(());
                }
            }
        }
        Ok::<(), anyhow::Error>(())
    })?;
    if trial.outcome.experiments.is_empty() {
        bail!(
            "no experiment was completed: the progress point{} was not visited often enough in a run, which takes {} visits \
             and {} ms at least",
            point.map_or_else(String::new, |point| format!(" `{point}`")),
            N_VISITS + 4,
            SHORTEST.as_millis()
        );
    }
    Ok(trial)
}

impl Trial {
    /// Adds what a run found. Rounds inside of one run are not those of another.
    fn add(&mut self, found: Outcome, round: usize, has_progress: bool) {
        self.has_progress |= has_progress;
        for mut tried in found.experiments {
            tried.round = if has_progress { (round as u64) << 32 | tried.round } else { round as u64 };
            self.outcome.experiments.push(tried);
        }
        for name in found.behind {
            if !self.outcome.behind.contains(&name) {
                self.outcome.behind.push(name);
            }
        }
        self.outcome.left_alone = self.outcome.left_alone.max(found.left_alone);
        self.outcome.threads = self.outcome.threads.max(found.threads);
        self.outcome.waits_told = self.outcome.waits_told.max(found.waits_told);
    }

    /// How many pairs the candidate with the fewest has.
    fn n_pairs(&self, candidates: &[Candidate]) -> usize {
        let pairs = |candidate: &Candidate| self.outcome.pairs(&candidate.scope, candidate.factor).len();
        candidates.iter().map(pairs).min().unwrap_or(0)
    }

    /// How many of all runs are done, or would be if it were whole runs.
    fn done(&self, candidates: &[Candidate], n_rounds: usize, n_choices: usize) -> usize {
        if self.has_progress { self.n_pairs(candidates).min(n_rounds) * n_choices } else { self.n_runs }
    }
}

/// Runs the program once.
fn one(plan: &Plan, whole: usize, command: &[OsString], folder: &Folder, n: usize) -> Result<Outcome> {
    let file = |name: &str| folder.0.join(format!("{name}-{n}"));
    let (plan_path, errors_path) = (file("plan"), file("errors"));
    let handover = Handover { plan: plan.clone(), whole, results: file("results") };
    std::fs::write(&plan_path, handover.text())
        .with_context(|| format!("cannot write {}", plan_path.display()))?;
    let errors = std::fs::File::create(&errors_path)
        .with_context(|| format!("cannot write {}", errors_path.display()))?;
    let (program, arguments) = command.split_first().context("expected a program after --")?;
    // What it prints is not the result; it would be printed for every run.
    let status = Command::new(program)
        .args(arguments)
        .env(VARIABLE, &plan_path)
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(errors)
        .status();
    let shown = command_line::shown(command);
    let status =
        status.with_context(|| format!("cannot start `{shown}`: check the name, or give the path to it"))?;
    let text = std::fs::read_to_string(&handover.results).ok();
    let outcome = text.and_then(|text| handover.outcome(&text));
    let has_steps = |outcome: &Outcome| outcome.experiments.iter().any(|tried| tried.visits > 0);
    let was_stopped_in_time = was_stopped(status) && outcome.as_ref().is_some_and(has_steps);
    if !status.success() && !was_stopped_in_time {
        let errors = std::fs::read(&errors_path).unwrap_or_default();
        let tail = String::from_utf8_lossy(&errors[errors.len().saturating_sub(TAIL)..]).trim().to_owned();
        let tail = if tail.is_empty() { tail } else { format!("; its last words:\n{tail}") };
        bail!("`{shown}` did not end well ({status}) while it was tried{tail}");
    }
    outcome.with_context(|| {
        format!(
            "`{shown}` took no part: a program that is to be tried uses the SDK, and calls calor::enable() or \
             calor::start_recording(..) at its beginning"
        )
    })
}

/// Whether somebody stopped it: by a signal, or by way of `timeout`. A program that never ends by itself has to be.
fn was_stopped(status: ExitStatus) -> bool {
    matches!(status.code(), None | Some(124 | 137 | 143))
}

/// A folder that goes with its owner.
struct Folder(PathBuf);

impl Folder {
    fn make() -> Result<Self> {
        let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().subsec_nanos();
        let path = std::env::temp_dir().join(format!("calor-whatif-{}-{now}", std::process::id()));
        std::fs::create_dir(&path).with_context(|| format!("cannot make the folder {}", path.display()))?;
        Ok(Self(path))
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(Path::new(&self.0));
    }
}
