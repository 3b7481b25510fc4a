//! Calls between a start and a stop by name, over a call tree. Starts of one thread nest; a stop closes the
//! innermost start of its name on its own thread, or else the oldest on any thread, so that work may be
//! handed over.

use std::cell::Cell;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use calor_model::{Profile, Warning};

use crate::clock::{self, Scale};
use crate::recorder::convert::Converter;
use crate::recorder::raw::RawThread;
use crate::{Site, process};

use super::begin::Begin;
use super::error::{Error, Result};
use super::operation::{self, OperationStats};
use super::tree::{Place, PrivateTree};

/// Starts that may wait for their stop; beyond it the older half is forgotten and counted.
const MAX_OPEN: usize = 1 << 16;

/// Names of open calls that an error lists.
const LISTED: usize = 5;

/// The row that the threads of a profiler are added up in; beside the rows of threads it must not read as a sum.
pub(super) const ALL_THREADS: &str = "(profiler, all threads)";

/// What a program tells of a call when it starts it.
#[derive(Default)]
pub(super) struct Work {
    pub(super) flops: u64,
    pub(super) bytes: u64,
    /// Key and value.
    pub(super) details: Vec<(String, String)>,
}

/// Tells the calls of one profiler apart.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct CallId(u64);

/// A call that was stopped.
pub(super) struct Finished {
    pub(super) site: &'static Site,
    /// `None` when it is not in the tree: for lack of room, or because of a reset.
    pub(super) place: Option<Place>,
    pub(super) start: u64,
    pub(super) ticks: u64,
    /// The thread that started it.
    pub(super) thread: u64,
    pub(super) details: Vec<(String, String)>,
}

impl Finished {
    pub(super) fn duration(&self) -> Duration {
        Duration::from_nanos(Scale::measure().nanos(self.ticks))
    }
}

/// The calls of one profiler.
pub(super) struct Calls {
    state: Mutex<State>,
}

struct State {
    begin: Begin,
    tree: PrivateTree,
    /// In the order of their starts.
    open: Vec<OpenCall>,
    next: u64,
    /// Stops that found no start.
    stray_stops: u64,
    /// Starts that were forgotten for lack of room.
    forgotten_starts: u64,
}

struct OpenCall {
    id: CallId,
    thread: u64,
    site: &'static Site,
    place: Option<Place>,
    start: u64,
    work: Work,
}

impl Calls {
    pub(super) fn new() -> Self {
        let state = State {
            begin: Begin::now(),
            tree: PrivateTree::take(),
            open: Vec::new(),
            next: 0,
            stray_stops: 0,
            forgotten_starts: 0,
        };
        Self { state: Mutex::new(state) }
    }

    fn lock(&self) -> MutexGuard<'_, State> {
        self.state.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Starts a call inside the innermost one that is open on this thread.
    pub(super) fn start(&self, name: &str, work: Work) -> CallId {
        let (site, thread) = (Site::named(name), thread_key());
        let mut state = self.lock();
        state.make_room();
        let around = state.open.iter().rev().find(|call| call.thread == thread && call.place.is_some());
        let around = around.and_then(|call| call.place);
        let place = state.tree.enter(around, site);
        let id = CallId(state.next);
        state.next += 1;
        let start = clock::ticks();
        state.open.push(OpenCall { id, thread, site, place, start, work });
        id
    }

    /// Stops a call by its name.
    pub(super) fn stop(&self, name: &str) -> Result<Finished> {
        self.stop_at(name, clock::ticks())
    }

    /// Stops a call by its name, which ended a moment ago.
    pub(super) fn stop_at(&self, name: &str, end: u64) -> Result<Finished> {
        let site = Site::find_named(name);
        let thread = thread_key();
        let mut state = self.lock();
        let is_meant = |call: &OpenCall| site.is_some_and(|site| std::ptr::eq(call.site, site));
        let on_this_thread = state.open.iter().rposition(|call| call.thread == thread && is_meant(call));
        match on_this_thread.or_else(|| state.open.iter().position(is_meant)) {
            Some(at) => Ok(state.close(at, end)),
            None => Err(state.refuse(name, site)),
        }
    }

    /// Stops one call, unless that has been done.
    pub(super) fn finish(&self, id: CallId) -> Option<Finished> {
        let end = clock::ticks();
        let mut state = self.lock();
        let at = state.open.iter().rposition(|call| call.id == id)?;
        Some(state.close(at, end))
    }

