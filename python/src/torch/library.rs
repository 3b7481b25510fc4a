//! The functions of PyTorch that tell of its operations, found by name in the library that the program has loaded. They
//! are C++, so their names are those that the compiler makes of them, and what they take lies as its headers say; whether
//! that holds is found out by `trial` before anything else relies on it.

#![expect(unsafe_code, reason = "functions of a library are called by their address")]

use std::ffi::{CStr, c_char, c_void};

/// Kinds of ranges that PyTorch tells of, as `at::RecordScope` numbers them.
pub(super) const FUNCTION: usize = 0;
pub(super) const BACKWARD: usize = 1;
pub(super) const USER: usize = 7;
const N_KINDS: usize = 10;

/// A range that PyTorch tells of: `at::RecordFunction`. Only its address is ours.
pub(super) type Range = *const c_void;

/// Called at the beginning of a range. What it returns is an object of C++ that destroys itself, so the caller makes room
/// for it and hands over where; ours is always null.
pub(super) type Begin = unsafe extern "C" fn(made: *mut *mut c_void, range: Range) -> *mut *mut c_void;
/// Called at its end.
pub(super) type End = unsafe extern "C" fn(range: Range, made: *mut c_void);

/// `at::RecordFunctionCallback`.
#[repr(C)]
struct Callback {
    begin: Begin,
    end: End,
    probability: f64,
    kinds: [bool; N_KINDS],
    needs_inputs: bool,
    needs_outputs: bool,
    needs_ids: bool,
}

/// PyTorch's functions.
#[derive(Clone, Copy)]
pub(super) struct Library {
    add: unsafe extern "C" fn(Callback) -> u64,
    remove: unsafe extern "C" fn(u64),
    name: unsafe extern "C" fn(Range) -> *const c_char,
}

impl Library {
    /// The library if the program has loaded it; what is missing, otherwise.
    pub(super) fn loaded() -> Result<Self, String> {
        if !cfg!(all(target_os = "linux", target_arch = "x86_64")) {
            return Err("PyTorch's own way is known for Linux on x86-64".to_owned());
        }
        // SAFETY: the name ends with a zero, and nothing is loaded that is not there.
        let handle =
            unsafe { libc::dlopen(c"libtorch_cpu.so".as_ptr(), libc::RTLD_LAZY | libc::RTLD_NOLOAD) };
        if handle.is_null() {
            return Err("libtorch_cpu.so is not loaded".to_owned());
        }
        let find = |name: &CStr| {
            // SAFETY: the handle is that of an open library, and the name ends with a zero.
            let found = unsafe { libc::dlsym(handle, name.as_ptr()) };
            if found.is_null() {
                Err(format!("it has no function {}", name.to_string_lossy()))
            } else {
                Ok(found)
            }
        };
        let add = find(c"_ZN2at17addGlobalCallbackENS_22RecordFunctionCallbackE")?;
        let remove = find(c"_ZN2at14removeCallbackEm")?;
        let name = find(c"_ZNK2at14RecordFunction4nameEv")?;
        // SAFETY: the names spell out what the functions take; `Callback` is passed in memory, as C++ passes a class that it
        // may copy byte by byte.
        Ok(unsafe {
            Self {
                add: std::mem::transmute::<*mut c_void, unsafe extern "C" fn(Callback) -> u64>(add),
                remove: std::mem::transmute::<*mut c_void, unsafe extern "C" fn(u64)>(remove),
                name: std::mem::transmute::<*mut c_void, unsafe extern "C" fn(Range) -> *const c_char>(name),
            }
        })
    }

    /// Has functions called at the beginning and the end of ranges of a kind from now on, on all threads.
    pub(super) fn add(&self, kind: usize, begin: Begin, end: End, needs_inputs: bool) -> Watch {
        let mut kinds = [false; N_KINDS];
        kinds[kind] = true;
        let callback = Callback {
            begin,
            end,
            probability: 1.0,
            kinds,
            needs_inputs,
            needs_outputs: false,
            needs_ids: false,
        };
        // SAFETY: it takes a copy, and the functions are there for as long as the process is.
        Watch(unsafe { (self.add)(callback) })
    }

    /// Has them called no more. Ranges that have begun are still told to have ended.
    pub(super) fn remove(&self, watch: Watch) {
        // SAFETY: it takes any number, and those that are not known change nothing.
        unsafe { (self.remove)(watch.0) }
    }

    /// The name of a range, such as `aten::add`.
    ///
    /// # Safety
    /// The range is the one that PyTorch tells of now, and the name is used only while it does.
    #[inline(always)]
    pub(super) unsafe fn name<'a>(&self, range: Range) -> &'a [u8] {
        // SAFETY: as above; it returns a text that ends with a zero and lives as long as the range.
        unsafe { CStr::from_ptr((self.name)(range)) }.to_bytes()
    }
}

/// What takes calls back that were asked for.
#[derive(Clone, Copy)]
pub(super) struct Watch(u64);
