//! The functions that the program would have called without us: the next ones in the order of loaded files, so that
//! a program with another allocator keeps it.
//!
//! # Safety
//! Names are those of functions of the C library with these types; what is found under a name is that function, or one that takes
//! its place.

use core::ffi::{c_char, c_int, c_void};
use core::sync::atomic::Ordering::{Acquire, Relaxed, Release};
use core::sync::atomic::{AtomicBool, AtomicU32, AtomicUsize};

use crate::slot::depth;

#[link(name = "c")]
unsafe extern "C" {
    pub(crate) fn abort() -> !;
    fn dlsym(handle: *mut c_void, name: *const c_char) -> *mut c_void;
    fn dlerror() -> *mut c_char;
    fn gettid() -> c_int;
}

const NEXT: *mut c_void = -1isize as *mut c_void;
const DEFAULT: *mut c_void = core::ptr::null_mut();

/// A function that is looked up when it is first called.
pub(crate) struct Function {
    name: &'static core::ffi::CStr,
    address: AtomicUsize,
}

/// The thread that is looking something up: what it allocates meanwhile comes from early memory.
static SEARCHER: AtomicU32 = AtomicU32::new(0);

impl Function {
    pub(crate) const fn new(name: &'static core::ffi::CStr) -> Self {
        Self { name, address: AtomicUsize::new(0) }
    }

    /// Its address; `None` while this very thread is looking for it, or when there is no such function.
    #[inline(always)]
    pub(crate) fn address(&self) -> Option<usize> {
        match self.address.load(Relaxed) {
            0 => self.search(),
            address => Some(address),
        }
    }

    #[cold]
    #[inline(never)]
    fn search(&self) -> Option<usize> {
        let own = unsafe { gettid() } as u32;
        if SEARCHER.load(Acquire) == own {
            return None;
        }
        // Others that search meanwhile wait: it happens once.
        while SEARCHER.compare_exchange_weak(0, own, Acquire, Relaxed).is_err() {
            core::hint::spin_loop();
        }
        let address = unsafe { dlsym(NEXT, self.name.as_ptr()) } as usize;
        self.address.store(address, Release);
        SEARCHER.store(0, Release);
        (address != 0).then_some(address)
    }
}

/// The function that a name stands for in the C library, whoever else has one of that name.
pub(crate) fn next(name: &core::ffi::CStr) -> usize {
    unsafe { dlsym(NEXT, name.as_ptr()) as usize }
}

/// The address of a function that some loaded file has, 0 where none has it. The program neither sees what is allocated
/// for the answer "no" nor finds it with `dlerror`.
pub(crate) fn loaded(name: &core::ffi::CStr) -> usize {
    let depth = depth();
    depth.set(depth.get() + 1);
    let address = unsafe { dlsym(DEFAULT, name.as_ptr()) as usize };
    if address == 0 {
        // The first call hands the message out, the second frees it.
        let _ = unsafe { (dlerror(), dlerror()) };
    }
    depth.set(depth.get() - 1);
    address
}

macro_rules! real {
    ($($name:ident($($argument:ident: $type:ty),*) -> $answer:ty, $is_allocator:literal;)*) => {
        /// The functions themselves.
        mod function {
            $(
                #[expect(non_upper_case_globals, reason = "the names are those of the functions")]
                pub(super) static $name: super::Function =
                    super::Function::new(match core::ffi::CStr::from_bytes_with_nul(concat!(stringify!($name), "\0").as_bytes()) {
                        Ok(name) => name,
                        Err(_) => c"",
                    });
            )*
        }

        /// Looks all of them up: later another thread may hold the loader's lock, or fork while we look.
        pub(crate) fn find_all() {
            $(let _ = function::$name.address();)*
        }

        $(
            #[inline(always)]
            pub(crate) unsafe fn $name($($argument: $type),*) -> Option<$answer> {
                let address = function::$name.address()?;
                let function = unsafe {
                    core::mem::transmute::<usize, unsafe extern "C" fn($($type),*) -> $answer>(address)
                };
                let call = || unsafe { function($($argument),*) };
                Some(if $is_allocator && IS_FOREIGN.load(Relaxed) { deeper(call) } else { call() })
            }
        )*
    };
}

/// Set when the allocator is not the C library's own, and so may call us for the memory that it hands out.
pub(crate) static IS_FOREIGN: AtomicBool = AtomicBool::new(false);

/// Calls what may allocate or map memory that is not the program's. Nothing that does not return: the child of a `vfork`
/// that ends has the depth of its parent.
#[inline(always)]
pub(crate) fn deeper<T>(call: impl FnOnce() -> T) -> T {
    let depth = depth();
    depth.set(depth.get() + 1);
    let answer = call();
    depth.set(depth.get() - 1);
    answer
}

real! {
    malloc(size: usize) -> *mut c_void, true;
    calloc(count: usize, size: usize) -> *mut c_void, true;
    realloc(block: *mut c_void, size: usize) -> *mut c_void, true;
    free(block: *mut c_void) -> (), true;
    memalign(alignment: usize, size: usize) -> *mut c_void, true;
    aligned_alloc(alignment: usize, size: usize) -> *mut c_void, true;
    posix_memalign(place: *mut *mut c_void, alignment: usize, size: usize) -> c_int, true;
    malloc_usable_size(block: *mut c_void) -> usize, true;
    valloc(size: usize) -> *mut c_void, true;
    pvalloc(size: usize) -> *mut c_void, true;
    mmap(at: *mut c_void, length: usize, access: c_int, flags: c_int, file: c_int, offset: i64) -> *mut c_void, false;
    mmap64(at: *mut c_void, length: usize, access: c_int, flags: c_int, file: c_int, offset: i64) -> *mut c_void, false;
    munmap(at: *mut c_void, length: usize) -> c_int, false;
    mremap(at: *mut c_void, old: usize, new: usize, flags: c_int, to: *mut c_void) -> *mut c_void, false;
    dlclose(handle: *mut c_void) -> c_int, false;
    _exit(code: c_int) -> (), false;
    _Exit(code: c_int) -> (), false;
}
