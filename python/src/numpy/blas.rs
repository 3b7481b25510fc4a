//! How many threads the library of linear algebra uses, asked of the library that NumPy brought.

#![expect(unsafe_code, reason = "a function of the library is found by its name and called")]

use std::ffi::CString;
use std::sync::OnceLock;

/// Names of the function that tells, in the builds that NumPy comes with.
const NAMES: [&std::ffi::CStr; 5] = [
    c"scipy_openblas_get_num_threads64_",
    c"scipy_openblas_get_num_threads",
    c"openblas_get_num_threads64_",
    c"openblas_get_num_threads",
    c"MKL_Get_Max_Threads",
];

/// The threads it uses; `None` if no such library is loaded.
pub(super) fn threads() -> Option<u32> {
    static TELL: OnceLock<Option<usize>> = OnceLock::new();
    let tell = (*TELL.get_or_init(find))?;
    // SAFETY: it was found by the name of a C function that takes nothing and gives an `int`, in a library that stays loaded.
    let threads = unsafe {
        let tell: extern "C" fn() -> i32 = std::mem::transmute(tell);
        tell()
    };
    u32::try_from(threads).ok().filter(|threads| *threads > 0)
}

/// The function's address, in a library that is loaded already.
fn find() -> Option<usize> {
    let maps = std::fs::read_to_string("/proc/self/maps").ok()?;
    let is_algebra = |path: &&str| path.contains("openblas") || path.contains("libmkl_rt");
    let path = maps.lines().filter_map(|line| line.split_whitespace().last()).find(is_algebra)?;
    let path = CString::new(path).ok()?;
    // SAFETY: the path is a C string; the library is not loaded anew, and stays as the handle is never closed.
    unsafe {
        let library = libc::dlopen(path.as_ptr(), libc::RTLD_LAZY | libc::RTLD_NOLOAD);
        if library.is_null() {
            return None;
        }
        NAMES
            .iter()
            .map(|name| libc::dlsym(library, name.as_ptr()))
            .find(|found| !found.is_null())
            .map(|f| f.addr())
    }
}
