//! Where an experiment meets the program: at the beginnings and ends of scopes, before threads tell something or wait, and
//! when they go on. There a thread that owes pauses, and only there: nothing is interrupted, no lock of ours is held
//! meanwhile, and a pause has an end whatever the others do.

use std::cell::Cell;
use std::sync::atomic::AtomicU64;
use std::sync::atomic::Ordering::{Acquire, Relaxed, Release};
use std::time::Duration;

use crate::clock::{self, Scale};
use crate::process_lock::ProcessLock;
use crate::recorder::registry;
use crate::{Site, recorder::state};

use super::account::{Account, Moment, Rate};
use super::desk::{self, Desk};

/// A thread looks at what others have this often at most.
const LOOK_EVERY: Duration = Duration::from_micros(20);
/// What is less is not paid yet: a pause is hardly ever exact to the timer's slack, which is half of this.
const LEAST_PAUSE: Duration = Duration::from_micros(100);
/// What is paid at one boundary at most; the rest at the next. The result stays right, only the order in which threads meet
/// may then be another than it would be.
const MOST_PAUSE: Duration = Duration::from_millis(100);

/// The number of the experiment under way; 0 while there is none.
static EXPERIMENT: AtomicU64 = AtomicU64::new(0);
static NEXT_EXPERIMENT: AtomicU64 = AtomicU64::new(1);
/// The number of the first experiment of this series.
static FIRST: AtomicU64 = AtomicU64::new(0);
/// Scopes, signals and waits that began earlier are not known to the experiments.
static STARTED_AT: AtomicU64 = AtomicU64::new(0);
/// When something was last to be faster.
static LAST_TRIED_AT: AtomicU64 = AtomicU64::new(0);
static CURRENT: ProcessLock<Tried> = ProcessLock::new();

/// Threads that took part, and waits that were told, in all series.
static N_THREADS: AtomicU64 = AtomicU64::new(0);
static N_TOLD: AtomicU64 = AtomicU64::new(0);

static LOOK_TICKS: AtomicU64 = AtomicU64::new(0);
static LEAST_TICKS: AtomicU64 = AtomicU64::new(0);

/// What is tried.
#[derive(Clone, Copy, Default)]
pub(super) struct Tried {
    number: u64,
    /// `None` where nothing is to be faster.
    scope: Option<&'static str>,
    rate: Rate,
}

impl Tried {
    fn is(self, site: &Site) -> bool {
        self.scope.is_some_and(|scope| scope == site.name())
    }
}

thread_local! {
    /// What this thread acts on.
    static TRIED: Cell<Tried> = const { Cell::new(Tried { number: 0, scope: None, rate: Rate::NONE }) };
}

/// Whether there is an experiment.
#[inline(always)]
pub(crate) fn is_under_way() -> bool {
    EXPERIMENT.load(Relaxed) != 0
}

/// Whether a scope was ever to be faster since everything was reset last.
pub(crate) fn was_under_way() -> bool {
    LAST_TRIED_AT.load(Relaxed) > state::settings().reset_at
}

/// From now on this scope is so many times as fast. Threads act on it at their next boundary.
pub(super) fn try_out(scope: Option<&'static str>, factor: f64) {
    let number = NEXT_EXPERIMENT.fetch_add(1, Relaxed);
    *CURRENT.lock() = Tried { number, scope, rate: Rate::of_factor(factor) };
    if scope.is_some() {
        LAST_TRIED_AT.store(clock::ticks(), Relaxed);
    }
    if !is_under_way() {
        FIRST.store(number, Relaxed);
    }
    if EXPERIMENT.swap(number, Release) == 0 {
        let per_nano = Scale::measure().nanos_per_tick().recip();
        let ticks = |time: Duration| (time.as_nanos() as f64 * per_nano) as u64;
        LOOK_TICKS.store(ticks(LOOK_EVERY), Relaxed);
        LEAST_TICKS.store(ticks(LEAST_PAUSE), Relaxed);
        state::announce();
        // A thread that has not heard of it by then has not looked at the state for a long time.
        STARTED_AT.store(clock::ticks() + ticks(LEAST_PAUSE), Relaxed);
    }
}

