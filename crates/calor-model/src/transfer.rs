//! Carries handles from one profile into another: what a handle stands for is looked up in the source, stored in
//! the destination, and remembered. Only what is asked for is carried, so that a profile built through a transfer
//! holds nothing unused, and carrying costs in proportion to the source, never to the destination.

use std::borrow::Cow;

use crate::{
    Frame, FrameId, FrameKind, LabelSetId, Profile, StackId, StackTable, StringId, Thread, ThreadId, Work,
};

/// What a frame shall be called in the destination.
pub(crate) type Rename = fn(FrameKind, &str) -> Cow<'_, str>;

/// Handles of `from`, or of call paths over its frames, turned into handles of `into`.
pub(crate) struct Transfer<'a> {
    pub(crate) from: &'a Profile,
    pub(crate) into: &'a mut Profile,
    /// The call paths that are carried: those of `from`, or others made of the same frames.
    paths: &'a StackTable,
    rename: Option<Rename>,
    strings: Vec<Option<StringId>>,
    frames: Vec<Option<FrameId>>,
    stacks: Vec<Option<StackId>>,
    threads: Vec<Option<ThreadId>>,
    labels: Vec<Option<LabelSetId>>,
}

impl<'a> Transfer<'a> {
    /// A transfer of call paths of `paths`, whose frames are those of `from`.
    pub(crate) fn new(
        from: &'a Profile,
        into: &'a mut Profile,
        paths: &'a StackTable,
        rename: Option<Rename>,
    ) -> Self {
        Self {
            from,
            into,
            paths,
            rename,
            strings: vec![None; from.strings.len()],
            frames: vec![None; from.frames.len()],
            stacks: vec![None; paths.len()],
            threads: vec![None; from.threads.len()],
            labels: vec![None; from.labels.len()],
        }
    }

    pub(crate) fn string(&mut self, id: StringId) -> StringId {
        *self.strings[id.index()].get_or_insert_with(|| self.into.strings.intern(self.from.strings.get(id)))
    }

    pub(crate) fn frame(&mut self, id: FrameId) -> FrameId {
        if let Some(known) = self.frames[id.index()] {
            return known;
        }
        let frame = self.from.frames.get(id);
        let name = self.name(frame.kind, frame.name);
        let module = frame.module.map(|module| self.string(module));
        let file = frame.file.map(|file| self.string(file));
        let carried = self.into.frames.intern(Frame { name, module, file, ..frame });
        self.frames[id.index()] = Some(carried);
        carried
    }

    /// The name of a compiled function, as its frames are called in the destination.
    pub(crate) fn function_name(&mut self, id: StringId) -> StringId {
        self.name(FrameKind::Native, id)
    }

    fn name(&mut self, kind: FrameKind, id: StringId) -> StringId {
        match self.rename {
            Some(rename) => self.into.strings.intern(&rename(kind, self.from.strings.get(id))),
            None => self.string(id),
        }
    }

    pub(crate) fn stack(&mut self, id: StackId) -> StackId {
        // Paths can be deeper than the machine's own stack: no recursion.
        let mut missing = Vec::new();
        let mut at = Some(id);
        let mut carried = None;
        while let Some(path) = at {
            carried = self.stacks[path.index()];
            if carried.is_some() {
                break;
            }
            missing.push(path);
            at = self.paths.get(path).parent;
        }
        while let Some(path) = missing.pop() {
            let frame = self.frame(self.paths.get(path).frame);
            carried = Some(self.into.stacks.intern(carried, frame));
            self.stacks[path.index()] = carried;
        }
        carried.expect("a path is either known or among the missing")
    }

    pub(crate) fn thread(&mut self, id: ThreadId) -> ThreadId {
        if let Some(known) = self.threads[id.index()] {
            return known;
        }
        let thread = self.from.threads.get(id);
        let name = self.string(thread.name);
        let carried = self.into.threads.intern(Thread { name, ..thread });
        self.threads[id.index()] = Some(carried);
        carried
    }

    pub(crate) fn labels(&mut self, id: LabelSetId) -> LabelSetId {
        if let Some(known) = self.labels[id.index()] {
            return known;
        }
        let from = self.from;
        let set = self.string_pairs(from.labels.get(id));
        let carried = self.into.labels.intern(&set);
        self.labels[id.index()] = Some(carried);
        carried
    }

    pub(crate) fn string_pairs(&mut self, pairs: &[(StringId, StringId)]) -> Vec<(StringId, StringId)> {
        pairs.iter().map(|&(key, value)| (self.string(key), self.string(value))).collect()
    }

    /// Work whose backends and counters are named by strings of the destination; `None` where it has neither
    /// and can stay as it is, as most has.
    pub(crate) fn work(&mut self, work: &Work) -> Option<Work> {
        if work.backends.is_empty() && work.counters.is_empty() {
            return None;
        }
        let mut carried = Work { backends: Vec::new(), counters: Vec::new(), ..*work };
        for &(name, calls) in &work.backends {
            carried.add_backend(self.string(name), calls);
        }
        for &(name, value) in &work.counters {
            carried.add_counter(self.string(name), value);
        }
        Some(carried)
    }

    /// Carries everything the tables of handles hold, used or not.
    pub(crate) fn all(&mut self) {
        for index in 0..self.strings.len() {
            self.string(StringId::from_index(index));
        }
        for index in 0..self.frames.len() {
            self.frame(FrameId::from_index(index));
        }
        for index in 0..self.stacks.len() {
            self.stack(StackId::from_index(index));
        }
        for index in 0..self.threads.len() {
            self.thread(ThreadId::from_index(index));
        }
        for index in 0..self.labels.len() {
            self.labels(LabelSetId::from_index(index));
        }
    }
}
