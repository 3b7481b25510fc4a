//! On and off: CUPTI has one user at a time in a process, so there is one session.

#![expect(unsafe_code, reason = "CUPTI calls back, and hands records over by their address")]

use std::ffi::{CStr, c_char, c_void};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::PathBuf;
use std::ptr::null_mut;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed, Ordering::SeqCst};
use std::sync::{Mutex, MutexGuard, OnceLock, PoisonError};

use super::launches::{Launches, Place};
use super::library::{Call, Cupti, SUCCESS, refusal};
use super::sums::Sums;
use super::{GpuError, activity};

/// Room for records that CUPTI is given at a time: some hundred of them. It hands over what is done whole, so one that is not done
/// keeps the others in its room back.
const BUFFER_BYTES: usize = 1 << 17;
/// Its records lie at multiples of 8 bytes.
const ALIGNMENT: usize = 8;
/// Areas of functions, as CUPTI numbers them: of the driver and of the runtime above it.
const AREAS: [u32; 2] = [1, 2];
/// Numbers of functions that are asked for their names: there are some 800.
const MOST_CALLS: u32 = 2_000;
/// How the names of functions begin that have a GPU do something.
const LAUNCHES_BEGIN: [&str; 8] = [
    "cudaLaunch",
    "cudaMemcpy",
    "cudaMemset",
    "cudaGraphLaunch",
    "cuLaunch",
    "cuMemcpy",
    "cuMemset",
    "cuGraphLaunch",
];
const KINDS: [u32; 4] = [activity::KERNEL, activity::COPY, activity::FILL, activity::COPY_BETWEEN];
/// Records of what is not done yet are wanted, too: for the end, behind which nobody asks any more.
const FORCED: u32 = 1;

static CUPTI: OnceLock<Cupti> = OnceLock::new();
static LAUNCHES: OnceLock<Launches> = OnceLock::new();
/// Asked on the thread that launches something.
static PLACE: OnceLock<fn() -> Place> = OnceLock::new();
/// What identifies us, while there is a session.
static SUBSCRIBER: Mutex<Option<Subscriber>> = Mutex::new(None);
static IS_ON: AtomicBool = AtomicBool::new(false);
/// Whether a session was ever begun, or tried to: before, there is nothing to look at, and no lock to take.
static IS_BEGUN: AtomicBool = AtomicBool::new(false);
/// Whether this is a process that was forked off one with a session: there CUDA does not work, and locks may be held for good.
static IS_LEFT: AtomicBool = AtomicBool::new(false);
static KEPT: Mutex<Kept> = Mutex::new(Kept { all: None, news: None, keeps_news: false });

/// A pointer that only CUPTI looks behind.
struct Subscriber(*mut c_void);

// SAFETY: it is only handed back to CUPTI, which may be called from any thread.
unsafe impl Send for Subscriber {}

#[derive(Default)]
struct Kept {
    /// Since the last reset.
    all: Option<Sums>,
    /// Since news were taken last, once somebody does.
    news: Option<Sums>,
    keeps_news: bool,
}

/// Begins. `place` is asked at each launch, on the thread that makes it, and must be quick and neither panic nor use CUDA.
/// CUPTI is looked for in the process, in `folders`, and where the system has libraries.
///
/// # Errors
/// When CUPTI is not there, is of a version that is not known, or refuses: others use it, or the system does not allow it.
pub fn start(folders: &[PathBuf], place: fn() -> Place) -> Result<(), GpuError> {
    if IS_LEFT.load(Relaxed) {
        return Err(GpuError::Forked);
    }
    IS_BEGUN.store(true, SeqCst);
    let mut subscriber = lock(&SUBSCRIBER);
    if subscriber.is_some() {
        return Ok(());
    }
    let cupti = match CUPTI.get() {
        Some(cupti) => cupti,
        None => {
            let opened = Cupti::open(folders)?;
            CUPTI.get_or_init(|| opened)
        }
    };
    LAUNCHES.get_or_init(Launches::new);
    let _ = PLACE.set(place);
    let mut handle = null_mut();
    // SAFETY: it writes a pointer, and calls `called` until `unsubscribe`.
    check("a subscription", unsafe { (cupti.subscribe)(&raw mut handle, called, null_mut()) })?;
    let begun = begin(cupti, handle);
    if begun.is_err() {
        end(cupti, handle);
    } else {
        *subscriber = Some(Subscriber(handle));
        IS_ON.store(true, Relaxed);
    }
    begun
}

