//! A lock for what happens rarely. It does not sleep in the kernel, and a thread never waits for itself: each thread
//! knows when it is inside the core.
//!
//! # Safety
//! The value is reached only between taking the lock and giving it back, which the guard's lifetime spans.

use core::cell::UnsafeCell;
use core::hint::spin_loop;
use core::ops::{Deref, DerefMut};
use core::sync::atomic::AtomicU32;
use core::sync::atomic::Ordering::{Acquire, Relaxed, Release};

use crate::sys;

/// Zeroed memory is an open lock.
#[repr(C)]
pub struct Lock<T> {
    is_held: AtomicU32,
    value: UnsafeCell<T>,
}

unsafe impl<T: Send> Sync for Lock<T> {}

impl<T> Lock<T> {
    /// The lock for a thread that may not know yet whether it is inside the core: `None` when it holds the lock already,
    /// as when a signal came meanwhile. `owner` is never 0, and all who take this lock take it in this way.
    pub fn lock_unless_own(&self, owner: u32) -> Option<LockGuard<'_, T>> {
        while let Err(holder) = self.is_held.compare_exchange(0, owner, Acquire, Relaxed) {
            if holder == owner {
                return None;
            }
            sys::yield_now();
        }
        Some(LockGuard { lock: self })
    }

    /// Waits until nobody has it.
    pub fn lock(&self) -> LockGuard<'_, T> {
        let mut tries = 0u32;
        while self.is_held.compare_exchange_weak(0, 1, Acquire, Relaxed).is_err() {
            tries += 1;
            if tries.is_multiple_of(128) {
                sys::yield_now();
            } else {
                spin_loop();
            }
        }
        LockGuard { lock: self }
    }
}

/// The lock while it is held.
pub struct LockGuard<'a, T> {
    lock: &'a Lock<T>,
}

impl<T> Deref for LockGuard<'_, T> {
    type Target = T;

    fn deref(&self) -> &T {
        unsafe { &*self.lock.value.get() }
    }
}

impl<T> DerefMut for LockGuard<'_, T> {
    fn deref_mut(&mut self) -> &mut T {
        unsafe { &mut *self.lock.value.get() }
    }
}

impl<T> Drop for LockGuard<'_, T> {
    fn drop(&mut self) {
        self.lock.is_held.store(0, Release);
    }
}
