//! Programs of threads, locks, channels and barriers that never ran: a simulation says what a recorder would have written,
//! and knows the truth, how long the run took and through which work its longest chain went.

use std::collections::{BTreeMap, VecDeque};
use std::rc::Rc;

use calor_model::{FrameKind, Link, LinkKind, Profile, Span, ThreadId};

use crate::chance::Chance;

/// What a thread does, one after the other.
#[derive(Clone, Debug)]
pub(super) enum Action {
    /// Works in a scope, so many nanoseconds.
    Work(usize, u64),
    /// Opens and closes a scope around others.
    Enter(usize),
    Leave,
    Spawn(usize),
    Join(usize),
    Lock(usize),
    Unlock(usize),
    Send(usize),
    Receive(usize),
    Barrier(usize),
}

/// A program: its threads, of which the first is there from the beginning.
#[derive(Clone, Debug)]
pub(super) struct Program {
    pub(super) threads: Vec<Vec<Action>>,
    /// Threads that meet at each barrier.
    pub(super) barriers: Vec<usize>,
    /// How long it takes to wake a thread, in nanoseconds.
    pub(super) latency: u64,
}

/// What became of it.
pub(super) struct Outcome {
    pub(super) profile: Profile,
    pub(super) wall: u64,
    /// Time of the longest chain in each scope itself.
    pub(super) path: BTreeMap<String, u64>,
}

/// Which constructs a generated program may have.
#[derive(Clone, Copy, Debug)]
pub(super) struct Constructs {
    pub(super) locks: bool,
    pub(super) channels: bool,
    pub(super) barriers: bool,
}

pub(super) const ALL: Constructs = Constructs { locks: true, channels: true, barriers: true };

impl Program {
    /// A program of some phases, in each of which threads are started, work, meet and are joined.
    pub(super) fn generate(seed: u64, with: Constructs) -> Self {
        let mut chance = Chance::new(seed);
        let mut program = Self {
            threads: vec![vec![Action::Enter(9)]],
            barriers: Vec::new(),
            latency: chance.below(800) as u64,
        };
        for phase in 0..1 + chance.below(3) {
            program.threads[0].push(work(&mut chance, 10 + phase));
            let first = program.threads.len();
            let n_workers = 1 + chance.below(4);
            let barrier = (with.barriers && chance.below(2) == 0).then(|| {
                program.barriers.push(n_workers);
                program.barriers.len() - 1
            });
            for worker in 0..n_workers {
                let mut actions = Vec::new();
                for _ in 0..1 + chance.below(5) {
                    part(&mut actions, &mut chance, with, phase);
                }
                if let Some(barrier) = barrier {
                    actions.push(Action::Barrier(barrier));
                    actions.push(work(&mut chance, worker));
                }
                program.threads.push(actions);
            }
            if with.channels && n_workers > 1 {
                // The first sends, the second receives, between whatever else they do.
                for (worker, action) in [(first, Action::Send(phase)), (first + 1, Action::Receive(phase))] {
                    let actions = &mut program.threads[worker];
                    for _ in 0..3 {
                        let inside_lock = |upto: usize| {
                            let before = &actions[..upto];
                            let depth = |action: &Action| match action {
                                Action::Lock(_) => 1,
                                Action::Unlock(_) => -1,
                                _ => 0,
                            };
                            before.iter().map(depth).sum::<i32>() > 0
                        };
                        // Not behind the barrier: the other may have to pass it before it sends.
                        let end = actions.iter().position(|action| matches!(action, Action::Barrier(_)));
                        let mut place = chance.below(end.unwrap_or(actions.len()) + 1);
                        while inside_lock(place) {
                            place -= 1;
                        }
                        actions.insert(place, action.clone());
                    }
                }
            }
            program.threads[0].extend((first..first + n_workers).map(Action::Spawn));
            program.threads[0].push(work(&mut chance, 7));
            program.threads[0].extend((first..first + n_workers).map(Action::Join));
        }
        program.threads[0].push(work(&mut chance, 8));
        program.threads[0].push(Action::Leave);
        program
    }

    /// The same with the work of a scope, and everything inside it, taking other times.
    pub(super) fn with_scope(&self, scope: usize, by: impl Fn(u64) -> u64) -> Self {
        let mut changed = self.clone();
        for actions in &mut changed.threads {
            let mut open: Vec<usize> = Vec::new();
            for action in actions {
                match action {
                    Action::Enter(scope) => open.push(*scope),
                    Action::Leave => drop(open.pop()),
                    Action::Work(own, nanos) if *own == scope || open.contains(&scope) => *nanos = by(*nanos),
                    _ => {}
                }
            }
        }
        changed
    }

    pub(super) fn run(&self) -> Outcome {
        Simulation::new(self).run()
    }
}

fn work(chance: &mut Chance, scope: usize) -> Action {
    Action::Work(scope, 1_000 + chance.below(200_000) as u64)
}

