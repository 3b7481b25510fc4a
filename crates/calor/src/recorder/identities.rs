//! Under which row of a profile an ended thread goes: the first keep rows of their own, later ones are added
//! up by name, so that a program which starts threads all day does not grow its profile.

use std::collections::HashSet;

use calor_model::{Profile, ThreadId, Warning};

use super::raw::RawThread;

/// Ended threads that keep rows of their own.
const MAX_OWN_ROWS: usize = 256;
/// Names under which further ended threads are added up.
const MAX_NAMES: usize = 64;

#[derive(Debug, Default)]
pub(crate) struct Identities {
    n_own_rows: usize,
    names: HashSet<String>,
}

impl Identities {
    /// The row for a thread that has ended.
    pub(crate) fn of_ended(&mut self, profile: &mut Profile, raw: &RawThread) -> ThreadId {
        if self.n_own_rows < MAX_OWN_ROWS {
            self.n_own_rows += 1;
            return of_running(profile, raw);
        }
        profile.warn(Warning::counted(
            "threads_added_up",
            format!("after the first {MAX_OWN_ROWS} ended threads, further ones are added up by name"),
            1,
        ));
        if self.names.len() < MAX_NAMES {
            self.names.insert(raw.name.clone());
        }
        let name = if self.names.contains(&raw.name) { raw.name.as_str() } else { "(other threads)" };
        profile.intern_thread(std::process::id(), 0, name)
    }
}

/// The row for a thread that is running.
pub(crate) fn of_running(profile: &mut Profile, raw: &RawThread) -> ThreadId {
    profile.intern_thread(std::process::id(), raw.tid, &raw.name)
}
