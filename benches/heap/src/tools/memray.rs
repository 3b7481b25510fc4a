//! memray in its four ways: Python's frames alone or with native ones, and without or with the small objects that Python
//! takes from its own allocator.

use std::path::Path;
use std::process::Command;

use harness::watched::first_line;

use super::{Job, PLAINLY_SLOWER, Tool};
use crate::python::ENVIRONMENT;

const FILE: &str = "memray.bin";
const PAGE: &str = "memray.html";

pub(super) const PYTHON: Tool = tool("memray", |job| record(job, &[]));
pub(super) const NATIVE: Tool = tool("memray-native", |job| record(job, &["--native"]));
pub(super) const PYMALLOC: Tool = tool("memray-pymalloc", |job| record(job, &["--trace-python-allocators"]));
pub(super) const NATIVE_PYMALLOC: Tool =
    tool("memray-native-pymalloc", |job| record(job, &["--native", "--trace-python-allocators"]));

const fn tool(name: &'static str, record: fn(&Job) -> Command) -> Tool {
    Tool { name, version, effort: PLAINLY_SLOWER, record, report: Some(report), seen: None }
}

fn command() -> Command {
    let mut command = Command::new(ENVIRONMENT.program("python"));
    command.args(["-m", "memray"]);
    command
}

fn version() -> Result<String, String> {
    ENVIRONMENT.install()?;
    first_line(command().arg("--version"), "")
}

fn record(job: &Job, options: &[&str]) -> Command {
    let mut command = command();
    command.args(["run", "--quiet", "--output"]).arg(job.folder.join(FILE)).args(options);
    job.program.append_script_to(command)
}

/// The report that it tells people to make.
fn report(folder: &Path) -> Command {
    let mut command = command();
    command.args(["flamegraph", "--output"]).arg(folder.join(PAGE)).arg(folder.join(FILE));
    command
}
