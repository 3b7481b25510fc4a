//! When things happened: for each thread the spans of its scopes, and marks without a length.

use foldhash::fast::RandomState;
use indexmap::IndexMap;

use crate::{Link, StackId, StringId, ThreadId};

/// One scope from its beginning to its end. Times count from the start of the run.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Span {
    /// When it began.
    pub start_nanos: u64,
    /// How long it took.
    pub duration_nanos: u64,
    /// The call path; its innermost frame is the scope.
    pub stack: StackId,
}

/// Something that happened at an instant.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct Mark {
    /// When it happened.
    pub at_nanos: u64,
    /// What it is called.
    pub name: StringId,
    /// What else is known of it: key and value.
    pub details: Vec<(StringId, StringId)>,
}

/// What happened on one thread.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Track {
    /// Scopes, in no promised order; see [`Timeline::sort`].
    pub spans: Vec<Span>,
    /// Marks, in no promised order.
    pub marks: Vec<Mark>,
}

/// The tracks of all threads.
#[derive(Clone, Debug, Default)]
pub struct Timeline {
    tracks: IndexMap<ThreadId, Track, RandomState>,
    /// What threads waited for each other, in no promised order; where nobody told, it is empty.
    pub links: Vec<Link>,
}

impl Timeline {
    /// The track of a thread, which is made if it is new.
    pub fn track_mut(&mut self, thread: ThreadId) -> &mut Track {
        self.tracks.entry(thread).or_default()
    }

    /// The track of a thread.
    #[must_use]
    pub fn track(&self, thread: ThreadId) -> Option<&Track> {
        self.tracks.get(&thread)
    }

    /// All tracks.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = (ThreadId, &Track)> {
        self.tracks.iter().map(|(thread, track)| (*thread, track))
    }

    /// Puts every track in order of time, the longer of two spans that begin together first, so that a
    /// parent stands before its children.
    pub fn sort(&mut self) {
        for track in self.tracks.values_mut() {
            track
                .spans
                .sort_by_key(|span| (span.start_nanos, std::cmp::Reverse(span.duration_nanos), span.stack));
            track.marks.sort();
        }
        self.links.sort_unstable_by_key(|link| (link.to_nanos, *link));
    }

    /// Puts the tracks in the order of their handles.
    pub(crate) fn sort_tracks(&mut self) {
        self.tracks.sort_unstable_keys();
    }

    /// How many spans there are on all tracks.
    #[must_use]
    pub fn n_spans(&self) -> usize {
        self.tracks.values().map(|track| track.spans.len()).sum()
    }

    /// How many marks there are on all tracks.
    #[must_use]
    pub fn n_marks(&self) -> usize {
        self.tracks.values().map(|track| track.marks.len()).sum()
    }

    /// Whether nothing happened.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.n_spans() == 0 && self.n_marks() == 0 && self.links.is_empty()
    }
}
