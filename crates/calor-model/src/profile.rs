//! The profile itself: one value that holds what any of the recorders saw, together or alone.

use std::borrow::Cow;

use crate::{
    CodeTable, CounterTable, EventTable, Frame, FrameId, FrameKind, FrameTable, GpuTable, HeapTable,
    LabelTable, Run, SampleTable, ScopeTable, StackId, StackTable, StringTable, Thread, ThreadId,
    ThreadTable, Timeline, Warning, warning,
};

/// What was recorded of one or more runs. A part that was not recorded is empty, and then either no recorder
/// for it is named in [`Run::recorders`] or a warning says why.
#[derive(Clone, Debug, Default)]
pub struct Profile {
    /// Every text.
    pub strings: StringTable,
    /// Places in the code.
    pub frames: FrameTable,
    /// Call paths.
    pub stacks: StackTable,
    /// Threads.
    pub threads: ThreadTable,
    /// Sets of labels.
    pub labels: LabelTable,
    /// Scopes: exact statistics by call path.
    pub scopes: ScopeTable,
    /// When scopes ran.
    pub timeline: Timeline,
    /// Where threads were found.
    pub samples: SampleTable,
    /// The code of the hottest compiled functions.
    pub code: CodeTable,
    /// Events of the processor and the kernel.
    pub events: EventTable,
    /// Who allocated.
    pub heap: HeapTable,
    /// What ran on GPUs.
    pub gpu: GpuTable,
    /// Values over time.
    pub counters: CounterTable,
    /// Which runs it is of, sorted by id.
    pub runs: Vec<Run>,
    /// What was not seen, sorted by code.
    pub warnings: Vec<Warning>,
}

impl Profile {
    /// Says that something was not seen; the same thing said twice is counted, not repeated.
    pub fn warn(&mut self, warning: Warning) {
        warning::add_warning(&mut self.warnings, warning);
    }

    /// The handle of a call path given by the names of its frames, outermost first, all of one kind. Meant
    /// for tests and small tools; `None` for an empty path.
    pub fn intern_named_path(&mut self, names: &[&str], kind: FrameKind) -> Option<StackId> {
        let mut stack = None;
        for name in names {
            let name = self.strings.intern(name);
            let frame = self.frames.intern(Frame::new(name, kind));
            stack = Some(self.stacks.intern(stack, frame));
        }
        stack
    }

    /// The handle of a thread given by its numbers and name.
    pub fn intern_thread(&mut self, pid: u32, tid: u64, name: &str) -> ThreadId {
        let name = self.strings.intern(name);
        self.threads.intern(Thread { pid, tid, name })
    }

    /// The names of a path's frames, outermost first.
    #[must_use]
    pub fn path_names(&self, stack: StackId) -> Vec<&str> {
        self.stacks
            .path(stack)
            .into_iter()
            .map(|frame| self.strings.get(self.frames.get(frame).name))
            .collect()
    }

    /// The name of a path's innermost frame.
    #[must_use]
    pub fn stack_name(&self, stack: StackId) -> &str {
        self.strings.get(self.frames.get(self.stacks.get(stack).frame).name)
    }

    /// The frame of this name that was made by Calor itself, where there is one.
    pub(crate) fn synthetic_frame(&self, name: &str) -> Option<FrameId> {
        let wanted = Frame::new(self.strings.find(name)?, FrameKind::Synthetic);
        self.frames.find(wanted)
    }

    /// The same profile with a frame of this name to send rows to; a copy only where it has none yet.
    pub(crate) fn with_synthetic_frame(&self, name: &str) -> (Cow<'_, Self>, FrameId) {
        if let Some(frame) = self.synthetic_frame(name) {
            return (Cow::Borrowed(self), frame);
        }
        let mut with_frame = self.clone();
        let name = with_frame.strings.intern(name);
        let frame = with_frame.frames.intern(Frame::new(name, FrameKind::Synthetic));
        (Cow::Owned(with_frame), frame)
    }

    /// How long was recorded: the longest of its runs.
    #[must_use]
    pub fn duration_nanos(&self) -> u64 {
        self.runs.iter().map(|run| run.duration_nanos).max().unwrap_or(0)
    }

    /// Whether no recorder saw anything.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.scopes.is_empty()
            && self.timeline.is_empty()
            && self.samples.is_empty()
            && self.code.is_empty()
            && self.events.is_empty()
            && self.heap.is_empty()
            && self.heap.histograms.is_empty()
            && self.heap.snapshots.is_empty()
            && self.gpu.is_empty()
            && self.counters.is_empty()
    }
}
