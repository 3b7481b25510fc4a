//! What comes out: causes with their part of the gap and what they are drawn from, and what is left unexplained.

use super::WhyClock;

/// Why one implementation is slower than another.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
#[non_exhaustive]
pub enum WhyCause {
    /// Its hot loop computes with one number at a time, or with narrower vectors.
    ScalarCode,
    /// It copies data, or makes temporaries of its size.
    Copies,
    /// It goes over the data more often.
    ExtraPass,
    /// Each call costs more, however small its input is.
    CallOverhead,
    /// It has a faster path, and does not take it at this size.
    Dispatch,
    /// It steps over memory in strides, and uses little of what it loads.
    StridedAccess,
    /// It computes with larger numbers than the data has.
    Upcast,
    /// It takes locks.
    Lock,
    /// It waits.
    Waiting,
    /// It uses fewer threads.
    Threads,
    /// An interpreter runs it.
    Interpreter,
    /// It needs more from far memory.
    Bandwidth,
    /// It executes more instructions, and nothing more special is known.
    MoreInstructions,
}

impl WhyCause {
    /// The word for it in files.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Self::ScalarCode => "scalar_code",
            Self::Copies => "copies",
            Self::ExtraPass => "extra_pass",
            Self::CallOverhead => "call_overhead",
            Self::Dispatch => "dispatch",
            Self::StridedAccess => "strided_access",
            Self::Upcast => "upcast",
            Self::Lock => "lock",
            Self::Waiting => "waiting",
            Self::Threads => "threads",
            Self::Interpreter => "interpreter",
            Self::Bandwidth => "bandwidth",
            Self::MoreInstructions => "more_instructions",
        }
    }

    /// The same for people.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::ScalarCode => "narrow code",
            Self::Copies => "copies and temporaries",
            Self::ExtraPass => "an extra pass over the data",
            Self::CallOverhead => "overhead of each call",
            Self::Dispatch => "dispatch: the fast path is not taken",
            Self::StridedAccess => "strided access",
            Self::Upcast => "larger numbers than the data has",
            Self::Lock => "locks",
            Self::Waiting => "waiting",
            Self::Threads => "fewer threads",
            Self::Interpreter => "interpreted code",
            Self::Bandwidth => "traffic with far memory",
            Self::MoreInstructions => "more instructions",
        }
    }

    /// What to do about it, in a sentence.
    #[must_use]
    pub fn advice(self) -> &'static str {
        match self {
            Self::ScalarCode => {
                "give the compiler slices of equal length and no early exit, or write the loop with vectors"
            }
            Self::Copies => "work on views and in place, or keep the buffer from call to call",
            Self::ExtraPass => "do in one pass what is done in several, while the data is near",
            Self::CallOverhead => "do once what each call prepares, or give each call more work",
            Self::Dispatch => "look at the condition that chooses the path at this size",
            Self::StridedAccess => "walk over the data in the order it lies in, or in blocks",
            Self::Upcast => "compute in the type of the data",
            Self::Lock => "take the lock once for many elements, or let each thread work on its own part",
            Self::Waiting => "let the work go on while it waits, or hold what others wait for shorter",
            Self::Threads => "use as many threads as the other side",
            Self::Interpreter => "move the loop into compiled code, such as one operation on whole arrays",
            Self::Bandwidth => "move fewer bytes: fuse passes, use smaller types, store past the caches",
            Self::MoreInstructions => "look at what the hot functions do that the other side does not",
        }
    }
}

/// One cause.
#[derive(Clone, PartialEq, Debug)]
pub struct WhyReason {
    /// What it is.
    pub cause: WhyCause,
    /// Its part of the gap, from 0 to 1.
    pub share: f64,
    /// What it is drawn from, a sentence each.
    pub evidence: Vec<String>,
}

/// Why one side is slower.
#[derive(Clone, PartialEq, Debug)]
pub struct Why {
    /// Which side is slower: 0 for A, 1 for B.
    pub slower: usize,
    /// The size at which the gap is explained.
    pub size: f64,
    /// Which clock it is told by.
    pub clock: WhyClock,
    /// What a call of A and of B takes there, in nanoseconds.
    pub nanos: [f64; 2],
    /// The causes, the largest part first.
    pub reasons: Vec<WhyReason>,
    /// The part of the gap that none of them explains.
    pub unexplained: f64,
    /// What else is worth knowing of the sides.
    pub notes: Vec<String>,
    /// What was not recorded and would tell more.
    pub missing: Vec<String>,
}

impl Why {
    /// How many times as long a call of the slower side takes.
    #[must_use]
    pub fn ratio(&self) -> f64 {
        let [slow, fast] = [self.nanos[self.slower], self.nanos[1 - self.slower]];
        if fast > 0.0 { slow / fast } else { 1.0 }
    }
}
