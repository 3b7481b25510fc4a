//! The system calls that the library makes for itself, past the C library: its functions may be the very ones that we
//! stand in.
//!
//! # Safety
//! System calls get addresses of buffers that live through the call, with their true lengths, or numbers alone. None of
//! them changes memory that anybody else knows of.

const MMAP: usize = 9;
const RT_SIGPROCMASK: usize = 14;
const SCHED_YIELD: usize = 24;
const MADVISE: usize = 28;

const READ_WRITE: usize = 3;
const PRIVATE_ANONYMOUS_UNRESERVED: usize = 0x4022;
const DONTDUMP: usize = 16;
const WIPEONFORK: usize = 18;
const SETMASK: usize = 2;

/// One system call; a negative answer is an error's number.
#[cfg(target_arch = "x86_64")]
unsafe fn call(number: usize, arguments: [usize; 6]) -> isize {
    let answer: isize;
    unsafe {
        core::arch::asm!(
            "syscall",
            inlateout("rax") number => answer,
            in("rdi") arguments[0],
            in("rsi") arguments[1],
            in("rdx") arguments[2],
            in("r10") arguments[3],
            in("r8") arguments[4],
            in("r9") arguments[5],
            lateout("rcx") _,
            lateout("r11") _,
            options(nostack),
        );
    }
    answer
}

/// Memory of our own, zeroed now and by a fork, that takes room only where it is touched.
pub(crate) fn own_memory(length: usize) -> Option<*mut u8> {
    let arguments = [0, length, READ_WRITE, PRIVATE_ANONYMOUS_UNRESERVED, usize::MAX, 0];
    let at = usize::try_from(unsafe { call(MMAP, arguments) }).ok()?;
    if unsafe { call(MADVISE, [at, length, WIPEONFORK, 0, 0, 0]) } < 0 {
        return None;
    }
    unsafe { call(MADVISE, [at, length, DONTDUMP, 0, 0, 0]) };
    Some(at as *mut u8)
}

/// Lets another thread run.
pub(crate) fn yield_now() {
    unsafe { call(SCHED_YIELD, [0; 6]) };
}

/// Signals of this thread that wait until this is gone.
pub(crate) struct SignalMask {
    before: u64,
}

impl SignalMask {
    /// All of them.
    pub(crate) fn all() -> Self {
        let mut before = 0;
        mask(u64::MAX, &mut before);
        Self { before }
    }
}

impl Drop for SignalMask {
    fn drop(&mut self) {
        mask(self.before, &mut 0);
    }
}

fn mask(new: u64, before: &mut u64) {
    let (new, before) = (core::ptr::from_ref(&new), core::ptr::from_mut(before));
    unsafe { call(RT_SIGPROCMASK, [SETMASK, new as usize, before as usize, 8, 0, 0]) };
}