/// There is no experiment any more.
pub(super) fn end() {
    if CURRENT.lock().scope.is_some() {
        LAST_TRIED_AT.store(clock::ticks(), Relaxed);
    }
    EXPERIMENT.store(0, Release);
    state::announce();
}

/// In a forked child: the experiment is the parent's.
pub(crate) fn forget() {
    CURRENT.forget();
    EXPERIMENT.store(0, Relaxed);
    desk::forget();
}

/// A scope is about to be entered, or was left: what is owed is paid outside of it.
pub(crate) fn before_scope() {
    if let Some((desk, tried)) = own() {
        // A wait whose end nobody told is over.
        desk.is_waiting.store(false, Relaxed);
        pay(desk, tried);
    }
}

/// A scope was entered.
pub(crate) fn entered(site: &Site) {
    if let Some((desk, _)) = own().filter(|(_, tried)| tried.is(site)) {
        let depth = desk.depth.load(Relaxed) + 1;
        desk.depth.store(depth, Relaxed);
        if depth == 1 {
            desk.put(Account { since: clock::ticks(), ..desk.account() });
        }
    }
}

/// A scope ends at `end`; it is still the innermost one.
pub(crate) fn leaving(site: &Site, end: u64) {
    if let Some((desk, tried)) = own().filter(|(_, tried)| tried.is(site)) {
        let depth = desk.depth.load(Relaxed).saturating_sub(1);
        desk.depth.store(depth, Relaxed);
        if depth == 0 {
            desk.put(desk.account().settled(end, tried.rate));
        }
    }
}

/// The thread makes something available to others at the moment that is returned. It pays before.
pub(crate) fn before_signal() -> Moment {
    let Some((desk, tried)) = own() else { return Moment { ticks: clock::ticks(), credit: 0 } };
    pay(desk, tried);
    now_at(desk, tried)
}

/// The thread waits from the moment on that is returned, or may have to. It pays before; waiting is no work.
pub(crate) fn before_wait() -> Moment {
    let Some((desk, tried)) = own() else { return Moment { ticks: clock::ticks(), credit: 0 } };
    pay(desk, tried);
    let now = clock::ticks();
    desk.is_waiting.store(true, Relaxed);
    desk.put(desk.account().settled(now, tried.rate));
    Moment { ticks: now, credit: desk.account().credit }
}

/// The thread goes on, having asked at `asked`, with what another made available at `available`; `None` where that is not
/// known.
pub(crate) fn after_wait(asked: Moment, available: Option<Moment>) {
    let Some((desk, tried)) = own() else { return };
    let now = clock::ticks();
    let started_at = STARTED_AT.load(Relaxed);
    let is_known = |moment: &Moment| moment.ticks >= started_at;
    let credit = match available.filter(is_known) {
        Some(available) if is_known(&asked) => {
            N_TOLD.fetch_add(1, Relaxed);
            asked.after_wait(available, now)
        }
        _ => {
            // A thread that began to wait before the experiments did has what it had.
            let asked =
                if is_known(&asked) { asked } else { Moment { credit: desk.account().credit, ..asked } };
            asked.after_untold_wait(desk::even_at(now, tried.number, tried.rate), now)
        }
    };
    desk.is_waiting.store(false, Relaxed);
    desk.put(Account { credit, since: 0 });
    resume(desk, clock::ticks());
}

/// A thread begins because another started it at `started`.
pub(crate) fn begun(started: Moment) {
    if let Some((desk, _)) = own().filter(|_| started.ticks >= STARTED_AT.load(Relaxed)) {
        N_TOLD.fetch_add(1, Relaxed);
        desk.put(Account { credit: started.credit, since: 0 });
    }
}

/// How many threads took part, and how many waits were told, in all series so far.
pub(super) fn taken_part() -> (u64, u64) {
    (N_THREADS.load(Relaxed), N_TOLD.load(Relaxed))
}

/// Now, on this thread, for whoever measures.
pub(super) fn moment() -> Option<Moment> {
    let left = || Some(Moment { ticks: clock::ticks(), credit: desk::left_with()? });
    own().map(|(desk, tried)| now_at(desk, tried)).or_else(left)
}

/// What the desk of this thread has now.
pub(super) fn credit_of(desk: &Desk) -> u64 {
    let rate = TRIED.try_with(Cell::get).map_or(Rate::NONE, |tried| tried.rate);
    desk.account().credit_at(clock::ticks(), rate)
}

