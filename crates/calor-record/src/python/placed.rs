//! Python frames that are known for sure, in the place of the native frames that ran them. They are those of a thread
//! that wrote its own call path down, so nothing has to agree with anything.

use std::sync::Arc;

use super::merge::{Frame, Kind, NativeFrame, Part, Python, begins, is_shown};
use super::roles::Role;
use crate::image::Image;

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

    /// A stack of both languages, innermost first. `python` are the Python frames, innermost first, each with whether it
    /// is the outermost of its call of the interpreter.
    pub(crate) fn place(
        &mut self,
        native: &[Option<NativeFrame>],
        python: &[(Part, bool)],
        image: impl Fn(u32) -> Option<Arc<Image>>,
    ) -> Vec<Part> {
        let frames: Vec<Frame> = native.iter().map(|frame| self.frame(*frame, &image)).collect();
        let runs = |frame: &Frame| *frame == Frame::OfInterpreter(Some(Role::Evaluates));
        let mut calls = python.split_inclusive(|(_, is_outermost)| *is_outermost);
        let last = frames.iter().rposition(runs);
        let is_start = last.is_some_and(|last| frames[last..].iter().all(begins));
        let mut parts = Vec::with_capacity(frames.len() + python.len());
        let mut n_run = 0;
        for (index, frame) in frames.iter().enumerate() {
            let is_behind_last = last.is_none_or(|last| index > last);
            if runs(frame) {
                match calls.next() {
                    Some(call) => parts.extend(call.iter().map(|(part, _)| *part)),
                    None => parts.push(Part::Native(index)),
                }
                n_run += 1;
            } else if is_shown(*frame, index, n_run, is_behind_last && is_start) {
                parts.push(Part::Native(index));
            }
        }
        // Where the native frames do not reach the beginning, Python's still may.
        parts.extend(calls.flatten().map(|(part, _)| *part));
        parts
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::python::FunctionId;

    #[test]
    fn frames_of_no_interpreter_are_left_and_python_is_put_behind_them() {
        let mut python = Python::default();
        let native = [Some(NativeFrame { file: 0, address: 1, bias: 0 }), None];
        let function = Part::Python(FunctionId::of_test(3), 7);
        let parts = python.place(&native, &[(function, true)], |_| None);
        assert_eq!(parts, [Part::Native(0), Part::Native(1), function]);
    }
}
