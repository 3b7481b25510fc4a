//! The few system calls that are made inside a program, without the C library: its functions may lock, allocate or be the very
//! ones that we stand in.
//!
//! # Safety
//! System calls get addresses of buffers that live through the call, with their true lengths, or numbers alone. None of them
//! changes memory that anybody else knows of.

use core::ptr::NonNull;

#[cfg(target_arch = "x86_64")]
mod number {
    pub(super) const READ: usize = 0;
    pub(super) const CLOSE: usize = 3;
    pub(super) const MMAP: usize = 9;
    pub(super) const YIELD: usize = 24;
    pub(super) const SIGPROCMASK: usize = 14;
    pub(super) const MINCORE: usize = 27;
    pub(super) const MADVISE: usize = 28;
    pub(super) const GETPID: usize = 39;
    pub(super) const FTRUNCATE: usize = 77;
    pub(super) const GETTID: usize = 186;
    pub(super) const TGKILL: usize = 234;
    pub(super) const OPENAT: usize = 257;
    pub(super) const READLINKAT: usize = 267;
    pub(super) const CLOCK_GETTIME: usize = 228;
    pub(super) const MUNMAP: usize = 11;
    pub(super) const FLOCK: usize = 73;
    pub(super) const STATFS: usize = 137;
    pub(super) const UNLINKAT: usize = 263;
    pub(super) const PRLIMIT: usize = 302;
}

#[cfg(target_arch = "aarch64")]
mod number {
    pub(super) const READ: usize = 63;
    pub(super) const CLOSE: usize = 57;
    pub(super) const MMAP: usize = 222;
    pub(super) const YIELD: usize = 124;
    pub(super) const SIGPROCMASK: usize = 135;
    pub(super) const MINCORE: usize = 232;
    pub(super) const MADVISE: usize = 233;
    pub(super) const GETPID: usize = 172;
    pub(super) const FTRUNCATE: usize = 46;
    pub(super) const GETTID: usize = 178;
    pub(super) const TGKILL: usize = 131;
    pub(super) const OPENAT: usize = 56;
    pub(super) const READLINKAT: usize = 78;
    pub(super) const CLOCK_GETTIME: usize = 113;
    pub(super) const MUNMAP: usize = 215;
    pub(super) const FLOCK: usize = 32;
    pub(super) const STATFS: usize = 43;
    pub(super) const UNLINKAT: usize = 35;
    pub(super) const PRLIMIT: usize = 261;
}

const AT_FDCWD: isize = -100;
const PROT_READ_WRITE: usize = 3;
const MAP_SHARED: usize = 1;
const MAP_PRIVATE: usize = 2;
const MAP_ANONYMOUS: usize = 0x20;
const MAP_NORESERVE: usize = 0x4000;
const MADV_WIPEONFORK: usize = 18;
const MADV_DONTDUMP: usize = 16;
const MADV_DONTNEED: usize = 4;
const MADV_POPULATE_WRITE: usize = 23;

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

/// One system call; a negative answer is an error's number.
#[cfg(target_arch = "aarch64")]
unsafe fn call(number: usize, arguments: [usize; 6]) -> isize {
    let answer: isize;
    unsafe {
        core::arch::asm!(
            "svc 0",
            in("x8") number,
            inlateout("x0") arguments[0] => answer,
            in("x1") arguments[1],
            in("x2") arguments[2],
            in("x3") arguments[3],
            in("x4") arguments[4],
            in("x5") arguments[5],
            options(nostack),
        );
    }
    answer
}

/// What becomes of memory in the child of a fork.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum AfterFork {
    /// The child has a copy.
    Kept,
    /// The child finds zeros.
    Zeroed,
}

/// Memory of our own, zeroed, that takes room only where it is touched.
#[must_use]
pub fn map_private(length: usize, after_fork: AfterFork) -> Option<NonNull<u8>> {
    let flags = MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE;
    let at = unsafe { call(number::MMAP, [0, length, PROT_READ_WRITE, flags, usize::MAX, 0]) };
    let memory = mapped(at)?;
    if after_fork == AfterFork::Zeroed {
        let answer =
            unsafe { call(number::MADVISE, [memory.as_ptr() as usize, length, MADV_WIPEONFORK, 0, 0, 0]) };
        if answer < 0 {
            unmap(memory, length);
            return None;
        }
    }
    unsafe { call(number::MADVISE, [memory.as_ptr() as usize, length, MADV_DONTDUMP, 0, 0, 0]) };
    Some(memory)
}

