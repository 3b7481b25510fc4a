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

/// One tool.
#[derive(Debug)]
pub(crate) struct Tool {
    /// Its name on the command line and in the tables.
    pub(crate) name: &'static str,
    /// Its version, once it is made, or why it is not available here and what would make it so.
    version: fn() -> Result<String, String>,
    /// It gets one part in so many of the turns, because it takes so long for each.
    pub(crate) share: u64,
    /// The command that profiles the program of a job.
    pub(crate) record: fn(&Job) -> Command,
    /// The command that makes a report of what is in the job's folder; `None` where there is none, or none is needed.
    pub(crate) report: Option<fn(&Path) -> Command>,
}

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
    share: 1,
    record: |job| job.program.command(),
    report: None,
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
