//! One interpreter in one process: what is known of it, and what its threads run.

use std::sync::Arc;

use foldhash::fast::RandomState;
use hashbrown::HashMap;

use super::find::Interpreter;
use super::functions::{Codes, Functions};
use super::instant::{Instant, Instants};
use super::layout::{Layout, TABLE_BYTES, Version};
use super::memory::{Memory, ProcessMemory};
use super::state::{Captured, FrameReader, LockAt, ThreadState, thread_states};

/// So long after it was looked for in vain, a thread state is looked for again.
const PATIENCE_NANOS: u64 = 20_000_000;
/// The oldest version whose frames can be read.
const OLDEST: u8 = 8;
/// The version of which a free-threaded build has been tried.
const TRIED_WITHOUT_LOCK: u8 = 13;

/// An interpreter at work.
#[derive(Debug)]
pub(crate) struct Process {
    pid: i32,
    pub(crate) layout: Layout,
    runtime: u64,
    pub(crate) codes: Codes,
    frames: FrameReader,
    /// Whose thread states are known, and where their locks are.
    threads: HashMap<i32, (ThreadState, Option<LockAt>), RandomState>,
    /// When thread states were last looked for in vain.
    missed: u64,
}

/// Why Python frames of a process cannot be read.
#[derive(Clone, PartialEq, Eq, Hash, Debug, thiserror::Error)]
#[non_exhaustive]
pub(crate) enum Unreadable {
    #[error("{0}: its version is not told anywhere, so where it keeps its frames is not known")]
    NoVersion(String),
    #[error("{0}: CPython {1} is older than 3.8, the first whose frames can be read")]
    TooOld(String, Version),
    #[error("{0}: CPython {1} is not known: a newer calor may read it")]
    Unknown(String, Version),
    #[error("{0}: CPython {1} is not known, a newer calor may read it: {2}")]
    Table(String, Version, String),
    #[error("{0}: it has no symbol for its runtime: its file was stripped of what tells where that is")]
    NoRuntime(String),
    #[error("{0}: its memory may not be read: {1}")]
    Forbidden(String, String),
    #[error("{0}: the thread or process had ended before it was looked at for the first time")]
    Gone(String),
}

impl Process {
    /// Finds out how an interpreter keeps its frames that is mapped with a bias into the process of a thread.
    pub(crate) fn new(
        interpreter: &Arc<Interpreter>,
        bias: u64,
        pid: i32,
        tid: i32,
    ) -> Result<Self, Unreadable> {
        let memory = ProcessMemory::of(pid, tid);
        let name = || interpreter.name.clone();
        let runtime = interpreter.runtime.ok_or_else(|| Unreadable::NoRuntime(name()))?.wrapping_add(bias);
        let mut table = [0; TABLE_BYTES];
        if memory.read(runtime, &mut table) < 16 {
            let error = std::io::Error::last_os_error();
            return Err(match error.raw_os_error() {
                Some(libc::ESRCH) => Unreadable::Gone(name()),
                _ => Unreadable::Forbidden(name(), error.to_string()),
            });
        }
        let described = Layout::from_debug_offsets(&table);
        let layout = match (interpreter.version, described) {
            (_, Ok(layout)) => layout,
            (Some(version), Err(error)) if version.minor >= 13 => {
                return Err(Unreadable::Table(name(), version, error.to_string()));
            }
            (Some(version), Err(_)) if version.minor < OLDEST => {
                return Err(Unreadable::TooOld(name(), version));
            }
            (Some(version), Err(_)) => {
                Layout::of(version).ok_or_else(|| Unreadable::Unknown(name(), version))?
            }
            (None, Err(_)) => return Err(Unreadable::NoVersion(name())),
        };
        let code_type = interpreter.code_type.map(|address| address.wrapping_add(bias));
        Ok(Self {
            pid,
            codes: Codes::new(layout.clone(), code_type),
            layout,
            runtime,
            frames: FrameReader::default(),
            threads: HashMap::default(),
            missed: 0,
        })
    }

