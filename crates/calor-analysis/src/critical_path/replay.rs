//! The recorded run once more, with work that takes other times: each thread does its work between the same meetings with
//! others, and waits where it now has to. Messages, starts and ends of threads are waited for as they were; locks go to
//! whoever asks first, since who had them in which order was chance.

use std::cmp::Reverse;
use std::collections::{BinaryHeap, VecDeque};

use calor_model::LinkKind;
use foldhash::fast::RandomState;
use hashbrown::HashMap;

use super::lane::{Lanes, Role};
use super::unit::Units;

/// How long the run takes in nanoseconds if work in each call path takes its time times `factors` (by the index of its
/// handle). Work outside scopes, starting and waking threads take as long as they did, but for what one of them had to wait
/// much longer than others of its kind.
pub(super) fn wall(lanes: &Lanes, units: &Units, factors: &[f64]) -> f64 {
    let mut replay = Replay::new(lanes, units, factors);
    replay.run();
    replay.lanes_now.iter().fold(0.0, |latest, now| f64::max(latest, *now))
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Place {
    /// Before the work of its unit.
    BeforeWork,
    /// At its point, with the work before it done.
    AtPoint,
}

struct Lock {
    is_held: bool,
    /// Lanes that wait, those that asked first in front.
    queue: VecDeque<usize>,
}

/// A round of a barrier.
#[derive(Default)]
struct Round {
    n_missing: u32,
    /// When the last of those arrived that have.
    latest: f64,
    lanes: Vec<usize>,
}

struct Replay<'a> {
    lanes: &'a Lanes,
    units: &'a Units,
    factors: &'a [f64],
    /// How far each lane is: its next point, on which side of the work before it, and when.
    next: Vec<usize>,
    place: Vec<Place>,
    lanes_now: Vec<f64>,
    /// When each link was made available.
    available: Vec<Option<f64>>,
    /// Which lane waits for a link.
    waiting: Vec<Option<u32>>,
    locks: HashMap<u64, Lock, RandomState>,
    rounds: Vec<Round>,
    /// What waking costs at a lock where nobody had to wait when it was recorded.
    typical_latency: f64,
    /// What starting and waking a thread costs at most, by kind.
    longest: HashMap<LinkKind, f64, RandomState>,
    /// Lanes that come to a lock, by when.
    at_locks: BinaryHeap<Reverse<(u64, usize)>>,
    ready: Vec<usize>,
}

impl<'a> Replay<'a> {
    fn new(lanes: &'a Lanes, units: &'a Units, factors: &'a [f64]) -> Self {
        let n_lanes = lanes.all.len();
        let mut longest: HashMap<LinkKind, f64, RandomState> = HashMap::default();
        for edge in &lanes.edges {
            longest.entry(edge.kind).or_insert_with(|| lanes.longest_latency(edge.kind) as f64);
        }
        Self {
            lanes,
            units,
            factors,
            next: vec![0; n_lanes],
            place: vec![Place::BeforeWork; n_lanes],
            // A thread that nobody is known to have started begins when it did.
            lanes_now: lanes.all.iter().map(|lane| (lane.start - lanes.begin) as f64).collect(),
            available: vec![None; lanes.edges.len()],
            waiting: vec![None; lanes.edges.len()],
            locks: HashMap::default(),
            rounds: lanes.rounds.iter().map(|&n_missing| Round { n_missing, ..Round::default() }).collect(),
            typical_latency: lanes.typical_latency() as f64,
            longest,
            at_locks: BinaryHeap::new(),
            ready: (0..n_lanes).collect(),
        }
    }

    fn run(&mut self) {
        loop {
            while let Some(lane) = self.ready.pop() {
                self.advance(lane);
            }
            // Nobody can go on without a lock: whoever came first is next. No other can come to one earlier.
            if let Some(Reverse((_, lane))) = self.at_locks.pop() {
                self.pass_lock(lane);
                continue;
            }
            // Links that were lost can leave threads that wait for each other: the one that is furthest behind goes on.
            let stuck = (0..self.next.len()).filter(|&lane| self.next[lane] < self.points(lane));
            let behind = stuck.min_by(|&a, &b| self.lanes_now[a].total_cmp(&self.lanes_now[b]));
            let Some(lane) = behind else { return };
            let link = self.lanes.all[lane].points[self.next[lane]].link as usize;
            let edge = &self.lanes.edges[link];
            self.waiting[link] = None;
            if let Some(lock) = self.locks.get_mut(&edge.object) {
                lock.queue.retain(|waiter| *waiter != lane);
            }
            if let Some(round) = edge.round {
                self.rounds[round as usize].lanes.retain(|waiter| *waiter != lane);
            }
            self.lanes_now[lane] += edge.to_at.saturating_sub(edge.since) as f64;
            self.pass_point(lane);
            self.ready.push(lane);
        }
    }

