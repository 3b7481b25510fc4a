//! Small programs of several threads, and which of their scopes are made faster. What that gives is not written here: it
//! is found by really making them faster.

mod alone;
mod locks;
mod messages;

use crate::work::Work;

/// One program.
pub(crate) struct Program {
    pub(crate) name: &'static str,
    pub(crate) about: &'static str,
    /// The scopes that are made faster.
    pub(crate) scopes: &'static [&'static str],
    pub(crate) run: fn(Work),
}

/// How often each does what it does.
const N_STEPS: usize = 25;

pub(crate) const PROGRAMS: [Program; 14] = [
    Program {
        name: "serial",
        about: "one thread: x 4 ms, y 2 ms, z 1 ms",
        scopes: &["x", "y", "z"],
        run: alone::serial,
    },
    Program {
        name: "nested",
        about: "one thread: x 3 ms and y 2 ms inside of z, then 2 ms more",
        scopes: &["x", "z"],
        run: alone::nested,
    },
    Program {
        name: "fork-join",
        about: "two threads a step, x 6 ms and y 4 ms, then z 2 ms alone",
        scopes: &["x", "y", "z"],
        run: alone::fork_join,
    },
    Program {
        name: "near-critical",
        about: "three threads a step, x 6 ms, y 5.5 ms and z 5 ms",
        scopes: &["x", "y"],
        run: alone::near_critical,
    },
    Program {
        name: "off-path",
        about: "x 2 ms beside y 8 ms in every step",
        scopes: &["x", "y"],
        run: alone::off_path,
    },
    Program {
        name: "shared-scope",
        about: "x on three threads at once, for 3, 5 and 4 ms, then y 2 ms",
        scopes: &["x", "y"],
        run: alone::shared_scope,
    },
    Program {
        name: "barrier",
        about: "two threads that meet: x 5 ms and y 3 ms, then z 2 ms on one of them",
        scopes: &["x", "y", "z"],
        run: alone::barrier,
    },
    Program {
        name: "pipeline",
        about: "three stages with channels between: x 3 ms, y 5 ms, z 4 ms",
        scopes: &["x", "y", "z"],
        run: messages::pipeline,
    },
    Program {
        name: "bounded",
        about: "two stages with a channel for two messages: x 2 ms, y 5 ms; every fifth message z 6 ms more",
        scopes: &["x", "y", "z"],
        run: messages::bounded,
    },
    Program {
        name: "fan-in",
        about: "three senders, x 6 ms, y 5 ms, z 2 ms; one waits for all three, then 1 ms",
        scopes: &["x", "y", "z"],
        run: messages::fan_in,
    },
    Program {
        name: "request",
        about: "one asks another: x 2 ms before, y 4 ms there, z 3 ms there after the answer",
        scopes: &["x", "y", "z"],
        run: messages::request,
    },
    Program {
        name: "lock",
        about: "three threads: y 5 ms, then x 2 ms with a lock held",
        scopes: &["x", "y"],
        run: locks::lock,
    },
    Program {
        name: "lock-bound",
        about: "four threads: y 1 ms, then x 3 ms with a lock held",
        scopes: &["x", "y"],
        run: locks::lock_bound,
    },
    Program {
        name: "queue",
        about: "three threads take 75 pieces of work from one queue: two of x 4 ms, then one of y 3 ms",
        scopes: &["x", "y"],
        run: locks::queue,
    },
];
