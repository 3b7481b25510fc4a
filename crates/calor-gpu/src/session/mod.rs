//! On and off: CUPTI has one user at a time in a process, so there is one session.

#![expect(unsafe_code, reason = "CUPTI calls back, and hands records over by their address")]

use std::ffi::{CStr, c_char, c_void};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::path::PathBuf;
use std::ptr::null_mut;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed, Ordering::SeqCst};
use std::sync::{Mutex, MutexGuard, OnceLock, PoisonError};

mod device;
mod driver;
mod error;
mod library;
mod subscription;
mod sums;

pub use device::{Device, devices};
pub use error::GpuError;
pub use subscription::COPIES_BETWEEN;
pub use sums::{CopyRow, Sums};

use crate::activity::{self, Record};
use crate::launches::{Launches, Origin};
use library::{Call, Cupti, SUCCESS};
use subscription::Subscription;

/// What whoever records gives.
#[derive(Clone, Copy, Debug)]
pub struct Hooks {
    /// Asked at each launch, on the thread that makes it: it must be quick and neither panic nor use CUDA.
    pub origin: fn() -> Origin,
    /// Runs what takes records in, on whichever thread they are handed over: what that allocates is none of the program's.
    pub around: fn(&mut dyn FnMut()),
}
/// Room for records that CUPTI is given at a time: some hundred of them. It hands over what is done whole, so one that is not done
/// keeps the others in its room back.
const BUFFER_BYTES: usize = 1 << 17;
/// Its records lie at multiples of 8 bytes.
const ALIGNMENT: usize = 8;

static CUPTI: OnceLock<Cupti> = OnceLock::new();
static LAUNCHES: Launches = Launches::new();
static HOOKS: OnceLock<Hooks> = OnceLock::new();
/// What was asked for, while there is a session.
static SUBSCRIPTION: Mutex<Option<Subscription>> = Mutex::new(None);
/// What CUPTI refused to tell of when a session began last.
static REFUSED: Mutex<Vec<String>> = Mutex::new(Vec::new());
/// Whether records are handed over that nobody waits for.
static IS_LAST: AtomicBool = AtomicBool::new(false);
static IS_ON: AtomicBool = AtomicBool::new(false);
/// Whether a session was ever begun, or tried to: before, there is nothing to look at, and no lock to take.
static IS_BEGUN: AtomicBool = AtomicBool::new(false);
/// Whether this is a process that was forked off one with a session: there CUDA does not work, and locks may be held for good.
static IS_LEFT: AtomicBool = AtomicBool::new(false);
static KEPT: Mutex<Kept> = Mutex::new(Kept { all: None, news: None, keeps_news: false });

#[derive(Default)]
struct Kept {
    /// Since the last reset.
    all: Option<Sums>,
    /// Since news were taken last, once somebody does.
    news: Option<Sums>,
    keeps_news: bool,
}

/// Begins. CUPTI is looked for in the process, in `folders`, and where the system has libraries.
///
/// # Errors
/// When CUPTI is not there, is of a version that is not known, or refuses: others use it, or the system does not allow it.
pub fn start(folders: &[PathBuf], hooks: Hooks) -> Result<(), GpuError> {
    if IS_LEFT.load(Relaxed) {
        return Err(GpuError::Forked);
    }
    IS_BEGUN.store(true, SeqCst);
    let mut subscription = lock(&SUBSCRIPTION);
    if subscription.is_some() {
        return Ok(());
    }
    let cupti = match CUPTI.get() {
        Some(cupti) => cupti,
        None => {
            let opened = Cupti::open(folders)?;
            CUPTI.get_or_init(|| opened)
        }
    };
    let _ = HOOKS.set(hooks);
    let begun = Subscription::begin(cupti, (called, requested, completed))?;
    *lock(&REFUSED) = begun.refused().to_vec();
    *subscription = Some(begun);
    IS_ON.store(true, Relaxed);
    Ok(())
}

