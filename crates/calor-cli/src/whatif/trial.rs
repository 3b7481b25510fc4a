//! Has the program try speed-ups: it is run again and again, each time with a plan in its environment and a fresh file for
//! what it finds. One that tells its progress tries all of them in every run, one that does not a single one in each.

use std::ffi::OsString;
use std::fs::File;
use std::io::Read as _;
use std::os::unix::fs::{DirBuilderExt as _, MetadataExt as _};
use std::path::{Path, PathBuf};
use std::process::ExitStatus;
use std::sync::atomic::Ordering::Relaxed;
use std::time::{Duration, SystemTime, UNIX_EPOCH};

use anyhow::{Context, Result, bail};
use calor::causal::handover::Handover;
use calor::causal::{Experiment, Outcome, Plan};
use calor_analysis::WhatIfCandidate;
use calor_formats::native;

use super::starter::{Ended, Starter};
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
    /// Whether somebody asked for the end before all was tried.
    pub(super) is_interrupted: bool,
}

/// Runs the program in rounds, until all was tried or somebody asks for the end.
pub(super) fn run(
    candidates: &[WhatIfCandidate],
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
    let mut trial =
        Trial { outcome: Outcome::default(), n_runs: 0, has_progress: false, is_interrupted: false };
    // Before any thread is started: signals are held back from those, too.
    let mut starter = Starter::new()?;
    let what = format!("trying {}", command_line::shown(command));
    progress::shown(&what, Some(n_rounds * choices.len()), |done| {
        for round in 0..n_rounds {
            // Each choice has another place in every round.
            for at in 0..choices.len() {
                let whole = choices[(at * 7 + round * 5 + 1) % choices.len()];
                let seed = (trial.n_runs as u64 + 1) * 7919;
                let file = |name: &str| folder.0.join(format!("{name}-{}", trial.n_runs));
                let plan_of_run = plan.clone().seed(seed);
                let ran = one(&mut starter, &plan_of_run, whole, command, file)?;
                trial.n_runs += usize::from(!ran.was_interrupted || !ran.outcome.experiments.is_empty());
                trial.is_interrupted = ran.was_interrupted;
                let found = ran.outcome;
                let has_progress = found.experiments.iter().any(|tried| tried.visits > 0);
                if trial.n_runs == 1 && found.experiments.is_empty() && point.is_none() {
                    // It makes too few steps for an experiment: then each run is one.
                    plan = plan.clone().point(NO_POINT);
                }
                trial.add(found, if has_progress { trial.n_runs } else { round + 1 }, has_progress);
                done.store(trial.done(candidates, n_rounds, choices.len()), Relaxed);
                let is_enough = trial.has_progress && trial.n_pairs(candidates) >= n_rounds;
                if is_enough || trial.is_interrupted {
                    return Ok(());
                }
            }
        }
        Ok::<(), anyhow::Error>(())
    })?;
    if trial.outcome.experiments.is_empty() && !trial.is_interrupted {
        bail!(
            "no experiment was completed: the progress point{} was not visited often enough in a run, which takes {} visits \
             and {} ms at least",
            point.map_or_else(String::new, |point| format!(" `{point}`")),
            N_VISITS + 4,
            SHORTEST.as_millis()
        );
    }
    let unseen: Vec<String> = candidates
        .iter()
        .filter(|candidate| trial.is_unseen(candidate))
        .map(|candidate| format!("`{}`", candidate.scope))
        .collect();
    if unseen.len() == candidates.len() && !trial.is_interrupted {
        bail!(
            "the program entered no scope named {}: check the name; `calor whatif` of a recording lists those there are",
            unseen.join(" or ")
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

    /// Whether a scope was to be faster and never ran: then nothing was taken off.
    pub(super) fn is_unseen(&self, candidate: &WhatIfCandidate) -> bool {
        let is_of_it =
            |tried: &&Experiment| tried.scope.as_ref() == Some(&candidate.scope) && tried.factor > 1.0;
        let mut of_it = self.outcome.experiments.iter().filter(is_of_it).peekable();
        of_it.peek().is_some() && of_it.all(|tried| tried.effective >= tried.wall)
    }

    /// How many pairs the candidate with the fewest has.
    fn n_pairs(&self, candidates: &[WhatIfCandidate]) -> usize {
        let pairs =
            |candidate: &WhatIfCandidate| self.outcome.pairs(&candidate.scope, candidate.factor).len();
        candidates.iter().map(pairs).min().unwrap_or(0)
    }

    /// How many of all runs are done, or would be if it were whole runs.
    fn done(&self, candidates: &[WhatIfCandidate], n_rounds: usize, n_choices: usize) -> usize {
        if self.has_progress { self.n_pairs(candidates).min(n_rounds) * n_choices } else { self.n_runs }
    }
}

/// What came of one run.
struct Ran {
    outcome: Outcome,
    was_interrupted: bool,
}

/// Runs the program once.
fn one(
    starter: &mut Starter,
    plan: &Plan,
    whole: usize,
    command: &[OsString],
    file: impl Fn(&str) -> PathBuf,
) -> Result<Ran> {
    let (plan_path, errors_path) = (file("plan"), file("errors"));
    let handover = Handover { plan: plan.clone(), whole, results: file("results") };
    std::fs::write(&plan_path, handover.text())
        .with_context(|| format!("cannot write {}", plan_path.display()))?;
    let errors =
        File::create(&errors_path).with_context(|| format!("cannot write {}", errors_path.display()))?;
    let shown = command_line::shown(command);
    let Ended { status, was_interrupted } = starter.run(command, &plan_path, &errors)?;
    let text = std::fs::read_to_string(&handover.results).unwrap_or_default();
    remove_recordings(&text);
    let outcome = handover.outcome(&text);
    if was_interrupted {
        // Steps that were measured stay so; a run that was cut off is no run.
        let mut outcome = outcome.unwrap_or_default();
        outcome.experiments.retain(|tried| tried.visits > 0);
        return Ok(Ran { outcome, was_interrupted });
    }
    let has_steps = |outcome: &Outcome| outcome.experiments.iter().any(|tried| tried.visits > 0);
    let was_stopped_in_time = was_stopped(status) && outcome.as_ref().is_some_and(has_steps);
    if !status.success() && !was_stopped_in_time {
        let errors = std::fs::read(&errors_path).unwrap_or_default();
        let tail = String::from_utf8_lossy(&errors[errors.len().saturating_sub(TAIL)..]).trim().to_owned();
        let tail = if tail.is_empty() { tail } else { format!("; its last words:\n{tail}") };
        bail!("`{shown}` did not end well ({status}) while it was tried{tail}");
    }
    let outcome = outcome.with_context(|| {
        format!(
            "`{shown}` took no part: a program that is to be tried uses the SDK, and calls calor::enable() or \
             calor::start_recording(..) at its beginning"
        )
    })?;
    Ok(Ran { outcome, was_interrupted })
}

/// Takes away what the program recorded of itself where nothing was before: it is of a program that was slowed. A file that
/// is another one by now stays.
fn remove_recordings(results: &str) {
    for (number, path) in Handover::recordings(results) {
        let is_it = |file: &mut File| {
            let mut magic = [0; native::MAGIC.len()];
            file.metadata().is_ok_and(|about| about.ino() == number)
                && file.read_exact(&mut magic).is_ok_and(|()| magic == native::MAGIC[..])
        };
        if File::open(path).is_ok_and(|mut file| is_it(&mut file)) {
            let _ = std::fs::remove_file(path);
        }
    }
}

/// Whether somebody stopped it: by a signal, or by way of `timeout`. A program that never ends by itself has to be.
fn was_stopped(status: ExitStatus) -> bool {
    matches!(status.code(), None | Some(124 | 137 | 143))
}

/// A folder that goes with its owner, and that only this user may look into.
struct Folder(PathBuf);

impl Folder {
    fn make() -> Result<Self> {
        let now = SystemTime::now().duration_since(UNIX_EPOCH).unwrap_or_default().subsec_nanos();
        let path = std::env::temp_dir().join(format!("calor-whatif-{}-{now}", std::process::id()));
        let made = std::fs::DirBuilder::new().mode(0o700).create(&path);
        made.with_context(|| format!("cannot make the folder {}", path.display()))?;
        Ok(Self(path))
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = std::fs::remove_dir_all(Path::new(&self.0));
    }
}
