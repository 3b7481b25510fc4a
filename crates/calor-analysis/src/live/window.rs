//! Everything that is known of a running program, over the last seconds and since the start. What it holds is bounded, however long the
//! program runs.

use std::collections::{BTreeMap, HashMap, VecDeque};
use std::sync::Arc;
use std::time::Duration;

use calor_model::Warning;

use super::amount::{LiveFunctionTime, LiveLineTime, LiveThreadTime, LiveWaitTime};
use super::digest::{LiveCall, LivePart, LiveSpot, LiveWait};
use super::ledger::Ledger;
use super::memory::{MemoryUsage, ProcessMemory};
use super::names::{LiveFunction, LiveThread, PythonLine};
use super::span::{LONGEST, LiveSpan};

/// Points of memory that are kept.
const POINTS: usize = 600;
/// Names of threads that are remembered, those of ended threads included.
const MOST_THREADS: usize = 10_000;
/// Warnings that are kept.
const MOST_WARNINGS: usize = 50;

/// One part in numbers.
#[derive(Clone, Copy, Debug, Default)]
pub struct LiveRound {
    /// How long it took.
    pub wall_nanos: u64,
    /// What samples stand for: shares are of this.
    pub sampled_nanos: u64,
    /// CPU time as the kernel counts it.
    pub cpu_nanos: u64,
    /// How many samples there were.
    pub n_samples: u64,
}

impl LiveRound {
    fn add(&mut self, other: Self) {
        self.wall_nanos += other.wall_nanos;
        self.sampled_nanos += other.sampled_nanos;
        self.cpu_nanos += other.cpu_nanos;
        self.n_samples += other.n_samples;
    }
}

/// The sums.
#[derive(Clone, Debug, Default)]
pub struct LiveWindow {
    pub(super) functions: Ledger<Arc<LiveFunction>, LiveFunctionTime>,
    pub(super) calls: Ledger<LiveCall, u64>,
    pub(super) lines: Ledger<PythonLine, LiveLineTime>,
    pub(super) threads: Ledger<LiveThread, LiveThreadTime>,
    pub(super) spots: Ledger<LiveSpot, u64>,
    pub(super) waits: Ledger<LiveWait, LiveWaitTime>,
    pub(super) thread_names: HashMap<LiveThread, String>,
    /// Memory over time, the newest last.
    pub memory: VecDeque<MemoryUsage>,
    /// Of each process, as it was last seen.
    pub processes: Vec<ProcessMemory>,
    /// What was not seen, by code and message.
    pub warnings: BTreeMap<(String, String), Option<u64>>,
    /// All parts together.
    pub whole: LiveRound,
    rounds: VecDeque<LiveRound>,
}

impl LiveWindow {
    /// Takes in what a part says. `refresh` is how long a part is meant to be.
    pub fn add(&mut self, part: LivePart, wall: Duration, cpu_nanos: u64, refresh: Duration) {
        let n_rounds = n_rounds(LONGEST, refresh);
        let round = LiveRound {
            wall_nanos: u64::try_from(wall.as_nanos()).unwrap_or(u64::MAX),
            sampled_nanos: part.cpu_nanos,
            cpu_nanos,
            n_samples: part.n_samples,
        };
        self.whole.add(round);
        self.rounds.push_back(round);
        while self.rounds.len() > n_rounds {
            self.rounds.pop_front();
        }
        if self.thread_names.len() > MOST_THREADS {
            self.thread_names.clear();
        }
        self.thread_names.extend(part.thread_names);
        self.functions.add_round(part.functions, n_rounds);
        self.calls.add_round(part.calls, n_rounds);
        self.lines.add_round(part.lines, n_rounds);
        self.threads.add_round(part.threads, n_rounds);
        self.spots.add_round(part.spots, n_rounds);
        self.waits.add_round(part.waits, n_rounds);
    }

    /// Takes in how much memory the processes have.
    pub fn add_memory(&mut self, processes: Vec<ProcessMemory>, at: Duration) {
        if processes.is_empty() {
            return;
        }
        self.memory.push_back(MemoryUsage::of(&processes, at));
        if self.memory.len() > POINTS {
            self.memory.pop_front();
        }
        self.processes = processes;
    }

