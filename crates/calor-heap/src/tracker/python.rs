//! What the doors tell of an interpreter.
//!
//! # Safety
//! An interpreter that was told of is a static of the door's.

use core::sync::atomic::Ordering::Relaxed;

use calor_paths::Interpreter;

use super::Tracker;
use crate::layout::PythonWatch;
use crate::thread::ThreadSlot;

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
            state.paths.watch_python(unsafe { self.interpreter.load(Relaxed).as_ref() });
        }
    }

    /// A block is about to be freed that the interpreter may have kept a function in.
    #[inline(always)]
    pub fn forget_function(&self, slot: &ThreadSlot, address: usize) {
        if let Some(state) = self.state()
            && state.paths.may_be_function(address)
            && let Some((state, thread, _)) = self.enter(slot)
        {
            state.paths.forget_function(address);
            thread.leave();
        }
    }
}
