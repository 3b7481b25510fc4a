//! Reads what to do from the environment, and begins. That happens with the first block that is allocated, which is
//! often before any constructor runs.
//!
//! # Safety
//! `environ` is a list of texts that ends with a null, as the C library keeps it; it is read while the program starts.

use core::cell::UnsafeCell;
use core::ffi::{CStr, c_char};
use core::sync::atomic::Ordering::{AcqRel, Acquire, Relaxed, Release};
use core::sync::atomic::{AtomicU32, AtomicUsize};

use calor_heap::{Mode, Options, Tracker};
use calor_paths::{is_same_file, use_loader};

use crate::real;

unsafe extern "C" {
    static environ: *const *const c_char;
    fn getpid() -> i32;
}

pub(crate) static TRACKER: Tracker = Tracker::new();

/// 0 until tried, 1 while trying, 2 afterwards.
static STEP: AtomicU32 = AtomicU32::new(0);

const VARIABLE: &[u8] = b"CALOR_HEAP=";

/// Begins if that has not been tried.
#[inline(always)]
pub(crate) fn ensure() {
    if STEP.load(Acquire) != 2 {
        first();
    }
}

#[cold]
#[inline(never)]
fn first() {
    // The loader allocates before there is an environment.
    if unsafe { environ.is_null() } || STEP.compare_exchange(0, 1, AcqRel, Acquire).is_err() {
        return;
    }
    real::find_all();
    let find = real::loaded(c"_dl_find_object");
    if find != 0 {
        unsafe { use_loader(find) };
    }
    let (allocator, library) = (real::next(c"malloc"), real::next(c"gettid"));
    real::IS_FOREIGN.store(!is_same_file(allocator, library), Relaxed);
    remember();
    TRACKER.restart_with(begin);
    begin();
    STEP.store(2, Release);
}

/// The words of the environment that say what to do, as they were when the program began: it may change or clear its
/// environment before it forks.
struct Words {
    bytes: UnsafeCell<[u8; 480]>,
    length: AtomicUsize,
}

unsafe impl Sync for Words {}

static WORDS: Words = Words { bytes: UnsafeCell::new([0; 480]), length: AtomicUsize::new(0) };

fn remember() {
    let Some(words) = instructions() else { return };
    let bytes = unsafe { &mut *WORDS.bytes.get() };
    if let Some(place) = bytes.get_mut(..words.len()) {
        place.copy_from_slice(words);
        WORDS.length.store(words.len(), Release);
    }
}

/// Begins in this process: the first time, and again in the child of a fork.
fn begin() {
    let words = unsafe { &(&*WORDS.bytes.get())[..WORDS.length.load(Acquire)] };
    let mut parts = words.splitn(3, |byte| *byte == b':');
    let (Some(mode), Some(bytes), Some(folder)) = (parts.next(), parts.next(), parts.next()) else { return };
    let mode = match mode {
        b"exact" => Mode::Exact,
        b"sampled" => Mode::Sampled,
        _ => return,
    };
    let Some(sampling_bytes) = decimal(bytes) else { return };
    let mut path = Text::default();
    path.push(folder);
    path.push(b"/");
    path.push_number(unsafe { getpid() } as u64, 10);
    path.push(b"-");
    path.push_number(now(), 16);
    TRACKER.start(&Options {
        mode,
        sampling_bytes,
        file: Some(path.as_bytes()),
        restarts_after_fork: true,
        knows_sizes: true,
        frees_tell_sizes: false,
        remembers_sizes: false,
    });
}

fn instructions<'a>() -> Option<&'a [u8]> {
    let mut place = unsafe { environ };
    loop {
        let entry = unsafe { *place };
        if entry.is_null() {
            return None;
        }
        let entry = unsafe { CStr::from_ptr(entry) }.to_bytes();
        if let Some(words) = entry.strip_prefix(VARIABLE) {
            return Some(words);
        }
        place = unsafe { place.add(1) };
    }
}

fn decimal(digits: &[u8]) -> Option<u64> {
    digits.iter().try_fold(0u64, |value, digit| {
        let digit = digit.checked_sub(b'0').filter(|digit| *digit < 10)?;
        value.checked_mul(10)?.checked_add(u64::from(digit))
    })
}

/// Tells programs apart that follow each other in one process.
fn now() -> u64 {
    #[cfg(target_arch = "x86_64")]
    unsafe {
        core::arch::x86_64::_rdtsc()
    }
}

/// A path that is put together.
struct Text {
    bytes: [u8; 480],
    length: usize,
}

impl Default for Text {
    fn default() -> Self {
        Self { bytes: [0; 480], length: 0 }
    }
}

impl Text {
    fn push(&mut self, bytes: &[u8]) {
        for byte in bytes {
            if let Some(place) = self.bytes.get_mut(self.length) {
                *place = *byte;
                self.length += 1;
            }
        }
    }

    fn push_number(&mut self, mut number: u64, base: u64) {
        let mut digits = [0; 20];
        let mut at = digits.len();
        loop {
            at -= 1;
            digits[at] = b"0123456789abcdef"[(number % base) as usize];
            number /= base;
            if number == 0 || at == 0 {
                break;
            }
        }
        self.push(&digits[at..]);
    }

    fn as_bytes(&self) -> &[u8] {
        &self.bytes[..self.length]
    }
}