/// One of the things that workers do.
fn part(actions: &mut Vec<Action>, chance: &mut Chance, with: Constructs, phase: usize) {
    let scope = chance.below(6);
    match chance.below(4) {
        0 => actions.push(work(chance, scope)),
        1 if with.locks => {
            let lock = chance.below(2);
            actions.extend([Action::Lock(lock), work(chance, scope), Action::Unlock(lock)]);
            actions.push(work(chance, 6));
        }
        2 => {
            actions.push(Action::Enter(20 + phase));
            actions.extend([work(chance, scope), work(chance, 5), Action::Leave]);
        }
        _ => actions.extend([work(chance, scope), work(chance, 6)]),
    }
}

/// A chain of work that led to a moment, latest first.
type Chain = Option<Rc<Step>>;

struct Step {
    scope: Option<String>,
    nanos: u64,
    before: Chain,
}

#[derive(Clone)]
struct Moment {
    thread: usize,
    at: u64,
    chain: Chain,
}

struct State {
    at: u64,
    next: usize,
    chain: Chain,
    /// Open scopes: name and beginning.
    open: Vec<(usize, u64)>,
    is_started: bool,
    /// Since when it waits.
    since: Option<u64>,
    ended: Option<Moment>,
    holds: BTreeMap<usize, (Moment, u64, u64)>,
}

struct Simulation<'a> {
    program: &'a Program,
    profile: Profile,
    states: Vec<State>,
    released: BTreeMap<usize, Moment>,
    held_by: BTreeMap<usize, usize>,
    queues: BTreeMap<usize, VecDeque<usize>>,
    messages: BTreeMap<usize, VecDeque<Moment>>,
    arrived: BTreeMap<usize, Vec<(usize, Moment)>>,
}

impl<'a> Simulation<'a> {
    fn new(program: &'a Program) -> Self {
        let mut profile = Profile::default();
        for thread in 0..program.threads.len() {
            profile.intern_thread(1, 1 + thread as u64, &format!("thread {thread}"));
        }
        let state = |thread: usize| State {
            at: 0,
            next: 0,
            chain: None,
            open: Vec::new(),
            is_started: thread == 0,
            since: None,
            ended: None,
            holds: BTreeMap::new(),
        };
        Self {
            program,
            profile,
            states: (0..program.threads.len()).map(state).collect(),
            released: BTreeMap::new(),
            held_by: BTreeMap::new(),
            queues: BTreeMap::new(),
            messages: BTreeMap::new(),
            arrived: BTreeMap::new(),
        }
    }

    fn run(mut self) -> Outcome {
        // Whoever is earliest goes on, so that locks go to whoever asks first.
        while let Some(thread) = self.next_runnable() {
            match self.program.threads[thread].get(self.states[thread].next).cloned() {
                Some(action) => self.step(thread, &action),
                None => self.states[thread].ended = Some(self.moment(thread)),
            }
        }
        assert!(self.states.iter().all(|state| state.ended.is_some()), "a generated program hangs");
        let last = self.states.iter().max_by_key(|state| state.at).expect("there is a thread");
        let (wall, mut chain) = (last.at, last.chain.clone());
        let mut path = BTreeMap::new();
        while let Some(step) = chain {
            *path.entry(step.scope.clone().unwrap_or_default()).or_insert(0) += step.nanos;
            chain = step.before.clone();
        }
        Outcome { profile: self.profile, wall, path }
    }

    fn next_runnable(&self) -> Option<usize> {
        let can_go_on = |thread: &usize| {
            let state = &self.states[*thread];
            state.is_started
                && state.ended.is_none()
                && match self.program.threads[*thread].get(state.next) {
                    Some(Action::Join(other)) => self.states[*other].ended.is_some(),
                    Some(Action::Receive(channel)) => {
                        self.messages.get(channel).is_some_and(|waiting| !waiting.is_empty())
                    }
                    Some(Action::Lock(lock)) => {
                        state.since.is_none()
                            || (!self.held_by.contains_key(lock) && self.queues[lock].front() == Some(thread))
                    }
                    Some(Action::Barrier(barrier)) => {
                        state.since.is_none()
                            || self.arrived[barrier].len() == self.program.barriers[*barrier]
                    }
                    _ => true,
                }
        };
        (0..self.states.len()).filter(can_go_on).min_by_key(|thread| (self.states[*thread].at, *thread))
    }

    fn moment(&self, thread: usize) -> Moment {
        let state = &self.states[thread];
        Moment { thread, at: state.at, chain: state.chain.clone() }
    }

