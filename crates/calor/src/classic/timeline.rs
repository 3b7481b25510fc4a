//! The timeline profiler: when things happened, with what the program knows about them. Spans have a start
//! and a stop, events only an instant. It holds the newest; what had to make room is counted.

use std::collections::{HashMap, VecDeque};
use std::fmt;
use std::sync::{Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use calor_model::{Mark, Profile, Recorder, ThreadId, Warning};

use crate::Site;
use crate::clock::{self, Scale};
use crate::recorder::block::thread_number;
use crate::recorder::convert::Converter;
use crate::recorder::fold::FinishedScope;
use crate::recorder::raw::{RawNode, RawThread};

use super::begin::Begin;
use super::calls::{Calls, Finished, Work, thread_key};
use super::outcome::Outcome;
use super::tree::Place;

/// Entries that a timeline holds unless told otherwise.
const CAPACITY: usize = 1 << 16;
/// Threads that keep tracks of their own.
const MAX_THREADS: usize = 256;
const OTHER_THREADS: &str = "(other threads)";

/// An event or a finished span.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct TimelineEvent {
    /// What it is called.
    pub name: String,
    /// The thread it began on.
    pub thread: String,
    /// When it began, counted from when the timeline was made or reset.
    pub start: Duration,
    /// How long it took; `None` for an event, which has no length.
    pub duration: Option<Duration>,
    /// What else is known of it: key and value.
    pub metadata: Vec<(String, String)>,
}

/// Records when named spans and events happened, on any number of threads.
///
/// ```
/// let timeline = calor::TimelineProfiler::new();
/// timeline.start_with("epoch", &[("number", "1")]);
/// timeline.event("checkpoint written");
/// timeline.stop("epoch");
/// assert_eq!(timeline.events().len(), 2);
/// ```
pub struct TimelineProfiler {
    calls: Calls,
    entries: Mutex<Entries>,
}

struct Entries {
    capacity: usize,
    newest: VecDeque<Entry>,
    /// Entries that made room for newer ones.
    displaced: u64,
    /// Number and name of each thread, by its key.
    threads: HashMap<u64, (u64, String)>,
}

struct Entry {
    site: &'static Site,
    thread: u64,
    start: u64,
    /// `None` for an event.
    span: Option<(Place, u64)>,
    metadata: Vec<(String, String)>,
}

impl Default for TimelineProfiler {
    fn default() -> Self {
        Self::new()
    }
}

impl TimelineProfiler {
    /// An empty timeline that holds the newest 65,536 events and spans.
    #[must_use]
    pub fn new() -> Self {
        Self::with_capacity(CAPACITY)
    }

    /// An empty timeline that holds so many events and spans, at least one.
    #[must_use]
    pub fn with_capacity(entries: usize) -> Self {
        let entries = Entries {
            capacity: entries.max(1),
            newest: VecDeque::new(),
            displaced: 0,
            threads: HashMap::new(),
        };
        Self { calls: Calls::new(), entries: Mutex::new(entries) }
    }

    fn lock(&self) -> MutexGuard<'_, Entries> {
        self.entries.lock().unwrap_or_else(PoisonError::into_inner)
    }

    /// Records that something happened now.
    pub fn event(&self, name: &str) {
        self.event_with(name, &[]);
    }

    /// Records that something happened now, and what else is known of it.
    pub fn event_with(&self, name: &str, metadata: &[(&str, &str)]) {
        let (start, site, thread) = (clock::ticks(), Site::named(name), thread_key());
        let mut entries = self.lock();
        entries.note_thread(thread);
        entries.push(Entry { site, thread, start, span: None, metadata: owned(metadata) });
    }

    /// Starts a span, inside the one that this thread started last and has not stopped.
    pub fn start(&self, name: &str) {
        self.start_with(name, &[]);
    }

    /// Starts a span, and says what is known of it.
    pub fn start_with(&self, name: &str, metadata: &[(&str, &str)]) {
        self.lock().note_thread(thread_key());
        self.calls.start(name, Work { details: owned(metadata), ..Work::default() });
    }

    /// Stops the innermost span of this name on this thread, or else the oldest on any thread, and tells how
    /// long it took. Without a start nothing is recorded, and the outcome says what to do.
    pub fn stop(&self, name: &str) -> Outcome<Duration> {
        let end = clock::ticks();
        // Held throughout, so that no reset comes between a span's leaving the tree and its entry.
        let mut entries = self.lock();
        let outcome = self.calls.stop_at(name, end).map(|finished| {
            let duration = finished.duration();
            entries.push_span(finished);
            duration
        });
        Outcome::new(outcome)
    }

    /// The newest events and finished spans, in the order they began.
    #[must_use]
    pub fn events(&self) -> Vec<TimelineEvent> {
        let scale = Scale::measure();
        let begin = self.calls.begin();
        let time = |ticks| Duration::from_nanos(scale.nanos(ticks));
        let entries = self.lock();
        let told = entries.newest.iter().map(|entry| TimelineEvent {
            name: entry.site.name().to_owned(),
            thread: entries.threads.get(&entry.thread).map_or(OTHER_THREADS, |known| &known.1).to_owned(),
            start: time(begin.until(entry.start)),
            duration: entry.span.map(|(_, ticks)| time(ticks)),
            metadata: entry.metadata.clone(),
        });
        let mut events: Vec<_> = told.collect();
        events.sort_by_key(|event| (event.start, std::cmp::Reverse(event.duration)));
        events
    }

    /// How many events and finished spans it holds.
    #[must_use]
    pub fn len(&self) -> usize {
        self.lock().newest.len()
    }

    /// Whether it holds none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Forgets everything. Spans that are open now are not recorded when they are stopped.
    pub fn reset(&self) {
        let mut entries = self.lock();
        self.calls.reset();
        entries.newest.clear();
        entries.displaced = 0;
    }

    /// The timeline as a profile: spans and marks by thread, and the statistics of all spans. What was said of
    /// a span is a mark of its name at its beginning.
    #[must_use]
    pub fn snapshot(&self) -> Profile {
        let mut profile = Profile::default();
        let entries = self.lock();
        let tree = self.calls.add_to(&mut profile);
        entries.add_to(&mut profile, &tree, self.calls.begin());
        drop(entries);
        profile.timeline.sort();
        profile.runs.push(self.calls.begin().run([Recorder::Scopes]));
        profile
    }
}

