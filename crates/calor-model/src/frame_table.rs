//! The places in the code that a profile speaks of: scopes, native functions, Python lines, GPU kernels.

use foldhash::fast::RandomState;
use indexmap::IndexSet;

use crate::{FrameId, StringId};

/// What kind of place a frame is.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
#[non_exhaustive]
pub enum FrameKind {
    /// A scope that the program opened through the SDK.
    #[default]
    Scope,
    /// A named context: a scope whose inside can be reported alone.
    Context,
    /// A function of compiled code.
    Native,
    /// A function of the operating system's kernel.
    Kernel,
    /// A Python function.
    Python,
    /// A kernel or copy that ran on a GPU.
    Gpu,
    /// A frame made by Calor itself, such as `(unknown)`.
    Synthetic,
}

/// One place in the code.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Frame {
    /// What it is called.
    pub name: StringId,
    /// What kind of place it is.
    pub kind: FrameKind,
    /// The binary, library or module it belongs to.
    pub module: Option<StringId>,
    /// The source file.
    pub file: Option<StringId>,
    /// The line in that file, from 1.
    pub line: Option<u32>,
    /// Whether the compiler put it inside its caller.
    pub is_inlined: bool,
}

impl Frame {
    /// A frame of which nothing but name and kind is known.
    #[must_use]
    pub fn new(name: StringId, kind: FrameKind) -> Self {
        Self { name, kind, module: None, file: None, line: None, is_inlined: false }
    }
}

/// Interned frames in the order of their first use.
#[derive(Clone, Debug, Default)]
pub struct FrameTable {
    frames: IndexSet<Frame, RandomState>,
}

impl FrameTable {
    /// The handle of `frame`, which is stored if it is new.
    pub fn intern(&mut self, frame: Frame) -> FrameId {
        FrameId::from_index(self.frames.insert_full(frame).0)
    }

    /// The handle of `frame` if it is in the table.
    #[must_use]
    pub fn find(&self, frame: Frame) -> Option<FrameId> {
        self.frames.get_index_of(&frame).map(FrameId::from_index)
    }

    /// The frame behind a handle of this table.
    ///
    /// # Panics
    /// On a handle of another, larger table.
    #[must_use]
    pub fn get(&self, id: FrameId) -> Frame {
        *self.frames.get_index(id.index()).expect("the handle is of this table")
    }

    /// All frames with their handles.
    pub fn iter(&self) -> impl ExactSizeIterator<Item = (FrameId, Frame)> {
        self.frames.iter().enumerate().map(|(index, frame)| (FrameId::from_index(index), *frame))
    }

    /// How many frames there are.
    #[must_use]
    pub fn len(&self) -> usize {
        self.frames.len()
    }

    /// Whether there is none.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.frames.is_empty()
    }
}