/// Whether all of `length` bytes, at most 64 pages, belong to some mapping.
pub(crate) fn is_mapped(address: usize, length: usize) -> bool {
    let mut resident = [0u8; 64];
    let arguments = [address, length.min(64 * 4096), resident.as_mut_ptr() as usize, 0, 0, 0];
    unsafe { call(number::MINCORE, arguments) == 0 }
}

/// Where the running thread's own record is: at the end of its stack, except for the main thread.
pub(crate) fn thread_pointer() -> usize {
    let at: usize;
    #[cfg(target_arch = "x86_64")]
    unsafe {
        core::arch::asm!("mov {}, fs:[0]", out(reg) at, options(nostack, preserves_flags, readonly, pure));
    }
    #[cfg(target_arch = "aarch64")]
    unsafe {
        core::arch::asm!("mrs {}, tpidr_el0", out(reg) at, options(nostack, preserves_flags, nomem, pure));
    }
    at
}

/// Makes zeros of whole pages of [`map_private`], which take no memory then.
///
/// # Safety
/// The pages are the caller's, and zeros are as good there as what they hold.
pub unsafe fn zero(at: NonNull<u8>, length: usize) {
    unsafe { call(number::MADVISE, [at.as_ptr() as usize, length, MADV_DONTNEED, 0, 0, 0]) };
}

/// Gives memory back.
pub(crate) fn unmap(at: NonNull<u8>, length: usize) {
    unsafe { call(number::MUNMAP, [at.as_ptr() as usize, length, 0, 0, 0, 0]) };
}

/// A file that is not there yet, of this length, as memory. It is locked as long as it is mapped somewhere: so others
/// know when all who write to it are gone. Where the file cannot be that long nothing is left of it.
pub(crate) fn map_new_file(path: &[u8], length: usize) -> Option<NonNull<u8>> {
    const CREATE_NEW: usize = 0o2 | 0o100 | 0o200 | 0o2_000_000; // read and write, create, exclusive, close on exec
    const LOCK_WHOLE: usize = 2;
    // To go above the limit of a file's length would be answered by a signal.
    if length as u64 > limit(LIMIT_OF_FILES) {
        return None;
    }
    let path = terminated(path)?;
    let arguments = [AT_FDCWD as usize, path.as_ptr() as usize, CREATE_NEW, 0o600, 0, 0];
    let file = unsafe { call(number::OPENAT, arguments) };
    if file < 0 {
        return None;
    }
    let file = file as usize;
    unsafe { call(number::FLOCK, [file, LOCK_WHOLE, 0, 0, 0, 0]) };
    let sized = unsafe { call(number::FTRUNCATE, [file, length, 0, 0, 0, 0]) };
    let flags = MAP_SHARED | MAP_NORESERVE;
    let memory = (sized == 0)
        .then(|| mapped(unsafe { call(number::MMAP, [0, length, PROT_READ_WRITE, flags, file, 0]) }))
        .flatten();
    unsafe { call(number::CLOSE, [file, 0, 0, 0, 0, 0]) };
    if memory.is_none() {
        unsafe { call(number::UNLINKAT, [AT_FDCWD as usize, path.as_ptr() as usize, 0, 0, 0, 0]) };
    }
    memory
}

/// Leaves an empty file: the sign of a process that could not begin.
pub(crate) fn leave_sign(path: &[u8]) {
    const CREATE: usize = 0o1 | 0o100 | 0o2_000_000; // write, create, close on exec
    let Some(path) = terminated(path) else { return };
    let arguments = [AT_FDCWD as usize, path.as_ptr() as usize, CREATE, 0o600, 0, 0];
    let file = unsafe { call(number::OPENAT, arguments) };
    if let Ok(file) = usize::try_from(file) {
        unsafe { call(number::CLOSE, [file, 0, 0, 0, 0, 0]) };
    }
}

const LIMIT_OF_FILES: usize = 1;

/// A limit of this process.
fn limit(which: usize) -> u64 {
    let mut limits = [u64::MAX; 2];
    unsafe { call(number::PRLIMIT, [0, which, 0, limits.as_mut_ptr() as usize, 0, 0]) };
    limits[0]
}

