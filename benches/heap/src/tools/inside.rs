//! Profilers that are built into the program as its allocator, and jemalloc without one, whose speed is jemalloc's own.

use std::process::Command;

use harness::version_in;

use super::{CLOSE, Job, SLOW_TO_ALLOCATE, Tool, record};
use crate::program::{self, Build, Variant};

const DHAT_PROGRAM: Variant = Variant { name: "dhat-rs", feature: "dhat" };
const JEMALLOC_PROGRAM: Variant = Variant { name: "jemalloc", feature: "jemalloc" };

/// What is meant for production: exact counters, and stacks by samples.
pub(super) const CALOR_ALWAYS: Tool = Tool {
    name: "calor-always",
    version: || version(&program::CALOR_ALWAYS, "calor"),
    effort: CLOSE,
    record: |job| calor(&program::CALOR_ALWAYS, job),
    report: Some(record::report),
    seen: None,
};

/// Every block with its stack.
pub(super) const CALOR_EXACT: Tool = Tool {
    name: "calor-exact",
    version: || version(&program::CALOR_EXACT, "calor"),
    effort: CLOSE,
    record: |job| calor(&program::CALOR_EXACT, job),
    report: Some(record::report),
    seen: None,
};

pub(super) const DHAT: Tool = Tool {
    name: "dhat-rs",
    version: || version(&DHAT_PROGRAM, "dhat"),
    effort: SLOW_TO_ALLOCATE,
    record: |job| {
        let mut command = started(&DHAT_PROGRAM, job);
        command.arg(job.folder.join("dhat-heap.json"));
        command
    },
    report: None,
    seen: None,
};

pub(super) const JEMALLOC: Tool = Tool {
    name: "jemalloc",
    version: || version(&JEMALLOC_PROGRAM, "tikv-jemallocator"),
    effort: CLOSE,
    record: |job| started(&JEMALLOC_PROGRAM, job),
    report: None,
    seen: None,
};

/// One sample in 512 KiB, as is usual in production; the profile is written at the exit.
pub(super) const JEMALLOC_PROF: Tool = Tool {
    name: "jemalloc-prof",
    version: || version(&JEMALLOC_PROGRAM, "tikv-jemallocator"),
    effort: CLOSE,
    record: |job| {
        let prefix = job.folder.join("jemalloc");
        let options = format!("prof:true,lg_prof_sample:19,prof_final:true,prof_prefix:{}", prefix.display());
        let mut command = started(&JEMALLOC_PROGRAM, job);
        command.env("_RJEM_MALLOC_CONF", options);
        command
    },
    report: None,
    seen: None,
};

fn calor(program: &Variant, job: &Job) -> Command {
    let mut command = started(program, job);
    command.arg(job.folder.join(harness::watched::calor::FILE));
    command
}

fn version(program: &Variant, package: &str) -> Result<String, String> {
    program.make(Build::Usual)?;
    let version = version_in(include_str!("../../Cargo.lock"), package);
    version
        .map(|version| format!("{package} {version}"))
        .ok_or_else(|| "the lock file does not name it".to_owned())
}

fn started(program: &Variant, job: &Job) -> Command {
    let mut command = Command::new(program.path(job.case.build));
    command.arg(job.case.workload).arg(job.program.n_turns.to_string());
    command
}
