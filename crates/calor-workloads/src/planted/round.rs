//! One round over the suite: every program of a seed is built, run and recorded, and what was told of it kept.

use std::sync::Mutex;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

use super::{Case, Program, Recorded, Score, Told, Trial, Workshop, cases, healthy};

/// What came of a round.
#[derive(Clone, Debug, Default)]
pub struct Round {
    /// Planted programs and their twins.
    pub trials: Vec<Trial>,
    /// What was told of healthy programs that have no twin, by name.
    pub healthy: Vec<(&'static str, Vec<Told>)>,
    /// Programs that cannot run here, each with the reason.
    pub left_out: Vec<(&'static str, &'static str)>,
    /// What went wrong: programs that failed, and twins whose answers differ.
    pub problems: Vec<String>,
}

/// What is recorded together.
struct Job {
    name: &'static str,
    /// The case with its bottleneck's function; none for a healthy program.
    case: Option<(Case, Option<String>)>,
    programs: Vec<Program>,
}

impl Round {
    /// Records the programs with these names, as many at once as there are cores.
    ///
    /// # Errors
    /// Where a program cannot be built.
    pub fn of(workshop: &Workshop, seed: u64, is_wanted: impl Fn(&str) -> bool) -> Result<Self, String> {
        let mut round = Self::default();
        let mut jobs = jobs(seed);
        jobs.retain(|job| is_wanted(job.name));
        jobs.retain(|job| {
            let refusal = job.programs.iter().find_map(|program| workshop.refusal(program.language));
            round.left_out.extend(refusal.map(|reason| (job.name, reason)));
            refusal.is_none()
        });
        let programs: Vec<Program> = jobs.iter().flat_map(|job| job.programs.clone()).collect();
        workshop.build(&programs)?;
        for (job, recorded) in jobs.iter().zip(recorded(workshop, &jobs)) {
            round.add(job, recorded);
        }
        Ok(round)
    }

    fn add(&mut self, job: &Job, recorded: Result<Vec<Recorded>, String>) {
        let recorded = match recorded {
            Ok(recorded) => recorded,
            Err(problem) => return self.problems.push(format!("{}: {problem}", job.name)),
        };
        match (&job.case, &recorded[..]) {
            (Some((case, function)), [planted, healthy]) => {
                if planted.answer != healthy.answer {
                    self.problems.push(format!(
                        "{}: the planted program says {:?}, its twin {:?}",
                        job.name, planted.answer, healthy.answer
                    ));
                }
                self.trials.push(Trial {
                    case: *case,
                    function: function.clone(),
                    planted: planted.told.clone(),
                    healthy: healthy.told.clone(),
                });
            }
            (_, recorded) => {
                self.healthy.extend(recorded.iter().map(|recorded| (job.name, recorded.told.clone())));
            }
        }
    }

    /// How right the findings of this round are.
    #[must_use]
    pub fn score(&self) -> Score {
        let healthy: Vec<Vec<Told>> = self.healthy.iter().map(|(_, told)| told.clone()).collect();
        Score::of(&self.trials, &healthy)
    }
}

fn jobs(seed: u64) -> Vec<Job> {
    let planted = cases().into_iter().map(|case| {
        let (programs, function) = Program::twins(&case, seed);
        Job { name: case.name, case: Some((case, function)), programs: programs.into() }
    });
    let others = healthy().into_iter().map(|healthy| Job {
        name: healthy.name,
        case: None,
        programs: vec![Program::healthy(&healthy, seed)],
    });
    planted.chain(others).collect()
}

/// What came of the programs of each job. Those of one job run one after the other.
fn recorded(workshop: &Workshop, jobs: &[Job]) -> Vec<Result<Vec<Recorded>, String>> {
    let results: Vec<Mutex<Result<Vec<Recorded>, String>>> =
        jobs.iter().map(|_| Mutex::new(Err("it was not recorded".to_owned()))).collect();
    let next = AtomicUsize::new(0);
    let cores = std::thread::available_parallelism().map_or(1, usize::from);
    std::thread::scope(|scope| {
        for _ in 0..cores {
            scope.spawn(|| {
                loop {
                    let at = next.fetch_add(1, Relaxed);
                    let Some(job) = jobs.get(at) else { break };
                    let result = job.programs.iter().map(|program| workshop.record(program)).collect();
                    if let Ok(mut place) = results[at].lock() {
                        *place = result;
                    }
                }
            });
        }
    });
    let taken =
        |result: Mutex<_>| result.into_inner().unwrap_or_else(|_| Err("its thread has ended".to_owned()));
    results.into_iter().map(taken).collect()
}
