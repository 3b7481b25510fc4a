//! What the doors tell of an interpreter.
//!
//! # Safety
//! An interpreter that was told of is a static of the door's.

use core::sync::atomic::Ordering::Relaxed;

use super::Tracker;
use crate::layout::PythonWatch;
use crate::python::Interpreter;
use crate::state::State;
use crate::thread::{Thread, ThreadSlot};

impl Tracker {
    /// Says what is watched of Python in this process. With an interpreter, its functions become parts of call paths.
    pub fn watch_python(&self, python: PythonWatch, interpreter: Option<&'static Interpreter>) {
        let interpreter = interpreter.map_or(core::ptr::null(), core::ptr::from_ref);
        self.interpreter.store(interpreter.cast_mut(), Relaxed);
        self.python.store(python as u32, Relaxed);
        self.show_python();
    }

    pub(super) fn show_python(&self) {
        if let Some(state) = self.state().filter(|state| state.mode().is_some()) {
            state.header().python.store(self.python.load(Relaxed), Relaxed);
            state.python.store(self.interpreter.load(Relaxed), Relaxed);
        }
    }

    /// A block is about to be freed that the interpreter may have kept a function in.
    #[inline(always)]
    pub fn forget_function(&self, slot: &ThreadSlot, address: usize) {
        if let Some(state) = self.state()
            && state.codes.may_hold(address)
            && let Some((state, thread, _)) = self.enter(slot)
        {
            state.codes.forget(address);
            thread.leave();
        }
    }
}

/// Tells the interpreter that it runs, once one of its functions was met by a thread that holds its lock.
#[cold]
#[inline(never)]
pub(super) fn run_first(state: &State, thread: &Thread) {
    let is_due = thread.attached.is_now.get() && state.header().functions.load(Relaxed) != 0;
    if is_due && let Some(interpreter) = unsafe { state.python.load(Relaxed).as_ref() } {
        state.has_run_first.store(1, Relaxed);
        (interpreter.runs_first)();
    }
}
