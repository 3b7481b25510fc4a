//! Whether the recorder is on, and how. Everything is in one word that a scope loads when it is entered: the
//! lowest bit says on or off, the rest counts changes, so a thread that compares the word with the one it
//! last acted on learns of a reset or another setting at no further cost.

use std::sync::Once;
use std::sync::atomic::Ordering::{AcqRel, Acquire, Relaxed, Release};
use std::sync::atomic::{AtomicU32, AtomicU64, AtomicUsize};

use crate::{causal, clock, fork, process, time_on};

/// The lowest bit of the state.
pub(crate) const ON: u64 = 1;
const CHANGE: u64 = 2;

/// Events that a thread's ring holds when no timeline is asked for: some 90 µs of the shortest scopes, the
/// time a reader has for a consistent look before the owner must fold.
pub(crate) const SHORT_RING: usize = 4096;
/// Events that a thread's ring holds by default when a timeline is asked for (4 MiB).
const TIMELINE_RING: usize = 1 << 18;

/// The largest N of "time one in N".
pub(crate) const MAX_ONE_IN: u32 = 1 << 16;

static STATE: AtomicU64 = AtomicU64::new(0);
static RING_EVENTS: AtomicUsize = AtomicUsize::new(SHORT_RING);
static TIME_ONE_IN: AtomicU32 = AtomicU32::new(1);
static RESET_AT: AtomicU64 = AtomicU64::new(0);
static RESETS: AtomicU64 = AtomicU64::new(0);

/// How to record. The default: every scope is counted and timed, no timeline is kept.
#[derive(Clone, Debug)]
#[must_use]
pub struct Options {
    timeline: bool,
    timeline_events: usize,
    time_one_in: u32,
}

impl Default for Options {
    fn default() -> Self {
        Self { timeline: false, timeline_events: TIMELINE_RING, time_one_in: 1 }
    }
}

impl Options {
    /// The defaults.
    pub fn new() -> Self {
        Self::default()
    }

    /// Whether to keep when scopes ran, not only how long they took.
    pub fn timeline(mut self, on: bool) -> Self {
        self.timeline = on;
        self
    }

    /// How many scopes of a thread the timeline holds: the newest count. Rounded up to a power of two,
    /// between 4,096 and 16,777,216; 262,144 if not said, which takes 4 MiB a thread.
    pub fn timeline_events(mut self, events: usize) -> Self {
        self.timeline_events = events.clamp(SHORT_RING, 1 << 24).next_power_of_two();
        self
    }

    /// Counts every call but times only one in `n` on average, after the first 16 on each call path. Totals
    /// become estimates and are marked. For programs with very short and very frequent scopes. At most 65,536.
    pub fn time_one_in(mut self, n: u32) -> Self {
        self.time_one_in = n.clamp(1, MAX_ONE_IN);
        self
    }
}

/// What a thread acts on.
#[derive(Clone, Copy)]
pub(crate) struct Settings {
    pub(crate) ring_events: usize,
    pub(crate) time_one_in: u32,
    /// Whether scopes are boundaries of experiments.
    pub(crate) has_experiments: bool,
    /// Scopes that began earlier do not count.
    pub(crate) reset_at: u64,
    pub(crate) resets: u64,
}

/// The state word.
#[inline(always)]
pub(crate) fn load() -> u64 {
    STATE.load(Relaxed)
}

/// The settings behind the state word.
pub(crate) fn settings() -> Settings {
    STATE.load(Acquire);
    Settings {
        ring_events: RING_EVENTS.load(Relaxed),
        time_one_in: TIME_ONE_IN.load(Relaxed),
        has_experiments: causal::is_under_way(),
        reset_at: RESET_AT.load(Relaxed),
        resets: RESETS.load(Relaxed),
    }
}

/// Whether scopes are recorded.
#[inline]
pub(crate) fn is_on() -> bool {
    load() & ON != 0
}

/// Whether a timeline is kept.
pub(crate) fn keeps_timeline() -> bool {
    RING_EVENTS.load(Relaxed) > SHORT_RING
}

/// Done when the recorder was turned on for the first time.
static FIRST: Once = Once::new();

/// Whether the recorder was ever on.
pub(crate) fn was_ever_on() -> bool {
    FIRST.is_completed()
}

pub(crate) fn turn_on() {
    FIRST.call_once(|| {
        clock::anchor();
        process::begin();
        fork::handle();
    });
    time_on::turn(true, || {
        STATE.fetch_or(ON, AcqRel);
    });
}

pub(crate) fn turn_off() {
    time_on::turn(false, || {
        STATE.fetch_and(!ON, AcqRel);
    });
}

pub(crate) fn configure(options: &Options) {
    let events = if options.timeline { options.timeline_events } else { SHORT_RING };
    // A timeline of the shortest length must still be told from none.
    RING_EVENTS.store(if options.timeline { events.max(SHORT_RING * 2) } else { events }, Relaxed);
    TIME_ONE_IN.store(options.time_one_in, Relaxed);
    STATE.fetch_add(CHANGE, Release);
}

/// Makes the timeline at least this long, without touching anything else.
pub(crate) fn require_timeline() {
    if !keeps_timeline() {
        RING_EVENTS.store(TIMELINE_RING, Relaxed);
        STATE.fetch_add(CHANGE, Release);
    }
}

/// Has every thread look at the settings anew.
pub(crate) fn announce() {
    STATE.fetch_add(CHANGE, Release);
}

pub(crate) fn reset() {
    process::begin();
    RESET_AT.store(clock::ticks(), Relaxed);
    RESETS.fetch_add(1, Relaxed);
    STATE.fetch_add(CHANGE, Release);
}
