//! Python frames in the place of the interpreter's own: a sample's native stack becomes one of both languages.

use std::collections::{BTreeMap, BTreeSet, VecDeque};
use std::io;
use std::sync::Arc;

use foldhash::fast::RandomState;
use hashbrown::HashMap;

use super::agree::agree;
use super::find::{Found, Interpreter, find};
use super::functions::{FunctionId, Functions};
use super::held::{Beside, Held, Resolved, Stack};
use super::instant::{Instant, Instants};
use super::layout::{Instruction, Rank};
use super::memory::ProcessMemory;
use super::nearness::of_sample;
use super::process::{Process, Unreadable};
use super::roles::Role;
use super::state::{Captured, Lock};
use crate::bpf::Program;
use crate::perf::clock_nanos;
use calor_symbols::image::Image;

/// So long frames are kept whose sample has not come.
const KEPT_NANOS: u64 = 10_000_000_000;
/// So many frames of a thread wait for their samples at most, and captures of all threads. Some rounds of a thread that
/// waits a hundred thousand times a second are fewer. What has to go is read again when its sample comes.
const MOST_WAITING: usize = 4096;
/// So long after it was told of a thread, and so many samples later, the kernel's program must have read something.
const PATIENCE_NANOS: u64 = 1_000_000_000;
const PATIENCE_SAMPLES: u32 = 64;

/// Of more native frames than this it is not kept in mind what they are.
const MOST_MET: usize = 1 << 18;

/// What has been counted.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(crate) struct Counts {
    /// Samples of threads that ran Python code.
    pub(crate) samples: u64,
    /// Those whose Python frames are not certain, or not all of them.
    pub(crate) unverified: u64,
    /// Those with a function that was not there any more when its name was read.
    pub(crate) gone: u64,
}

/// A native frame of a sample, as far as Python is concerned: which file it is of, its address there, and what to add
/// to addresses of the file to get those of the process.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct NativeFrame {
    pub(crate) file: u32,
    pub(crate) address: u64,
    pub(crate) bias: u64,
}

/// What a sample's stack is made of.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Part {
    /// The native frame of this number.
    Native(usize),
    /// A Python function at a line.
    Python(FunctionId, u32),
    /// A Python function that is not there any more.
    Unnamed,
    /// Which Python functions were here is not certain.
    Unverified,
    /// Frames further out were left out.
    Longer,
}

/// The stack of the thread that a sample is of, innermost first.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Sampled<'a> {
    pub(crate) pid: i32,
    pub(crate) tid: i32,
    pub(crate) time: u64,
    /// The instruction that the sample is of, be it the kernel's.
    pub(crate) address: u64,
    /// `None` where an address is of no file.
    pub(crate) frames: &'a [Option<NativeFrame>],
    /// Where the stack of each frame begins.
    pub(crate) tops: &'a [u64],
    /// Whether the frames reach the thread's beginning.
    pub(crate) is_rooted: bool,
}

/// All interpreters of a recording.
#[derive(Debug, Default)]
pub(crate) struct Python {
    /// By the number of the file.
    files: Vec<Option<Kind>>,
    /// What the native frames are that were met, by file and address: the same ones come again with each sample.
    met: HashMap<(u32, u64), Frame, RandomState>,
    processes: HashMap<(i32, u32), Result<Process, Unreadable>, RandomState>,
    pub(crate) functions: Functions,
    /// Frames that were read when a sample was announced, by thread and time.
    captured: HashMap<(i32, u64), Captured, RandomState>,
    /// What reads them at the very instant, where the kernel lets us; `None` until it is needed.
    instants: Option<io::Result<Instants>>,
    /// What it has read, by thread, oldest first.
    read: HashMap<i32, VecDeque<Instant>, RandomState>,
    /// Since when it knows of a thread. What was sampled before, and comes to be looked at later, it cannot have read.
    told: HashMap<i32, u64, RandomState>,
    /// As long as it has read nothing although it knows of threads: since when, and how many samples have missed it.
    missed: Option<(u64, u32)>,
    has_instants: bool,
    pub(crate) counts: Counts,
    /// Samples whose Python frames could not be read, by the reason.
    pub(crate) unread: BTreeMap<String, u64>,
    /// What is to be said of the interpreters that can be read.
    pub(crate) notes: BTreeSet<String>,
}