/// Where CUPTI is, and which it is, for people.
///
/// # Errors
/// When it is not there, or of a version that is not known.
pub fn probe() -> Result<String, GpuError> {
    let cupti = Cupti::open(&[])?;
    Ok(format!("{} (version {})", cupti.path.display(), cupti.version))
}

/// Ends; what was recorded stays. What a GPU has not done yet is not recorded any more.
pub fn stop() {
    if !is_there() {
        return;
    }
    let mut subscription = lock(&SUBSCRIPTION);
    if let (Some(subscription), Some(cupti)) = (subscription.take(), CUPTI.get()) {
        IS_ON.store(false, Relaxed);
        subscription.end(cupti, &IS_LAST);
    }
}

/// What CUPTI refused to tell of when the last session began, by name.
#[must_use]
pub fn refused() -> Vec<String> {
    if is_there() { lock(&REFUSED).clone() } else { Vec::new() }
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

/// Forgets what was recorded. What was launched before and is not done yet is not recorded any more.
pub fn reset() {
    if !is_there() {
        return;
    }
    if CUPTI.get().is_some() {
        LAUNCHES.forget();
    }
    let mut kept = lock(&KEPT);
    // A recording keeps what it has written, and goes on.
    *kept = Kept { keeps_news: kept.keeps_news, ..Kept::default() };
}

/// In the child of a fork: CUDA does not work there, and what was recorded is the parent's.
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
        && let Some(hooks) = HOOKS.get()
    {
        LAUNCHES.note(call.number, (hooks.origin)());
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
    let mut add = || {
        if let (Some(cupti), false) = (CUPTI.get(), buffer.is_null()) {
            // SAFETY: so many bytes of the room are records.
            unsafe { add_all(cupti, buffer, n_bytes) };
            let mut n_dropped = 0;
            // SAFETY: it writes one number.
            if unsafe { (cupti.n_dropped)(context, stream, &raw mut n_dropped) } == SUCCESS && n_dropped > 0 {
                lock(&KEPT).each(|sums| sums.n_lost += n_dropped as u64);
            }
        }
    };
    // A panic must not go through CUPTI; the records are then lost.
    let _ = catch_unwind(AssertUnwindSafe(|| match HOOKS.get() {
        Some(hooks) => (hooks.around)(&mut add),
        None => add(),
    }));
    // SAFETY: it came from `requested`, and CUPTI is done with it.
    unsafe { libc::free(buffer.cast()) };
}

/// # Safety
/// There are records in so many bytes.
unsafe fn add_all(cupti: &Cupti, buffer: *mut u8, n_bytes: usize) {
    let mut kept = lock(&KEPT);
    let mut at: *mut u8 = null_mut();
    // SAFETY: it goes from each record to the one behind it, and answers otherwise at the end.
    while unsafe { (cupti.next)(buffer, n_bytes, &raw mut at) } == SUCCESS && !at.is_null() {
        let left = (buffer.addr() + n_bytes).saturating_sub(at.addr());
        if left < size_of::<u32>() {
            break;
        }
        // SAFETY: a record begins with its kind.
        let kind = unsafe { at.cast::<u32>().read() };
        let Some(least) = activity::least_bytes(kind) else { continue };
        // SAFETY: a record of this kind has at least so many bytes, and those are inside the room.
        let bytes = unsafe { std::slice::from_raw_parts(at, least.min(left)) };
        let origin = activity::launch(bytes).map_or(Origin::Unknown, |launch| LAUNCHES.origin(launch));
        if origin == Origin::NotRecorded {
            continue;
        }
        // SAFETY: the record points to the kernel's name, which stays while records are handed over.
        let record = activity::read(bytes, IS_LAST.load(Relaxed), |address| unsafe { name_at(address) });
        kept.each(|sums| match record {
            Record::Done(activity) => sums.add(activity, origin),
            Record::Unfinished => sums.n_unfinished += 1,
            Record::OnHost => sums.n_on_host += 1,
            Record::Unreadable => sums.n_lost += 1,
        });
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

fn lock<T>(mutex: &'static Mutex<T>) -> MutexGuard<'static, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