/// Where CUPTI is, and which it is, for people.
///
/// # Errors
/// When it is not there, or of a version that is not known.
pub fn probe() -> Result<String, GpuError> {
    let cupti = Cupti::open(&[])?;
    Ok(format!("{} (version {})", cupti.path.display(), cupti.version))
}

fn begin(cupti: &Cupti, handle: *mut c_void) -> Result<(), GpuError> {
    // SAFETY: the functions are there as long as the process is, and the handle is that of a subscription.
    unsafe {
        check("to hand over records", (cupti.register)(requested, completed))?;
        for kind in [activity::KERNEL, activity::COPY, activity::FILL] {
            check("records of kernels and copies", (cupti.enable)(kind))?;
        }
        // Copies between devices are of a kind that machines with one GPU need not know.
        (cupti.enable)(activity::COPY_BETWEEN);
        set_calls(cupti, handle, 1)
    }
}

/// Asks to be told of all calls that have a GPU do something, or not any more.
///
/// # Safety
/// The handle is that of a subscription.
unsafe fn set_calls(cupti: &Cupti, handle: *mut c_void, is_on: u32) -> Result<(), GpuError> {
    let mut outcome = Err(refusal("to tell of launches", SUCCESS));
    for (area, number) in AREAS.into_iter().flat_map(|area| (1..MOST_CALLS).map(move |number| (area, number)))
    {
        let mut name: *const c_char = std::ptr::null();
        // SAFETY: it writes a pointer to a text that stays, where there is such a function.
        let answer = unsafe { (cupti.name_of_call)(area, number, &raw mut name) };
        if answer != SUCCESS || name.is_null() {
            continue;
        }
        // SAFETY: as above.
        let name = unsafe { CStr::from_ptr(name) }.to_string_lossy();
        if LAUNCHES_BEGIN.iter().any(|begin| name.starts_with(begin)) {
            // SAFETY: by the caller's promise.
            let answer = unsafe { (cupti.enable_call)(is_on, handle, area, number) };
            if answer == SUCCESS {
                outcome = Ok(());
            }
        }
    }
    outcome
}

/// Ends; what was told stays. What a GPU has not done yet is not told any more.
pub fn stop() {
    if !is_there() {
        return;
    }
    let mut subscriber = lock(&SUBSCRIBER);
    if let (Some(Subscriber(handle)), Some(cupti)) = (subscriber.take(), CUPTI.get()) {
        IS_ON.store(false, Relaxed);
        end(cupti, handle);
    }
}

fn end(cupti: &Cupti, handle: *mut c_void) {
    // SAFETY: the handle is that of a subscription, which is not used again.
    unsafe {
        (cupti.flush)(0);
        let _ = set_calls(cupti, handle, 0);
        for kind in KINDS {
            (cupti.disable)(kind);
        }
        (cupti.flush)(FORCED);
        (cupti.unsubscribe)(handle);
    }
}

/// Whether there is a session.
#[must_use]
pub fn is_on() -> bool {
    IS_ON.load(Relaxed) && is_there()
}

/// What GPUs have done since the last reset. What they have not done yet is not waited for.
#[must_use]
pub fn sums() -> Sums {
    if !is_there() {
        return Sums::default();
    }
    fetch();
    lock(&KEPT).all.clone().unwrap_or_default()
}

/// What they have done since this was asked last; the first time, since the last reset.
#[must_use]
pub fn news() -> Sums {
    if !is_there() {
        return Sums::default();
    }
    fetch();
    let mut kept = lock(&KEPT);
    let news = if kept.keeps_news { kept.news.take() } else { kept.all.clone() };
    kept.keeps_news = true;
    news.unwrap_or_default()
}

/// Nobody asks for news any more; the next ones are of everything since the last reset.
pub fn end_news() {
    if is_there() {
        let mut kept = lock(&KEPT);
        (kept.keeps_news, kept.news) = (false, None);
    }
}

/// Forgets what was told. What was launched before and is not done yet is not told any more.
pub fn reset() {
    if !is_there() {
        return;
    }
    if let Some(launches) = LAUNCHES.get() {
        launches.forget();
    }
    let mut kept = lock(&KEPT);
    // A recording keeps what it has written, and goes on.
    *kept = Kept { keeps_news: kept.keeps_news, ..Kept::default() };
}

/// In the child of a fork: CUDA does not work there, and what was told is the parent's.
pub fn forget() {
    if IS_BEGUN.load(SeqCst) {
        IS_LEFT.store(true, Relaxed);
    }
}

/// Whether there is or was a session of this process.
fn is_there() -> bool {
    IS_BEGUN.load(SeqCst) && !IS_LEFT.load(Relaxed)
}

