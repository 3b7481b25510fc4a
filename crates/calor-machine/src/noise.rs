//! How steady the machine is: the canary, a fixed piece of code that recorders time too, run after run.

use calor_model::Canary;

use crate::clock::{thread_nanos, wall_nanos};
use crate::{Noise, SmallestDetectable};

/// Pairs of runs, and fewer where others keep the core busy so long; a run is so many repetitions of the canary, about a
/// millisecond in all.
const PAIRS: usize = 25;
const LEAST_PAIRS: usize = 10;
const MOST_NANOS: u64 = 60_000_000;
const REPETITIONS: usize = 2;

/// Runs it, some 40 ms.
pub(crate) fn measure(smallest_detectable: SmallestDetectable) -> Noise {
    const OF_A_PAIR: usize = 2 * REPETITIONS;
    let (from, mut n_run, mut is_late) = (wall_nanos(), 0, false);
    let clocks = Canary::repeat(PAIRS * OF_A_PAIR, |repetition| {
        is_late |= n_run >= LEAST_PAIRS * OF_A_PAIR
            && n_run.is_multiple_of(OF_A_PAIR)
            && wall_nanos() - from > MOST_NANOS;
        if is_late {
            return None;
        }
        n_run += 1;
        let (cpu, wall) = (thread_nanos(), wall_nanos());
        repetition();
        Some((thread_nanos().saturating_sub(cpu), wall_nanos().saturating_sub(wall)))
    });
    let clocks: Vec<(u64, u64)> = clocks.into_iter().flatten().collect();
    let runs = |of: fn(&(u64, u64)) -> u64| -> Vec<f64> {
        clocks.chunks(REPETITIONS).map(|run| run.iter().map(of).sum::<u64>() as f64).collect()
    };
    of_runs(&runs(|clocks| clocks.0), &runs(|clocks| clocks.1), smallest_detectable)
}

fn of_runs(cpu: &[f64], wall: &[f64], smallest_detectable: SmallestDetectable) -> Noise {
    // Neighbours are compared, as experiments do: what changes slowly meets both.
    let first: Vec<f64> = cpu.iter().copied().step_by(2).collect();
    let second: Vec<f64> = cpu.iter().copied().skip(1).step_by(2).collect();
    let mut sorted = cpu.to_vec();
    sorted.sort_unstable_by(f64::total_cmp);
    Noise {
        cpu_cv: variation(cpu),
        wall_cv: variation(wall),
        smallest_detectable: smallest_detectable(&first, &second),
        n_pairs: second.len(),
        run_nanos: sorted.get(sorted.len() / 2).map(|nanos| *nanos as u64),
    }
}

/// The standard deviation over the mean; `None` without a mean to divide by.
fn variation(values: &[f64]) -> Option<f64> {
    let n = values.len() as f64;
    let mean = values.iter().sum::<f64>() / n;
    let squares = values.iter().map(|value| (value - mean).powi(2)).sum::<f64>();
    (mean > 0.0 && n > 1.0).then(|| (squares / (n - 1.0)).sqrt() / mean)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn scatter_is_relative_and_nothing_scatters_by_nothing() {
        assert_eq!(variation(&[2.0, 4.0]), Some(2_f64.sqrt() / 3.0));
        assert_eq!(variation(&[5.0; 9]), Some(0.0));
        assert_eq!((variation(&[]), variation(&[1.0]), variation(&[0.0, 0.0])), (None, None, None));
    }

    #[test]
    fn neighbours_become_pairs() {
        fn seen(first: &[f64], second: &[f64]) -> Option<f64> {
            assert_eq!((first, second), (&[1.0, 3.0][..], &[2.0, 4.0][..]));
            Some(0.01)
        }
        let noise = of_runs(&[1.0, 2.0, 3.0, 4.0], &[1.0; 4], seen);
        assert_eq!((noise.smallest_detectable, noise.n_pairs, noise.run_nanos), (Some(0.01), 2, Some(3)));
    }
}
