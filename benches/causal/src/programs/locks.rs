//! Threads that share something behind a lock.

use std::sync::PoisonError;

use calor::sync::{Mutex, scope};

use super::N_STEPS;
use crate::work::Work;

pub(super) fn lock(work: Work) {
    turns(work, 3, 5.0, 2.0);
}

pub(super) fn lock_bound(work: Work) {
    turns(work, 4, 1.0, 3.0);
}

fn turns(work: Work, n_threads: u32, outside: f64, inside: f64) {
    let lock = Mutex::new(());
    scope(|s| {
        for _ in 0..n_threads {
            s.spawn(|| {
                for _ in 0..N_STEPS {
                    work.scope("y", outside);
                    let _held = lock.lock().unwrap_or_else(PoisonError::into_inner);
                    work.scope("x", inside);
                }
            });
        }
    });
}

pub(super) fn queue(work: Work) {
    let next = Mutex::new(0);
    let take = || {
        let mut next = next.lock().unwrap_or_else(PoisonError::into_inner);
        *next += 1;
        (*next <= 3 * N_STEPS).then_some(*next)
    };
    scope(|s| {
        for _ in 0..3 {
            s.spawn(|| {
                while let Some(piece) = take() {
                    if piece % 3 == 0 {
                        work.scope("y", 3.0);
                    } else {
                        work.scope("x", 4.0);
                    }
                }
            });
        }
    });
}
