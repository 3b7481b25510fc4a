//! The observations that a report may have, each with its numbers; how they read is the business of whoever prints them.

use calor_model::{StackId, StringId};

use crate::{Class, NodeId};

/// One observation, with its numbers.
#[derive(Clone, Copy, PartialEq, Debug)]
#[non_exhaustive]
pub enum Insight {
    /// The first `n_paths` paths by self time hold this share of the recorded time, out of `n_all`.
    Concentration {
        /// How many paths.
        n_paths: usize,
        /// Out of how many.
        n_all: usize,
        /// Their share of the recorded time.
        share: f64,
    },
    /// One path allocates much of all bytes.
    HeavyAllocator {
        /// The path.
        stack: StackId,
        /// What it allocates.
        allocated_bytes: u64,
        /// Its share of all bytes.
        share: f64,
    },
    /// A place holds more and more, for sure, up to the end.
    GrowingHeap {
        /// The place.
        stack: StackId,
        /// How much more a second.
        bytes_per_second: f64,
        /// What it held in the end.
        last_bytes: u64,
    },
    /// A place frees many allocations as soon as they are made.
    ShortLived {
        /// The place.
        stack: StackId,
        /// How many.
        count: u64,
        /// That as a share of all allocations.
        share: f64,
    },
    /// The program has much more memory than it holds on its heap, and had less so at the start.
    MemoryBeyondHeap {
        /// All its memory.
        rss_bytes: u64,
        /// What of it is not the heap's.
        beyond_bytes: u64,
        /// How much more that is than at the start.
        grown_bytes: u64,
    },
    /// A function makes many of all calls, and each is short.
    VeryFrequent {
        /// The function, by one of its paths.
        node: NodeId,
        /// How often it was entered.
        calls: u64,
        /// That as a share of all calls.
        share: f64,
        /// Self time of a call.
        per_call_nanos: f64,
    },
    /// Recording a small, frequent scope takes much of its time.
    CostlyRecording {
        /// The scope.
        node: NodeId,
        /// How often it was entered.
        calls: u64,
        /// How many of those calls were timed: all, unless the recorder was told to time one in N.
        timed_calls: u64,
        /// What recording those calls cost.
        cost_nanos: u64,
        /// That as a share of the scope's measured time and its cost outside.
        share: f64,
    },
    /// The slowest calls of a scope take far longer than the usual one.
    LongTail {
        /// The scope.
        node: NodeId,
        /// The usual call.
        p50_nanos: f64,
        /// One in a hundred takes at least this.
        p99_nanos: f64,
        /// The longest.
        max_nanos: u64,
    },
    /// Futures of an async scope spend most of their lives waiting.
    Waiting {
        /// The scope.
        node: NodeId,
        /// Wall time of all its futures.
        wall_nanos: u64,
        /// The part that was spent in polls.
        busy_nanos: u64,
    },
    /// Threads were inside scopes for far longer than the program ran on any processor.
    OffProcessor {
        /// Time inside scopes, all threads together.
        scope_nanos: u64,
        /// CPU time of the whole program, inside scopes and outside.
        cpu_nanos: u64,
        /// The share of the time inside scopes that is certainly no CPU time.
        share: f64,
    },
    /// Threads wanted to run Python and waited for its global interpreter lock.
    GilContention {
        /// How many threads waited for it.
        n_threads: usize,
        /// How long, all of them together.
        wait_nanos: u64,
        /// That as a share of the time in which those threads ran or waited for it.
        share: f64,
    },
    /// A hot function computes with less than the processor offers.
    NarrowVectors {
        /// The function's name.
        function: StringId,
        /// Its share of the samples of running threads.
        share: f64,
        /// What it computes with.
        class: Class,
        /// What it could.
        offered: Class,
    },
    /// Futures of an async scope were dropped before they completed.
    Cancelled {
        /// The scope.
        node: NodeId,
        /// How many.
        cancelled: u64,
        /// How many completed.
        completed: u64,
    },
}
