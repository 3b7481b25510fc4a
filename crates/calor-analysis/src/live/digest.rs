//! One part of a recording, taken apart into what the views add up: functions, calls, Python lines, threads, waits.
//! Costs in proportion to the part's call paths, since it is done every second beside the program.

use std::collections::HashMap;
use std::hash::Hash;
use std::sync::Arc;

use calor_model::{FrameKind, Profile, SampleKey, SampleKind, StackId, ThreadId};
use indexmap::{IndexMap, IndexSet};

use super::amount::{LiveFunctionTime, LiveLineTime, LiveThreadTime, LiveWaitTime};
use super::names::{LiveFunction, LiveNames, LiveThread, PythonLine, python_line};
use crate::{WaitReason, wait_cause};

/// A function that called another, or nobody that is known.
pub type LiveCall = (Option<Arc<LiveFunction>>, Arc<LiveFunction>);
/// What a thread was doing.
pub type LiveSpot = (LiveThread, Arc<LiveFunction>);

/// Where a thread waited.
#[derive(Clone, PartialEq, Eq, Hash, Debug)]
pub struct LiveWait {
    /// The function that made the call.
    pub function: Arc<LiveFunction>,
    /// What for.
    pub reason: WaitReason,
}

/// The sums of a part.
#[derive(Debug, Default)]
pub struct LivePart {
    /// The time that all samples stand for.
    pub cpu_nanos: u64,
    /// How many samples there were.
    pub n_samples: u64,
    /// Time of functions.
    pub functions: Vec<(Arc<LiveFunction>, LiveFunctionTime)>,
    /// Time under calls.
    pub calls: Vec<(LiveCall, u64)>,
    /// Time of lines of Python.
    pub lines: Vec<(PythonLine, LiveLineTime)>,
    /// Time of threads.
    pub threads: Vec<(LiveThread, LiveThreadTime)>,
    /// What threads were doing.
    pub spots: Vec<(LiveSpot, u64)>,
    /// Where threads waited.
    pub waits: Vec<(LiveWait, LiveWaitTime)>,
    /// What threads are called.
    pub thread_names: Vec<(LiveThread, String)>,
}

/// Files of the interpreter itself, by the beginnings of their names.
const INTERPRETERS: [&str; 2] = ["python", "libpython"];

impl LivePart {
    /// Takes a part apart.
    #[must_use]
    pub fn of(part: &Profile, names: &mut LiveNames) -> Self {
        let places = Places::of(part, names);
        let mut sums = Sums::new(&places);
        for (key, weight) in part.samples.iter() {
            match key.kind {
                SampleKind::Cpu => sums.add_running(part, &key, weight.nanos, weight.count),
                SampleKind::OffCpu => sums.add_waiting(part, &key, weight.nanos, weight.count),
                _ => {}
            }
        }
        let thread_names = part.threads.iter().map(|(_, thread)| {
            (LiveThread { pid: thread.pid, tid: thread.tid }, part.strings.get(thread.name).to_owned())
        });
        Self { thread_names: thread_names.collect(), ..sums.into_digest() }
    }
}

/// What each call path of a part ends in.
struct Places {
    functions: IndexSet<Arc<LiveFunction>>,
    calls: IndexSet<(Option<usize>, usize)>,
    lines: IndexSet<PythonLine>,
    /// By call path.
    of_stack: Vec<Place>,
}

#[derive(Clone, Copy)]
struct Place {
    parent: Option<StackId>,
    function: usize,
    call: usize,
    line: Option<usize>,
    is_python: bool,
    /// Compiled code that is not the interpreter's.
    is_extension: bool,
}

impl Places {
    fn of(part: &Profile, names: &mut LiveNames) -> Self {
        let mut places = Self {
            functions: IndexSet::default(),
            calls: IndexSet::default(),
            lines: IndexSet::default(),
            of_stack: Vec::with_capacity(part.stacks.len()),
        };
        let frames: Vec<(usize, Option<usize>)> = part
            .frames
            .iter()
            .map(|(_, frame)| {
                let function = places.functions.insert_full(names.function(part, frame)).0;
                let line = python_line(part, frame).map(|line| places.lines.insert_full(line).0);
                (function, line)
            })
            .collect();
        for (_, stack) in part.stacks.iter() {
            let (function, line) = frames[stack.frame.index()];
            let caller = stack.parent.map(|parent| places.of_stack[parent.index()].function);
            let call = places.calls.insert_full((caller, function)).0;
            let LiveFunction { kind, module, .. } =
                &**places.functions.get_index(function).expect("just stored");
            let is_interpreter = INTERPRETERS.iter().any(|file| module.starts_with(file));
            places.of_stack.push(Place {
                parent: stack.parent,
                function,
                call,
                line,
                is_python: *kind == FrameKind::Python,
                is_extension: *kind == FrameKind::Native && !is_interpreter,
            });
        }
        places
    }

    fn path(&self, stack: StackId) -> impl Iterator<Item = Place> {
        let place = |stack: StackId| self.of_stack[stack.index()];
        std::iter::successors(Some(place(stack)), move |at| at.parent.map(place))
    }
}

