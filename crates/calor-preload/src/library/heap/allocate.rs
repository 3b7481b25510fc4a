//! `malloc` and its relatives.
//!
//! # Safety
//! Every function does what the C standard demands of it by calling the real one with the same arguments; blocks are looked at
//! only before they are handed out or freed.

use core::ffi::{c_int, c_void};
use core::sync::atomic::Ordering::Relaxed;

use calor_heap::Quick;

use super::python;
use super::start::{TRACKER, ensure};
use crate::slot::{depth, slot};
use crate::{early, real};

const NO_MEMORY: c_int = 12;

#[inline(always)]
fn allocated(block: *mut c_void, size: usize) {
    if !block.is_null() && depth().get() == 0 {
        if TRACKER.is_sampling()
            && let Some(quick) = Quick::of(slot())
            && quick.can_allocate(size)
        {
            quick.reckon(reckoned(block));
            return quick.allocate(size);
        }
        ensure();
        // Before the look at the peak, except for the first event of a thread.
        let is_reckoned = TRACKER.reckon(slot(), || reckoned(block));
        TRACKER.allocated(slot(), block as usize, size);
        if !is_reckoned && TRACKER.reckon(slot(), || reckoned(block)) {
            TRACKER.look(slot());
        }
    }
}

/// How large a block is by the allocator's reckoning, which is all that is known of one that is freed. Asked only when
/// blocks are sampled: then it is how what is held is known.
#[inline(always)]
fn reckoned(block: *mut c_void) -> usize {
    const FLAGS: usize = 7;
    if real::IS_FOREIGN.load(Relaxed) {
        return unsafe { real::malloc_usable_size(block) }.unwrap_or(0);
    }
    // glibc keeps it in the word before the block.
    unsafe { block.cast::<usize>().sub(1).read() & !FLAGS }
}

/// The same where it is needed.
#[inline(always)]
fn reckoned_if_sampled(block: *mut c_void) -> usize {
    if TRACKER.is_sampling() { reckoned(block) } else { 0 }
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn malloc(size: usize) -> *mut c_void {
    let Some(block) = (unsafe { real::malloc(size) }) else { return early::block(size).cast() };
    allocated(block, size);
    block
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn calloc(count: usize, size: usize) -> *mut c_void {
    let Some(block) = (unsafe { real::calloc(count, size) }) else {
        return early::block(count.saturating_mul(size)).cast();
    };
    allocated(block, count.wrapping_mul(size));
    block
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn free(block: *mut c_void) {
    if block.is_null() || early::is_early(block.cast()) {
        return;
    }
    // Python may have been told to take its objects from here.
    if python::is_watched() {
        TRACKER.forget_function(slot(), block as usize);
    }
    if depth().get() == 0 {
        TRACKER.freed_sized(slot(), block as usize, reckoned_if_sampled(block));
    } else if !TRACKER.is_sampling() {
        // Inside another allocator a block may be freed that was not allocated there, as by Python's tracemalloc.
        TRACKER.let_go_inside(slot(), block as usize);
    }
    let _ = unsafe { real::free(block) };
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn realloc(block: *mut c_void, size: usize) -> *mut c_void {
    if block.is_null() {
        return unsafe { malloc(size) };
    }
    if early::is_early(block.cast()) {
        return unsafe { moved(block, size) };
    }
    if depth().get() != 0 {
        return unsafe { real::realloc(block, size) }.unwrap_or(core::ptr::null_mut());
    }
    let old = reckoned_if_sampled(block);
    let taken = TRACKER.take(slot(), block as usize);
    let new = unsafe { real::realloc(block, size) }.unwrap_or(core::ptr::null_mut());
    if !new.is_null() {
        let is_reckoned = TRACKER.reckon(slot(), || reckoned(new));
        TRACKER.reallocated_sized(slot(), taken, old, new as usize, size);
        if !is_reckoned && TRACKER.reckon(slot(), || reckoned(new)) {
            TRACKER.look(slot());
        }
    } else if size == 0 {
        TRACKER.freed_taken(slot(), taken);
    } else {
        TRACKER.put_back(slot(), taken);
    }
    new
}

/// A block of early memory grows: it is copied to a real one.
#[cold]
unsafe fn moved(block: *mut c_void, size: usize) -> *mut c_void {
    let new = unsafe { malloc(size) };
    if !new.is_null() {
        let length = size.min(early::room_behind(block.cast()));
        unsafe { core::ptr::copy_nonoverlapping(block.cast::<u8>(), new.cast(), length) };
    }
    new
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn reallocarray(block: *mut c_void, count: usize, size: usize) -> *mut c_void {
    match count.checked_mul(size) {
        Some(size) => unsafe { realloc(block, size) },
        // The real one refuses it, and says so in errno.
        None => unsafe { real::calloc(count, size) }.unwrap_or(core::ptr::null_mut()),
    }
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn memalign(alignment: usize, size: usize) -> *mut c_void {
    let block = unsafe { real::memalign(alignment, size) }.unwrap_or(core::ptr::null_mut());
    allocated(block, size);
    block
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn aligned_alloc(alignment: usize, size: usize) -> *mut c_void {
    let block = unsafe { real::aligned_alloc(alignment, size) }.unwrap_or(core::ptr::null_mut());
    allocated(block, size);
    block
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn posix_memalign(place: *mut *mut c_void, alignment: usize, size: usize) -> c_int {
    let code = unsafe { real::posix_memalign(place, alignment, size) }.unwrap_or(NO_MEMORY);
    if code == 0 {
        allocated(unsafe { *place }, size);
    }
    code
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn valloc(size: usize) -> *mut c_void {
    let block = unsafe { real::valloc(size) }.unwrap_or(core::ptr::null_mut());
    allocated(block, size);
    block
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn pvalloc(size: usize) -> *mut c_void {
    let block = unsafe { real::pvalloc(size) }.unwrap_or(core::ptr::null_mut());
    allocated(block, size);
    block
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn free_sized(block: *mut c_void, _size: usize) {
    unsafe { free(block) };
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn free_aligned_sized(block: *mut c_void, _alignment: usize, _size: usize) {
    unsafe { free(block) };
}
