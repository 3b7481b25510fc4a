//! Threads as lanes with the points at which they met: where one made something available, and where another went on
//! with it. Between two points a thread depends on nobody else.

use calor_model::{Link, LinkKind, Profile, ThreadId};
use foldhash::fast::RandomState;
use hashbrown::HashMap;

use super::Waits;

/// What happens at a point.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) enum Role {
    /// The thread goes on with what a link brought; for locks, it has the lock.
    In,
    /// The thread releases the lock of a link.
    Release,
    /// The thread makes available what a link takes from here.
    Out,
}

/// A moment of a thread that others depend on, or that depends on others.
#[derive(Clone, Copy, Debug)]
pub(super) struct Point {
    /// When it has happened.
    pub(super) at: u64,
    pub(super) role: Role,
    /// The link, by its place.
    pub(super) link: u32,
}

/// One thread.
#[derive(Clone, Debug)]
pub(super) struct Lane {
    pub(super) thread: ThreadId,
    /// Its first and its last moment.
    pub(super) start: u64,
    pub(super) end: u64,
    /// In order of time.
    pub(super) points: Vec<Point>,
}

/// A link between lanes.
#[derive(Clone, Copy, Debug)]
pub(super) struct Edge {
    pub(super) kind: LinkKind,
    pub(super) object: u64,
    pub(super) from: u32,
    pub(super) from_at: u64,
    pub(super) to: u32,
    pub(super) since: u64,
    pub(super) to_at: u64,
    pub(super) held: u64,
    /// Whether the thread that went on had to wait.
    pub(super) is_wait: bool,
    /// Which round of a barrier it is of.
    pub(super) round: Option<u32>,
}

impl Edge {
    /// How long it took from when it could go on until it did.
    pub(super) fn latency(&self) -> u64 {
        if self.is_wait { self.to_at - self.from_at } else { 0 }
    }
}

/// All lanes and what is between them.
#[derive(Clone, Debug)]
pub(super) struct Lanes {
    pub(super) all: Vec<Lane>,
    pub(super) edges: Vec<Edge>,
    /// How many threads met in each round of a barrier.
    pub(super) rounds: Vec<u32>,
    pub(super) begin: u64,
    pub(super) end: u64,
}

impl Lanes {
    /// The lanes of a timeline that has a span.
    pub(super) fn of(profile: &Profile) -> Self {
        let mut lane_of: Vec<Option<u32>> = vec![None; profile.threads.len()];
        let mut all: Vec<Lane> = Vec::new();
        let mut extend = |thread: ThreadId, from: u64, to: u64| {
            let number = *lane_of[thread.index()].get_or_insert_with(|| {
                all.push(Lane { thread, start: u64::MAX, end: 0, points: Vec::new() });
                all.len() as u32 - 1
            });
            let lane = &mut all[number as usize];
            (lane.start, lane.end) = (lane.start.min(from), lane.end.max(to));
            number
        };
        for (thread, track) in profile.timeline.iter() {
            for span in &track.spans {
                extend(thread, span.start_nanos, span.start_nanos.saturating_add(span.duration_nanos));
            }
        }
        let mut edges = Vec::with_capacity(profile.timeline.links.len());
        for link in &profile.timeline.links {
            // Nothing is had before it is made available, whatever a damaged file says.
            let to_at = link.to_nanos.max(link.from_nanos);
            let begun = if link.kind == LinkKind::Spawn { to_at } else { link.since_nanos.min(to_at) };
            let from = extend(link.from, link.from_nanos, link.from_nanos);
            let to = extend(link.to, begun, to_at.saturating_add(link.held_nanos));
            edges.push(edge(link, from, to, begun, to_at));
        }
        let begin = all.iter().map(|lane| lane.start).min().unwrap_or(0);
        let end = all.iter().map(|lane| lane.end).max().unwrap_or(0);
        let mut lanes = Self { all, edges, rounds: Vec::new(), begin, end };
        lanes.number_rounds();
        lanes.place_points();
        lanes
    }

