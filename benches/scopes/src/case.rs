//! The cases: what the scopes of a measurement do.

/// One case.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub(crate) enum Case {
    /// A loop of empty named scopes.
    Flat,
    /// Eight scopes inside each other.
    Nested,
    /// The flat loop on two threads at once.
    Threads2,
    /// Thirty-two children of one parent in random order.
    Wide,
    /// The flat loop, every call counted and one in sixteen timed.
    OneIn16,
    /// The flat loop with the recorder compiled in but not started.
    Off,
    /// The flat loop with the recorder compiled out.
    Out,
    /// A matrix multiplication with 1 + 20 scopes inside, against the same one without.
    Matmul,
    /// How memory grows over ten million scopes.
    Memory,
    /// How memory grows over a hundred million scopes.
    Memory100,
    /// From the last scope to the report, at most 100 call paths.
    Report,
    /// From the last scope to the report, 4,096 nodes of the call tree on each of 8 threads.
    Report4096,
}

use Case::*;

impl Case {
    /// All cases, in the order of the tables.
    pub(crate) const ALL: [Case; 12] =
        [Flat, Nested, Threads2, Wide, OneIn16, Off, Out, Matmul, Memory, Memory100, Report, Report4096];

    /// The cases in which a scope is compared with two reads of the TSC.
    pub(crate) const RECORDING: [Case; 4] = [Flat, Nested, Threads2, Wide];

    /// Its name on the command line.
    pub(crate) fn name(self) -> &'static str {
        match self {
            Flat => "flat",
            Nested => "nested",
            Threads2 => "threads2",
            Wide => "wide",
            OneIn16 => "one-in-16",
            Off => "off",
            Out => "compiled-out",
            Matmul => "matmul",
            Memory => "memory",
            Memory100 => "memory100",
            Report => "report",
            Report4096 => "report4096",
        }
    }

    /// What the table says above its rows.
    pub(crate) fn description(self) -> &'static str {
        match self {
            Flat => "a loop of empty named scopes",
            Nested => "eight scopes inside each other, per scope",
            Threads2 => "the flat loop on two threads at once, mean of both",
            Wide => "32 children of one parent in random order",
            OneIn16 => "the flat loop, every call counted and one in sixteen timed",
            Off => "the flat loop, compiled in but not started",
            Out => "the flat loop, compiled out",
            Matmul => "a 66 x 66 f32 matrix multiplication with 1 + 20 scopes inside",
            Memory => "growth over ten million scopes of the flat loop, after a warm-up",
            Memory100 => "growth over a hundred million scopes of the flat loop, after a warm-up",
            Report => "from the last scope to the report, at most 100 call paths",
            Report4096 => {
                "from the last scope to the report, 4,096 nodes (the root and 4,095 call paths) on each of 8 threads"
            }
        }
    }

    /// The case of that name.
    pub(crate) fn find(name: &str) -> Result<Self, String> {
        harness::find(&Self::ALL, name, "cases", |case| case.name()).copied()
    }
}
