//! NVIDIA's driver, as the library that programs use CUDA through. It is looked for before CUPTI is called for the first time: without a
//! driver CUPTI 13.2 ends the process in whichever of its functions is called first, that of its version included.

#![expect(unsafe_code, reason = "a library is opened, and one of its functions is called by its address")]

use std::ffi::{CStr, c_int, c_void};
use std::ptr::NonNull;

use super::library::as_function;

const NAME: &CStr = c"libcuda.so.1";
/// What it answers when all is well.
const SUCCESS: c_int = 0;

/// The one that the program has loaded.
pub(super) fn loaded() -> Option<NonNull<c_void>> {
    // SAFETY: the name ends with a zero, and nothing is loaded that is not there.
    NonNull::new(unsafe { libc::dlopen(NAME.as_ptr(), libc::RTLD_LAZY | libc::RTLD_NOLOAD) })
}

/// Whether there is one. A library of that name which only programs are linked against has all functions and no driver behind them.
pub(super) fn is_there() -> bool {
    let opened = loaded().or_else(|| {
        // SAFETY: the name ends with a zero; what the library does when it is loaded is NVIDIA's, as in any program that uses CUDA.
        NonNull::new(unsafe { libc::dlopen(NAME.as_ptr(), libc::RTLD_LAZY | libc::RTLD_LOCAL) })
    });
    let version = opened.and_then(|library| {
        // SAFETY: the library is open and stays so, and the name ends with a zero.
        NonNull::new(unsafe { libc::dlsym(library.as_ptr(), c"cuDriverGetVersion".as_ptr()) })
    });
    version.is_some_and(|version| {
        let mut number = 0;
        // SAFETY: so the driver declares it; it writes one number, and may be called before CUDA is in use.
        unsafe {
            let version: unsafe extern "C" fn(*mut c_int) -> c_int = as_function(version.as_ptr());
            version(&raw mut number) == SUCCESS
        }
    })
}
