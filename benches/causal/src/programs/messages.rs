//! Threads that send each other messages.

use calor::sync::{channel, scope, sync_channel};

use super::N_STEPS;
use crate::work::Work;

pub(super) fn pipeline(work: Work) {
    let (to_second, from_first) = channel();
    let (to_third, from_second) = channel();
    scope(|s| {
        s.spawn(move || {
            for item in 0..N_STEPS {
                work.scope("x", 3.0);
                let _ = to_second.send(item);
            }
        });
        s.spawn(move || {
            for item in &from_first {
                work.scope("y", 5.0);
                let _ = to_third.send(item);
            }
        });
        for _ in &from_second {
            work.scope("z", 4.0);
        }
    });
}

pub(super) fn bounded(work: Work) {
    let (sender, receiver) = sync_channel(2);
    scope(|s| {
        s.spawn(move || {
            for item in 0..N_STEPS {
                work.scope("x", 2.0);
                let _ = sender.send(item);
            }
        });
        for item in &receiver {
            work.scope("y", 5.0);
            if item % 5 == 0 {
                work.scope("z", 6.0);
            }
        }
    });
}

pub(super) fn fan_in(work: Work) {
    let (sender, receiver) = channel();
    scope(|s| {
        let mut asked = Vec::new();
        for (name, millis) in [("x", 6.0), ("y", 5.0), ("z", 2.0)] {
            let (ask, is_asked) = channel();
            let sender = sender.clone();
            asked.push(ask);
            s.spawn(move || {
                for () in &is_asked {
                    work.scope(name, millis);
                    let _ = sender.send(());
                }
            });
        }
        for _ in 0..N_STEPS {
            for ask in &asked {
                let _ = ask.send(());
            }
            for _ in &asked {
                let _ = receiver.recv();
            }
            work.scope("rest", 1.0);
        }
        drop(asked);
    });
}

pub(super) fn request(work: Work) {
    let (ask, is_asked) = channel();
    let (answer, is_answered) = channel();
    scope(|s| {
        s.spawn(move || {
            for () in &is_asked {
                work.scope("y", 4.0);
                let _ = answer.send(());
                work.scope("z", 3.0);
            }
        });
        for _ in 0..N_STEPS {
            work.scope("x", 2.0);
            let _ = ask.send(());
            let _ = is_answered.recv();
        }
        drop(ask);
    });
}