    /// What people should know of it, called by a name.
    pub(crate) fn note(&self, name: &str) -> Option<String> {
        let version = self.layout.version;
        if self.layout.is_unproven {
            Some(format!(
                "{name}: CPython {version} is newer than this calor: its frames are read as it describes them itself"
            ))
        } else if self.layout.is_free_threaded && version.minor != TRIED_WITHOUT_LOCK {
            Some(format!(
                "{name}: CPython {version} without the lock (free-threaded): its frames are read as it describes them \
                 itself; of such builds only 3.{TRIED_WITHOUT_LOCK} has been tried"
            ))
        } else {
            None
        }
    }

    /// The frames of a thread whose state is known.
    pub(crate) fn capture(&mut self, tid: i32) -> Option<Captured> {
        let (state, lock) = *self.threads.get(&tid)?;
        Some(self.frames.capture(&self.layout, state, lock, &ProcessMemory::of(self.pid, tid)))
    }

    /// The threads whose states are known.
    pub(crate) fn tids(&self) -> impl Iterator<Item = i32> {
        self.threads.keys().copied()
    }

    /// Where the state of a thread is, if it is known.
    pub(crate) fn state_of(&self, tid: i32) -> Option<u64> {
        self.threads.get(&tid).map(|(state, _)| state.address)
    }

    /// What was read of a thread at an instant, made sense of.
    pub(crate) fn captured(&self, instant: &Instant) -> Option<Captured> {
        let (state, lock) = *self.threads.get(&instant.tid)?;
        let mut captured = instant.captured(&self.layout, state, lock)?;
        FrameReader::go_on(&self.layout, &mut captured, &ProcessMemory::of(self.pid, instant.tid));
        Some(captured)
    }

    /// Reads the code that a thread was seen to run, while it is there.
    pub(crate) fn meet(&mut self, instant: &Instant, functions: &mut Functions) {
        if self.threads.contains_key(&instant.tid) {
            let memory = ProcessMemory::of(self.pid, instant.tid);
            for (code, mark) in instant.codes(&self.layout) {
                self.codes.at(code, mark, instant.time, &memory, functions);
            }
        }
    }

    /// Finds the state of a thread, of whose stack is known which values it holds.
    pub(crate) fn find_state(
        &mut self,
        tid: i32,
        now: u64,
        instants: Option<&Instants>,
        holds: impl Fn(u64) -> bool,
    ) -> bool {
        if self.threads.contains_key(&tid) {
            return true;
        }
        if now.saturating_sub(self.missed) < PATIENCE_NANOS {
            return false;
        }
        let memory = ProcessMemory::of(self.pid, tid);
        let states = thread_states(&self.layout, self.runtime, &memory);
        if states.is_empty() {
            // Not up yet, or gone: what is known of other threads is as good as it was.
            self.missed = now;
            return false;
        }
        self.threads.retain(|_, (state, _)| states.contains(state));
        self.frames.keep_only(|address| states.iter().any(|state| state.address == address));
        let is_native = |state: &&ThreadState| state.native_id == u64::try_from(tid).ok();
        // The number is another one inside a container. The stack of a thread that runs Python leads to its state.
        let found = states.iter().find(is_native).filter(|state| holds(state.address));
        let found = found.or_else(|| states.iter().find(|state| holds(state.address)));
        match found {
            Some(state) => {
                let lock = LockAt::of(&self.layout, self.runtime, *state, &memory);
                self.threads.insert(tid, (*state, lock));
                instants.inspect(|instants| instants.follow(tid, &self.layout, *state, lock));
            }
            None => self.missed = now,
        }
        found.is_some()
    }

    /// The state of a thread turned out to be another's, or of no use any more.
    pub(crate) fn forget_state(&mut self, tid: i32) {
        self.threads.remove(&tid);
    }
}