/// What a file is.
#[derive(Clone, Debug)]
pub(super) enum Kind {
    CPython(Arc<Interpreter>),
    PyPy,
    /// Where programs and threads begin.
    Start,
    Other,
}

/// What a native frame is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Frame {
    /// A function of the interpreter; without a role if it has no name.
    OfInterpreter(Option<Role>),
    OfPyPy,
    OfStart,
    Other,
}

impl Python {
    /// Whether any process runs Python code that can be read.
    pub(crate) fn is_seen(&self) -> bool {
        self.processes.values().any(Result::is_ok)
    }

    /// What events have to run so that frames are read at the very instant; `None` where that cannot be.
    pub(crate) fn program(&mut self) -> Option<&Program> {
        let instants = self.instants.get_or_insert_with(Instants::new);
        instants.as_ref().ok().map(Instants::program)
    }

    /// Events cannot run it after all.
    pub(crate) fn give_up_instants(&mut self, error: io::Error) {
        self.instants = Some(Err(error));
    }

    /// Takes in what was read at the instants of samples.
    pub(crate) fn read_instants(&mut self) {
        let Some(Ok(instants)) = &mut self.instants else { return };
        let (processes, functions) = (&mut self.processes, &mut self.functions);
        instants.read(|instant| {
            // Code that runs once, such as a module's own, is soon gone.
            for process in processes.values_mut().filter_map(|process| process.as_mut().ok()) {
                process.meet(&instant, functions);
            }
            let read = self.read.entry(instant.tid).or_default();
            if read.len() >= MOST_WAITING {
                read.pop_front();
            }
            read.push_back(instant);
        });
    }

    /// A sample has just been taken: reads what its thread runs while it still does, unless that was done.
    pub(crate) fn announce(&mut self, pid: i32, tid: i32, time: u64) {
        if matches!(self.instants, Some(Ok(_))) {
            return;
        }
        for ((of, _), process) in &mut self.processes {
            if *of == pid
                && let Ok(process) = process
                && self.captured.len() < MOST_WAITING
                && let Some(captured) = process.capture(tid)
            {
                self.captured.insert((tid, time), captured);
            }
        }
    }

    /// A process becomes another program, or another process has its number.
    pub(crate) fn forget(&mut self, pid: i32) {
        self.keep(|of| of != pid);
    }

    fn keep(&mut self, is_kept: impl Fn(i32) -> bool) {
        let instants = self.instants.as_ref().and_then(|instants| instants.as_ref().ok());
        let told = &mut self.told;
        self.processes.retain(|(pid, _), process| {
            let is_kept = is_kept(*pid);
            if let (false, Ok(process), Some(instants)) = (is_kept, process, instants) {
                process.tids().for_each(|tid| {
                    instants.leave(tid);
                    told.remove(&tid);
                });
            }
            is_kept
        });
    }

    /// Forgets processes that are gone, and what was read for samples that never came.
    pub(crate) fn keep_only(&mut self, is_there: impl Fn(i32) -> bool) {
        self.keep(is_there);
        self.captured.clear();
        let now = clock_nanos();
        let is_new = |instant: &Instant| now.saturating_sub(instant.time) < KEPT_NANOS;
        self.read.retain(|_, instants| instants.back().is_some_and(is_new));
    }

    /// What was read of a thread when a sample of it was taken.
    fn instant(&mut self, sampled: &Sampled<'_>) -> Option<Instant> {
        let instant = of_sample(self.read.get_mut(&sampled.tid)?, sampled.time, sampled.address)?;
        self.has_instants = true;
        Some(instant)
    }

