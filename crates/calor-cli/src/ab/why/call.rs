//! What one call takes: of runs that do their work many times, less what a run takes that does it once. So the start of a
//! process and the making of its input, which would hide small operations, are left out.

use anyhow::Result;

use super::operation::Operation;

/// How often a run without many calls is measured; the one in the middle counts.
const STARTS: usize = 3;
/// A call is not repeated more often than this in a turn.
const MOST_CALLS: u64 = 1 << 33;
/// A turn that takes longer than this on the wall has enough calls.
const LONGEST: f64 = 2e9;

/// Nanoseconds.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub(super) struct Time {
    pub(super) cpu: f64,
    pub(super) wall: f64,
}

/// How a side is timed at a size.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) struct Turn {
    /// How often the work is done.
    pub(super) calls: u64,
    /// What a run takes that does it once; `None` where runs have no start.
    once: Option<Time>,
}

impl Turn {
    /// Finds how many calls make a turn long enough to be measured.
    pub(super) fn calibrate(operation: &mut dyn Operation, side: usize, size: f64) -> Result<Self> {
        if !operation.has_calls() {
            return Ok(Self { calls: 1, once: None });
        }
        let once = match operation.has_start() {
            true => {
                let mut all = Vec::new();
                for _ in 0..STARTS {
                    all.push(operation.time(side, size, 1)?);
                }
                Some(Time { cpu: middle(&all, |it| it.cpu), wall: middle(&all, |it| it.wall) })
            }
            false => None,
        };
        let wanted = operation.turn_nanos();
        let mut turn = Self { calls: 2, once };
        let beyond = |took: Time| (took.cpu - once.map_or(0.0, |once| once.cpu)).max(1.0);
        loop {
            let mut took = operation.time(side, size, turn.calls)?;
            if beyond(took) >= 0.7 * wanted && took.wall < LONGEST {
                // A single run that was disturbed is long with any number of calls: all turns would be too short.
                let again = operation.time(side, size, turn.calls)?;
                took.cpu = took.cpu.min(again.cpu);
            }
            let beyond = beyond(took);
            if beyond >= 0.7 * wanted || took.wall >= LONGEST || turn.calls >= MOST_CALLS {
                return Ok(turn);
            }
            // Short times are mostly scatter: not too far at once.
            let factor = (1.1 * wanted / beyond).clamp(2.0, 32.0);
            turn.calls = ((turn.calls as f64 * factor) as u64).min(MOST_CALLS);
        }
    }

    /// What a call takes.
    pub(super) fn time(self, operation: &mut dyn Operation, side: usize, size: f64) -> Result<Time> {
        let took = operation.time(side, size, self.calls)?;
        Ok(match self.once {
            None => Time { cpu: took.cpu / self.calls as f64, wall: took.wall / self.calls as f64 },
            Some(once) => {
                let n_more = (self.calls - 1).max(1) as f64;
                let more =
                    |took: f64, once: f64| ((took - once) / n_more).max(took / self.calls as f64 * 1e-3);
                Time { cpu: more(took.cpu, once.cpu), wall: more(took.wall, once.wall) }
            }
        })
    }
}

/// The value in the middle.
pub(super) fn middle<T>(all: &[T], of: impl Fn(&T) -> f64) -> f64 {
    let mut values: Vec<f64> = all.iter().map(of).collect();
    values.sort_by(f64::total_cmp);
    match values.len() {
        0 => 0.0,
        n if n % 2 == 1 => values[n / 2],
        n => 0.5 * (values[n / 2 - 1] + values[n / 2]),
    }
}

#[cfg(test)]
mod tests {
    use std::ffi::OsString;

    use super::*;

    /// 5 ms to start and 100 ns a call; some runs take 60 ms longer.
    struct Disturbed {
        n_runs: usize,
        is_disturbed: fn(usize) -> bool,
    }

    impl Operation for Disturbed {
        fn shown(&self) -> [String; 2] {
            Default::default()
        }
        fn usual_sizes(&self) -> Vec<f64> {
            vec![1.0]
        }
        fn has_calls(&self) -> bool {
            true
        }
        fn has_start(&self) -> bool {
            true
        }
        fn turn_nanos(&self) -> f64 {
            40e6
        }
        fn time(&mut self, _: usize, _: f64, calls: u64) -> Result<Time> {
            self.n_runs += 1;
            let disturbance = if (self.is_disturbed)(self.n_runs) { 60e6 } else { 0.0 };
            let cpu = 5e6 + 100.0 * calls as f64 + disturbance;
            Ok(Time { cpu, wall: cpu })
        }
        fn check(&mut self, _: f64) -> Result<Option<String>> {
            Ok(None)
        }
        fn bytes(&mut self, _: f64) -> Result<Option<f64>> {
            Ok(None)
        }
        fn command(&self, _: usize, _: f64, _: u64) -> Vec<OsString> {
            Vec::new()
        }
        fn within(&self) -> Option<&'static str> {
            None
        }
    }

    #[test]
    fn one_disturbed_run_does_not_make_turns_short() {
        let check = |is_disturbed: fn(usize) -> bool| {
            let mut operation = Disturbed { n_runs: 0, is_disturbed };
            let turn = Turn::calibrate(&mut operation, 0, 1.0).expect("it can be timed");
            assert!(turn.calls > 200_000, "{turn:?}");
        };
        check(|_| false);
        // The first with more than one call, or the one before the last.
        check(|run| run == STARTS + 1);
        check(|run| run == STARTS + 3);
    }
}
