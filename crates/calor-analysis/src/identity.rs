//! What makes two frames the same function, for everything here that adds up by function.

use calor_model::{Frame, FrameKind, StringId};

/// A function. Not its line, which differs inside one.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(crate) struct Identity {
    name: StringId,
    kind: FrameKind,
    module: Option<StringId>,
    /// Known for Python alone, where each file is a module: two with a `forward` have two functions. Lines of a compiled
    /// function come from several files once others are inlined into it.
    file: Option<StringId>,
}

impl Identity {
    pub(crate) fn of(frame: &Frame) -> Self {
        let file = frame.file.filter(|_| frame.kind == FrameKind::Python);
        Self { name: frame.name, kind: frame.kind, module: frame.module, file }
    }
}
