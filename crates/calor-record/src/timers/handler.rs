//! The signal handler and the sampling that it works for. It may interrupt anything, malloc and the dynamic loader
//! included, so it takes no lock, allocates nothing, calls only system calls, and leaves errno as it was. The stack is
//! copied by the kernel, which stops at an address that is not there instead of ending the program.

#![expect(unsafe_code, reason = "a signal handler reads the registers of what it interrupted")]

use std::io;
use std::sync::atomic::Ordering::{AcqRel, Acquire, Relaxed, Release};
use std::sync::atomic::{AtomicPtr, AtomicU32};

use super::slots::{Caught, STACK_BYTES, Slots};
use super::{TimerError, signal};
use crate::perf::registers;
use crate::process::page_end;

/// Made by the first sampling and kept: a handler that is late must find it.
static SLOTS: AtomicPtr<Slots> = AtomicPtr::new(std::ptr::null_mut());
/// The number of the sampling under way; 0 for none.
static SESSION: AtomicU32 = AtomicU32::new(0);
static NEXT_SESSION: AtomicU32 = AtomicU32::new(1);

/// The right to sample by timers, which one at a time in a process has.
#[derive(Debug)]
pub(crate) struct Session {
    number: u32,
    signal: i32,
}

impl Session {
    /// Takes a signal and lets its handler work.
    pub(crate) fn begin() -> Result<Self, TimerError> {
        if registers::DWARF.is_empty() {
            return Err(TimerError::Architecture);
        }
        try_copy().map_err(TimerError::NoCopy)?;
        let number = NEXT_SESSION.fetch_add(1, Relaxed).max(1);
        SESSION.compare_exchange(0, number, AcqRel, Relaxed).map_err(|_| TimerError::InUse)?;
        // From here on dropping it ends it.
        let mut session = Self { number, signal: 0 };
        if slots().is_none() {
            let slots = Box::new(Slots::new().map_err(TimerError::System)?);
            SLOTS.store(Box::into_raw(slots), Release);
        }
        session.signal = signal::take(on_signal)?;
        Ok(session)
    }

    /// The signal that timers shall send.
    pub(crate) fn signal(&self) -> i32 {
        self.signal
    }

    /// Whether the signal still is ours: another part of the program may have taken it.
    pub(crate) fn has_signal(&self) -> bool {
        signal::is_with(self.signal, on_signal)
    }

    /// Hands over what handlers have left.
    pub(crate) fn drain(&self, mut take: impl FnMut(&Caught)) {
        if let Some(slots) = slots() {
            slots.drain(|caught| {
                if caught.session == self.number {
                    take(caught);
                }
            });
        }
    }

    /// How many samples found no room since this was last asked.
    pub(crate) fn take_lost(&self) -> u64 {
        slots().map_or(0, Slots::take_lost)
    }
}

impl Drop for Session {
    fn drop(&mut self) {
        SESSION.store(0, Release);
        if let Some(slots) = slots() {
            slots.drain(|_| {});
            slots.give_back();
        }
    }
}

/// In a forked child: the sampling is the parent's, and so are its timers.
pub(crate) fn start_afresh() {
    SESSION.store(0, Relaxed);
    if let Some(slots) = slots() {
        slots.start_afresh();
    }
}

fn slots() -> Option<&'static Slots> {
    // SAFETY: the pointer is null or of a box that is never freed.
    unsafe { SLOTS.load(Acquire).as_ref() }
}

extern "C" fn on_signal(_signal: i32, info: *mut libc::siginfo_t, context: *mut libc::c_void) {
    // SAFETY: the C library's place for it is there in every thread.
    let errno = unsafe { libc::__errno_location() };
    // SAFETY: as above.
    let before = unsafe { *errno };
    let session = SESSION.load(Acquire);
    // SAFETY: the kernel hands a handler that asked for it the signal's origin.
    let is_timer = unsafe { (*info).si_code } == libc::SI_TIMER;
    if session != 0
        && is_timer
        && let Some(slots) = slots()
    {
        slots.put(|caught| catch(caught, session, context));
    }
    // SAFETY: as above.
    unsafe { *errno = before };
}

