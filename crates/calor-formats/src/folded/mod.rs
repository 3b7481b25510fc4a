//! Folded stacks, as flame graph tools take them: one line for each call path, outermost function first, and its
//! weight behind the last space.
//!
//! ```text
//! main;forward;attention 120
//! main;forward;do_syscall_64_[k] 7
//! ```
//!
//! **Names.** Anything but a semicolon and a line end may stand in a name. Those, and the few things that would
//! be taken for something else, are written as `\x` and two hexadecimal digits; all other
//! backslashes stand for themselves, so files of other tools read as they are. `_[k]` behind a name says that it
//! is a function of the kernel, `_[i]` that it was inlined, `_[j]` that it was made at run time. A name such as
//! `forward (model.py:12)` is a Python function with its place.
//!
//! **What the format cannot carry** is everything else: threads, labels, times, the unit of the weights, kinds of
//! frames besides the kernel's. Reading counts a weight of one as one sample of one nanosecond and says so in a
//! warning: shares are right in any case, times are if the weights were nanoseconds.
//!
//! Lines that begin with `#` are comments. A line without a weight counts as one; fractions are rounded to whole
//! numbers of the whole path.

mod lines;
mod name;
mod reader;
mod writer;

pub use reader::read;
pub use writer::write;

use crate::opening::Opening;

/// Whether an input is folded stacks: text whose first lines end in a number, or most of them where there are
/// semicolons too.
pub(crate) fn detect(opening: &Opening<'_>) -> bool {
    if !opening.is_text() {
        return false;
    }
    let is_content = |line: &&[u8]| !line.trim_ascii().is_empty() && !line.starts_with(b"#");
    let (mut n_lines, mut n_weighted, mut n_paths) = (0, 0, 0);
    for line in opening.lines().filter(is_content).take(32) {
        n_lines += 1;
        n_weighted += usize::from(reader::split_weight(line).1.is_some());
        n_paths += usize::from(line.contains(&b';'));
    }
    n_lines > 0 && (n_weighted == n_lines || (n_paths > 0 && n_weighted * 2 >= n_lines))
}
