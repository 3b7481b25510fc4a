//! How a test says that it cannot run here, so that nobody takes silence for success.
//!
//! Some tests need what a machine may not grant: perf events, valgrind, a second user, a certain Python. Such a test calls
//! [`cannot`] and returns. The call shows on the terminal although the test passes, and is counted: where the variable
//! [`LIST`] names a file, a line is appended to it, and `cargo xtask test` prints how many there were of each need. Where
//! [`REQUIRE`] names the need (or says `all`), "cannot" is a failure: a machine that is known to have it may not lose the
//! tests silently.

#![forbid(unsafe_code)]

use std::fmt::{self, Display};
use std::io::Write as _;

/// The variable that names the file of what could not run: a line each of need, test and reason, between tabs.
pub const LIST: &str = "CALOR_TEST_CANNOT";

/// The variable that names the needs whose absence is a failure, separated by commas, or `all`.
pub const REQUIRE: &str = "CALOR_TEST_REQUIRE";

/// What a test may need of its machine.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Need {
    /// Events of the kernel that may be sampled.
    Perf,
    /// What the kernel shows to privileged users alone: its own functions, who waits.
    Kernel,
    /// The right to become another user, or not to be root.
    User,
    /// The right to make containers.
    Container,
    /// The simulator that counts instructions.
    Valgrind,
    /// A tool such as `strip` or `addr2line`.
    Tool,
    /// A library to link against.
    Library,
    /// A certain interpreter of Python.
    Python,
    /// A package of Python.
    Package,
    /// Instructions of the processor.
    Processor,
}

impl Need {
    /// The word for it in [`REQUIRE`] and in what is printed.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Self::Perf => "perf",
            Self::Kernel => "kernel",
            Self::User => "user",
            Self::Container => "container",
            Self::Valgrind => "valgrind",
            Self::Tool => "tool",
            Self::Library => "library",
            Self::Python => "python",
            Self::Package => "package",
            Self::Processor => "processor",
        }
    }
}

/// Says that the calling test, or a part of it, cannot run here, and counts it.
///
/// # Panics
/// Where the need is required: then this machine was expected to have it.
pub fn cannot(need: Need, why: impl Display) {
    let thread = std::thread::current();
    let test = thread.name().unwrap_or("a test");
    aloud(format_args!("not run: {test}: {why}"));
    if let Some(file) = std::env::var_os(LIST) {
        let line = format!("{}\t{test}\t{}\n", need.word(), why.to_string().replace(['\n', '\t'], " "));
        // One write of one line: tests run side by side.
        let appended = std::fs::OpenOptions::new().create(true).append(true).open(file);
        let appended = appended.and_then(|mut file| file.write_all(line.as_bytes()));
        appended.expect("the file that counts what could not run can be written");
    }
    let required = std::env::var(REQUIRE).unwrap_or_default();
    assert!(!is_required(&required, need), "{REQUIRE} has `{}`, and {why}", need.word());
}

/// Says something that shows even when the test passes.
pub fn aloud(text: fmt::Arguments<'_>) {
    // What the test's own macros print is held back.
    let _ = writeln!(std::io::stderr(), "{text}");
}

fn is_required(required: &str, need: Need) -> bool {
    required.split(',').map(str::trim).any(|word| word == "all" || word == need.word())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_required_is_named_or_all() {
        for (required, expect) in
            [("", false), ("valgrind", false), ("perf", true), ("valgrind, perf", true), ("all", true)]
        {
            assert_eq!(is_required(required, Need::Perf), expect, "{required}");
        }
    }
}
