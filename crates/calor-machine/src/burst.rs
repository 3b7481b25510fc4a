//! Bursts: a kernel is run in takes of some microseconds, and the best take of many bursts counts. Kernels take turns, so that
//! whatever disturbs the machine for some milliseconds meets a few bursts of each and not all of one.
//!
//! Takes are timed on the wall. One in which somebody else had the core is slow, and slow takes do not count; so there is no
//! need to leave out the time of others, and takes may be short: the shorter they are, the more of them fall into moments in
//! which nobody uses the same core, cache or memory. The bests of the parts of a measurement show how far to trust it: where one
//! part found much more than another, there may be more to find.

use crate::clock::{thread_nanos, wall_nanos};
use crate::kernel::{Kernel, Pace};

/// A take: long against the clock's own cost of some 40 ns, short against everything else.
const TAKE_NANOS: u64 = 20_000;
/// Takes of a burst.
const TAKES: u64 = 8;
/// Of takes that may find a little of main memory in a cache, where others left it, this part may be quicker than what counts.
const LUCKY: f64 = 0.25;
/// At least so many rounds in each part, however late it is.
const LEAST_ROUNDS: usize = 2;

/// The best of a kernel.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(crate) struct Rate {
    /// Work a second in the best part of the measurement, which is what counts.
    pub(crate) best: f64,
    /// The same in the worst part.
    pub(crate) least: f64,
}

/// A kernel and what it has reached.
pub(crate) struct Contestant {
    kernel: Box<dyn Kernel>,
    pace: Pace,
    /// Rates by part of the measurement.
    parts: Vec<Vec<f64>>,
}

impl Contestant {
    pub(crate) fn new(mut kernel: Box<dyn Kernel>) -> Self {
        let pace = pace(kernel.as_mut());
        Self { kernel, pace, parts: Vec::new() }
    }

    /// Begins a part of the measurement.
    pub(crate) fn begin_part(&mut self) {
        self.parts.push(Vec::new());
    }

    /// Runs the bursts of a round.
    fn round(&mut self) {
        (0..self.pace.n_bursts).for_each(|_| self.burst());
    }

    /// Runs one burst.
    pub(crate) fn burst(&mut self) {
        self.kernel.prepare(self.pace);
        let mut from = wall_nanos();
        for _ in 0..self.pace.n_takes {
            self.kernel.run(self.pace.n_steps);
            let to = wall_nanos();
            self.note(to - from);
            from = to;
        }
    }

    fn note(&mut self, nanos: u64) {
        // The machine was disturbed when steps were counted: too few of them measure the clock.
        if nanos < TAKE_NANOS / 8 {
            self.pace.n_steps = self.pace.n_steps.saturating_mul(2);
            return;
        }
        if self.parts.is_empty() {
            self.begin_part();
        }
        let rate = self.pace.n_steps as f64 * self.kernel.work() * 1e9 / nanos as f64;
        self.parts.last_mut().expect("a part has begun").push(rate);
    }

    /// What it has reached; `None` where no take could be timed.
    pub(crate) fn rate(&self) -> Option<Rate> {
        let bests: Vec<f64> = self.parts.iter().filter_map(|rates| self.best(rates)).collect();
        let best = bests.iter().copied().max_by(f64::total_cmp)?;
        let least = bests.iter().copied().min_by(f64::total_cmp)?;
        Some(Rate { best, least })
    }

    fn best(&self, rates: &[f64]) -> Option<f64> {
        let mut sorted = rates.to_vec();
        sorted.sort_unstable_by(f64::total_cmp);
        let n_lucky = if self.kernel.is_lucky() { (sorted.len() as f64 * LUCKY) as usize } else { 0 };
        sorted.iter().rev().nth(n_lucky).copied()
    }
}

/// One part of a measurement: all run in turns for so much time on the wall.
pub(crate) fn contest(contestants: &mut [Contestant], nanos: u64) {
    contestants.iter_mut().for_each(Contestant::begin_part);
    let from = wall_nanos();
    let mut n_rounds = 0;
    while n_rounds < LEAST_ROUNDS || wall_nanos() - from < nanos {
        contestants.iter_mut().for_each(Contestant::round);
        n_rounds += 1;
    }
}

/// The pace of a kernel: its own, or else takes of a certain length.
pub(crate) fn pace(kernel: &mut dyn Kernel) -> Pace {
    // A clock that stands still must not keep us here.
    const MOST_STEPS: u64 = 1 << 40;
    if let Some(pace) = kernel.pace() {
        return pace;
    }
    let mut n_steps = 1;
    loop {
        // Here nobody else's time may count, since what is looked for is no best.
        let mut trial = || {
            let from = thread_nanos();
            kernel.run(n_steps);
            thread_nanos().saturating_sub(from)
        };
        // The first may have been disturbed.
        let nanos = if trial() < TAKE_NANOS / 2 { 0 } else { trial().min(trial()) };
        if nanos >= TAKE_NANOS / 2 || n_steps >= MOST_STEPS {
            let wanted = TAKE_NANOS as f64 / nanos.max(1) as f64 * n_steps as f64;
            return Pace { n_steps: (wanted as u64).max(1), n_takes: TAKES, n_bursts: 1 };
        }
        n_steps *= 2;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    struct Spin(u64);

    impl Kernel for Spin {
        fn run(&mut self, n_steps: u64) {
            for step in 0..n_steps * 100 {
                self.0 = std::hint::black_box(self.0.wrapping_mul(5).wrapping_add(step));
            }
        }

        fn work(&self) -> f64 {
            100.0
        }
    }

    #[test]
    fn the_best_take_counts_and_the_parts_tell_how_far_to_trust_it() {
        let pace = Pace { n_steps: 100, n_takes: 1, n_bursts: 1 };
        let mut spin = Contestant { kernel: Box::new(Spin(1)), pace, parts: Vec::new() };
        assert_eq!(spin.rate(), None);
        for (nanos, n_steps, rate) in
            [(10, 200, None), (20_000, 200, Some(1e9)), (40_000, 200, Some(1e9)), (10_000, 200, Some(2e9))]
        {
            spin.note(nanos);
            assert_eq!((spin.pace.n_steps, spin.rate().map(|rate| rate.best)), (n_steps, rate), "{nanos}");
        }
        spin.begin_part();
        spin.note(16_000);
        assert_eq!(spin.rate(), Some(Rate { best: 2e9, least: 1.25e9 }));
        spin.begin_part();
        assert_eq!(
            spin.rate(),
            Some(Rate { best: 2e9, least: 1.25e9 }),
            "a part without takes tells nothing"
        );
    }

    #[test]
    fn a_contest_measures_all_and_ends() {
        let mut all = [Contestant::new(Box::new(Spin(1))), Contestant::new(Box::new(Spin(2)))];
        contest(&mut all, 0);
        for one in &all {
            assert!(one.rate().is_some_and(|rate| rate.best > 1e6 && rate.least <= rate.best));
        }
    }
}
