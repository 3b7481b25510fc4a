//! CPython's own allocators. It hands out small objects from arenas of its own, so `malloc` sees few of them; but it
//! lets others stand before its allocators, and so its objects are counted one by one. What it takes from `malloc` and
//! the kernel for that meanwhile is not.
//!
//! # Safety
//! Names are those of functions and data of CPython with these types. Allocators that are put before others pass on what they
//! were given. What is written here is written before the first of them is called.

use core::cell::UnsafeCell;
use core::ffi::{c_int, c_void};
use core::mem::MaybeUninit;
use core::sync::atomic::Ordering::Relaxed;
use core::sync::atomic::{AtomicBool, AtomicUsize};

use calor_heap::PythonWatch;
use calor_paths::Interpreter;

use super::start::TRACKER;
use crate::real::loaded;
use crate::slot::{depth, slot};

/// `PyMemAllocatorEx`.
#[derive(Clone, Copy)]
#[repr(C)]
struct Allocator {
    context: *mut c_void,
    malloc: unsafe extern "C" fn(*mut c_void, usize) -> *mut c_void,
    calloc: unsafe extern "C" fn(*mut c_void, usize, usize) -> *mut c_void,
    realloc: unsafe extern "C" fn(*mut c_void, *mut c_void, usize) -> *mut c_void,
    free: unsafe extern "C" fn(*mut c_void, *mut c_void),
}

/// What is written once, while the program starts.
struct Once<T>(UnsafeCell<MaybeUninit<T>>);

unsafe impl<T> Sync for Once<T> {}

impl<T> Once<T> {
    const fn new() -> Self {
        Self(UnsafeCell::new(MaybeUninit::uninit()))
    }

    fn set(&'static self, value: T) -> &'static T {
        unsafe { (*self.0.get()).write(value) }
    }
}

/// The allocators of memory and of objects; the third is `malloc`.
const DOMAINS: [c_int; 2] = [1, 2];
/// What was there when the program began, and when the first Python function ran: options of the interpreter have
/// other allocators put in the place of these, or around them.
static ORIGINALS: [[Once<Allocator>; 2]; 2] = [const { [const { Once::new() }; 2] }; 2];
static INTERPRETER: Once<Interpreter> = Once::new();
static IS_WATCHED: AtomicBool = AtomicBool::new(false);

/// Stands before the allocators of the interpreter that was loaded with the program, if there is one.
pub(crate) fn watch() {
    if !stand_before(&ORIGINALS[0]) {
        return;
    }
    match unsafe { Interpreter::find(loaded, stand_before_again) } {
        Some(interpreter) => {
            IS_WATCHED.store(true, Relaxed);
            TRACKER.watch_python(PythonWatch::Whole, Some(INTERPRETER.set(interpreter)));
        }
        None => TRACKER.watch_python(PythonWatch::BlocksOnly, None),
    }
}

/// Whether the functions of an interpreter are parts of call paths.
#[inline(always)]
pub(crate) fn is_watched() -> bool {
    IS_WATCHED.load(Relaxed)
}

/// The first Python function runs.
fn stand_before_again() {
    static IS_DONE: AtomicBool = AtomicBool::new(false);
    if !IS_DONE.swap(true, Relaxed) {
        stand_before(&ORIGINALS[1]);
    }
}

/// Puts our allocators before those that are there, which are kept in `originals`; whether there are any.
fn stand_before(originals: &'static [Once<Allocator>; 2]) -> bool {
    // Looked up once: later another thread may hold the loader's lock.
    static FUNCTIONS: [AtomicUsize; 2] = [const { AtomicUsize::new(0) }; 2];
    if FUNCTIONS[0].load(Relaxed) == 0 {
        FUNCTIONS[0].store(loaded(c"PyMem_GetAllocator"), Relaxed);
        FUNCTIONS[1].store(loaded(c"PyMem_SetAllocator"), Relaxed);
    }
    let [get, set] = [FUNCTIONS[0].load(Relaxed), FUNCTIONS[1].load(Relaxed)];
    if get == 0 || set == 0 {
        return false;
    }
    let get = unsafe { core::mem::transmute::<usize, extern "C" fn(c_int, *mut Allocator)>(get) };
    let set = unsafe { core::mem::transmute::<usize, extern "C" fn(c_int, *mut Allocator)>(set) };
    for (domain, original) in DOMAINS.into_iter().zip(originals) {
        let mut allocator = MaybeUninit::<Allocator>::zeroed();
        get(domain, allocator.as_mut_ptr());
        let allocator = unsafe { allocator.assume_init() };
        if allocator.malloc as usize == malloc as *const () as usize {
            continue;
        }
        let context = core::ptr::from_ref(original.set(allocator)).cast_mut().cast();
        let mut own = Allocator { context, malloc, calloc, realloc, free };
        set(domain, &raw mut own);
    }
    true
}

/// The allocator that was there before. What it does is not counted, unless another one of these is around it, which
/// counts.
#[inline(always)]
unsafe fn passed_on<T>(context: *mut c_void, call: impl FnOnce(&Allocator) -> T) -> (T, bool) {
    let original = unsafe { &*context.cast::<Allocator>() };
    let depth = depth();
    let before = depth.get();
    depth.set(before + 1);
    let answer = call(original);
    depth.set(before);
    (answer, before == 0)
}

#[inline(always)]
fn allocated(block: *mut c_void, size: usize, is_counted: bool) {
    if is_counted && !block.is_null() {
        TRACKER.allocated_unsized(slot(), block as usize, size);
    }
}

unsafe extern "C" fn malloc(context: *mut c_void, size: usize) -> *mut c_void {
    let (block, is_counted) =
        unsafe { passed_on(context, |original| (original.malloc)(original.context, size)) };
    allocated(block, size, is_counted);
    block
}

unsafe extern "C" fn calloc(context: *mut c_void, count: usize, size: usize) -> *mut c_void {
    let (block, is_counted) =
        unsafe { passed_on(context, |original| (original.calloc)(original.context, count, size)) };
    allocated(block, count.wrapping_mul(size), is_counted);
    block
}

unsafe extern "C" fn realloc(context: *mut c_void, block: *mut c_void, size: usize) -> *mut c_void {
    if block.is_null() {
        return unsafe { malloc(context, size) };
    }
    let is_counted = depth().get() == 0;
    let taken = is_counted.then(|| TRACKER.take(slot(), block as usize));
    let (new, _) =
        unsafe { passed_on(context, |original| (original.realloc)(original.context, block, size)) };
    if let Some(taken) = taken {
        if new.is_null() {
            TRACKER.put_back(slot(), taken);
        } else {
            TRACKER.reallocated_unsized(slot(), taken, new as usize, size);
        }
    }
    new
}

unsafe extern "C" fn free(context: *mut c_void, block: *mut c_void) {
    if !block.is_null() && depth().get() == 0 {
        TRACKER.forget_function(slot(), block as usize);
        TRACKER.freed(slot(), block as usize);
    }
    let _ = unsafe { passed_on(context, |original| (original.free)(original.context, block)) };
}
