//! A fixed piece of code that recorders time before and after the program: where it became slower too, the machine did and not
//! the program. Never while the program runs, whose own load would be taken for the machine's. It counts and it walks through memory, since load slows the two by different parts. What it does must stay as it
//! is, or its times of before cannot be held against those of after.

use std::hint::black_box;

/// Steps of one repetition that only count.
const COUNTED: u64 = 40_000;
/// Steps of one repetition that each wait for a word of memory.
const WALKED: u64 = 8_000;
/// Words that are walked through: 1 MiB, more than the nearest caches hold.
const WORDS: usize = 1 << 18;
/// Repetitions of which the middle one counts.
const REPETITIONS: usize = 7;

/// How long the canary took; `None` where it was not timed.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Canary {
    /// CPU time of a repetition just before the program began.
    pub first_nanos: Option<u64>,
    /// The same just after it ended.
    pub last_nanos: Option<u64>,
}

impl Canary {
    /// Runs it, some 2 ms, and returns the CPU time of its middle repetition. `clock` tells the CPU time of the calling thread
    /// in nanoseconds.
    #[must_use]
    pub fn time(clock: impl Fn() -> u64) -> u64 {
        let mut times = Self::repeat(REPETITIONS, |repetition| {
            let from = clock();
            repetition();
            clock().saturating_sub(from)
        });
        times.sort_unstable();
        times[REPETITIONS / 2]
    }

    /// Hands so many repetitions to `timed`, one after the other, and returns what that makes of each. One more comes before
    /// them, which finds the memory cold.
    #[must_use]
    pub fn repeat<T>(n: usize, mut timed: impl FnMut(&dyn Fn()) -> T) -> Vec<T> {
        let words: Vec<u32> = (0..WORDS as u32).map(|at| at.wrapping_mul(2_654_435_761) >> 7).collect();
        let run = || {
            black_box(repetition(black_box(&words)));
        };
        run();
        (0..n).map(|_| timed(&run)).collect()
    }

    /// What it took in this run: the middle of both times on a scale of ratios, or the one there is.
    #[must_use]
    pub fn nanos(&self) -> Option<f64> {
        match (self.known(self.first_nanos), self.known(self.last_nanos)) {
            (Some(first), Some(last)) => Some((first * last).sqrt()),
            (first, last) => first.or(last),
        }
    }

    /// By how much the two times differ, as the logarithm of their ratio; `None` where one is missing.
    #[must_use]
    pub fn spread(&self) -> Option<f64> {
        let (first, last) = (self.known(self.first_nanos)?, self.known(self.last_nanos)?);
        Some((last / first).ln().abs())
    }

    fn known(&self, nanos: Option<u64>) -> Option<f64> {
        nanos.filter(|nanos| *nanos > 0).map(|nanos| nanos as f64)
    }
}

fn repetition(words: &[u32]) -> u64 {
    let mut state = 1_u64;
    for _ in 0..COUNTED {
        state = state.wrapping_mul(6_364_136_223_846_793_005).wrapping_add(1_442_695_040_888_963_407);
        state ^= state >> 29;
    }
    for _ in 0..WALKED {
        let word = words[(state >> 46) as usize % WORDS];
        state = (state ^ u64::from(word)).wrapping_mul(6_364_136_223_846_793_005);
    }
    state
}

#[cfg(test)]
mod tests {
    use std::cell::Cell;

    use super::*;

    #[test]
    fn the_middle_repetition_counts() {
        // A clock by which repetitions take 50, 10, 9, 8, 3, 2 and 1.
        let ticks = Cell::new(vec![1_u64, 0, 2, 0, 3, 0, 8, 0, 9, 0, 10, 0, 50, 0]);
        let clock = || {
            let mut left = ticks.take();
            let now = left.pop().unwrap_or(0);
            ticks.set(left);
            now
        };
        assert_eq!(Canary::time(clock), 8);
    }

    #[test]
    fn two_times_have_a_middle_and_a_spread_and_one_has_none() {
        let both = Canary { first_nanos: Some(100), last_nanos: Some(400) };
        assert_eq!((both.nanos(), both.spread()), (Some(200.0), Some(4_f64.ln())));
        let one = Canary { first_nanos: Some(100), last_nanos: Some(0) };
        assert_eq!((one.nanos(), one.spread()), (Some(100.0), None));
        assert_eq!(Canary::default().nanos(), None);
    }
}
