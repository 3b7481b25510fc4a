//! Threads that work each for itself, and wait for each other's ends or meet.

use calor::sync::{Barrier, scope};

use super::N_STEPS;
use crate::work::Work;

pub(super) fn serial(work: Work) {
    for _ in 0..N_STEPS {
        work.scope("x", 4.0);
        work.scope("y", 2.0);
        work.scope("z", 1.0);
    }
}

pub(super) fn nested(work: Work) {
    // What is inside of a scope that gets faster gets faster with it.
    let inside = |name, millis: f64| match work.faster {
        Some(("z", factor)) => work.scope(name, millis / factor),
        _ => work.scope(name, millis),
    };
    for _ in 0..N_STEPS {
        {
            calor::scope!("z");
            inside("x", 3.0);
            inside("y", 2.0);
        }
        work.scope("rest", 2.0);
    }
}

pub(super) fn fork_join(work: Work) {
    for _ in 0..N_STEPS {
        scope(|s| {
            s.spawn(|| work.scope("x", 6.0));
            s.spawn(|| work.scope("y", 4.0));
        });
        work.scope("z", 2.0);
    }
}

pub(super) fn near_critical(work: Work) {
    for _ in 0..N_STEPS {
        scope(|s| {
            s.spawn(|| work.scope("x", 6.0));
            s.spawn(|| work.scope("y", 5.5));
            work.scope("z", 5.0);
        });
    }
}

pub(super) fn off_path(work: Work) {
    for _ in 0..N_STEPS {
        scope(|s| {
            s.spawn(|| work.scope("x", 2.0));
            work.scope("y", 8.0);
        });
    }
}

pub(super) fn shared_scope(work: Work) {
    for _ in 0..N_STEPS {
        scope(|s| {
            for millis in [3.0, 5.0, 4.0] {
                s.spawn(move || work.scope("x", millis));
            }
        });
        work.scope("y", 2.0);
    }
}

pub(super) fn barrier(work: Work) {
    let barrier = Barrier::new(2);
    scope(|s| {
        s.spawn(|| {
            for _ in 0..N_STEPS {
                work.scope("y", 3.0);
                barrier.wait();
                barrier.wait();
            }
        });
        for _ in 0..N_STEPS {
            work.scope("x", 5.0);
            barrier.wait();
            work.scope("z", 2.0);
            barrier.wait();
        }
    });
}
