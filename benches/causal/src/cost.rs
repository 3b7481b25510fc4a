//! What an experiment costs a program beside its pauses: many short scopes, and many short waits, with nothing faster.

use std::hint::black_box;
use std::sync::PoisonError;
use std::time::Instant;

use calor::causal::experiment;
use calor::sync::{Mutex, channel};
use harness::Figures;

/// Turns of each program. A turn takes about a microsecond.
const N_TURNS: u64 = 200_000;
/// The quickest of so many counts.
const N_TRIES: usize = 5;

/// One thread with a scope, or with all that `calor::sync` has to offer to it, in every turn.
#[derive(Clone, Copy)]
pub(crate) enum Turn {
    Scopes,
    Waits,
}

impl Turn {
    fn run(self) {
        let (lock, (sender, receiver)) = (Mutex::new(0), channel());
        for turn in 0..N_TURNS {
            match self {
                Self::Scopes => {
                    calor::scope!("turn");
                    black_box(busy(turn));
                }
                Self::Waits => {
                    *lock.lock().unwrap_or_else(PoisonError::into_inner) += busy(turn);
                    let _ = sender.send(turn);
                    let _ = black_box(receiver.recv());
                }
            }
        }
    }
}

/// Most of a microsecond of arithmetic.
fn busy(seed: u64) -> u64 {
    (0..1_600).fold(seed, |sum, at| black_box(sum.rotate_left(5) ^ at))
}

pub(crate) fn measured(turn: Turn) -> Result<Figures, String> {
    calor::enable_with(&calor::Options::new());
    let nanos = |run: &mut dyn FnMut() -> Result<(), String>| -> Result<f64, String> {
        let mut quickest = f64::INFINITY;
        for _ in 0..N_TRIES {
            let began = Instant::now();
            run()?;
            quickest = quickest.min(began.elapsed().as_nanos() as f64 / N_TURNS as f64);
        }
        Ok(quickest)
    };
    let recorded = nanos(&mut || {
        turn.run();
        Ok(())
    })?;
    let tried = nanos(&mut || {
        experiment("nothing", 1.0, || turn.run()).map(|_| ()).map_err(|error| error.to_string())
    })?;
    Ok(Figures::default()
        .with("recorded", recorded)
        .with("tried", tried)
        .with("cost", 100.0 * (tried / recorded - 1.0)))
}
