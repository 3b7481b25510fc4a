//! Doors that stood open, were closed, and are opened again: nobody knows what became of the blocks meanwhile.
//!
//! # Safety
//! Threads are never given back; their list is walked under its lock.

use core::sync::atomic::Ordering::Relaxed;

use calor_paths::sys;

use super::Tracker;
use crate::layout::{Mode, bump};
use crate::peak;
use crate::sampled;
use crate::state::State;
use crate::thread::{Thread, ThreadSlot};

impl Tracker {
    /// Forgets all blocks that are held, as if the thread that runs had freed them now, and what was known of code and
    /// functions: both may have gone. Called while the door is closed.
    pub fn abandon(&self, slot: &ThreadSlot) {
        self.forget_code();
        let Some((state, thread, mode)) = self.enter(slot) else { return };
        state.shadow.forget_all();
        state.samples.forget_all();
        state.paths.forget_functions();
        if let Some(list) = state.threads.lock_unless_own(sys::thread_id()) {
            for site in 1..=state.paths.region().header().sites.load(Relaxed) {
                free_site(state, thread, list.first, site);
            }
        }
        let own = thread.block();
        let all = || state.all_threads();
        match mode {
            Mode::Exact => {
                let held: i64 = all().map(|thread| thread.net.load(Relaxed)).sum();
                own.net.store(own.net.load(Relaxed).wrapping_sub(held), Relaxed);
            }
            Mode::Sampled => {
                let bytes = all().fold(0, |sum: i64, thread| sum.wrapping_add(thread.held(false)));
                let count = all().fold(0, |sum: u64, thread| {
                    sum.wrapping_add(thread.allocated_count.load(Relaxed))
                        .wrapping_sub(thread.freed_count.load(Relaxed))
                });
                bump(&own.freed_bytes, bytes.max(0) as u64);
                bump(&own.freed_count, count);
                sampled::look(state, thread);
            }
        }
        thread.last.set(0);
        thread.leave();
    }
}

impl Tracker {
    /// Forgets how large the heap was: the peak is of what comes from now on.
    pub fn forget_peak(&self, slot: &ThreadSlot) {
        let Some((state, thread, mode)) = self.enter(slot) else { return };
        if mode == Mode::Sampled {
            sampled::look(state, thread);
        }
        {
            let _held = state.peak.lock();
            state.header().peak_bytes.store(0, Relaxed);
            peak::decide(state.header(), thread.block(), || state.all_threads());
        }
        thread.leave();
    }
}

/// Counts as freed what one call path holds.
fn free_site(state: &State, own: &Thread, first: *const Thread, site: u32) {
    let (mut bytes, mut count) = (0_i64, 0_i64);
    let mut at = first;
    while let Some(thread) = unsafe { at.as_ref() } {
        let held = thread.held(site);
        (bytes, count) = (bytes.wrapping_add(held.0), count.wrapping_add(held.1));
        at = thread.next.load(Relaxed);
    }
    if count > 0
        && let Some(counters) = own.counters(state, site)
    {
        peak::note(state.header(), counters);
        bump(&counters.freed_bytes, bytes.max(0) as u64);
        bump(&counters.freed_count, count as u64);
    }
}
