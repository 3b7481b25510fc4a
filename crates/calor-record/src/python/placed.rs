//! What native frames are to a stack of both languages. Python frames that a thread wrote down itself are known for sure,
//! so nothing has to agree with anything: they are put in the place of the native frames that ran them.

use std::sync::Arc;

use super::merge::{Frame, Kind, NativeFrame, Python, begins, is_shown};
use super::roles::Role;
use calor_symbols::image::Image;

/// What a native frame is among Python's.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) struct Standing(Frame);

impl Standing {
    /// Whether it runs Python code: Python frames are in its place.
    pub(crate) fn runs(self) -> bool {
        self.0 == Frame::OfInterpreter(Some(Role::Evaluates))
    }

    /// Whether it is of those that lead from the beginning of a program or thread to Python.
    pub(crate) fn begins(self) -> bool {
        begins(&self.0)
    }

    /// Whether it tells people anything: `has_run` when Python code runs further in, `is_start` when it is further out
    /// than all of that and nothing else leads to it.
    pub(crate) fn is_shown(self, is_innermost: bool, has_run: bool, is_start: bool) -> bool {
        is_shown(self.0, usize::from(!is_innermost), usize::from(has_run), is_start)
    }
}

impl Python {
    /// The interpreter in a file, by its name.
    pub(crate) fn interpreter_in(
        &mut self,
        file: u32,
        image: impl Fn(u32) -> Option<Arc<Image>>,
    ) -> Option<String> {
        match self.kind(file, image) {
            Kind::CPython(interpreter) => Some(interpreter.name.clone()),
            _ => None,
        }
    }

    /// What a native frame is; `None` stands for one of no file.
    pub(crate) fn standing(
        &mut self,
        native: Option<NativeFrame>,
        image: impl Fn(u32) -> Option<Arc<Image>>,
    ) -> Standing {
        Standing(self.frame(native, image))
    }
}

#[cfg(test)]
impl Standing {
    pub(crate) const OTHER: Self = Self(Frame::Other);
    pub(crate) const START: Self = Self(Frame::OfStart);
    pub(crate) const RUNS: Self = Self(Frame::OfInterpreter(Some(Role::Evaluates)));
    pub(crate) const PASSES: Self = Self(Frame::OfInterpreter(Some(Role::Passes)));
}
