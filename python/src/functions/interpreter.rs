//! What of the interpreter is not in its stable interface, found by name when the program runs: so one build serves all
//! versions, and what one of them lacks is an absence and no failure to load.

#![expect(unsafe_code, reason = "symbols are looked up by name")]

use std::ffi::{CStr, c_void};
use std::ptr::NonNull;

/// The address of a function or variable of the interpreter.
pub(crate) fn symbol(name: &CStr) -> Option<NonNull<c_void>> {
    // SAFETY: the name ends with a zero byte; looking it up has no other precondition.
    NonNull::new(unsafe { libc::dlsym(libc::RTLD_DEFAULT, name.as_ptr()) })
}
