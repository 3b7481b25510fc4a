//! What an analysis has to know of saved runs: when and where each was, and what scopes took in them.

use crate::{Error, Metric};

/// One run.
#[derive(Clone, Debug)]
pub struct HistoryRun {
    /// What the store calls it.
    pub id: String,
    /// What tells it from runs of the same program that do something else.
    pub subject: String,
    /// What tells its machine from others, where that is known.
    pub machine: Option<String>,
    /// When it was run, or saved where that is not known, in nanoseconds since 1970.
    pub at_unix_nanos: u64,
    /// When it was saved.
    pub saved_at_unix_nanos: u64,
    /// The commit of the program.
    pub commit: Option<String>,
    /// Whether files were changed since the commit.
    pub is_dirty: bool,
    /// How often it was sampled in a second, where that is known.
    pub rate: Option<f64>,
    /// Whether its cases are repeated until their time is over.
    pub is_repeated: bool,
}

/// What is followed over time.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum HistoryMetric {
    /// Time in scopes, with their calls.
    Scopes,
    /// Time on processors.
    Cpu,
    /// Time on the wall.
    Wall,
    /// Time that threads waited.
    OffCpu,
    /// Bytes allocated, with the number of allocations.
    Allocated,
}

/// What a scope took in some runs.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ScopeRuns {
    /// Its name; empty of the whole program.
    pub name: String,
    /// The file or module that tells it from others of its name; may be empty.
    pub place: String,
    /// In the order of the runs; `None` where a run does not have it, or too little of it to be kept.
    pub runs: Vec<Option<RunSum>>,
}

/// What a scope took in one run.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct RunSum {
    /// How often it was called, where that is known.
    pub calls: Option<u64>,
    /// Without what it calls.
    pub own: u64,
    /// With what it calls.
    pub total: u64,
}

/// Where the sums of the runs of a history are read.
pub trait HistorySums {
    /// Why they cannot be.
    type Error: From<Error>;

    /// What each scope took, and the program as a whole.
    ///
    /// # Errors
    /// When they cannot be read.
    fn scopes(&self, metric: HistoryMetric) -> Result<Vec<ScopeRuns>, Self::Error>;

    /// What the program took as a whole in each run: exactly where that is known, and not only from samples.
    ///
    /// # Errors
    /// When that cannot be read.
    fn program(&self, metric: HistoryMetric) -> Result<Vec<Option<f64>>, Self::Error>;

    /// How long a fixed piece of code took beside each run.
    ///
    /// # Errors
    /// When that cannot be read.
    fn canaries(&self) -> Result<Vec<Option<f64>>, Self::Error>;
}

impl HistoryMetric {
    /// All of them.
    pub const ALL: [Self; 5] = [Self::Scopes, Self::Cpu, Self::Wall, Self::OffCpu, Self::Allocated];

    /// The word for it in options and files.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Self::Scopes => "scopes",
            Self::Cpu => "cpu",
            Self::Wall => "wall",
            Self::OffCpu => "off_cpu",
            Self::Allocated => "allocated",
        }
    }

    /// What people call it.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Scopes => "time in scopes",
            Self::Cpu => "CPU time",
            Self::Wall => "wall time",
            Self::OffCpu => "time off the CPU",
            Self::Allocated => "allocated bytes",
        }
    }

    /// Whether it is counted in bytes and not in nanoseconds.
    #[must_use]
    pub fn is_bytes(self) -> bool {
        self == Self::Allocated
    }

    /// What commands that take turns are compared by to confirm a change in it; `None` where there is nothing to run again, since
    /// it is exact.
    #[must_use]
    pub fn confirmed_by(self) -> Option<Metric> {
        match self {
            Self::Scopes | Self::Cpu => Some(Metric::Cpu),
            Self::Wall | Self::OffCpu => Some(Metric::Wall),
            Self::Allocated => None,
        }
    }
}

impl ScopeRuns {
    /// Whether it is the whole program.
    pub(super) fn is_program(&self) -> bool {
        self.name.is_empty()
    }
}

/// What a sample stands for in these runs, the most of any, where figures are of samples and that is known.
pub(super) fn sample_step(metric: HistoryMetric, runs: &[HistoryRun]) -> Option<f64> {
    let rates = runs.iter().filter_map(|run| run.rate);
    let slowest = rates.filter(|rate| *rate > 0.0).reduce(f64::min)?;
    matches!(metric, HistoryMetric::Cpu | HistoryMetric::Wall).then_some(1e9 / slowest)
}
