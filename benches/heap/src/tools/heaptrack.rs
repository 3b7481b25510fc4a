//! heaptrack, as it is by itself: its library in the program tells every event to a process that interprets it.

use std::path::Path;
use std::process::Command;

use harness::watched::{debian, first_line};

use super::{Job, SLOW_TO_ALLOCATE, Tool};

const DEBIAN: debian::Tool = debian::Tool { program: "heaptrack", packages: &["heaptrack", "libheaptrack"] };

pub(super) const TOOL: Tool =
    Tool { name: "heaptrack", version, effort: SLOW_TO_ALLOCATE, record, report: Some(report), seen: None };

fn command(program: &str) -> Command {
    Command::new(DEBIAN.prefix().join("bin").join(program))
}

fn version() -> Result<String, String> {
    DEBIAN.make()?;
    first_line(command("heaptrack").arg("--version"), "")
}

fn record(job: &Job) -> Command {
    let mut command = command("heaptrack");
    if knows_record_only() {
        command.arg("--record-only");
    }
    command.arg("--output").arg(job.folder.join("heaptrack"));
    job.program.append_to(command)
}

/// Newer ones open a window after the recording unless they are told not to; older ones know no such option.
fn knows_record_only() -> bool {
    let help = command("heaptrack").arg("--help").output();
    help.is_ok_and(|help| String::from_utf8_lossy(&help.stdout).contains("--record-only"))
}

fn report(folder: &Path) -> Command {
    let mut command = command("heaptrack_print");
    command.arg("--file").arg(folder.join("heaptrack.zst"));
    command
}