/// Has CUPTI hand over what is done.
fn fetch() {
    if let Some(cupti) = CUPTI.get().filter(|_| is_on()) {
        // SAFETY: it may be called at any time.
        unsafe { (cupti.flush)(0) };
    }
}

/// CUPTI tells of a call.
unsafe extern "C" fn called(_ours: *mut c_void, _area: u32, _number: u32, call: *const Call) {
    // SAFETY: CUPTI describes the call for as long as it tells of it.
    let Some(call) = (unsafe { call.as_ref() }) else { return };
    if call.moment == 0
        && let (Some(launches), Some(place)) = (LAUNCHES.get(), PLACE.get())
    {
        launches.tell(call.number, place());
    }
}

/// CUPTI asks for room.
unsafe extern "C" fn requested(buffer: *mut *mut u8, size: *mut usize, most_records: *mut usize) {
    let mut room = null_mut();
    // SAFETY: it writes a pointer where there is memory; CUPTI made room for the three answers.
    unsafe {
        let is_made = libc::posix_memalign(&raw mut room, ALIGNMENT, BUFFER_BYTES) == 0;
        // Without room CUPTI drops records and counts them.
        buffer.write(if is_made { room.cast() } else { null_mut() });
        size.write(if is_made { BUFFER_BYTES } else { 0 });
        most_records.write(0);
    }
}

/// CUPTI hands records over.
unsafe extern "C" fn completed(
    context: *mut c_void,
    stream: u32,
    buffer: *mut u8,
    _size: usize,
    n_bytes: usize,
) {
    // A panic must not go through CUPTI; the records are then lost.
    let _ = catch_unwind(AssertUnwindSafe(|| {
        if let (Some(cupti), Some(launches), false) = (CUPTI.get(), LAUNCHES.get(), buffer.is_null()) {
            // SAFETY: so many bytes of the room are records.
            unsafe { add_all(cupti, launches, buffer, n_bytes) };
            let mut n_dropped = 0;
            // SAFETY: it writes one number.
            if unsafe { (cupti.n_dropped)(context, stream, &raw mut n_dropped) } == SUCCESS && n_dropped > 0 {
                lock(&KEPT).each(|sums| sums.n_lost += n_dropped as u64);
            }
        }
    }));
    // SAFETY: it came from `requested`, and CUPTI is done with it.
    unsafe { libc::free(buffer.cast()) };
}

/// # Safety
/// There are records in so many bytes.
unsafe fn add_all(cupti: &Cupti, launches: &Launches, buffer: *mut u8, n_bytes: usize) {
    let mut kept = lock(&KEPT);
    let mut record: *mut u8 = null_mut();
    // SAFETY: it goes from each record to the one behind it, and answers otherwise at the end.
    while unsafe { (cupti.next)(buffer, n_bytes, &raw mut record) } == SUCCESS && !record.is_null() {
        let left = (buffer.addr() + n_bytes).saturating_sub(record.addr());
        if left < size_of::<u32>() {
            break;
        }
        // SAFETY: a record begins with its kind.
        let kind = unsafe { record.cast::<u32>().read() };
        let Some(least) = activity::least_bytes(kind) else { continue };
        // SAFETY: a record of this kind has at least so many bytes, and those are inside the room.
        let bytes = unsafe { std::slice::from_raw_parts(record, least.min(left)) };
        // SAFETY: the record points to the kernel's name, which stays while records are handed over.
        match activity::read(bytes, |address| unsafe { name_at(address) }) {
            Some(activity) => {
                let place = launches.place(activity.launch());
                kept.each(|sums| sums.add(activity, place));
            }
            // Behind the last flush nobody asks what became of it.
            None if activity::is_unfinished(bytes) => {}
            None => kept.each(|sums| sums.n_lost += 1),
        }
    }
}

/// # Safety
/// The address is 0 or that of a text that ends with a zero.
unsafe fn name_at<'a>(address: u64) -> Option<&'a [u8]> {
    let name: *const c_char = std::ptr::with_exposed_provenance(usize::try_from(address).ok()?);
    // SAFETY: by the caller's promise.
    (!name.is_null()).then(|| unsafe { CStr::from_ptr(name) }.to_bytes())
}

impl Kept {
    fn each(&mut self, mut change: impl FnMut(&mut Sums)) {
        change(self.all.get_or_insert_default());
        if self.keeps_news {
            change(self.news.get_or_insert_default());
        }
    }
}

fn check(what: &'static str, answer: u32) -> Result<(), GpuError> {
    if answer == SUCCESS { Ok(()) } else { Err(refusal(what, answer)) }
}

fn lock<T>(mutex: &'static Mutex<T>) -> MutexGuard<'static, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