    /// Gives the program in the kernel up that knows of threads and sees none of them, as from inside a container when
    /// the threads are in another one.
    fn miss_instant(&mut self, tid: i32, time: u64) {
        let was_told = self.told.get(&tid).is_some_and(|since| *since < time);
        if self.has_instants || !was_told || !matches!(self.instants, Some(Ok(_))) {
            return;
        }
        if is_hopeless(&mut self.missed, time) {
            self.give_up_instants(io::ErrorKind::NotFound.into());
        }
    }

    /// A thread has ended; another one may get its number.
    pub(crate) fn thread_ended(&mut self, pid: i32, tid: i32) {
        for ((of, _), process) in &mut self.processes {
            if *of == pid
                && let Ok(process) = process
            {
                process.forget_state(tid);
            }
        }
        self.read.remove(&tid);
        self.told.remove(&tid);
        self.captured.retain(|(of, _), _| *of != tid);
        if let Some(Ok(instants)) = &self.instants {
            instants.leave(tid);
        }
    }

    /// Fills `parts` with a stack in which Python frames are in the place of those that run them; with nothing where no
    /// Python runs. How the thread stands to the lock.
    pub(crate) fn merge(
        &mut self,
        sampled: &Sampled<'_>,
        stack: &mut impl Stack,
        image: impl Fn(u32) -> Option<Arc<Image>>,
        parts: &mut Vec<Part>,
    ) -> Option<Lock> {
        parts.clear();
        let captured = self.captured.remove(&(sampled.tid, sampled.time));
        let instant = self.instant(sampled);
        let frames: Vec<Frame> = sampled.frames.iter().map(|frame| self.frame(*frame, &image)).collect();
        let runs = |frame: &Frame| *frame == Frame::OfInterpreter(Some(Role::Evaluates));
        let evaluations: Vec<usize> = (0..frames.len()).filter(|index| runs(&frames[*index])).collect();
        let (Some(&first), Some(native)) =
            (evaluations.first(), evaluations.first().and_then(|it| sampled.frames[*it]))
        else {
            if frames.contains(&Frame::OfPyPy) {
                *self.unread.entry(PYPY.to_owned()).or_default() += 1;
            }
            return None;
        };
        let Some(Kind::CPython(interpreter)) = &self.files[native.file as usize] else { return None };
        let process = self.processes.entry((sampled.pid, native.file)).or_insert_with(|| {
            Process::new(interpreter, native.bias, sampled.pid, sampled.tid).inspect(|process| {
                self.notes.extend(process.note(&interpreter.name));
            })
        });
        let process = match process {
            Ok(process) => process,
            Err(problem) => {
                *self.unread.entry(problem.to_string()).or_default() += 1;
                if matches!(problem, Unreadable::Gone(_)) {
                    // Another thread of it may be there.
                    self.processes.remove(&(sampled.pid, native.file));
                }
                return None;
            }
        };
        self.counts.samples += 1;
        let inside = frames[..first].iter().rev();
        let n_dispatching =
            inside.take_while(|frame| **frame == Frame::OfInterpreter(Some(Role::Dispatches))).count();
        let held = Held::new(sampled.tops, &evaluations, first - n_dispatching, stack);
        let instants = self.instants.get_or_insert_with(Instants::new).as_ref().ok();
        let is_known = process.find_state(sampled.tid, sampled.time, instants, |value| held.anywhere(value));
        if is_known && instants.is_some() {
            self.told.entry(sampled.tid).or_insert_with(clock_nanos);
        }
        // A thread may have had another state then, whose memory still has what it last ran.
        let is_state_held = process.state_of(sampled.tid).is_some_and(|state| held.anywhere(state));
        let exact = instant.as_ref().filter(|_| is_state_held).and_then(|instant| process.captured(instant));
        let is_exact = exact.is_some();
        let captured = exact.or(captured).or_else(|| process.capture(sampled.tid)).filter(|_| is_known);
        let mut captured = captured.unwrap_or_default();
        let is_broken = captured.is_broken();
        if is_broken && is_exact {
            captured.frames.clear();
        }
        let memory = ProcessMemory::of(sampled.pid, sampled.tid);
        let mut resolved: Vec<Option<Resolved>> = Vec::with_capacity(captured.frames.len());
        for (index, frame) in captured.frames.iter().enumerate() {
            let mark = captured.marks.get(index).copied().unwrap_or(0);
            let code = (frame.record.rank != Rank::Shim).then_some(frame.record.code);
            let known = code
                .and_then(|code| process.codes.at(code, mark, sampled.time, &memory, &mut self.functions));
            resolved.push(known.map(|known| {
                (known.function, known.info.bytecode.clone(), known.line(frame.record.instruction))
            }));
        }
        let beside = Beside {
            held: &held,
            resolved: &resolved,
            state: process.state_of(sampled.tid),
            is_trusted: is_exact || process.layout.code.copies.is_some(),
        };
        let is_whole = captured.rest == 0 && sampled.is_rooted;
        let agreed = agree(&captured.frames, &beside, is_whole, is_exact);
        if agreed.iter().all(Option::is_none) && !is_broken {
            process.forget_state(sampled.tid);
        }
        // Of a list that was cut the outer frames are not doubtful, but left out.
        let n_agreed = agreed.iter().take_while(|range| range.is_some()).count();
        let is_cut = captured.rest != 0 && !is_broken && n_agreed > 0;
        self.counts.unverified += u64::from(n_agreed < agreed.len() && !is_cut);
        let is_start = frames[evaluations[evaluations.len() - 1]..].iter().all(begins);
        let mut n_run = 0;
        for (index, frame) in frames.iter().enumerate() {
            if runs(frame) {
                match &agreed[n_run] {
                    Some(range) if range.is_empty() => parts.push(Part::Native(index)),
                    Some(range) => {
                        let mut python = range.clone().map(|at| resolved[at].as_ref());
                        if n_run == 0
                            && let Some((function, bytecode, line)) = resolved[range.start].as_ref()
                        {
                            python.next();
                            // The sample itself tells the instruction, more exactly than what was read later.
                            let inside = || held.registers.iter().filter(|word| bytecode.contains(word));
                            let exact = inside().next().filter(|_| inside().count() == 1);
                            let code = captured.frames[range.start].record.code;
                            let known = process.codes.known(code).zip(exact);
                            let line = known.map_or(*line, |(known, next)| {
                                known.line(Instruction::Address(next.saturating_sub(2)))
                            });
                            parts.push(Part::Python(*function, line));
                        }
                        parts.extend(python.map(|known| match known {
                            Some((function, _, line)) => Part::Python(*function, *line),
                            None => Part::Unnamed,
                        }));
                    }
                    None if is_cut => break,
                    None => {
                        if n_run == 0
                            && let Some((known, next)) = process.codes.with_bytecode(held.innermost())
                        {
                            let line = known.line(Instruction::Address(next.saturating_sub(2)));
                            parts.push(Part::Python(known.function, line));
                        }
                        if parts.last() != Some(&Part::Unverified) {
                            parts.push(Part::Unverified);
                        }
                    }
                }
                n_run += 1;
            } else if is_shown(*frame, index, n_run, n_run == agreed.len() && is_start) {
                parts.push(Part::Native(index));
            }
        }
        if is_cut {
            parts.push(Part::Longer);
        }
        self.counts.gone += u64::from(parts.contains(&Part::Unnamed));
        let awaits = frames.contains(&Frame::OfInterpreter(Some(Role::AwaitsLock)));
        if instant.is_none() {
            self.miss_instant(sampled.tid, sampled.time);
        }
        // What was read too late for the frames is too late for the lock.
        match captured.holds_lock.filter(|_| is_exact || n_agreed == agreed.len()) {
            _ if awaits => Some(Lock::Waiting),
            Some(true) => Some(Lock::Held),
            Some(false) => Some(Lock::Free),
            None => None,
        }
    }