    /// Takes in what a part could not see; counts add up.
    pub fn add_warnings(&mut self, warnings: &[Warning]) {
        for Warning { code, message, count } in warnings {
            let key = (code.clone(), message.clone());
            if self.warnings.len() >= MOST_WARNINGS && !self.warnings.contains_key(&key) {
                continue;
            }
            let known = self.warnings.entry(key).or_default();
            *known = count.map(|count| known.unwrap_or(0).saturating_add(count)).or(*known);
        }
    }

    /// How many of the last parts make up a span; `None` for all since the start.
    pub(super) fn n_rounds(&self, span: LiveSpan) -> Option<usize> {
        let wanted = span.duration()?.as_nanos();
        let (mut n_rounds, mut nanos) = (0, 0);
        for round in self.rounds.iter().rev() {
            // A part that hardly reaches into the span is left out.
            if n_rounds > 0 && nanos + u128::from(round.wall_nanos) / 2 > wanted {
                break;
            }
            nanos += u128::from(round.wall_nanos);
            n_rounds += 1;
        }
        Some(n_rounds)
    }

    /// The parts of a span together.
    #[must_use]
    pub fn round(&self, span: LiveSpan) -> LiveRound {
        let Some(n_rounds) = self.n_rounds(span) else { return self.whole };
        self.between(0, n_rounds)
    }

    /// The parts that are `newest` to `oldest` parts ago together.
    pub(super) fn between(&self, newest: usize, oldest: usize) -> LiveRound {
        let mut sum = LiveRound::default();
        self.rounds.iter().rev().take(oldest).skip(newest).for_each(|round| sum.add(*round));
        sum
    }

    /// The last `n_rounds` parts, the newest last.
    pub(super) fn last(&self, n_rounds: usize) -> impl Iterator<Item = LiveRound> {
        self.rounds.iter().skip(self.rounds.len().saturating_sub(n_rounds)).copied()
    }

    /// What a thread is called.
    pub(super) fn thread_name(&self, key: LiveThread) -> &str {
        self.thread_names.get(&key).map_or("", String::as_str)
    }
}

fn n_rounds(span: Duration, refresh: Duration) -> usize {
    (span.as_secs_f64() / refresh.as_secs_f64().max(0.01)).ceil() as usize
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_span_is_made_of_the_parts_that_lie_in_it() {
        let mut window = LiveWindow::default();
        let second = Duration::from_secs(1);
        for _ in 0..200 {
            window.add(LivePart { cpu_nanos: 7, ..LivePart::default() }, second, 9, second);
        }
        assert_eq!((window.n_rounds(LiveSpan::Short), window.n_rounds(LiveSpan::Long)), (Some(10), Some(60)));
        assert_eq!(window.n_rounds(LiveSpan::Whole), None);
        assert_eq!(
            (window.round(LiveSpan::Short).sampled_nanos, window.round(LiveSpan::Whole).cpu_nanos),
            (70, 1_800)
        );
        assert_eq!(window.rounds.len(), 60, "what is kept is bounded");
    }

    #[test]
    fn a_part_longer_than_the_span_is_shown_whole() {
        let mut window = LiveWindow::default();
        let minute = Duration::from_secs(45);
        for _ in 0..3 {
            window.add(LivePart::default(), minute, 0, minute);
        }
        assert_eq!(window.n_rounds(LiveSpan::Short), Some(1));
    }

    #[test]
    fn a_warning_that_is_said_again_is_counted() {
        let mut window = LiveWindow::default();
        for _ in 0..3 {
            window
                .add_warnings(&[Warning::counted("samples_lost", "lost", 2), Warning::new("other", "once")]);
        }
        let found: Vec<_> =
            window.warnings.iter().map(|((code, _), count)| (code.as_str(), *count)).collect();
        assert_eq!(found, [("other", None), ("samples_lost", Some(6))]);
    }
}
