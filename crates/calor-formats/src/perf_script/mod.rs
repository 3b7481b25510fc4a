//! The text that `perf script` prints of a recording made with `perf record -g`.
//!
//! ```text
//! worker 1  8432 [001]  4796.851703:    5025125 cpu-clock:ppp:
//!                     12f4 attention+0x54 (/usr/bin/model)
//!                     13d8 worker+0x28 (/usr/bin/model)
//! ```
//!
//! **Events.** One event is what CPU time is taken from: a clock if there is one, else cycles, else the first.
//! A clock's period is its time. Of other events each sample counts for as long as it usually takes until the
//! thread's next sample, and a warning says that times are estimates. Switches out (`sched:sched_switch`) are time
//! off the CPU, until the thread is switched to again. Samples of all other events are left out and counted.
//!
//! **Frames.** Inlined functions carry the mark and the module of the function they are in; functions of Python's
//! perf map (`py::name:file`) become Python frames; addresses without a symbol become one `(unknown)` frame for
//! each module.

mod event;
mod frame;
mod header;
mod reader;
mod system;
mod weighing;

pub use reader::read;
pub use weighing::{Sample, finish};

use crate::opening::Opening;

/// Whether an input is of `perf script`: the first line that is neither empty nor a comment begins a sample.
pub(crate) fn detect(opening: &Opening<'_>) -> bool {
    let is_content = |line: &&[u8]| !line.trim_ascii().is_empty() && !line.starts_with(b"#");
    opening.is_text()
        && opening
            .lines()
            .find(is_content)
            .and_then(|line| std::str::from_utf8(line).ok())
            .is_some_and(|line| header::parse(line).is_some())
}