    pub(super) fn frame(
        &mut self,
        frame: Option<NativeFrame>,
        image: impl Fn(u32) -> Option<Arc<Image>>,
    ) -> Frame {
        let Some(NativeFrame { file, address, .. }) = frame else { return Frame::Other };
        if let Some(met) = self.met.get(&(file, address)) {
            return *met;
        }
        let frame = match self.kind(file, image) {
            Kind::CPython(interpreter) => Frame::OfInterpreter(interpreter.role(address)),
            Kind::PyPy => Frame::OfPyPy,
            Kind::Start => Frame::OfStart,
            Kind::Other => Frame::Other,
        };
        if self.met.len() >= MOST_MET {
            self.met.clear();
        }
        self.met.insert((file, address), frame);
        frame
    }

    /// What a file is.
    pub(super) fn kind(&mut self, file: u32, image: impl Fn(u32) -> Option<Arc<Image>>) -> &Kind {
        let index = file as usize;
        if self.files.len() <= index {
            self.files.resize(index + 1, None);
        }
        self.files[index].get_or_insert_with(|| image(file).map_or(Kind::Other, |it| kind(&it)))
    }
}

/// Whether so many samples missed what should have been read for them, for so long, that nothing will come; another one did,
/// at this time.
fn is_hopeless(missed: &mut Option<(u64, u32)>, time: u64) -> bool {
    let (since, n) = missed.get_or_insert((time, 0));
    *n += 1;
    time.saturating_sub(*since) > PATIENCE_NANOS && *n > PATIENCE_SAMPLES
}

