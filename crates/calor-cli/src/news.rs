//! Words for people, on standard error: what was written, what to know about it. Standard output is the result
//! alone. `--quiet` leaves only errors.

use std::fmt::Display;
use std::io::Write;
use std::sync::atomic::AtomicBool;
use std::sync::atomic::Ordering::Relaxed;

use calor_analysis::quantity;
use calor_model::Profile;

use crate::terminal;

/// Before the lines of a sentence that follow its first.
const INDENT: &str = "  ";

static IS_QUIET: AtomicBool = AtomicBool::new(false);

/// Says nothing from now on.
pub(crate) fn silence() {
    IS_QUIET.store(true, Relaxed);
}

/// Whether nothing shall be said.
pub(crate) fn is_quiet() -> bool {
    IS_QUIET.load(Relaxed)
}

/// Says something.
pub(crate) fn say(text: impl Display) {
    if !is_quiet() {
        // Nobody may be listening, which is no failure.
        let _ = writeln!(std::io::stderr(), "{text}");
    }
}

/// Says a sentence in lines that fit the terminal; those after the first are indented.
pub(crate) fn say_wrapped(text: &str) {
    let lines = calor_report::wrapped(text, terminal::width_of_news().saturating_sub(INDENT.len()));
    say(lines.join(&format!("\n{INDENT}")));
}

/// Says in few words what a profile could not see, for results that have no place for it: one line a code. It was told in
/// whole sentences when it was recorded, and is in every report.
pub(crate) fn short_warnings(profile: &Profile, is_left_out: impl Fn(&str) -> bool) {
    let mut codes: Vec<(&str, u64)> = Vec::new();
    for warning in profile.warnings.iter().filter(|warning| !is_left_out(&warning.code)) {
        let count = warning.count.unwrap_or(1);
        match codes.iter_mut().find(|(code, _)| *code == warning.code) {
            Some((_, sum)) => *sum = sum.saturating_add(count),
            None => codes.push((&warning.code, count)),
        }
    }
    for (code, count) in codes {
        let count = if count > 1 { format!(" ({} times)", quantity::count(count)) } else { String::new() };
        say(format_args!("warning: {code}{count}, see `calor report`"));
    }
}

/// Says what a profile could not see, but for warnings whose code is not of interest.
pub(crate) fn warnings_but(profile: &Profile, is_left_out: impl Fn(&str) -> bool) {
    for warning in profile.warnings.iter().filter(|warning| !is_left_out(&warning.code)) {
        let count = match warning.count {
            None => String::new(),
            Some(1) => " (once)".to_owned(),
            Some(count) => format!(" ({count} times)"),
        };
        say_wrapped(&format!("warning: {}{count}", warning.message));
    }
}
