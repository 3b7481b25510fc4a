//! Is this function slower than that one, and how sure is that: what [`ab!`](crate::ab!) runs.
//!
//! Functions take turns in random order, a batch of calls each, and only differences within a turn count; the engine is the
//! one of `calor ab`. It ends by itself, decided or when the time is over. CPU time is that of the whole process, so that
//! functions which start threads are measured with them: what else the process does meanwhile is measured, too.

use std::convert::Infallible;
use std::fmt;
use std::hash::{BuildHasher, RandomState};
use std::hint::black_box;
use std::time::{Duration, Instant};

pub use calor_analysis::{Change, Comparison, Metric, Verdict};
use calor_analysis::{Experiment, ExperimentOptions, Step};

use crate::process;

/// A batch takes about this long: much longer than a look at the clock, and short beside what disturbs a machine.
const BATCH_NANOS: f64 = 2e6;
/// All batches that there is time for, at least: where more of a batch's time goes by than is measured, it is smaller.
const LEAST_BATCHES: f64 = 20.0;
/// Inputs that are made for one batch at most: they are all there at once.
const MOST_INPUTS: u64 = 1_000;
/// Calls of one batch at most.
const MOST_CALLS: u64 = 1 << 30;
/// Narrower margins than this nobody can show, and wider ones than all are none.
const MARGINS: [f64; 2] = [1e-6, 0.99];

/// How functions are compared.
#[derive(Clone, Debug)]
#[must_use]
pub struct Plan {
    margin: f64,
    max_time: Duration,
    max_pairs: usize,
    seed: Option<u64>,
    clock: Clock,
}

/// What is measured.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Clock {
    /// CPU time of the process, all its threads together; where that cannot be told, as `Wall`.
    Cpu,
    /// Time on the wall.
    Wall,
}

/// So many calls of a function, which tell how long they took in nanoseconds.
pub type Calls<'f> = &'f mut dyn FnMut(Clock, u64) -> f64;

/// The same of a function that can fail.
pub type TryCalls<'f, E> = &'f mut dyn FnMut(Clock, u64) -> Result<f64, E>;

impl Default for Plan {
    fn default() -> Self {
        let (margin, max_time, max_pairs) = (0.02, Duration::from_secs(5), 1_000);
        Self { margin, max_time, max_pairs, seed: None, clock: Clock::Cpu }
    }
}

impl Plan {
    /// The defaults: CPU time, a margin of 2 %, 5 seconds and 1,000 pairs at most.
    pub fn new() -> Self {
        Self::default()
    }

    /// Differences up to this part count as none: 0.02 is 2 %.
    pub fn margin(self, part: f64) -> Self {
        let part = if part.is_nan() { MARGINS[0] } else { part };
        Self { margin: part.clamp(MARGINS[0], MARGINS[1]), ..self }
    }

    /// It ends after this time, decided or not.
    pub fn max_time(self, max_time: Duration) -> Self {
        Self { max_time, ..self }
    }

    /// It ends after so many pairs, decided or not.
    pub fn max_pairs(self, max_pairs: usize) -> Self {
        Self { max_pairs: max_pairs.max(1), ..self }
    }

    /// What the order of calls follows from; otherwise it is another one each time.
    pub fn seed(self, seed: u64) -> Self {
        Self { seed: Some(seed), ..self }
    }

    /// Whether time on the wall is measured instead of CPU time: for functions that wait.
    pub fn wall(self, is_wall: bool) -> Self {
        Self { clock: if is_wall { Clock::Wall } else { Clock::Cpu }, ..self }
    }

