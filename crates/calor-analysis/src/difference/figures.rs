//! What a comparison of runs is made from: for each run what each function took, whatever it was measured by.

/// What tells a function from others, in any build of the program.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub struct FunctionName {
    /// What it is called.
    pub name: String,
    /// The binary, library or module that it belongs to.
    pub module: Option<String>,
    /// Its source file, where functions of one name in two files are two functions.
    pub file: Option<String>,
}

/// What one function took in one run.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct FunctionFigures {
    /// The function.
    pub function: FunctionName,
    /// What it took itself, what it called left out: nanoseconds, bytes, events. With what it called where the run has its
    /// [`own`](RunFigures::own) figures besides.
    pub value: f64,
    /// How often it was called; `None` when not known.
    pub calls: Option<u64>,
    /// The samples that the value is estimated from; `None` when it was measured.
    pub samples: Option<u64>,
    /// The names of functions that call it or that it calls, by which one that was renamed is recognised.
    pub neighbours: Vec<String>,
    /// What it waited for longest, where the figures are of waiting.
    pub waits_for: Option<String>,
}

/// What all functions took in one run.
#[derive(Clone, PartialEq, Debug)]
pub struct RunFigures {
    /// The functions, each once.
    pub functions: Vec<FunctionFigures>,
    /// How much work the run did, such as requests or steps; figures are compared for each unit of it.
    pub work: f64,
    /// How long a fixed piece of code took that every recording times: by it a slow machine is told from slow code.
    pub canary_nanos: Option<f64>,
    /// By how much that piece of code differed within the run, as a logarithm, where it was timed twice.
    pub canary_spread: Option<f64>,
    /// What functions took by themselves, where `functions` hold what they call: those overlap, so they do not add up to what
    /// the run took, and do not tell what moved together either.
    pub own: Option<Vec<FunctionFigures>>,
    /// Functions that took nothing themselves and are on call paths all the same: they are there.
    pub callers: Vec<FunctionName>,
}

impl RunFigures {
    /// A run of one unit of work.
    #[must_use]
    pub fn new(functions: Vec<FunctionFigures>) -> Self {
        Self { functions, work: 1.0, canary_nanos: None, canary_spread: None, own: None, callers: Vec::new() }
    }

    /// What all functions took together.
    #[must_use]
    pub fn total(&self) -> f64 {
        self.own_functions().iter().map(|figures| figures.value).sum()
    }

    /// What each function took by itself.
    pub(super) fn own_functions(&self) -> &[FunctionFigures] {
        self.own.as_deref().unwrap_or(&self.functions)
    }
}
