//! The terminal: what text looks like on it. Nothing here can be wrong, but it explains what is seen.

use super::Check;
use crate::terminal;

pub(super) fn check() -> Check {
    let size = match terminal::columns() {
        Some(columns) => format!("{columns} columns"),
        None => format!("standard output is not one; text has {} columns", terminal::width()),
    };
    let colour = match (terminal::is_colour_welcome(), terminal::is_colour_refused()) {
        (true, _) => "in colour",
        (false, true) => "without colour, because NO_COLOR is set",
        (false, false) if terminal::is_there() => "without colour, because TERM is dumb",
        (false, false) => "without colour",
    };
    Check::ok("terminal", format!("{size}, {colour}"))
}