/// How many bytes there is room for where a file lies; `None` when that cannot be asked.
pub(crate) fn room_beside(path: &[u8]) -> Option<u64> {
    let path = terminated(path)?;
    let mut answer = [0u64; 16];
    let arguments = [path.as_ptr() as usize, answer.as_mut_ptr() as usize, 0, 0, 0, 0];
    let code = unsafe { call(number::STATFS, arguments) };
    // Kind, size of a block, blocks, free ones, those free for everybody. No limit is told as no blocks at all.
    let [_, block, all, _, free, ..] = answer;
    (code == 0).then(|| if all == 0 { u64::MAX } else { block.saturating_mul(free) })
}

/// Has the kernel find room for memory of a file now: without it, touching the memory would be answered by a signal.
pub(crate) fn is_backed(at: NonNull<u8>, length: usize) -> bool {
    unsafe { call(number::MADVISE, [at.as_ptr() as usize, length, MADV_POPULATE_WRITE, 0, 0, 0]) == 0 }
}

fn mapped(at: isize) -> Option<NonNull<u8>> {
    if (-4095..=0).contains(&at) { None } else { NonNull::new(at as *mut u8) }
}

/// A path with the zero at its end that the kernel wants.
fn terminated(path: &[u8]) -> Option<[u8; 512]> {
    let mut buffer = [0; 512];
    buffer.get_mut(..path.len())?.copy_from_slice(path);
    (path.len() < buffer.len()).then_some(buffer)
}

/// Reads a file from its beginning, a piece at a time; `false` when it cannot be read.
pub(crate) fn read_file(path: &[u8], buffer: &mut [u8], mut take: impl FnMut(&[u8])) -> bool {
    const READ_ONLY: usize = 0o2_000_000; // close on exec
    let Some(path) = terminated(path) else { return false };
    let arguments = [AT_FDCWD as usize, path.as_ptr() as usize, READ_ONLY, 0, 0, 0];
    let file = unsafe { call(number::OPENAT, arguments) };
    if file < 0 {
        return false;
    }
    let file = file as usize;
    let is_read = loop {
        let length =
            unsafe { call(number::READ, [file, buffer.as_mut_ptr() as usize, buffer.len(), 0, 0, 0]) };
        match usize::try_from(length) {
            Ok(0) => break true,
            Ok(length) => take(&buffer[..length.min(buffer.len())]),
            Err(_) => break false,
        }
    };
    unsafe { call(number::CLOSE, [file, 0, 0, 0, 0, 0]) };
    is_read
}

/// Where a symbolic link leads; how many bytes of it were written into `buffer`.
pub(crate) fn read_link(path: &[u8], buffer: &mut [u8]) -> usize {
    let Some(path) = terminated(path) else { return 0 };
    let arguments =
        [AT_FDCWD as usize, path.as_ptr() as usize, buffer.as_mut_ptr() as usize, buffer.len(), 0, 0];
    let length = unsafe { call(number::READLINKAT, arguments) };
    usize::try_from(length).unwrap_or(0).min(buffer.len())
}

/// The number of this process.
#[must_use]
pub fn process_id() -> u32 {
    unsafe { call(number::GETPID, [0; 6]) as u32 }
}

/// The number of the thread that runs.
#[must_use]
pub fn thread_id() -> u32 {
    unsafe { call(number::GETTID, [0; 6]) as u32 }
}

/// Whether a thread of this process is there.
#[must_use]
pub fn is_thread_alive(process: u32, thread: u32) -> bool {
    unsafe { call(number::TGKILL, [process as usize, thread as usize, 0, 0, 0, 0]) == 0 }
}

/// Lets another thread run.
pub fn yield_now() {
    unsafe { call(number::YIELD, [0; 6]) };
}

/// Nanoseconds of the clock that does not jump.
pub(crate) fn monotonic_nanos() -> u64 {
    const MONOTONIC: usize = 1;
    let mut time = [0u64; 2];
    unsafe { call(number::CLOCK_GETTIME, [MONOTONIC, time.as_mut_ptr() as usize, 0, 0, 0, 0]) };
    time[0].wrapping_mul(1_000_000_000).wrapping_add(time[1])
}

/// Memory for a door's own tables, zeroed now and by a fork, that takes room only where it is touched.
#[must_use]
pub fn own_memory(length: usize) -> Option<NonNull<u8>> {
    map_private(length, AfterFork::Zeroed)
}

const SETMASK: usize = 2;

/// Signals of this thread that wait until this is gone.
#[derive(Debug)]
pub struct SignalMask {
    before: u64,
}

impl SignalMask {
    /// All of them.
    #[must_use]
    pub fn all() -> Self {
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
    unsafe { call(number::SIGPROCMASK, [SETMASK, new as usize, before as usize, 8, 0, 0]) };
}