    /// Whether a call of this name is open.
    pub(super) fn is_open(&self, name: &str) -> bool {
        let site = Site::find_named(name);
        self.lock().open.iter().any(|call| site.is_some_and(|site| std::ptr::eq(call.site, site)))
    }

    /// All finished calls, added up by name, in the order of first use.
    pub(super) fn operations(&self) -> Vec<OperationStats> {
        let figures = self.lock().tree.figures();
        operation::by_name(&figures, Scale::measure())
    }

    /// Forgets everything. Calls that are open now are not counted when they are stopped.
    pub(super) fn reset(&self) {
        let mut state = self.lock();
        state.open.iter_mut().for_each(|call| call.place = None);
        state.tree.clear();
        state.begin = Begin::now();
        (state.stray_stops, state.forgotten_starts) = (0, 0);
    }

    /// When recording began: when this was made, or reset.
    pub(super) fn begin(&self) -> Begin {
        self.lock().begin
    }

    /// Adds all calls to a profile, threads together, and returns their call tree.
    pub(super) fn add_to(&self, profile: &mut Profile) -> RawThread {
        let mut state = self.lock();
        let mut raw = state.tree.read();
        let now = clock::ticks();
        for call in &state.open {
            if let Some(node) = call.place.and_then(|place| raw.nodes.get_mut(place.index())) {
                node.open_calls += 1;
                let nanos = Scale::measure().nanos(now.saturating_sub(call.start));
                node.open_nanos = node.open_nanos.saturating_add_unsigned(nanos);
            }
        }
        let losses = [
            (
                state.stray_stops,
                "stops_without_start",
                "stops found no start of their name and were left out: look at what stop returns",
            ),
            (
                state.forgotten_starts,
                "starts_without_stop",
                "starts waited for their stop until there was no more room, and were left out",
            ),
        ];
        drop(state);
        let thread = profile.intern_thread(std::process::id(), 0, ALL_THREADS);
        Converter::new(profile).add(&raw, thread);
        for (count, code, message) in losses.into_iter().filter(|loss| loss.0 > 0) {
            profile.warn(Warning::counted(code, message, count));
        }
        process::warn_of_clock(profile);
        raw
    }
}

impl State {
    fn make_room(&mut self) {
        if self.open.len() == MAX_OPEN {
            self.open.drain(..MAX_OPEN / 2);
            self.forgotten_starts += (MAX_OPEN / 2) as u64;
        }
    }

    fn close(&mut self, at: usize, end: u64) -> Finished {
        let OpenCall { thread, site, place, start, work, .. } = self.open.remove(at);
        let ticks = end.saturating_sub(start);
        if let Some(place) = place {
            self.tree.record(place, start, ticks, work.flops, work.bytes);
        }
        Finished { site, place, start, ticks, thread, details: work.details }
    }

    /// Why a name cannot be stopped.
    fn refuse(&mut self, name: &str, site: Option<&Site>) -> Error {
        self.stray_stops += 1;
        let is_meant = |known: &Site| site.is_some_and(|site| std::ptr::eq(known, site));
        let calls =
            self.tree.figures().iter().filter(|node| is_meant(node.site)).map(|node| node.count).sum();
        if calls > 0 {
            return Error::AlreadyStopped { name: name.to_owned(), calls };
        }
        let mut open: Vec<String> = self.open.iter().map(|call| format!("`{}`", call.site.name())).collect();
        open.sort_unstable();
        open.dedup();
        let more = open.len().saturating_sub(LISTED);
        open.truncate(LISTED);
        let open = match (open.is_empty(), more) {
            (true, _) => String::from("nothing"),
            (false, 0) => open.join(", "),
            (false, more) => format!("{} and {more} more", open.join(", ")),
        };
        Error::NotStarted { name: name.to_owned(), open }
    }
}

/// Tells threads apart, those that have ended included.
pub(super) fn thread_key() -> u64 {
    static NEXT: AtomicU64 = AtomicU64::new(1);
    thread_local! {
        static KEY: Cell<u64> = const { Cell::new(0) };
    }
    if KEY.get() == 0 {
        KEY.set(NEXT.fetch_add(1, Relaxed));
    }
    KEY.get()
}
