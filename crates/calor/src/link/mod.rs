//! What threads wait for each other, told by the program: the edges between the threads of a timeline, from which
//! `calor whatif` learns which work a run could not have ended without.
//!
//! [`sync`](crate::sync) has threads, locks, channels and barriers that tell by themselves. For everything else there are
//! two moments to tell: the one at which something is made available, and the one at which another thread has it.
//!
//! ```
//! let ready = calor::link::signal(); // on the thread that makes it available, handed over with it
//! # std::thread::spawn(move || {
//! let wait = calor::link::wait(); // on the other, before it waits
//! // ... waits ...
//! wait.end(ready);
//! # }).join().unwrap();
//! ```
//!
//! Nothing is told unless a timeline is recorded or there are [experiments](crate::causal); then a link costs three readings of the clock and a short lock. At most
//! 1,048,576 links are held in memory (58 MiB), the newest; a recording to a file takes them out as it goes.

mod participant;
pub(crate) mod store;

use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

use calor_model::LinkKind;

use crate::causal::{self, Moment};
use crate::clock;
use crate::recorder::state;

use store::RawLink;

/// The moment at which a thread made something available to others. While no timeline is recorded it says nothing.
#[derive(Clone, Copy, Debug, Default)]
pub struct Signal {
    /// The thread; 0 for none.
    participant: u32,
    moment: Moment,
}

impl Signal {
    /// Nobody's.
    pub(crate) const NONE: Self = Self { participant: 0, moment: Moment { ticks: 0, credit: 0 } };

    pub(crate) fn is_some(self) -> bool {
        self.participant != 0
    }

    /// Of two, the one that was later, or would have been in an experiment; one that says nothing is earlier than any.
    pub(crate) fn later_of(self, other: Self) -> Self {
        let order = |signal: &Self| (signal.is_some(), signal.moment.virtual_ticks());
        if order(&other) > order(&self) { other } else { self }
    }

    /// Itself, unless it is from before a fork: it speaks of threads of the parent then.
    fn of_this_process(self) -> Self {
        if self.moment.ticks < FORKED_AT.load(Relaxed) { Self::NONE } else { self }
    }
}

/// When this process was forked; 0 for one that was not.
static FORKED_AT: AtomicU64 = AtomicU64::new(0);

/// The moment from which a thread waits.
#[derive(Clone, Copy, Debug)]
#[must_use = "a wait that is not ended is not recorded"]
pub struct Wait {
    /// At 0 while no timeline is recorded and nothing is tried.
    asked: Moment,
}

/// Now, on this thread.
#[must_use]
pub fn signal() -> Signal {
    if !is_watched() {
        return Signal::NONE;
    }
    let participant = participant::own();
    Signal { participant, moment: if causal::is_under_way() { causal::before_signal() } else { now() } }
}

/// From now on this thread waits, or may have to.
pub fn wait() -> Wait {
    let asked = match is_watched() {
        true if causal::is_under_way() => causal::before_wait(),
        true => now(),
        false => Moment::default(),
    };
    Wait { asked }
}

fn now() -> Moment {
    Moment { ticks: clock::ticks(), credit: 0 }
}

impl Wait {
    /// The thread has what it waited for, or did not have to wait: `from` is when and where it was made available.
    pub fn end(self, from: Signal) {
        self.end_as(LinkKind::Other, 0, from);
    }

    pub(crate) fn end_as(self, kind: LinkKind, object: u64, from: Signal) {
        let from = self.go_on(from);
        self.tell(kind, object, from);
    }

    /// The thread began because another started it.
    pub(crate) fn begin(self, started: Signal) {
        let started = started.of_this_process();
        if started.is_some() && causal::is_under_way() {
            causal::begun(started.moment);
        }
        self.tell(LinkKind::Spawn, 0, started);
    }

    /// The thread goes on because several others have ended, as if it had joined them in that order: what it had to wait for
    /// would be another one if they took another time.
    pub(crate) fn end_of_all(self, mut ended: Vec<Signal>) {
        self.go_on(ended.iter().copied().fold(Signal::NONE, Signal::later_of));
        if self.asked.ticks == 0 || !state::keeps_timeline() {
            return;
        }
        ended.retain(|signal| signal.of_this_process().is_some());
        ended.sort_unstable_by_key(|signal| signal.moment.ticks);
        let (now, mut since) = (signal(), self.asked.ticks);
        for (at, &from) in ended.iter().enumerate() {
            let mut to = now;
            if at + 1 < ended.len() {
                to.moment.ticks = from.moment.ticks.clamp(since, now.moment.ticks.max(since));
            }
            store::add(RawLink { kind: LinkKind::Join, object: 0, from, since, to, held: 0 });
            since = to.moment.ticks;
        }
    }

    /// The thread goes on without what it waited for.
    pub(crate) fn give_up(self) {
        self.go_on(Signal::NONE);
    }

    fn go_on(self, from: Signal) -> Signal {
        let from = from.of_this_process();
        if self.asked.ticks != 0 && causal::is_under_way() {
            causal::after_wait(self.asked, from.is_some().then_some(from.moment));
        }
        from
    }

    fn tell(self, kind: LinkKind, object: u64, from: Signal) {
        if self.asked.ticks != 0 && from.is_some() && state::keeps_timeline() {
            store::add(RawLink { kind, object, from, since: self.asked.ticks, to: signal(), held: 0 });
        }
    }
}

/// What a lock tells, when it is released again.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Hold {
    since: u64,
    acquired: Signal,
    from: Signal,
}

impl Hold {
    /// The lock is acquired, which `from` had released last; `None` while no timeline is recorded.
    pub(crate) fn begin(wait: Wait, from: Signal) -> Option<Self> {
        if wait.asked.ticks == 0 {
            return None;
        }
        let from = wait.go_on(from);
        let acquired = if state::keeps_timeline() { signal() } else { Signal::NONE };
        if !acquired.is_some() {
            return None;
        }
        // Nobody had it before: whoever asked got it.
        let from = if from.is_some() { from } else { Signal { moment: wait.asked, ..acquired } };
        Some(Self { since: wait.asked.ticks, acquired, from })
    }

    /// The lock was released at `released`.
    pub(crate) fn end(self, object: u64, released: Signal) {
        let held = released.moment.ticks.saturating_sub(self.acquired.moment.ticks);
        let (kind, from, to) = (LinkKind::Lock, self.from, self.acquired);
        store::add(RawLink { kind, object, from, since: self.since, to, held });
    }
}

fn is_watched() -> bool {
    state::is_on() && (state::keeps_timeline() || causal::is_under_way())
}

/// In a forked child: what was told is the parent's.
pub(crate) fn forget() {
    FORKED_AT.store(clock::ticks(), Relaxed);
    participant::forget();
    store::forget();
}
