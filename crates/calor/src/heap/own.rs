//! Memory of Calor's own in a program that is watched: the blocks of its recorder, what its threads read and write. It goes
//! into counters of its own, so that the program's heap, and its peak, are the program's.

use super::local::{Local, local};
use super::tracked::{TRACKER, is_installed};

/// Ends the section, however it ends.
struct Section {
    local: &'static Local,
    was_at_work: bool,
}

impl Drop for Section {
    fn drop(&mut self) {
        let depth = self.local.own_depth.get() - 1;
        self.local.own_depth.set(depth);
        self.local.is_at_work.set(self.was_at_work);
        if depth == 0 {
            TRACKER.end_own(&self.local.slot, &self.local.own);
        }
    }
}

/// Begins a section; `None` where blocks are not followed. Inside of one another begins nothing new.
fn begin() -> Option<Section> {
    if !is_installed() {
        return None;
    }
    let local = local();
    let depth = local.own_depth.get();
    if depth == 0 && !TRACKER.begin_own(&local.slot, &local.own) {
        return None;
    }
    local.own_depth.set(depth + 1);
    // It is none of the scope's that is open here either.
    let was_at_work = local.is_at_work.replace(true);
    #[cfg(all(target_os = "linux", target_arch = "x86_64"))]
    calor_symbols::begin_own_threads_with(own_for_good);
    Some(Section { local, was_at_work })
}

/// Runs work whose memory is Calor's. What it allocates has to be freed in such a section too: what the program gets is
/// to be copied outside.
pub(crate) fn as_own<T>(work: impl FnOnce() -> T) -> T {
    let _section = begin();
    work()
}

/// From here on, what this thread allocates is Calor's.
pub(crate) fn own_for_good() {
    std::mem::forget(begin());
}
