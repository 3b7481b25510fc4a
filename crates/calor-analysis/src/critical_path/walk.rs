//! The walk backwards from the end of the run. Every wait is followed at most once, so that it ends whatever the clocks
//! of the threads say.

use calor_model::{LinkKind, ThreadId};

use super::lane::{Lanes, Role};

/// What a stretch of the path is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Stretch {
    /// The thread was at work.
    Work,
    /// What the thread needed was there, but it had not gone on yet.
    Handover(LinkKind),
    /// No thread was on the timeline.
    Nobody,
}

/// A stretch of the path on one thread.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct PathSegment {
    /// The thread.
    pub thread: ThreadId,
    /// When it begins, from the start of the run.
    pub start_nanos: u64,
    /// When it ends.
    pub end_nanos: u64,
    /// What it is.
    pub stretch: Stretch,
    pub(super) lane: u32,
}

impl PathSegment {
    /// How long it is.
    #[must_use]
    pub fn nanos(&self) -> u64 {
        self.end_nanos - self.start_nanos
    }
}

/// The path, earliest first.
pub(super) fn backwards(lanes: &Lanes) -> Vec<PathSegment> {
    let mut segments = Vec::new();
    // For each lane, the points that were not passed yet.
    let mut left: Vec<usize> = lanes.all.iter().map(|lane| lane.points.len()).collect();
    let last = lanes.all.iter().enumerate().max_by_key(|(_, lane)| lane.end).map_or(0, |(at, _)| at);
    let (mut at, mut until) = (last, lanes.end);
    loop {
        let lane = &lanes.all[at];
        let mut push = |start_nanos: u64, end_nanos: u64, stretch| {
            if start_nanos < end_nanos {
                let thread = lane.thread;
                segments.push(PathSegment { thread, start_nanos, end_nanos, stretch, lane: at as u32 });
            }
        };
        let mut wait = None;
        while left[at] > 0 && wait.is_none() {
            left[at] -= 1;
            let point = lane.points[left[at]];
            let edge = &lanes.edges[point.link as usize];
            wait = (point.role == Role::In && edge.is_wait && edge.to_at <= until).then_some(edge);
        }
        let Some(edge) = wait else {
            push(lane.start.min(until), until, Stretch::Work);
            push(lanes.begin, lane.start.min(until), Stretch::Nobody);
            segments.reverse();
            return segments;
        };
        push(edge.to_at, until, Stretch::Work);
        push(edge.from_at, edge.to_at, Stretch::Handover(edge.kind));
        (at, until) = (edge.from as usize, edge.from_at);
    }
}
