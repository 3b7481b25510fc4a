//! Begins to follow blocks with the first one, before `main`, so that nothing is missed.

#![expect(unsafe_code, reason = "the C library is asked for a function by its name")]

use std::sync::atomic::AtomicU32;
#[cfg(feature = "heap")]
use std::sync::atomic::AtomicU64;
use std::sync::atomic::Ordering::Acquire;
#[cfg(feature = "heap")]
use std::sync::atomic::Ordering::{AcqRel, Relaxed, Release};

use calor_heap::Tracker;
#[cfg(feature = "heap")]
use calor_heap::{Mode, Options};

/// The blocks of this process.
pub(super) static TRACKER: Tracker = Tracker::new();

/// How blocks are followed.
#[cfg(feature = "heap")]
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Way {
    /// Only the sums of scopes are kept.
    Sums,
    Sampled(u64),
    Exact,
}

/// 0 until the first block, 1 while the first thread begins, 2 afterwards.
static STEP: AtomicU32 = AtomicU32::new(0);

/// What was chosen, for the children of forks.
#[cfg(feature = "heap")]
static MODE: AtomicU32 = AtomicU32::new(0);
#[cfg(feature = "heap")]
static SAMPLING_BYTES: AtomicU64 = AtomicU64::new(0);

/// Begins in this process, or in the child of a fork: the child counts anew, since other threads may have been in the
/// midst of counting when it came.
#[cfg(feature = "heap")]
fn start() {
    let is_exact = MODE.load(Relaxed) == Mode::Exact as u32;
    TRACKER.start(&Options {
        mode: if is_exact { Mode::Exact } else { Mode::Sampled },
        sampling_bytes: SAMPLING_BYTES.load(Relaxed),
        file: None,
        restarts_after_fork: true,
        knows_sizes: true,
        frees_tell_sizes: true,
        remembers_sizes: false,
    });
}

/// Whether the program's allocator is ours.
#[inline(always)]
pub(crate) fn is_installed() -> bool {
    STEP.load(Acquire) == 2
}

/// Begins, once.
#[cfg(feature = "heap")]
#[cold]
#[inline(never)]
pub(super) fn begin(way: Way) {
    if STEP.compare_exchange(0, 1, AcqRel, Acquire).is_err() {
        return;
    }
    let (mode, sampling_bytes) = match way {
        Way::Sums => (None, 0),
        Way::Sampled(bytes) => (Some(Mode::Sampled), bytes),
        Way::Exact => (Some(Mode::Exact), Options::SAMPLING_BYTES),
    };
    if let Some(mode) = mode {
        use_loader();
        MODE.store(mode as u32, Relaxed);
        SAMPLING_BYTES.store(sampling_bytes, Relaxed);
        TRACKER.restart_with(start);
        start();
    }
    STEP.store(2, Release);
}

/// Says where the loader's own table of files is, if it has one.
pub(super) fn use_loader() {
    // SAFETY: the name ends with a zero; what is found is the function of that name, as glibc has it.
    unsafe {
        let find = libc::dlsym(libc::RTLD_DEFAULT, c"_dl_find_object".as_ptr());
        if !find.is_null() {
            calor_paths::use_loader(find as usize);
        }
    }
}

/// The program ends: what is not freed now was leaked.
pub(crate) fn end() {
    TRACKER.end();
}