    /// Who waited at a barrier for the same arrival met there, the one that arrived last included.
    fn number_rounds(&mut self) {
        let mut known: HashMap<(u32, u64), u32, RandomState> = HashMap::default();
        for edge in self.edges.iter_mut().filter(|edge| edge.kind == LinkKind::Barrier) {
            let next = self.rounds.len() as u32;
            let round = *known.entry((edge.from, edge.from_at)).or_insert(next);
            if round == next {
                self.rounds.push(0);
            }
            self.rounds[round as usize] += 1;
            edge.round = Some(round);
        }
    }

    /// How long threads that waited took to go on, in the middle: what a wait costs that was none when it was recorded.
    pub(super) fn typical_latency(&self) -> u64 {
        self.middle_latency(|kind| kind != LinkKind::Spawn).map_or(0, |(middle, _)| middle)
    }

    /// The longest that a thread takes to go on in a replay. A machine that has other things to do lets one wait for
    /// milliseconds now and then, which is of that moment and not of the program.
    pub(super) fn longest_latency(&self, kind: LinkKind) -> u64 {
        const TIMES: u64 = 8;
        // Any machine does that.
        const SHORT: u64 = 100_000;
        // Of fewer nobody knows what is usual.
        const LEAST: usize = 5;
        let middle = self.middle_latency(|other| other == kind).filter(|(_, count)| *count >= LEAST);
        middle.map_or(u64::MAX, |(middle, _)| middle.saturating_mul(TIMES).max(SHORT))
    }

    /// The middle one of the latencies of links of some kinds, and how many there are.
    fn middle_latency(&self, is_wanted: impl Fn(LinkKind) -> bool) -> Option<(u64, usize)> {
        let is_wake = |edge: &&Edge| edge.is_wait && is_wanted(edge.kind);
        let mut latencies: Vec<u64> = self.edges.iter().filter(is_wake).map(Edge::latency).collect();
        let count = latencies.len();
        (count > 0).then(|| (*latencies.select_nth_unstable(count / 2).1, count))
    }

    /// Puts every link on its lanes, in order of time.
    pub(super) fn place_points(&mut self) {
        for lane in &mut self.all {
            lane.points.clear();
        }
        for (number, edge) in self.edges.iter().enumerate() {
            let link = number as u32;
            let to = &mut self.all[edge.to as usize].points;
            to.push(Point { at: edge.to_at, role: Role::In, link });
            if edge.kind == LinkKind::Lock {
                to.push(Point { at: edge.to_at.saturating_add(edge.held), role: Role::Release, link });
            }
            if edge.from != edge.to {
                self.all[edge.from as usize].points.push(Point { at: edge.from_at, role: Role::Out, link });
            }
        }
        for lane in &mut self.all {
            lane.points.sort_unstable_by_key(|point| (point.at, point.role, point.link));
        }
    }

    /// What threads waited for, most first.
    pub(super) fn waits(&self) -> Vec<Waits> {
        let mut waits: Vec<Waits> = Vec::new();
        let is_own = |edge: &&Edge| edge.is_wait && edge.kind != LinkKind::Spawn;
        for edge in self.edges.iter().filter(is_own) {
            let nanos = edge.to_at - edge.since;
            match waits.iter_mut().find(|known| known.kind == edge.kind) {
                Some(known) => {
                    (known.count, known.nanos) = (known.count + 1, known.nanos.saturating_add(nanos));
                }
                None => waits.push(Waits { kind: edge.kind, count: 1, nanos }),
            }
        }
        waits.sort_by_key(|wait| (std::cmp::Reverse(wait.nanos), wait.kind));
        waits
    }
}

fn edge(link: &Link, from: u32, to: u32, since: u64, to_at: u64) -> Edge {
    Edge {
        kind: link.kind,
        object: link.object,
        from,
        from_at: link.from_nanos,
        to,
        since,
        to_at,
        held: link.held_nanos,
        // A thread cannot wait for itself.
        is_wait: from != to && link.is_wait(),
        round: None,
    }
}
