//! The thread states of an interpreter: which of them is whose, and which Python frames a thread is in.

use foldhash::fast::RandomState;
use hashbrown::HashMap;

use super::agree::PythonFrame;
use super::fields::Fields;
use super::layout::{FrameRecord, Gil, Layout, Rank, ThreadFrame};
use super::memory::Memory;
use crate::process::Piece;

/// Interpreters and threads beyond these are taken for lists that lead in a circle.
const MOST_INTERPRETERS: usize = 64;
const MOST_THREADS: usize = 16_384;
/// Deeper frames are left out.
const DEEPEST: usize = 640;

/// A thread as the interpreter knows it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct ThreadState {
    pub(crate) address: u64,
    pub(crate) interpreter: u64,
    /// The system's number of the thread in its own namespace; since 3.11.
    pub(crate) native_id: Option<u64>,
}

/// How a thread stands to the lock that lets one thread at a time run Python code.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) enum Lock {
    Held,
    Waiting,
    Free,
}

/// A list of frames is followed so far at least.
pub(crate) const FOLLOWED: usize = 128;

/// What was read of a thread.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub(crate) struct Captured {
    /// Innermost first.
    pub(crate) frames: Vec<PythonFrame>,
    /// Of those of the very instant, what tells their code objects from later ones.
    pub(crate) marks: Vec<u32>,
    /// The frame behind the last one; 0 when they reach the thread's first one.
    pub(crate) rest: u64,
    pub(crate) holds_lock: Option<bool>,
}

impl Captured {
    /// Whether the list leads nowhere: the thread was just changing it. A list that is merely long is not.
    pub(crate) fn is_broken(&self) -> bool {
        self.rest != 0 && self.frames.len() < FOLLOWED
    }
}

/// Where the lock of a thread tells who holds it: a pointer to a thread state, and, unless that is null while nobody
/// does, an `int`.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct LockAt {
    pub(crate) holder: u64,
    pub(crate) locked: Option<u64>,
}

impl LockAt {
    /// Finds the lock of a thread; there is none in a free-threaded interpreter.
    pub(crate) fn of(
        layout: &Layout,
        runtime: u64,
        state: ThreadState,
        memory: &impl Memory,
    ) -> Option<Self> {
        match layout.gil {
            Gil::OfRuntime { current, .. } => {
                Some(Self { holder: runtime.wrapping_add(u64::from(current)), locked: None })
            }
            Gil::OfInterpreter { pointer, locked, holder, enabled } => {
                let lock = memory.pointer(state.interpreter.wrapping_add(u64::from(pointer)))?;
                if let Some(enabled) = enabled
                    && memory.int(lock.wrapping_add(u64::from(enabled)))? == 0
                {
                    return None;
                }
                let locked = Some(lock.wrapping_add(u64::from(locked)));
                Some(Self { holder: lock.wrapping_add(u64::from(holder)), locked })
            }
        }
    }

    fn is_held_by(self, state: ThreadState, memory: &impl Memory) -> Option<bool> {
        let is_locked = match self.locked {
            Some(locked) => memory.int(locked)? > 0,
            None => true,
        };
        Some(is_locked && memory.pointer(self.holder)? == state.address)
    }
}

/// All thread states; empty while the interpreter is not up, or not any more.
pub(crate) fn thread_states(layout: &Layout, runtime: u64, memory: &impl Memory) -> Vec<ThreadState> {
    let mut found = Vec::new();
    let mut interpreter =
        memory.pointer(runtime.wrapping_add(u64::from(layout.runtime.interpreters))).unwrap_or(0);
    for _ in 0..MOST_INTERPRETERS {
        if interpreter == 0 {
            break;
        }
        let first = interpreter.wrapping_add(u64::from(layout.interpreter.threads));
        let mut state = memory.pointer(first).unwrap_or(0);
        let mut bytes = vec![0; layout.thread_bytes()];
        while state != 0 && found.len() < MOST_THREADS && memory.read(state, &mut bytes) == bytes.len() {
            let fields = Fields(&bytes);
            let native_id = layout.thread.native_id.and_then(|at| fields.word(at));
            found.push(ThreadState { address: state, interpreter, native_id });
            state = fields.word(layout.thread.next).unwrap_or(0);
        }
        interpreter =
            memory.pointer(interpreter.wrapping_add(u64::from(layout.interpreter.next))).unwrap_or(0);
    }
    found
}

/// Reads the frames of threads, again and again.
#[derive(Debug, Default)]
pub(crate) struct FrameReader {
    /// Where frames lay the last time: most are still there, and all of them are read at once.
    last: HashMap<u64, Vec<u64>, RandomState>,
    bytes: Vec<u8>,
}