    /// Runs functions in turns; the first is what the others are compared with. Those without a name have a letter.
    pub fn run(&self, functions: &mut [(Option<&str>, Calls<'_>)]) -> Outcome {
        let mut certain: Vec<_> = functions
            .iter_mut()
            .map(|(name, calls)| (*name, move |clock, n| Ok::<f64, Infallible>(calls(clock, n))))
            .collect();
        let mut functions: Vec<(Option<&str>, TryCalls<'_, Infallible>)> =
            certain.iter_mut().map(|(name, calls)| (*name, calls as TryCalls<'_, Infallible>)).collect();
        let Ok(outcome) = self.try_run(&mut functions);
        outcome
    }

    /// As [`Plan::run`], of functions that can fail.
    ///
    /// # Errors
    /// The first failure of a function; nothing is called after it.
    pub fn try_run<E>(&self, functions: &mut [(Option<&str>, TryCalls<'_, E>)]) -> Result<Outcome, E> {
        let began = Instant::now();
        let names = ('A'..='Z').map(String::from).chain((27..).map(|number| format!("function {number}")));
        let names: Vec<String> = functions
            .iter()
            .zip(names)
            .map(|((name, _), letter)| name.map_or(letter, str::to_owned))
            .collect();
        let options = ExperimentOptions {
            n_variants: functions.len(),
            metric: if self.clock == Clock::Cpu { Metric::Cpu } else { Metric::Wall },
            margin: self.margin,
            max_rounds: self.max_pairs,
            seed: self.seed.unwrap_or_else(|| RandomState::new().hash_one("the order of calls")),
            ..ExperimentOptions::default()
        };
        // One function alone has nothing to be compared with.
        let Ok(mut experiment) = Experiment::new(options) else {
            return Ok(Outcome { names, ..Outcome::default() });
        };
        let batches: Vec<u64> =
            functions.iter_mut().map(|(_, calls)| self.batch(calls)).collect::<Result<_, E>>()?;
        let mut times = vec![Vec::new(); functions.len()];
        loop {
            let mut round = vec![0.0; functions.len()];
            for &at in experiment.order() {
                let nanos = functions[at].1(self.clock, batches[at])?;
                // A clock that stood still would make a function infinitely fast.
                round[at] = (nanos / batches[at] as f64).max(f64::MIN_POSITIVE);
            }
            times.iter_mut().zip(&round).for_each(|(all, nanos)| all.push(*nanos));
            let spent = began.elapsed().as_secs_f64() / self.max_time.as_secs_f64().max(f64::MIN_POSITIVE);
            if !matches!(experiment.add(&round, spent), Ok(Step::GoOn)) {
                break;
            }
        }
        Ok(Outcome {
            names,
            comparisons: experiment.comparisons(),
            call_nanos: times.iter_mut().map(|all| median(all)).collect(),
        })
    }

    /// How many calls take as long as a batch should. What they need to be warm is warm then.
    fn batch<E>(&self, calls: &mut TryCalls<'_, E>) -> Result<u64, E> {
        let longest = self.max_time.as_secs_f64() / LEAST_BATCHES;
        let mut n = 1;
        loop {
            let began = Instant::now();
            let nanos = calls(self.clock, n)?;
            if nanos >= BATCH_NANOS || n >= MOST_CALLS {
                return Ok(n);
            }
            let wanted = (n as f64 * BATCH_NANOS / nanos.max(1.0)).ceil() as u64;
            // Waits, and inputs that are made, take time that is not measured.
            let possible = (n as f64 * longest / began.elapsed().as_secs_f64().max(1e-9)) as u64;
            // What was short by chance must not make a batch endless.
            let next = wanted.clamp(n * 2, n * 16).min(possible).min(MOST_CALLS);
            if next <= n {
                return Ok(n);
            }
            n = next;
        }
    }
}

/// Calls of a function without an input.
pub fn calls<T>(mut function: impl FnMut() -> T) -> impl FnMut(Clock, u64) -> f64 {
    move |clock, n| {
        clock.timed(|| {
            for _ in 0..n {
                black_box(function());
            }
        })
    }
}

/// Calls of a function, each with an input that was made before.
pub fn calls_with<I, T>(
    make: &impl Fn() -> I,
    mut function: impl FnMut(I) -> T,
) -> impl FnMut(Clock, u64) -> f64 {
    move |clock, n| {
        let mut nanos = 0.0;
        let mut left = n;
        while left > 0 {
            let inputs: Vec<I> = (0..left.min(MOST_INPUTS)).map(|_| black_box(make())).collect();
            left -= inputs.len() as u64;
            nanos += clock.timed(|| {
                for input in inputs {
                    black_box(function(input));
                }
            });
        }
        nanos
    }
}

impl Clock {
    /// How long something takes, in nanoseconds.
    fn timed(self, work: impl FnOnce()) -> f64 {
        let Ok(nanos) = self.try_timed(|| {
            work();
            Ok::<(), Infallible>(())
        });
        nanos
    }

    /// How long something takes that can fail, in nanoseconds.
    ///
    /// # Errors
    /// Its failure.
    pub fn try_timed<E>(self, work: impl FnOnce() -> Result<(), E>) -> Result<f64, E> {
        let cpu = || process::cpu_nanos().filter(|_| self == Self::Cpu);
        let (from, began) = (cpu(), Instant::now());
        work()?;
        Ok(match (from, cpu()) {
            (Some(from), Some(to)) => to.saturating_sub(from) as f64,
            _ => began.elapsed().as_nanos() as f64,
        })
    }
}

/// What a comparison of functions came to. It prints as a sentence for each function but the first.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Outcome {
    names: Vec<String>,
    comparisons: Vec<Comparison>,
    call_nanos: Vec<f64>,
}

impl Outcome {
    /// The verdict on the second function against the first: regressed where it is slower.
    #[must_use]
    pub fn verdict(&self) -> Verdict {
        self.comparisons.first().map_or(Verdict::Undecided, |found| found.verdict)
    }

    /// By how much the second differs from the first: 0.05 is 5 % more. `None` where too little was measured.
    #[must_use]
    pub fn effect(&self) -> Option<f64> {
        Some(self.comparisons.first()?.change?.effect)
    }

    /// Where that truly lies, in 95 of 100 such comparisons.
    #[must_use]
    pub fn interval(&self) -> Option<[f64; 2]> {
        Some(self.comparisons.first()?.change?.interval)
    }

    /// What a call of each function took in the middle, in nanoseconds.
    #[must_use]
    pub fn call_nanos(&self) -> &[f64] {
        &self.call_nanos
    }

    /// What the functions are called, in the order given.
    #[must_use]
    pub fn names(&self) -> &[String] {
        &self.names
    }

    /// Each function but the first against the first.
    #[must_use]
    pub fn comparisons(&self) -> &[Comparison] {
        &self.comparisons
    }
}

impl fmt::Display for Outcome {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Some(first) = self.names.first().filter(|_| !self.comparisons.is_empty()) else {
            return f.write_str("undecided: expected two functions or more to compare");
        };
        for (at, found) in self.comparisons.iter().enumerate() {
            let name = self.names.get(found.variant).map_or("?", String::as_str);
            let end = if at == 0 { "" } else { "\n" };
            write!(f, "{end}{}", found.sentence(name, first))?;
        }
        Ok(())
    }
}

fn median(values: &mut [f64]) -> f64 {
    values.sort_by(f64::total_cmp);
    values.get(values.len() / 2).copied().unwrap_or(f64::NAN)
}