const PYPY: &str = "PyPy keeps its frames in another way: only native ones are shown";

fn kind(image: &Image) -> Kind {
    match find(image) {
        Some(Found::CPython(interpreter)) => return Kind::CPython(Arc::new(interpreter)),
        Some(Found::PyPy) => return Kind::PyPy,
        None => {}
    }
    let name = image.name().rsplit('/').next().unwrap_or_default();
    let begins = ["libc.so", "libc-", "libpthread", "ld-linux", "ld-musl", "python"];
    if begins.iter().any(|start| name.starts_with(start)) { Kind::Start } else { Kind::Other }
}

/// Whether a frame is of those that lead from the beginning of a program or thread to Python.
pub(super) fn begins(frame: &Frame) -> bool {
    use Role::{Evaluates, Passes, Starts};
    matches!(frame, Frame::OfStart | Frame::OfInterpreter(None | Some(Starts | Passes | Evaluates)))
}

/// Whether a native frame tells people anything. `n_run` evaluations are further in.
pub(super) fn is_shown(frame: Frame, index: usize, n_run: usize, is_start: bool) -> bool {
    match frame {
        Frame::OfInterpreter(Some(Role::Dispatches)) => false,
        _ if index == 0 => true,
        _ if is_start && begins(&frame) => false,
        Frame::OfInterpreter(Some(Role::Passes)) => false,
        Frame::OfInterpreter(None) => n_run == 0,
        _ => true,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn samples_of_before_the_kernel_was_told_do_not_count_as_missed() {
        let Ok(instants) = Instants::new() else { return };
        let mut python = Python { instants: Some(Ok(instants)), ..Python::default() };
        let (second, tid) = (1_000_000_000, 7);
        python.told.insert(tid, 10 * second);
        // A recorder that came late: ten seconds of samples are looked at after it told of the thread.
        (0..1_000).for_each(|at| python.miss_instant(tid, at * second / 100));
        assert!(matches!(python.instants, Some(Ok(_))));
        // Those of afterwards do.
        (1_001..1_201).for_each(|at| python.miss_instant(tid, at * second / 100));
        assert!(matches!(python.instants, Some(Err(_))));
    }
}
