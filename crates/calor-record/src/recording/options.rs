//! What to record, and of whom.

use std::ffi::OsString;
use std::path::PathBuf;

use crate::call_paths;
use crate::counters::{CounterSet, Streams};
use crate::error::RecordError;
use crate::heap::{HeapPaths, HeapWay};

/// Who is watched.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum Target {
    /// A program that is started for it, with its arguments.
    Command(Vec<OsString>),
    /// A running process with its threads and children.
    Process(i32),
    /// This process; the calling thread is left out.
    Own,
}

/// How it is watched.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Options {
    /// Whether running threads are sampled. Without that the heap alone is watched, which needs no leave of the kernel's.
    pub cpu: bool,
    /// Samples a second and busy thread.
    pub rate: u32,
    /// Whether waiting threads are recorded too.
    pub off_cpu: bool,
    /// Whether the kernel's functions are shown; needs a permission that is not always given.
    pub kernel: bool,
    /// How many frames a path has at most; the outermost are left out.
    pub max_depth: usize,
    /// Whether threads are told apart.
    pub by_thread: bool,
    /// Whether functions inlined into others are shown.
    pub inlines: bool,
    /// Whether Python frames are shown in the place of the interpreter's own.
    pub python: bool,
    /// Whether the heap is watched too, and how; only for programs that are started for it.
    pub heap: Option<HeapWay>,
    /// Which call paths of the heap are kept.
    pub heap_paths: HeapPaths,
    /// What becomes of the standard streams of a program that is started for it.
    pub streams: Streams,
    /// What else is counted, by the function in which it happens.
    pub counters: CounterSet,
    /// Where looked up names are kept; `None` for nowhere.
    pub symbol_cache: Option<PathBuf>,
    /// How much of a stack is copied with each sample at first; then as much as the stacks turn out to need.
    pub stack_bytes: u32,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            cpu: true,
            rate: 999,
            off_cpu: false,
            kernel: false,
            max_depth: call_paths::MAX_DEPTH,
            by_thread: true,
            inlines: true,
            python: true,
            heap: None,
            heap_paths: HeapPaths::default(),
            streams: Streams::default(),
            counters: CounterSet::default(),
            symbol_cache: calor_symbols::SymbolOptions::default().cache,
            stack_bytes: 32 << 10,
        }
    }
}

impl Options {
    /// Whether the kernel would take them.
    pub(crate) fn check(&self) -> Result<(), RecordError> {
        let most = std::fs::read_to_string("/proc/sys/kernel/perf_event_max_sample_rate")
            .ok()
            .and_then(|text| text.trim().parse::<u32>().ok())
            .unwrap_or(100_000);
        let complaint = if !self.cpu && self.heap.is_none() {
            "neither the CPU nor the heap would be watched: ask for the heap too (`--heap`), or sample the CPU".to_owned()
        } else if !self.cpu && (self.off_cpu || !self.counters.is_empty()) {
            "waiting threads and counters are seen through the samples of the CPU: leave them out, or sample it".to_owned()
        } else if self.rate == 0 {
            "a rate of 0 would never sample: ask for 1 or more samples a second, such as 99 or 999".to_owned()
        } else if self.rate > most {
            format!(
                "a rate of {} is more than this system allows ({most} samples a second): ask for less, or run \
                 `sudo sysctl kernel.perf_event_max_sample_rate={}`",
                self.rate, self.rate
            )
        } else if self.max_depth == 0 {
            "a depth of 0 would leave no frames: ask for 1 or more".to_owned()
        } else {
            return Ok(());
        };
        Err(RecordError::Option(complaint))
    }
}
