//! What belongs to the thread that asked last. A library that is loaded later reaches a thread's own storage by a call; but
//! whoever is called by the interpreter holds its lock, which changes hands rarely, so that one comparison nearly always
//! tells that it is the same thread as before.

#![expect(unsafe_code, reason = "what is kept is guarded by the interpreter's lock")]

use std::cell::UnsafeCell;
use std::sync::atomic::AtomicUsize;
use std::sync::atomic::Ordering::Relaxed;

/// A thread and what belongs to it.
pub(crate) struct LastThread<T> {
    thread: AtomicUsize,
    value: UnsafeCell<Option<T>>,
}

// SAFETY: the value is read and written with the interpreter's lock held, as the functions demand.
unsafe impl<T: Copy> Sync for LastThread<T> {}

impl<T: Copy> LastThread<T> {
    /// Of nobody.
    pub(crate) const fn new() -> Self {
        Self { thread: AtomicUsize::new(0), value: UnsafeCell::new(None) }
    }

    /// What belongs to this thread, if it was the last one.
    ///
    /// # Safety
    /// The thread has the interpreter's lock.
    #[inline(always)]
    pub(crate) unsafe fn get(&self) -> Option<T> {
        let thread = thread_pointer();
        if HAS_POINTER && self.thread.load(Relaxed) == thread {
            // SAFETY: with the lock held nobody else writes it, and it is there before a thread is.
            return Some(unsafe { (*self.value.get()).unwrap_unchecked() });
        }
        None
    }

    /// This thread is the last one now.
    ///
    /// # Safety
    /// As for [`LastThread::get`]. The thread calls [`LastThread::forget`] before what belongs to it is gone.
    pub(crate) unsafe fn set(&self, value: T) {
        // SAFETY: with the lock held nobody else reads or writes it.
        unsafe { *self.value.get() = Some(value) };
        self.thread.store(thread_pointer(), Relaxed);
    }

    /// This thread ends, or what belonged to it is gone. The lock is not needed: others never have its number meanwhile.
    pub(crate) fn forget(&self) {
        let _ = self.thread.compare_exchange(thread_pointer(), 0, Relaxed, Relaxed);
    }
}

/// Whether threads have a number that is to be had cheaply.
const HAS_POINTER: bool = cfg!(all(target_os = "linux", target_arch = "x86_64"));

/// A number that no two running threads share, never 0; 0 where none is to be had cheaply.
#[inline(always)]
fn thread_pointer() -> usize {
    #[cfg(all(target_os = "linux", target_arch = "x86_64"))]
    {
        let pointer: usize;
        // SAFETY: on Linux the word at this place holds its own address, which is that of the thread's control block.
        unsafe {
            std::arch::asm!("mov {}, fs:0", out(reg) pointer, options(nostack, preserves_flags, readonly, pure));
        }
        pointer
    }
    #[cfg(not(all(target_os = "linux", target_arch = "x86_64")))]
    0
}
