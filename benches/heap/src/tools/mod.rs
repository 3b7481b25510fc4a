//! Who takes part.

mod heaptrack;
mod inside;
mod memray;
mod record;
mod valgrind;

use std::path::{Path, PathBuf};
use std::process::Command;

use harness::area::Participant;
use harness::watched::Program;

use crate::case::Case;

/// Asks a tool how many blocks it has seen.
type Seen = fn(&Path) -> Result<f64, String>;

/// One tool.
#[derive(Debug)]
pub(crate) struct Tool {
    /// Its name on the command line and in the tables.
    pub(crate) name: &'static str,
    /// Its version, once it is made, or why it is not available here and what would make it so.
    version: fn() -> Result<String, String>,
    /// How much of the work it gets.
    pub(crate) effort: Effort,
    /// The command that profiles the program of a job.
    pub(crate) record: fn(&Job) -> Command,
    /// The command that makes a report of what is in the job's folder; `None` where there is none, or none is needed.
    pub(crate) report: Option<fn(&Path) -> Command>,
    /// How many blocks it has seen, where it can be asked and claims to see all.
    pub(crate) seen: Option<Seen>,
}

/// How much of the work a tool gets, so that nobody waits for hours: what a turn costs can be told from fewer of them.
#[derive(Debug)]
pub(crate) struct Effort {
    /// How often it runs in a round.
    pub(crate) n_tries: usize,
    /// It gets one in so many of the turns that do nothing but allocate,
    pub(crate) churn_share: u64,
    /// and of the others.
    pub(crate) share: u64,
}

/// For tools whose cost is small enough to be lost in that of the machine.
const CLOSE: Effort = Effort { n_tries: 3, churn_share: 1, share: 1 };
/// For tools that nearly double the time, or more.
const PLAINLY_SLOWER: Effort = Effort { n_tries: 1, churn_share: 1, share: 1 };
/// For tools with which an allocation takes twenty times as long, or more.
const SLOW_TO_ALLOCATE: Effort = Effort { n_tries: 1, churn_share: 8, share: 1 };
/// For tools with which everything does.
const SLOW: Effort = Effort { n_tries: 1, churn_share: 8, share: 8 };

/// What a tool is to do.
#[derive(Debug)]
pub(crate) struct Job {
    pub(crate) case: &'static Case,
    /// The program without a profiler.
    pub(crate) program: Program,
    /// Where the tool's files go, which are its alone.
    pub(crate) folder: PathBuf,
}

impl Participant for Tool {
    fn name(&self) -> &'static str {
        self.name
    }

    fn version(&self) -> Result<String, String> {
        (self.version)()
    }
}

/// The program alone, compared with itself: what is left of the ratios then is noise.
const PLAIN: Tool = Tool {
    name: "plain",
    version: || Ok("the program with the system's allocator".to_owned()),
    effort: CLOSE,
    record: |job| job.program.command(),
    report: None,
    seen: None,
};

/// All of them, in the order of the tables.
pub(crate) const ALL: &[Tool] = &[
    PLAIN,
    inside::CALOR_ALWAYS,
    inside::CALOR_EXACT,
    record::SAMPLED,
    record::EXACT,
    inside::JEMALLOC,
    inside::JEMALLOC_PROF,
    heaptrack::TOOL,
    inside::DHAT,
    valgrind::TOOL,
    memray::PYTHON,
    memray::NATIVE,
    memray::PYMALLOC,
    memray::NATIVE_PYMALLOC,
];
