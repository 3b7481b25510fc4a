//! The threads of a trace. Their names may come after their first events or never, their numbers may be words or
//! missing, so they are kept under the text of their numbers until all is read.

use std::borrow::Cow;
use std::collections::HashMap;

use calor_model::{Profile, Thread, ThreadId};
use foldhash::fast::RandomState;

use super::number;
use super::record::Record;
use super::text::text;

/// A thread by its place among [`Threads`].
pub(super) type Place = usize;

/// One thread and what was met of it.
#[derive(Default)]
pub(super) struct Lane<'a> {
    pid: &'a str,
    tid: &'a str,
    pub(super) name: Option<Cow<'a, str>>,
    /// Where the trace wants it shown.
    pub(super) sort_index: Option<f64>,
    pub(super) records: Vec<Record>,
}

/// All threads, in the order of their first event.
#[derive(Default)]
pub(super) struct Threads<'a> {
    lanes: Vec<Lane<'a>>,
    places: HashMap<(&'a str, &'a str), Place, RandomState>,
    /// The thread of the last event, which is most often that of the next.
    last: Place,
}

impl<'a> Threads<'a> {
    /// The thread of these numbers.
    pub(super) fn place(&mut self, pid: &'a str, tid: &'a str) -> Place {
        if self.lanes.get(self.last).is_none_or(|lane| lane.pid != pid || lane.tid != tid) {
            self.last = *self.places.entry((pid, tid)).or_insert_with(|| {
                self.lanes.push(Lane { pid, tid, ..Lane::default() });
                self.lanes.len() - 1
            });
        }
        self.last
    }

    pub(super) fn lane_mut(&mut self, place: Place) -> &mut Lane<'a> {
        &mut self.lanes[place]
    }

    /// Makes the threads of the profile: the handle and the records of each, by place.
    pub(super) fn finish(self, profile: &mut Profile) -> Vec<(ThreadId, Vec<Record>)> {
        let mut order: Vec<Place> = (0..self.lanes.len()).collect();
        let sort_index = |place: Place| self.lanes[place].sort_index.unwrap_or(0.0);
        order.sort_by(|&a, &b| sort_index(a).total_cmp(&sort_index(b)));
        let mut handles = vec![None; self.lanes.len()];
        for place in order {
            handles[place] = Some(thread(&self.lanes[place], profile));
        }
        let handles = handles.into_iter().flatten();
        handles.zip(self.lanes).map(|(thread, lane)| (thread, lane.records)).collect()
    }
}

fn thread(lane: &Lane<'_>, profile: &mut Profile) -> ThreadId {
    let pid = number::whole(lane.pid).and_then(|pid| u32::try_from(pid).ok());
    let tid = number::whole(lane.tid);
    let mut name = match (&lane.name, tid) {
        (Some(name), _) if !name.is_empty() => name.to_string(),
        (_, Some(tid)) => format!("thread {tid}"),
        _ if lane.tid.is_empty() => "thread".to_owned(),
        _ => text(lane.tid).into_owned(),
    };
    // A process that goes by a word keeps it, lest its threads become those of another.
    if pid.is_none() && !lane.pid.is_empty() {
        name = format!("{} / {name}", text(lane.pid));
    }
    let name = profile.strings.intern(&name);
    profile.threads.intern(Thread { pid: pid.unwrap_or(0), tid: tid.unwrap_or(0), name })
}