#[cfg(target_arch = "x86_64")]
fn catch(caught: &mut Caught, session: u32, context: *mut libc::c_void) {
    // SAFETY: the kernel hands a handler that asked for it the context of what it interrupted.
    let context = unsafe { &*context.cast::<libc::ucontext_t>() };
    /// The places of the kernel's registers in a context, in the order of `registers::DWARF`.
    const PLACES: [i32; registers::DWARF.len()] = [
        libc::REG_RAX,
        libc::REG_RBX,
        libc::REG_RCX,
        libc::REG_RDX,
        libc::REG_RSI,
        libc::REG_RDI,
        libc::REG_RBP,
        libc::REG_RSP,
        libc::REG_RIP,
        libc::REG_R8,
        libc::REG_R9,
        libc::REG_R10,
        libc::REG_R11,
        libc::REG_R12,
        libc::REG_R13,
        libc::REG_R14,
        libc::REG_R15,
    ];
    for (value, place) in caught.registers.iter_mut().zip(PLACES) {
        *value = context.uc_mcontext.gregs[place as usize].cast_unsigned();
    }
    caught.session = session;
    // SAFETY: the call takes nothing and cannot fail.
    caught.tid = unsafe { libc::gettid() };
    caught.time = nanos(libc::CLOCK_MONOTONIC);
    caught.cpu_nanos = nanos(libc::CLOCK_THREAD_CPUTIME_ID);
    let from = context.uc_mcontext.gregs[libc::REG_RSP as usize].cast_unsigned() as usize;
    caught.stack_length = copy(from, &mut caught.stack).unwrap_or(0);
}

#[cfg(not(target_arch = "x86_64"))]
fn catch(caught: &mut Caught, _session: u32, _context: *mut libc::c_void) {
    caught.session = 0;
}

fn nanos(clock: libc::clockid_t) -> u64 {
    let mut now = libc::timespec { tv_sec: 0, tv_nsec: 0 };
    // SAFETY: there is room for the answer.
    unsafe { libc::clock_gettime(clock, &raw mut now) };
    now.tv_sec.unsigned_abs() * 1_000_000_000 + now.tv_nsec.unsigned_abs()
}

/// Copies from an address on, as far as there is something.
fn copy(from: usize, to: &mut [u8; STACK_BYTES]) -> Option<usize> {
    const PAGE: usize = 4096;
    const PIECES: usize = STACK_BYTES / PAGE + 1;
    let mut pieces = [libc::iovec { iov_base: std::ptr::null_mut(), iov_len: 0 }; PIECES];
    let (mut at, end) = (from, from.checked_add(STACK_BYTES)?);
    let mut count = 0;
    while at < end && count < PIECES {
        // One piece a page: the call stops at the first that it cannot read.
        let next = page_end(at).min(end);
        pieces[count] = libc::iovec { iov_base: at as *mut libc::c_void, iov_len: next - at };
        (at, count) = (next, count + 1);
    }
    let whole = libc::iovec { iov_base: to.as_mut_ptr().cast(), iov_len: to.len() };
    // SAFETY: the local piece is our buffer; the other addresses are looked at by the kernel, which checks them.
    let read = unsafe {
        libc::process_vm_readv(
            libc::getpid(),
            &raw const whole,
            1,
            pieces.as_ptr(),
            count as libc::c_ulong,
            0,
        )
    };
    usize::try_from(read).ok()
}

/// Whether copying works here at all.
fn try_copy() -> io::Result<()> {
    let (from, mut to) = (Box::new([7_u8; 64]), [0_u8; 64]);
    let remote = libc::iovec { iov_base: from.as_ptr().cast_mut().cast(), iov_len: from.len() };
    let local = libc::iovec { iov_base: to.as_mut_ptr().cast(), iov_len: to.len() };
    // SAFETY: both pieces are buffers of this function.
    let read =
        unsafe { libc::process_vm_readv(libc::getpid(), &raw const local, 1, &raw const remote, 1, 0) };
    if read == 64 && to == *from { Ok(()) } else { Err(io::Error::last_os_error()) }
}
