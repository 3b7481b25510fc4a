//! The places that a flame graph speaks of. Two frames are the same place when name, kind and module are; lines are
//! added up, so that the trees of two builds of a program can be laid side by side. Threads are places too, and
//! those of one name stay apart by their number.

use std::collections::HashMap;

use calor_model::{CopyKind, FrameId, FrameKind, Profile, ThreadId};
use foldhash::fast::RandomState;
use indexmap::IndexMap;

use super::input::FlameLeaf;

/// One place of a flame graph.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct FlameFrame<'p> {
    /// What it is called.
    pub name: &'p str,
    /// What kind of place it is.
    pub kind: FlameKind,
    /// The operating system's number of a thread, where it is known: workers of a pool often share a name.
    pub tid: Option<u64>,
    /// The binary, library or module it belongs to.
    pub module: Option<&'p str>,
    /// The source file, where its first frame was.
    pub file: Option<&'p str>,
    /// The line in that file.
    pub line: Option<u32>,
}

/// What kind of place a [`FlameFrame`] is.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub enum FlameKind {
    /// The root of the whole tree.
    All,
    /// A thread.
    Thread,
    /// A place in the code.
    Code(FrameKind),
}

impl FlameKind {
    /// The word for it.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Self::All => "all",
            Self::Thread => "thread",
            Self::Code(FrameKind::Scope) => "scope",
            Self::Code(FrameKind::Context) => "context",
            Self::Code(FrameKind::Native) => "native",
            Self::Code(FrameKind::Kernel) => "kernel",
            Self::Code(FrameKind::Python) => "python",
            Self::Code(FrameKind::Gpu) => "gpu",
            Self::Code(_) => "synthetic",
        }
    }
}

impl<'p> FlameFrame<'p> {
    /// For each frame the number of its name, and for each name the first frame that has it.
    pub(crate) fn names<'f>(frames: impl Iterator<Item = &'f Self>) -> (Vec<u32>, Vec<u32>)
    where
        'p: 'f,
    {
        let mut numbers = HashMap::<(&str, Option<u64>), u32, RandomState>::default();
        let mut first = Vec::new();
        let mut of_frames = Vec::new();
        for (place, frame) in (0..).zip(frames) {
            let number = *numbers.entry((frame.name, frame.tid)).or_insert_with(|| {
                first.push(place);
                first.len() as u32 - 1
            });
            of_frames.push(number);
        }
        (of_frames, first)
    }
}

/// The name, the kind, the module, the file of what is Python's, and the number of a thread.
type Identity<'p> = (&'p str, FlameKind, Option<&'p str>, Option<&'p str>, Option<u64>);

/// The places of one profile, numbered in the order they were asked for. Number 0 is what holds all.
pub(crate) struct FlameFrames<'p> {
    profile: &'p Profile,
    frames: IndexMap<Identity<'p>, FlameFrame<'p>, RandomState>,
    /// The number of each frame of the profile, once it was asked for.
    codes: Vec<u32>,
}

/// The number of a frame that was not asked for.
const UNKNOWN: u32 = u32::MAX;

impl<'p> FlameFrames<'p> {
    pub(crate) fn new(profile: &'p Profile) -> Self {
        let codes = vec![UNKNOWN; profile.frames.len()];
        let mut frames = Self { profile, frames: IndexMap::default(), codes };
        frames.number(made("all", FlameKind::All));
        frames
    }

    /// The number of a frame of the profile.
    pub(crate) fn code(&mut self, id: FrameId) -> u32 {
        let known = self.codes[id.index()];
        if known != UNKNOWN {
            return known;
        }
        let frame = self.profile.frames.get(id);
        let text = |id| self.profile.strings.get(id);
        let number = self.number(FlameFrame {
            module: frame.module.map(text),
            file: frame.file.map(text),
            line: frame.line,
            ..made(text(frame.name), FlameKind::Code(frame.kind))
        });
        self.codes[id.index()] = number;
        number
    }

    /// The number of a thread.
    pub(crate) fn thread(&mut self, thread: Option<ThreadId>) -> u32 {
        let thread = thread.map(|thread| self.profile.threads.get(thread));
        let name = match thread.map(|thread| self.profile.strings.get(thread.name)) {
            None => "(unknown thread)",
            Some("") => "(unnamed thread)",
            Some(name) => name,
        };
        let tid = thread.map(|thread| thread.tid).filter(|tid| *tid != 0);
        self.number(FlameFrame { tid, ..made(name, FlameKind::Thread) })
    }

    /// The number of what stands inside a path without being one of its frames.
    pub(crate) fn leaf(&mut self, leaf: FlameLeaf) -> u32 {
        let name = match leaf {
            FlameLeaf::Kernel(name) => self.profile.strings.get(name),
            FlameLeaf::Copy(kind) => copy_name(kind),
        };
        self.number(made(name, FlameKind::Code(FrameKind::Gpu)))
    }

    /// How many places there are.
    pub(crate) fn len(&self) -> usize {
        self.frames.len()
    }

    /// For each place where it stands in the order of names, which is the order of siblings.
    pub(crate) fn ranks(&self) -> Vec<u32> {
        let mut order: Vec<u32> = (0..self.frames.len() as u32).collect();
        order.sort_unstable_by_key(|frame| *self.frames.get_index(*frame as usize).expect("one of all").0);
        let mut ranks = vec![0; order.len()];
        for (rank, frame) in order.into_iter().enumerate() {
            ranks[frame as usize] = rank as u32;
        }
        ranks
    }

    /// As [`FlameFrame::names`] of all places.
    pub(crate) fn names(&self) -> (Vec<u32>, Vec<u32>) {
        FlameFrame::names(self.frames.values())
    }

    pub(crate) fn as_vec(&self) -> Vec<FlameFrame<'p>> {
        self.frames.values().copied().collect()
    }

    pub(crate) fn into_vec(self) -> Vec<FlameFrame<'p>> {
        self.frames.into_values().collect()
    }

    fn number(&mut self, frame: FlameFrame<'p>) -> u32 {
        let file = frame.file.filter(|_| frame.kind == FlameKind::Code(FrameKind::Python));
        let entry = self.frames.entry((frame.name, frame.kind, frame.module, file, frame.tid));
        let number = entry.index() as u32;
        entry.or_insert(frame);
        number
    }
}

fn made(name: &str, kind: FlameKind) -> FlameFrame<'_> {
    FlameFrame { name, kind, tid: None, module: None, file: None, line: None }
}

fn copy_name(kind: CopyKind) -> &'static str {
    match kind {
        CopyKind::HostToDevice => "(copy to the device)",
        CopyKind::DeviceToHost => "(copy to the host)",
        CopyKind::DeviceToDevice => "(copy between devices)",
        CopyKind::Set => "(set memory)",
        _ => "(copy)",
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use calor_model::Frame;

    #[test]
    fn python_functions_of_two_files_are_two_places_whatever_their_lines() {
        let mut profile = Profile::default();
        let name = profile.strings.intern("forward");
        let frames: Vec<FrameId> = [("ma.py", 3), ("ma.py", 4), ("mb.py", 3)]
            .into_iter()
            .map(|(file, line)| {
                let file = Some(profile.strings.intern(file));
                profile.frames.intern(Frame { file, line: Some(line), ..Frame::new(name, FrameKind::Python) })
            })
            .collect();
        let mut places = FlameFrames::new(&profile);
        let numbers: Vec<u32> = frames.into_iter().map(|frame| places.code(frame)).collect();
        assert!(numbers[0] == numbers[1] && numbers[0] != numbers[2], "{numbers:?}");
    }
}
