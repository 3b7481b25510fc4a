//! The accounts of the threads that take part, where all threads can see them: whoever is about to pause asks what the
//! one furthest ahead has, work that is under way included. Desks are a fixed number; a thread has one from its first
//! scope or wait in an experiment until it ends.

use std::cell::Cell;
use std::sync::Mutex;
use std::sync::atomic::Ordering::{AcqRel, Acquire, Relaxed, Release};
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize};

use crate::own_memory::as_own;

use super::account::{Account, Rate};

/// Threads that take part at once; further ones are left alone, and counted.
pub(super) const N_DESKS: usize = 256;

static DESKS: [Desk; N_DESKS] = [const { Desk::vacant() }; N_DESKS];
/// Desks from here on were never taken.
static N_USED: AtomicUsize = AtomicUsize::new(0);
/// The most that any thread had when it was last settled.
static EVEN: AtomicU64 = AtomicU64::new(0);
/// Threads that found no desk.
static TURNED_AWAY: AtomicU64 = AtomicU64::new(0);

thread_local! {
    /// The number of the desk, from 1; 0 before there is one, and beyond all for a thread that found none.
    static OWN: Cell<usize> = const { Cell::new(0) };
    /// What the thread had when it gave its desk back: a program's end is measured after that.
    static LEFT_WITH: Cell<Option<u64>> = const { Cell::new(None) };
    static LEAVING: Leaving = const { Leaving };
}

/// One thread's account, and what its owner keeps with it. Only the owner writes.
pub(super) struct Desk {
    is_taken: AtomicBool,
    credit: AtomicU64,
    since: AtomicU64,
    /// The experiment that the account is about.
    pub(super) experiment: AtomicU64,
    /// How many open scopes of this thread are the one that is to be faster.
    pub(super) depth: AtomicU64,
    /// When its owner last looked at what the others have.
    pub(super) looked_at: AtomicU64,
    /// Whether it waits for another thread, and that was told.
    pub(super) is_waiting: AtomicBool,
    name: Mutex<String>,
}

impl Desk {
    const fn vacant() -> Self {
        Self {
            is_taken: AtomicBool::new(false),
            credit: AtomicU64::new(0),
            since: AtomicU64::new(0),
            experiment: AtomicU64::new(0),
            depth: AtomicU64::new(0),
            looked_at: AtomicU64::new(0),
            is_waiting: AtomicBool::new(false),
            name: Mutex::new(String::new()),
        }
    }

    /// The account as it is; by the owner.
    pub(super) fn account(&self) -> Account {
        Account { credit: self.credit.load(Relaxed), since: self.since.load(Relaxed) }
    }

    /// Puts the account down; by the owner. The end of work is told before the credit for it: whoever looks in between
    /// sees too little for a moment, and never the same work twice.
    pub(super) fn put(&self, account: Account) {
        self.since.store(0, Relaxed);
        self.credit.store(account.credit, Release);
        self.since.store(account.since, Release);
        if account.credit > EVEN.load(Relaxed) {
            EVEN.fetch_max(account.credit, Relaxed);
        }
    }

    /// The account as another thread sees it; `None` while it changes.
    fn seen(&self) -> Option<Account> {
        let since = self.since.load(Acquire);
        let credit = self.credit.load(Acquire);
        (self.since.load(Relaxed) == since).then_some(Account { credit, since })
    }

    fn settle_in(&self) {
        let even = EVEN.load(Relaxed);
        self.put(Account { credit: even, since: 0 });
        for cell in [&self.experiment, &self.depth, &self.looked_at] {
            cell.store(0, Relaxed);
        }
        self.is_waiting.store(false, Relaxed);
        // Locked only by whoever makes a report; without a name it is told as unnamed.
        if let Ok(mut name) = self.name.try_lock() {
            as_own(|| std::thread::current().name().unwrap_or_default().clone_into(&mut name));
        }
    }
}

/// The desk of this thread, taken now if need be; `None` when there is none left or the thread is being torn down.
pub(super) fn own() -> Option<&'static Desk> {
    match OWN.try_with(Cell::get).ok()? {
        0 => take(),
        number => DESKS.get(number - 1),
    }
}

/// What the thread that was furthest ahead had when it was last settled.
pub(super) fn even() -> u64 {
    EVEN.load(Relaxed)
}

/// What the thread that is furthest ahead has at a moment of an experiment.
pub(super) fn even_at(now: u64, experiment: u64, rate: Rate) -> u64 {
    let n_used = N_USED.load(Relaxed).min(N_DESKS);
    let at_work = DESKS[..n_used]
        .iter()
        .filter(|desk| desk.since.load(Relaxed) != 0 && desk.experiment.load(Relaxed) == experiment);
    let most = at_work.filter_map(Desk::seen).map(|account| account.credit_at(now, rate)).max();
    EVEN.load(Relaxed).max(most.unwrap_or(0))
}

/// The names of threads that are behind all others by more than so much, and do not wait for one of them.
pub(super) fn behind(even: u64, by_more_than: u64) -> Vec<String> {
    let n_used = N_USED.load(Relaxed).min(N_DESKS);
    let is_behind = |desk: &&Desk| {
        desk.is_taken.load(Acquire)
            && !desk.is_waiting.load(Relaxed)
            && desk.seen().is_some_and(|account| account.credit + by_more_than < even)
    };
    let name = |desk: &Desk| desk.name.lock().map_or_else(|_| String::new(), |name| name.clone());
    let named = |name: String| if name.is_empty() { "(unnamed)".to_owned() } else { name };
    DESKS[..n_used].iter().filter(is_behind).map(name).map(named).collect()
}

/// How many threads found no desk so far.
pub(super) fn n_turned_away() -> u64 {
    TURNED_AWAY.load(Relaxed)
}

/// In a forked child: the other threads do not exist, and the experiment is the parent's.
pub(super) fn forget() {
    let _ = OWN.try_with(|own| own.set(0));
    for desk in &DESKS {
        desk.since.store(0, Relaxed);
        desk.is_taken.store(false, Relaxed);
    }
}

#[cold]
fn take() -> Option<&'static Desk> {
    let is_free = |desk: &Desk| desk.is_taken.compare_exchange(false, true, AcqRel, Relaxed).is_ok();
    let Some(at) = DESKS.iter().position(is_free) else {
        TURNED_AWAY.fetch_add(1, Relaxed);
        let _ = OWN.try_with(|own| own.set(usize::MAX));
        return None;
    };
    N_USED.fetch_max(at + 1, Relaxed);
    DESKS[at].settle_in();
    OWN.try_with(|own| own.set(at + 1)).ok()?;
    // Registers what gives it back; a thread that is being torn down has none any more.
    if LEAVING.try_with(|_| ()).is_err() {
        give_back();
        return None;
    }
    DESKS.get(at)
}

/// What this thread had when it was torn down, if it was and took part.
pub(super) fn left_with() -> Option<u64> {
    LEFT_WITH.try_with(Cell::get).ok().flatten()
}

fn give_back() {
    let number = OWN.try_with(|own| own.replace(0)).unwrap_or(0);
    if let Some(desk) = number.checked_sub(1).and_then(|at| DESKS.get(at)) {
        let _ = LEFT_WITH.try_with(|left| left.set(Some(super::boundary::credit_of(desk))));
        desk.since.store(0, Release);
        desk.is_taken.store(false, Release);
    }
}

struct Leaving;

impl Drop for Leaving {
    fn drop(&mut self) {
        give_back();
    }
}
