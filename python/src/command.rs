//! The `calor` command inside the module, so that one wheel brings the interface and the command, and the code that both
//! share is in it once.

use std::ffi::OsString;
use std::io::Write;
use std::panic::AssertUnwindSafe;

use pyo3::prelude::*;

/// What a Rust program ends with that panicked.
const PANICKED: i32 = 101;

/// Runs the command that was typed (its first word is the command's name) and ends the process with its exit code. The
/// interpreter is not wound down: nothing of it was used, and that would take longer than most commands.
#[pyfunction]
pub(crate) fn command(py: Python<'_>, typed: Vec<OsString>) {
    let code = py.detach(|| {
        let ended = std::panic::catch_unwind(AssertUnwindSafe(|| calor_cli::run(typed)));
        ended.map_or(PANICKED, |code| i32::from(code.get()))
    });
    // Whoever reads may be gone, and then nobody is left to tell.
    let _ = std::io::stdout().flush();
    std::process::exit(code);
}