impl FrameReader {
    /// Which frames a thread is in now, and whether it holds the lock.
    pub(crate) fn capture(
        &mut self,
        layout: &Layout,
        state: ThreadState,
        lock: Option<LockAt>,
        memory: &impl Memory,
    ) -> Captured {
        let holds_lock = lock.and_then(|lock| lock.is_held_by(state, memory));
        let mut address = current_frame(layout, state.address, memory).unwrap_or(0);
        let last = self.last.entry(state.address).or_default();
        let size = layout.frame_bytes();
        self.bytes.resize(last.len() * size, 0);
        let n_read = {
            let buffers = self.bytes.chunks_exact_mut(size);
            let mut pieces: Vec<Piece<'_>> =
                last.iter().zip(buffers).map(|(&address, buffer)| Piece { address, buffer }).collect();
            memory.read_many(&mut pieces)
        };
        let mut frames = Vec::with_capacity(last.len() + 4);
        let (mut expected, mut single) = (0, vec![0; size]);
        while address != 0 && frames.len() < DEEPEST {
            // The next one is mostly where it was the last time, in the same order.
            let known = last[expected.min(n_read)..n_read].iter().position(|at| *at == address);
            let bytes = match known {
                Some(ahead) => {
                    let at = expected + ahead;
                    expected = at + 1;
                    &self.bytes[at * size..(at + 1) * size]
                }
                None if memory.read(address, &mut single) == size => &single[..],
                None => break,
            };
            let Some(record) = layout.frame_in(bytes) else { break };
            frames.push(PythonFrame { address, record });
            address = record.back;
        }
        last.clear();
        last.extend(frames.iter().map(|frame| frame.address));
        Captured { frames, marks: Vec::new(), rest: address, holds_lock }
    }

    /// Reads the frames behind those that were read in another way, which stay as long as those run. If the last of those
    /// is not there before and afterwards, none are.
    pub(crate) fn go_on(layout: &Layout, captured: &mut Captured, memory: &impl Memory) {
        let Some(last) = captured.frames.last().copied().filter(|_| captured.rest != 0) else { return };
        let (n_before, rest) = (captured.frames.len(), captured.rest);
        let frame_at = |address| {
            let mut bytes = vec![0; layout.frame_bytes()];
            (memory.read(address, &mut bytes) == bytes.len()).then(|| layout.frame_in(&bytes)).flatten()
        };
        let is_same = |now: FrameRecord| now.code == last.record.code && now.back == last.record.back;
        let is_there = || frame_at(last.address).is_some_and(is_same);
        // Memory of frames that were left is given back, and is zero when it is used again.
        let is_frame = |record: &FrameRecord| record.code != 0 || record.rank == Rank::Shim;
        let mut is_whole = is_there();
        while is_whole && captured.rest != 0 && captured.frames.len() < DEEPEST {
            let Some(record) = frame_at(captured.rest) else { break };
            is_whole = is_frame(&record);
            captured.frames.push(PythonFrame { address: captured.rest, record });
            captured.rest = record.back;
        }
        if !is_whole || !is_there() {
            captured.frames.truncate(n_before);
            captured.rest = rest;
        }
    }

    /// What is kept of a thread that has ended is of no use.
    pub(crate) fn keep_only(&mut self, is_there: impl Fn(u64) -> bool) {
        self.last.retain(|state, _| is_there(*state));
    }
}

fn current_frame(layout: &Layout, state: u64, memory: &impl Memory) -> Option<u64> {
    match layout.thread.frame {
        ThreadFrame::Object { frame: at } | ThreadFrame::Current { current_frame: at } => {
            memory.pointer(state.wrapping_add(u64::from(at)))
        }
        ThreadFrame::CFrame { cframe, current_frame, .. } => {
            let record = memory.pointer(state.wrapping_add(u64::from(cframe)))?;
            memory.pointer(record.wrapping_add(u64::from(current_frame)))
        }
    }
}

#[cfg(test)]
mod tests {
    use super::super::layout::Version;
    use super::*;

    /// Frames with their code and caller, as CPython 3.10 has them.
    struct Frames(Vec<(u64, u64, u64)>);

    impl Memory for Frames {
        fn read(&self, address: u64, buffer: &mut [u8]) -> usize {
            let Some((_, code, back)) = self.0.iter().find(|(at, ..)| *at == address) else { return 0 };
            buffer.fill(0);
            buffer[24..32].copy_from_slice(&back.to_ne_bytes());
            buffer[32..40].copy_from_slice(&code.to_ne_bytes());
            buffer.len()
        }
    }

    #[test]
    fn a_short_list_that_leads_nowhere_is_broken_and_a_long_one_is_long() {
        let layout = Version::from_text("3.10.13").and_then(Layout::of).expect("it is known");
        let frame = PythonFrame { address: 0x1000, record: layout.frame_of(0x10, 0x2000, 0, 0) };
        let list = |n_frames, rest| Captured { frames: vec![frame; n_frames], rest, ..Captured::default() };
        assert!(list(2, 0x2000).is_broken());
        assert!(!list(2, 0).is_broken() && !list(FOLLOWED, 0x2000).is_broken());
    }

    #[test]
    fn outer_frames_are_read_only_while_what_they_called_is_there() {
        let layout = Version::from_text("3.10.13").and_then(Layout::of).expect("it is known");
        let first = PythonFrame { address: 0x1000, record: layout.frame_of(0x10, 0x2000, 0, 0) };
        let behind = |frames: &[(u64, u64, u64)]| {
            let mut captured = Captured { frames: vec![first], rest: 0x2000, ..Captured::default() };
            FrameReader::go_on(&layout, &mut captured, &Frames(frames.to_vec()));
            (captured.frames.len(), captured.rest)
        };
        assert_eq!(behind(&[(0x1000, 0x10, 0x2000), (0x2000, 0x20, 0)]), (2, 0));
        assert_eq!(behind(&[(0x1000, 0x18, 0x2000), (0x2000, 0x20, 0)]), (1, 0x2000), "another function");
        assert_eq!(behind(&[(0x1000, 0x10, 0x2000), (0x2000, 0, 0)]), (1, 0x2000), "not a frame any more");
        assert_eq!(behind(&[(0x2000, 0x20, 0)]), (1, 0x2000), "given back");
    }
}