/// Sums while they are made. What is on a path twice counts once: the marks tell the path that counted last.
struct Sums<'p> {
    places: &'p Places,
    n_paths: usize,
    cpu_nanos: u64,
    n_samples: u64,
    functions: Vec<(LiveFunctionTime, usize)>,
    calls: Vec<(u64, usize)>,
    lines: Vec<(LiveLineTime, usize)>,
    threads: IndexMap<LiveThread, LiveThreadTime>,
    spots: HashMap<(LiveThread, usize), u64>,
    waits: IndexMap<(usize, WaitReason), LiveWaitTime>,
}

impl<'p> Sums<'p> {
    fn new(places: &'p Places) -> Self {
        Self {
            n_paths: 0,
            cpu_nanos: 0,
            n_samples: 0,
            functions: vec![Default::default(); places.functions.len()],
            calls: vec![Default::default(); places.calls.len()],
            lines: vec![Default::default(); places.lines.len()],
            threads: IndexMap::default(),
            spots: HashMap::default(),
            waits: IndexMap::default(),
            places,
        }
    }

    fn add_running(&mut self, part: &Profile, key: &SampleKey, nanos: u64, count: u64) {
        self.n_paths += 1;
        self.cpu_nanos += nanos;
        self.n_samples += count;
        let leaf = self.places.of_stack[key.stack.index()];
        self.functions[leaf.function].0.own += nanos;
        let (mut is_innermost, mut is_extension) = (true, false);
        for at in self.places.path(key.stack) {
            if let Some(function) = once(&mut self.functions[at.function], self.n_paths) {
                function.total += nanos;
            }
            if let Some(call) = once(&mut self.calls[at.call], self.n_paths) {
                *call += nanos;
            }
            is_extension |= at.is_extension;
            if let Some(line) = at.line {
                let line = &mut self.lines[line];
                if is_innermost {
                    line.0.own += nanos;
                    line.0.native += if is_extension { nanos } else { 0 };
                }
                if let Some(line) = once(line, self.n_paths) {
                    line.total += nanos;
                }
            }
            is_innermost &= !at.is_python;
        }
        let thread = thread_key(part, key.thread);
        *self.spots.entry((thread, leaf.function)).or_default() += nanos;
        let time = self.threads.entry(thread).or_default();
        time.running += nanos;
        if holds_gil(part, key) {
            time.gil_held += nanos;
        }
    }

    fn add_waiting(&mut self, part: &Profile, key: &SampleKey, nanos: u64, count: u64) {
        let cause = wait_cause(part, key.stack);
        let site = self.places.of_stack[cause.site.index()].function;
        let wait = self.waits.entry((site, cause.reason)).or_default();
        wait.nanos += nanos;
        wait.count += count;
        self.threads.entry(thread_key(part, key.thread)).or_default().waiting += nanos;
    }

    fn into_digest(self) -> LivePart {
        let functions = &self.places.functions;
        let function = |index: usize| Arc::clone(functions.get_index(index).expect("it was stored"));
        let calls = self.places.calls.iter().zip(&self.calls).filter(|(_, (nanos, _))| *nanos > 0);
        LivePart {
            cpu_nanos: self.cpu_nanos,
            n_samples: self.n_samples,
            functions: met(functions, &self.functions, |time| time.total > 0),
            calls: calls
                .map(|((caller, callee), (nanos, _))| ((caller.map(function), function(*callee)), *nanos))
                .collect(),
            lines: met(&self.places.lines, &self.lines, |time| time.total > 0),
            threads: self.threads.into_iter().collect(),
            spots: self
                .spots
                .into_iter()
                .map(|((thread, at), nanos)| ((thread, function(at)), nanos))
                .collect(),
            waits: self
                .waits
                .into_iter()
                .map(|((site, reason), time)| (LiveWait { function: function(site), reason }, time))
                .collect(),
            thread_names: Vec::new(),
        }
    }
}

/// The sum, unless this path has added to it already.
fn once<A>((sum, last): &mut (A, usize), path: usize) -> Option<&mut A> {
    let is_first = *last != path;
    *last = path;
    is_first.then_some(sum)
}

/// Those that anything was seen of.
fn met<K: Clone + Eq + Hash, A: Copy>(
    keys: &IndexSet<K>,
    sums: &[(A, usize)],
    is_met: impl Fn(&A) -> bool,
) -> Vec<(K, A)> {
    let both = keys.iter().zip(sums).filter(|(_, (sum, _))| is_met(sum));
    both.map(|(key, (sum, _))| (key.clone(), *sum)).collect()
}

fn thread_key(part: &Profile, thread: ThreadId) -> LiveThread {
    let thread = part.threads.get(thread);
    LiveThread { pid: thread.pid, tid: thread.tid }
}

/// Whether the thread held the interpreter's lock.
fn holds_gil(part: &Profile, key: &SampleKey) -> bool {
    let is = |id, word: &str| part.strings.get(id) == word;
    part.labels.get(key.labels).iter().any(|(name, value)| is(*name, "gil") && is(*value, "held"))
}

#[cfg(test)]
mod tests;