impl fmt::Debug for TimelineProfiler {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_struct("TimelineProfiler").field("len", &self.len()).finish_non_exhaustive()
    }
}

fn owned(metadata: &[(&str, &str)]) -> Vec<(String, String)> {
    metadata.iter().map(|&(key, value)| (key.to_owned(), value.to_owned())).collect()
}

impl Entries {
    fn push(&mut self, entry: Entry) {
        if self.newest.len() == self.capacity {
            self.newest.pop_front();
            self.displaced += 1;
        }
        self.newest.push_back(entry);
    }

    /// Adds a finished span, unless it has no place in the tree.
    fn push_span(&mut self, finished: Finished) {
        let Finished { site, place, start, ticks, thread, details } = finished;
        if let Some(place) = place {
            self.push(Entry { site, thread, start, span: Some((place, ticks)), metadata: details });
        }
    }

    fn note_thread(&mut self, key: u64) {
        if self.threads.len() < MAX_THREADS && !self.threads.contains_key(&key) {
            let name = std::thread::current().name().unwrap_or("(unnamed)").to_owned();
            self.threads.insert(key, (thread_number(), name));
        }
    }

    /// The row of a thread.
    fn thread(&self, key: u64, profile: &mut Profile) -> ThreadId {
        let (tid, name) = self.threads.get(&key).map_or((0, OTHER_THREADS), |(tid, name)| (*tid, name));
        profile.intern_thread(std::process::id(), tid, name)
    }

    fn add_to(&self, profile: &mut Profile, tree: &RawThread, begin: Begin) {
        // The statistics are in the profile already; spans only need to know where their paths are.
        let places: Vec<RawNode> =
            tree.nodes.iter().map(|node| RawNode::without_figures(node.site, node.parent)).collect();
        let mut spans: HashMap<u64, Vec<FinishedScope>> = HashMap::new();
        // The recorder tells moments from the anchor on; here they are told from the timeline's beginning.
        let anchor = clock::anchor().ticks;
        let scale = Scale::measure();
        for entry in &self.newest {
            if let Some((place, ticks)) = entry.span {
                let span = FinishedScope {
                    node: place.node(),
                    start: anchor + begin.until(entry.start),
                    ticks,
                    is_sampled: false,
                };
                spans.entry(entry.thread).or_default().push(span);
            }
            if entry.span.is_none() || !entry.metadata.is_empty() {
                let thread = self.thread(entry.thread, profile);
                let name = profile.strings.intern(entry.site.name());
                let mut text = |text: &String| profile.strings.intern(text);
                let details = entry.metadata.iter().map(|(key, value)| (text(key), text(value))).collect();
                let at_nanos = scale.nanos(begin.until(entry.start));
                profile.timeline.track_mut(thread).marks.push(Mark { at_nanos, name, details });
            }
        }
        for (key, spans) in spans {
            let thread = self.thread(key, profile);
            let raw = RawThread { nodes: places.clone(), spans, ..RawThread::default() };
            Converter::new(profile).add(&raw, thread);
        }
        if self.displaced > 0 {
            let message = "the timeline holds the newest events and spans; older ones made room \
                           (give TimelineProfiler::with_capacity a larger number)";
            profile.warn(Warning::counted("spans_overwritten", message, self.displaced));
        }
    }
}
