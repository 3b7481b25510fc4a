//! Memory that a program takes from the kernel itself. What an allocator maps for its own use is not counted: its
//! blocks are.
//!
//! # Safety
//! Every function passes on what it was given.

use core::ffi::{c_int, c_void};

use crate::real;
use crate::slot::{depth, slot};
use crate::start::{TRACKER, ensure};

const FAILED: *mut c_void = -1isize as *mut c_void;
const PRIVATE: c_int = 2;
const ANONYMOUS: c_int = 0x20;
const WRITE: c_int = 2;

/// Whether a mapping is memory for data rather than a file, shared memory or room that is only reserved.
fn is_memory(access: c_int, flags: c_int) -> bool {
    flags & ANONYMOUS != 0 && flags & PRIVATE != 0 && access & WRITE != 0
}

/// Told of a new mapping.
#[inline(always)]
fn mapped(at: *mut c_void, length: usize, access: c_int, flags: c_int) {
    if at != FAILED && is_memory(access, flags) && depth().get() == 0 {
        ensure();
        TRACKER.allocated(slot(), at as usize, length);
    }
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn mmap(
    at: *mut c_void,
    length: usize,
    access: c_int,
    flags: c_int,
    file: c_int,
    offset: i64,
) -> *mut c_void {
    let new = unsafe { real::mmap(at, length, access, flags, file, offset) }.unwrap_or(FAILED);
    mapped(new, length, access, flags);
    new
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn mmap64(
    at: *mut c_void,
    length: usize,
    access: c_int,
    flags: c_int,
    file: c_int,
    offset: i64,
) -> *mut c_void {
    let new = unsafe { real::mmap64(at, length, access, flags, file, offset) }.unwrap_or(FAILED);
    mapped(new, length, access, flags);
    new
}

#[unsafe(no_mangle)]
pub unsafe extern "C" fn munmap(at: *mut c_void, length: usize) -> c_int {
    let taken = TRACKER.take(slot(), at as usize);
    let code = unsafe { real::munmap(at, length) }.unwrap_or(-1);
    if code != 0 {
        TRACKER.put_back(slot(), taken);
    } else {
        let left = pages(taken.size()).saturating_sub(pages(length));
        TRACKER.shrunk(slot(), taken, at as usize + pages(length), left);
    }
    code
}

/// `to` is there only with some flags; passing it on always does no harm.
#[unsafe(no_mangle)]
pub unsafe extern "C" fn mremap(
    at: *mut c_void,
    old: usize,
    new: usize,
    flags: c_int,
    to: *mut c_void,
) -> *mut c_void {
    let taken = TRACKER.take(slot(), at as usize);
    let moved = unsafe { real::mremap(at, old, new, flags, to) }.unwrap_or(FAILED);
    if moved == FAILED {
        TRACKER.put_back(slot(), taken);
    } else if taken.is_known() {
        TRACKER.reallocated(slot(), taken, moved as usize, new);
    }
    moved
}

/// A length in whole pages.
fn pages(length: usize) -> usize {
    length.saturating_add(4095) & !4095
}
