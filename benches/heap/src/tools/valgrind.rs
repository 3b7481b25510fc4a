//! valgrind's dhat, which runs the program on a processor of its own making. Its file is for a page in a browser, so there
//! is no report to be made.

use std::process::Command;

use harness::watched::{debian, first_line};

use super::{Job, SLOW, Tool};

const DEBIAN: debian::Tool = debian::Tool { program: "valgrind", packages: &["valgrind"] };

pub(super) const TOOL: Tool =
    Tool { name: "valgrind-dhat", version, effort: SLOW, record, report: None, seen: None };

fn command() -> Command {
    let prefix = DEBIAN.prefix();
    let mut command = Command::new(prefix.join("bin/valgrind"));
    command.env("VALGRIND_LIB", prefix.join("libexec/valgrind"));
    command
}

fn version() -> Result<String, String> {
    DEBIAN.make()?;
    first_line(command().arg("--version"), "")
}

fn record(job: &Job) -> Command {
    let mut file = std::ffi::OsString::from("--dhat-out-file=");
    file.push(job.folder.join("dhat.json"));
    let mut command = command();
    command.arg("--tool=dhat").arg(file);
    job.program.append_to(command)
}
