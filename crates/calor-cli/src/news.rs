//! Words for people, on standard error: what was written, what to know about it. Standard output is the result
//! alone. `--quiet` leaves only errors.

use std::fmt::Display;
use std::io::Write;
use std::sync::atomic::AtomicBool;
use std::sync::atomic::Ordering::Relaxed;

use calor_model::Profile;

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

/// Says what a profile could not see, for results that have no place for it.
pub(crate) fn warnings(profile: &Profile) {
    warnings_but(profile, |_| false);
}

/// The same without the warnings whose code is not of interest.
pub(crate) fn warnings_but(profile: &Profile, is_left_out: impl Fn(&str) -> bool) {
    for warning in profile.warnings.iter().filter(|warning| !is_left_out(&warning.code)) {
        let count = match warning.count {
            None => String::new(),
            Some(1) => " (once)".to_owned(),
            Some(count) => format!(" ({count} times)"),
        };
        say(format_args!("warning: {}{count}", warning.message));
    }
}