/// Threads that are behind by more than a part of what went by, and by more than a pause may leave open.
pub(super) fn behind(ticks: u64) -> Vec<String> {
    let tried = *CURRENT.lock();
    let least =
        ((LEAST_TICKS.load(Relaxed) as f64) * MOST_PAUSE.as_secs_f64() / LEAST_PAUSE.as_secs_f64()) as u64;
    desk::behind(desk::even_at(clock::ticks(), tried.number, tried.rate), least.max(ticks / 20))
}

fn now_at(desk: &Desk, tried: Tried) -> Moment {
    let now = clock::ticks();
    Moment { ticks: now, credit: desk.account().credit_at(now, tried.rate) }
}

/// The desk of this thread, which knows of the latest experiment.
fn own() -> Option<(&'static Desk, Tried)> {
    let number = EXPERIMENT.load(Acquire);
    if number == 0 {
        return None;
    }
    let desk = desk::own()?;
    let mut tried = TRIED.try_with(Cell::get).ok()?;
    if desk.experiment.load(Relaxed) != number {
        tried = adopt(desk, tried.rate)?;
    }
    Some((desk, tried))
}

/// Acts on another experiment: work so far is credited as it was, and scopes that are open may be meant now.
#[cold]
fn adopt(desk: &Desk, rate: Rate) -> Option<Tried> {
    // Held for a moment by whoever begins an experiment, perhaps below this very call: the next boundary will do.
    let tried = *CURRENT.try_lock()?;
    // What it had in another series says nothing.
    let account = if desk.experiment.load(Relaxed) < FIRST.load(Relaxed) {
        N_THREADS.fetch_add(1, Relaxed);
        Account { credit: desk::even(), since: 0 }
    } else {
        desk.account().settled(clock::ticks(), rate)
    };
    TRIED.try_with(|cell| cell.set(tried)).ok()?;
    let started_at = STARTED_AT.load(Relaxed);
    let depth = registry::current().open_since(started_at).filter(|site| tried.is(site)).count();
    desk.depth.store(depth as u64, Relaxed);
    desk.put(account);
    desk.experiment.store(tried.number, Relaxed);
    resume(desk, clock::ticks());
    Some(tried)
}

/// Work in the scope goes on, if the thread is in it.
fn resume(desk: &Desk, now: u64) {
    let account = desk.account();
    let is_at_work = desk.depth.load(Relaxed) > 0 && !desk.is_waiting.load(Relaxed);
    if account.since == 0 && is_at_work {
        desk.put(Account { since: now, ..account });
    }
}

/// Pauses for what this thread owes.
fn pay(desk: &Desk, tried: Tried) {
    let now = clock::ticks();
    if now.wrapping_sub(desk.looked_at.load(Relaxed)) < LOOK_TICKS.load(Relaxed) {
        return;
    }
    desk.looked_at.store(now, Relaxed);
    let owed = |now: u64| {
        let own = desk.account().credit_at(now, tried.rate);
        desk::even_at(now, tried.number, tried.rate).saturating_sub(own)
    };
    let least = LEAST_TICKS.load(Relaxed);
    if owed(now) >= least {
        pause(desk, tried, owed, least);
    }
    resume(desk, clock::ticks());
}

#[cold]
fn pause(desk: &Desk, tried: Tried, owed: impl Fn(u64) -> u64, least: u64) {
    let nanos_per_tick = LEAST_PAUSE.as_nanos() as f64 / least.max(1) as f64;
    let mut left = MOST_PAUSE;
    loop {
        let before = clock::ticks();
        // A pause is no work.
        desk.put(desk.account().settled(before, tried.rate));
        let debt = owed(before);
        if debt < least || left.is_zero() || EXPERIMENT.load(Relaxed) != tried.number {
            return;
        }
        let time = Duration::from_nanos((debt as f64 * nanos_per_tick) as u64).min(left);
        left -= time;
        std::thread::sleep(time);
        // It may have taken longer, which is credited as well: it is how far this thread is behind the wall.
        let credit = desk.account().credit + clock::ticks().saturating_sub(before);
        desk.put(Account { credit, since: 0 });
    }
}
