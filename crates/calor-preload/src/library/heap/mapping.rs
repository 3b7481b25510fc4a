//! Memory that a program takes from the kernel itself. What an allocator maps for its own use is not counted: its
//! blocks are.
//!
//! The kernel takes any part of what it gave, and of several mappings at once; so the mappings are kept as ranges of
//! addresses, and what is given back is found among them.
//!
//! # Safety
//! Every function passes on what it was given.

use core::ffi::{c_int, c_void};
use core::sync::atomic::AtomicBool;
use core::sync::atomic::Ordering::Relaxed;

use super::ranges::{Aside, Held};
use super::start::TRACKER;
use crate::real::{self, deeper};
use crate::slot::{depth, slot};

const FAILED: *mut c_void = -1isize as *mut c_void;
const PRIVATE: c_int = 2;
const FIXED: c_int = 0x10;
const ANONYMOUS: c_int = 0x20;
const WRITE: c_int = 2;

/// Whether a mapping is memory for data rather than a file, shared memory or room that is only reserved.
fn is_memory(access: c_int, flags: c_int) -> bool {
    flags & ANONYMOUS != 0 && flags & PRIVATE != 0 && access & WRITE != 0
}

/// Told of a new mapping. Nobody else can know of it yet, so nothing was held meanwhile.
#[inline(always)]
fn mapped(at: *mut c_void, length: usize, access: c_int, flags: c_int) {
    let is_memory = is_memory(access, flags);
    if at == FAILED || depth().get() != 0 || !(is_memory || flags & FIXED != 0) || !has_begun() {
        return;
    }
    let Some(mut held) = Held::wait() else { return };
    let replaced = held.cut(at as usize, end(at, pages(length)));
    let key = if is_memory { held.add(at as usize, end(at, length)) } else { None };
    drop(held);
    gone(replaced);
    come(key, length);
}

/// Whether mappings are counted yet. An allocator prepares itself before it is known that it is not the C library's.
fn has_begun() -> bool {
    static HAS_BEGUN: AtomicBool = AtomicBool::new(false);
    if !HAS_BEGUN.load(Relaxed) {
        // In the child of a fork it begins anew, with the first event.
        HAS_BEGUN.store(TRACKER.mode().is_some(), Relaxed);
    }
    HAS_BEGUN.load(Relaxed)
}

/// Counts a mapping, unless there was no room for it among the ranges.
#[inline(always)]
fn come(key: Option<usize>, length: usize) {
    if let Some(key) = key {
        // Before the look at the peak, except for the first event of a thread.
        let is_reckoned = reckon(length);
        TRACKER.allocated(slot(), key, length);
        if !is_reckoned && reckon(length) {
            TRACKER.look(slot());
        }
    }
}

/// Adds to what is held, where that is known by sizes alone; whether the thread is known.
fn reckon(length: usize) -> bool {
    TRACKER.reckon(slot(), || length)
}

/// Counts what was given back, or replaced.
fn gone(ranges: Aside) {
    ranges.tell(|key, bytes| {
        if TRACKER.is_sampling() {
            TRACKER.freed_sized(slot(), key, bytes);
            return;
        }
        let taken = TRACKER.take(slot(), key);
        match taken.size().saturating_sub(bytes) {
            0 => TRACKER.freed_taken(slot(), taken),
            left => TRACKER.shrunk(slot(), taken, key, left),
        }
    });
}

/// The ranges for a call that gives memory back: held until it is done, so that no other thread is told of a new mapping
/// in the same place before.
fn held() -> Option<Held> {
    if depth().get() == 0 && has_begun() { Held::wait() } else { None }
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
    let held = held();
    let code = deeper(|| unsafe { real::munmap(at, length) }).unwrap_or(-1);
    if code == 0
        && let Some(mut held) = held
    {
        let ranges = held.cut(at as usize, end(at, pages(length)));
        drop(held);
        gone(ranges);
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
    let held = held();
    let moved = deeper(|| unsafe { real::mremap(at, old, new, flags, to) }).unwrap_or(FAILED);
    if moved != FAILED
        && let Some(mut held) = held
    {
        let ranges = held.cut(at as usize, end(at, pages(old)));
        let replaced = held.cut(moved as usize, end(moved, pages(new)));
        let key = if ranges.is_empty() { None } else { held.add(moved as usize, end(moved, new)) };
        drop(held);
        gone(ranges);
        gone(replaced);
        come(key, new);
    }
    moved
}

/// A length in whole pages.
fn pages(length: usize) -> usize {
    length.saturating_add(4095) & !4095
}

/// Where so many bytes end.
fn end(at: *mut c_void, length: usize) -> usize {
    (at as usize).saturating_add(length)
}
