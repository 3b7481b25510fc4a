//! The ends of a process, and of what is loaded into it.
//!
//! # Safety
//! Every function passes on what it was given.

use core::ffi::{c_int, c_void};

use crate::{heap, real};

/// The loader calls these when the library comes and when the program ends.
#[used]
#[unsafe(link_section = ".init_array")]
static BEGIN: extern "C" fn() = begin;
#[used]
#[unsafe(link_section = ".fini_array")]
static END: extern "C" fn() = end;

extern "C" fn begin() {
    heap::begin();
}

extern "C" fn end() {
    heap::end();
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn _exit(code: c_int) -> ! {
    heap::end();
    unsafe {
        real::_exit(code);
        real::abort()
    }
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn _Exit(code: c_int) -> ! {
    heap::end();
    unsafe {
        real::_Exit(code);
        real::abort()
    }
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn dlclose(handle: *mut c_void) -> c_int {
    let code = unsafe { real::dlclose(handle) }.unwrap_or(-1);
    heap::forget_code();
    code
}
