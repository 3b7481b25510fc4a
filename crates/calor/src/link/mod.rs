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
//! Nothing is told unless a timeline is recorded; then a link costs three readings of the clock and a short lock. At most
//! 1,048,576 links are held in memory (58 MiB), the newest; a recording to a file takes them out as it goes.

mod participant;
pub(crate) mod store;

use calor_model::LinkKind;

use crate::clock;
use crate::recorder::state;

use store::RawLink;

/// The moment at which a thread made something available to others. While no timeline is recorded it says nothing.
#[derive(Clone, Copy, Debug, Default)]
pub struct Signal {
    /// The thread; 0 for none.
    participant: u32,
    ticks: u64,
}

impl Signal {
    /// Nobody's.
    pub(crate) const NONE: Self = Self { participant: 0, ticks: 0 };

    pub(crate) fn ticks(self) -> u64 {
        self.ticks
    }

    pub(crate) fn is_some(self) -> bool {
        self.participant != 0
    }
}

/// The moment from which a thread waits.
#[derive(Clone, Copy, Debug)]
#[must_use = "a wait that is not ended is not recorded"]
pub struct Wait {
    /// 0 while no timeline is recorded.
    since: u64,
}

/// Now, on this thread.
#[must_use]
pub fn signal() -> Signal {
    if is_watched() {
        Signal { participant: participant::own(), ticks: clock::ticks() }
    } else {
        Signal::default()
    }
}

/// From now on this thread waits, or may have to.
pub fn wait() -> Wait {
    Wait { since: if is_watched() { clock::ticks() } else { 0 } }
}

impl Wait {
    /// The thread has what it waited for, or did not have to wait: `from` is when and where it was made available.
    pub fn end(self, from: Signal) {
        self.end_as(LinkKind::Other, 0, from);
    }

    pub(crate) fn end_as(self, kind: LinkKind, object: u64, from: Signal) {
        if self.since != 0 && from.participant != 0 {
            store::add(RawLink { kind, object, from, since: self.since, to: signal(), held: 0 });
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
        let acquired = signal();
        if wait.since == 0 || acquired.participant == 0 {
            return None;
        }
        // Nobody had it before: whoever asked got it.
        let from = if from.participant == 0 { Signal { ticks: wait.since, ..acquired } } else { from };
        Some(Self { since: wait.since, acquired, from })
    }

    /// The lock was released at `released`.
    pub(crate) fn end(self, object: u64, released: Signal) {
        let held = released.ticks.saturating_sub(self.acquired.ticks);
        let (kind, from, to) = (LinkKind::Lock, self.from, self.acquired);
        store::add(RawLink { kind, object, from, since: self.since, to, held });
    }
}

fn is_watched() -> bool {
    state::is_on() && state::keeps_timeline()
}

/// In a forked child: what was told is the parent's.
pub(crate) fn forget() {
    participant::forget();
    store::forget();
}
