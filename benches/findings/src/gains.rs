//! What a fix gave, measured: the planted program and its twin in turns, by the clock that the gain speaks of.

use calor_analysis::paired_change;
use calor_workloads::planted::{Program, Saves, Trial, Workshop};
use harness::watched::child::run;

/// A gain that was told, and the one that the twin has.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Held {
    pub(crate) told: (f64, f64),
    pub(crate) measured: f64,
    /// Where the measured one surely lies.
    interval: (f64, f64),
}

impl Held {
    /// Whether what was told holds what was measured, as far as that is known.
    pub(crate) fn is_inside(&self) -> bool {
        self.told.0 <= self.interval.1 && self.interval.0 <= self.told.1
    }

    /// How many times as large the upper bound is as the lower one.
    pub(crate) fn width(&self) -> f64 {
        self.told.1 / self.told.0
    }
}

/// Runs both programs of a trial in turns; `None` where nothing was found, or the gain is not of time.
pub(crate) fn held(
    workshop: &Workshop,
    trial: &Trial,
    seed: u64,
    n_pairs: usize,
) -> Result<Option<Held>, String> {
    let Some(told) = trial.found().filter(|_| trial.case.saves != Saves::Memory) else { return Ok(None) };
    let (programs, _) = Program::twins(&trial.case, seed);
    let [mut planted, mut healthy] = [Vec::new(), Vec::new()];
    for pair in 0..n_pairs {
        // Each goes first in every other pair.
        let mut seconds = [0.0; 2];
        for at in [pair % 2, 1 - pair % 2] {
            let ended = run(&mut workshop.command(&programs[at]))?;
            seconds[at] = match trial.case.saves {
                Saves::Wall => (ended.at_nanos - ended.started_nanos) as f64 / 1e9,
                _ => ended.cpu_s,
            };
        }
        planted.push(seconds[0]);
        healthy.push(seconds[1]);
    }
    let change = paired_change(&healthy, &planted).ok_or("too few pairs were measured")?;
    let [low, high] = change.interval.map(|change| 1.0 + change);
    Ok(Some(Held { told: told.gain, measured: 1.0 + change.effect, interval: (low, high) }))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_gain_holds_where_the_intervals_meet() {
        let held = |low, high| Held { told: (1.2, 2.0), measured: (low + high) / 2.0, interval: (low, high) };
        assert!(held(1.5, 1.6).is_inside() && held(1.1, 1.3).is_inside() && held(1.9, 2.4).is_inside());
        assert!(!held(1.0, 1.1).is_inside() && !held(2.1, 2.4).is_inside());
    }
}