    fn points(&self, lane: usize) -> usize {
        self.lanes.all[lane].points.len()
    }

    /// Goes on with a lane until it has to wait, comes to a lock, or ends.
    fn advance(&mut self, lane: usize) {
        loop {
            if self.place[lane] == Place::BeforeWork {
                let work = self.units.get(lane, self.next[lane]).iter();
                let nanos: f64 = work
                    .map(|entry| {
                        entry.nanos as f64 * entry.stack.map_or(1.0, |stack| self.factors[stack.index()])
                    })
                    .sum();
                self.lanes_now[lane] += nanos;
                self.place[lane] = Place::AtPoint;
            }
            let Some(point) = self.lanes.all[lane].points.get(self.next[lane]) else { return };
            let link = point.link as usize;
            let edge = &self.lanes.edges[link];
            match point.role {
                _ if edge.kind == LinkKind::Lock && point.role != Role::Out => {
                    self.at_locks.push(Reverse((self.lanes_now[lane].to_bits(), lane)));
                    return;
                }
                // Who had a lock before, or came last to a barrier, is not who it is waited for now.
                Role::Out if edge.kind == LinkKind::Lock || edge.round.is_some() => {}
                Role::Out => {
                    self.available[link] = Some(self.lanes_now[lane]);
                    if let Some(waiter) = self.waiting[link].take() {
                        self.ready.push(waiter as usize);
                    }
                }
                Role::In if edge.round.is_some() => {
                    self.arrive(lane);
                    return;
                }
                Role::In if edge.from == edge.to => {}
                Role::In => {
                    let Some(available) = self.available[link] else {
                        self.waiting[link] = Some(lane as u32);
                        return;
                    };
                    // A thread begins when it is started; others go on when both are there.
                    let ready = self.ready_at(link, available);
                    let is_start = edge.kind == LinkKind::Spawn;
                    self.lanes_now[lane] = if is_start { ready } else { ready.max(self.lanes_now[lane]) };
                }
                Role::Release => {}
            }
            self.pass_point(lane);
        }
    }

    /// When what was made available at a moment can be gone on with: waking takes as long as it did, and nothing where
    /// nobody had to wait. So whoever comes earlier never goes on later, and faster work never makes a run longer.
    fn ready_at(&self, link: usize, available: f64) -> f64 {
        let edge = &self.lanes.edges[link];
        available + if edge.is_wait { self.latency(link) } else { 0.0 }
    }

    /// How long a thread takes to go on when it has to wait.
    fn latency(&self, link: usize) -> f64 {
        let edge = &self.lanes.edges[link];
        let longest = self.longest.get(&edge.kind).copied().unwrap_or(f64::INFINITY);
        if edge.is_wait { longest.min(edge.latency() as f64) } else { self.typical_latency }
    }

    /// A lane is at a barrier: with the last of them, all go on.
    fn arrive(&mut self, lane: usize) {
        let edge_of = |lane: usize, next: usize| self.lanes.all[lane].points[next].link as usize;
        let Some(number) = self.lanes.edges[edge_of(lane, self.next[lane])].round else { return };
        let round = &mut self.rounds[number as usize];
        round.latest = round.latest.max(self.lanes_now[lane]);
        round.n_missing = round.n_missing.saturating_sub(1);
        round.lanes.push(lane);
        if round.n_missing > 0 {
            return;
        }
        let (latest, lanes) = (round.latest, std::mem::take(&mut round.lanes));
        for lane in lanes {
            let ready = self.ready_at(edge_of(lane, self.next[lane]), latest);
            self.lanes_now[lane] = ready.max(self.lanes_now[lane]);
            self.pass_point(lane);
            self.ready.push(lane);
        }
    }

    fn pass_point(&mut self, lane: usize) {
        self.next[lane] += 1;
        self.place[lane] = Place::BeforeWork;
    }

    /// A lane that is at a lock gets it, waits for it, or releases it.
    fn pass_lock(&mut self, lane: usize) {
        let point = self.lanes.all[lane].points[self.next[lane]];
        let edge = &self.lanes.edges[point.link as usize];
        let lock = self.locks.entry(edge.object).or_insert(Lock { is_held: false, queue: VecDeque::new() });
        if point.role == Role::In {
            if lock.is_held {
                lock.queue.push_back(lane);
                return;
            }
            lock.is_held = true;
        } else if let Some(waiter) = lock.queue.pop_front() {
            let waited_for = self.lanes.all[waiter].points[self.next[waiter]];
            self.lanes_now[waiter] = self.lanes_now[lane] + self.latency(waited_for.link as usize);
            self.pass_point(waiter);
            self.ready.push(waiter);
        } else {
            lock.is_held = false;
        }
        self.pass_point(lane);
        self.ready.push(lane);
    }
}
