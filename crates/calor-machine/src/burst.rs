//! Bursts: a kernel is run for a fifth of a millisecond of its thread's CPU time, and the best of many bursts counts. Kernels
//! take turns, so that whatever disturbs the machine for some milliseconds meets a few bursts of each and not all of one.
//! Short bursts find the moments in which nobody else uses the same core, cache or memory; longer ones found fewer.

use crate::clock::{thread_nanos, wall_nanos};
use crate::kernel::Kernel;

/// CPU time of a burst: long against the clock's own cost of a third of a microsecond, short against everything else.
const BURST_NANOS: u64 = 200_000;
/// One part of this many is run before each burst, to have its memory near and its vectors awake.
const WARM_UP: u64 = 8;
/// Of bursts over main memory this part may be quicker than what counts: some find a little of it in a cache, where others
/// left it, and how much is luck.
const LUCKY: f64 = 0.25;
/// At least so many rounds, however late it is.
const LEAST_ROUNDS: usize = 12;

/// A kernel and what it has reached.
pub(crate) struct Contestant {
    kernel: Box<dyn Kernel>,
    n_steps: u64,
    rates: Vec<f64>,
}

impl Contestant {
    pub(crate) fn new(mut kernel: Box<dyn Kernel>) -> Self {
        let n_steps = steps_of_a_burst(kernel.as_mut());
        Self { kernel, n_steps, rates: Vec::new() }
    }

    /// Runs one burst.
    pub(crate) fn burst(&mut self) {
        self.kernel.run(self.n_steps.div_ceil(WARM_UP));
        let from = thread_nanos();
        self.kernel.run(self.n_steps);
        let nanos = thread_nanos().saturating_sub(from);
        self.note(nanos);
    }

    fn note(&mut self, nanos: u64) {
        // The machine was disturbed when steps were counted: too few of them measure the clock.
        if nanos < BURST_NANOS / 2 {
            self.n_steps = self.n_steps.saturating_mul(2);
            return;
        }
        self.rates.push(self.n_steps as f64 * self.kernel.work() * 1e9 / nanos as f64);
    }

    /// Work a second at best; `None` where no burst could be timed.
    pub(crate) fn rate(&self) -> Option<f64> {
        let mut sorted = self.rates.clone();
        sorted.sort_unstable_by(f64::total_cmp);
        let n_lucky = if self.kernel.is_lucky() { (sorted.len() as f64 * LUCKY) as usize } else { 0 };
        sorted.iter().rev().nth(n_lucky).copied()
    }
}

/// Lets all run in turns for so much time on the wall.
pub(crate) fn contest(contestants: &mut [Contestant], nanos: u64) {
    let from = wall_nanos();
    let mut n_rounds = 0;
    while n_rounds < LEAST_ROUNDS || wall_nanos() - from < nanos {
        contestants.iter_mut().for_each(Contestant::burst);
        n_rounds += 1;
    }
}

/// How many steps of a kernel make a burst.
pub(crate) fn steps_of_a_burst(kernel: &mut dyn Kernel) -> u64 {
    const TRIAL_NANOS: u64 = BURST_NANOS / 8;
    // A clock that stands still must not keep us here.
    const MOST_STEPS: u64 = 1 << 40;
    let mut n_steps = 1;
    loop {
        let mut trial = || {
            let from = thread_nanos();
            kernel.run(n_steps);
            thread_nanos().saturating_sub(from)
        };
        // The first may have been disturbed.
        let nanos = if trial() < TRIAL_NANOS { 0 } else { trial().min(trial()) };
        if nanos >= TRIAL_NANOS || n_steps >= MOST_STEPS {
            let wanted = BURST_NANOS as f64 / nanos.max(1) as f64 * n_steps as f64;
            return (wanted as u64).max(1);
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
    fn the_best_rate_is_kept_and_bursts_that_were_too_short_do_not_count() {
        let mut spin = Contestant { kernel: Box::new(Spin(1)), n_steps: 1000, rates: Vec::new() };
        assert_eq!(spin.rate(), None);
        for (nanos, n_steps, rate) in [
            (10, 2000, None),
            (200_000, 2000, Some(1e9)),
            (400_000, 2000, Some(1e9)),
            (100_000, 2000, Some(2e9)),
        ] {
            spin.note(nanos);
            assert_eq!((spin.n_steps, spin.rate()), (n_steps, rate), "{nanos}");
        }
    }

    #[test]
    fn a_contest_measures_all_and_ends() {
        let mut all = [Contestant::new(Box::new(Spin(1))), Contestant::new(Box::new(Spin(2)))];
        contest(&mut all, 0);
        for one in &all {
            assert!(one.rate().is_some_and(|rate| rate > 1e6), "{:?}", one.rates);
        }
    }
}