    fn step(&mut self, thread: usize, action: &Action) {
        match *action {
            Action::Work(scope, nanos) => {
                let start = self.states[thread].at;
                self.states[thread].open.push((scope, start));
                self.states[thread].at += nanos;
                let before = self.states[thread].chain.take();
                self.states[thread].chain = Some(Rc::new(Step { scope: Some(name(scope)), nanos, before }));
                self.close(thread);
            }
            Action::Enter(scope) => {
                let at = self.states[thread].at;
                self.states[thread].open.push((scope, at));
            }
            Action::Leave => self.close(thread),
            Action::Spawn(child) => {
                let from = self.moment(thread);
                self.states[child].is_started = true;
                self.states[child].at = from.at;
                self.go_on(child, LinkKind::Spawn, 0, from.at, &from);
            }
            Action::Join(child) => {
                let ended = self.states[child].ended.clone().expect("it has ended");
                let since = self.states[thread].at;
                self.go_on(thread, LinkKind::Join, 0, since, &ended);
            }
            Action::Send(channel) => {
                let sent = self.moment(thread);
                self.messages.entry(channel).or_default().push_back(sent);
            }
            Action::Receive(channel) => {
                let sent = self.messages.get_mut(&channel).and_then(VecDeque::pop_front).expect("one waits");
                let since = self.states[thread].at;
                self.go_on(thread, LinkKind::Channel, channel as u64 + 100, since, &sent);
            }
            Action::Lock(lock) => {
                let at = self.states[thread].at;
                if self.states[thread].since.is_none() {
                    self.states[thread].since = Some(at);
                    self.queues.entry(lock).or_default().push_back(thread);
                    return;
                }
                let since = self.states[thread].since.take().expect("it asked");
                self.queues.get_mut(&lock).expect("it asked").pop_front();
                self.held_by.insert(lock, thread);
                let from =
                    self.released.get(&lock).cloned().unwrap_or(Moment { thread, at: since, chain: None });
                self.wake(thread, since, &from, from.thread != thread && from.at > since);
                let at = self.states[thread].at;
                self.states[thread].holds.insert(lock, (from, since, at));
            }
            Action::Unlock(lock) => {
                let (from, since, at) = self.states[thread].holds.remove(&lock).expect("it holds the lock");
                let held = self.states[thread].at - at;
                self.link(LinkKind::Lock, lock as u64 + 1, &from, thread, (since, at), held);
                self.held_by.remove(&lock);
                self.released.insert(lock, self.moment(thread));
            }
            Action::Barrier(barrier) => {
                let at = self.states[thread].at;
                if self.states[thread].since.is_none() {
                    self.states[thread].since = Some(at);
                    let arrival = (thread, self.moment(thread));
                    self.arrived.entry(barrier).or_default().push(arrival);
                    return;
                }
                let since = self.states[thread].since.take().expect("it arrived");
                let (_, last) = self.arrived[&barrier]
                    .iter()
                    .max_by_key(|(_, moment)| moment.at)
                    .cloned()
                    .expect("all arrived");
                self.go_on(thread, LinkKind::Barrier, 0, since, &last);
            }
        }
        self.states[thread].next += 1;
    }

    fn close(&mut self, thread: usize) {
        let state = &mut self.states[thread];
        let names: Vec<String> = state.open.iter().map(|(scope, _)| name(*scope)).collect();
        let (_, start_nanos) = state.open.pop().expect("a scope is open");
        let duration_nanos = state.at - start_nanos;
        let names: Vec<&str> = names.iter().map(String::as_str).collect();
        let stack = self.profile.intern_named_path(&names, FrameKind::Scope).expect("it has a name");
        let span = Span { start_nanos, duration_nanos, stack };
        self.profile.timeline.track_mut(id(thread)).spans.push(span);
    }

    /// The thread has what it asked for since then.
    fn go_on(&mut self, thread: usize, kind: LinkKind, object: u64, since: u64, from: &Moment) {
        let waits = kind == LinkKind::Spawn || (from.at > since && from.thread != thread);
        self.wake(thread, since, from, waits);
        let at = self.states[thread].at;
        self.link(kind, object, from, thread, (since, at), 0);
    }

    fn wake(&mut self, thread: usize, since: u64, from: &Moment, waits: bool) {
        let latency = self.program.latency;
        let state = &mut self.states[thread];
        state.at = since;
        if waits {
            state.at = from.at + latency;
            state.chain = Some(Rc::new(Step { scope: None, nanos: latency, before: from.chain.clone() }));
        }
    }

    fn link(
        &mut self,
        kind: LinkKind,
        object: u64,
        from: &Moment,
        to: usize,
        (since, at): (u64, u64),
        held: u64,
    ) {
        self.profile.timeline.links.push(Link {
            kind,
            object,
            from: id(from.thread),
            from_nanos: from.at,
            to: id(to),
            since_nanos: since,
            to_nanos: at,
            held_nanos: held,
        });
    }
}

pub(super) fn name(scope: usize) -> String {
    format!("scope {scope}")
}

fn id(thread: usize) -> ThreadId {
    ThreadId::from_index(thread)
}
