//! The three allocators of the interpreter: of raw memory, of memory, and of objects. Others may stand before them; what was
//! there is called in turn, so blocks are good whoever frees them, and whether anybody stands there then.
//!
//! An allocator of objects asks that of raw memory for large ones: the outer one alone is told of. Others may put theirs
//! before ours, and take them away again (`tracemalloc` does): ours are taken away only where they are first, and pass
//! everything on otherwise.

#![expect(unsafe_code, reason = "the interpreter's allocators are functions of C")]

use std::ffi::{CStr, c_int, c_void};
use std::mem::transmute;
use std::sync::atomic::Ordering::{Acquire, Relaxed, Release};
use std::sync::atomic::{AtomicBool, AtomicUsize};

use calor::heap::told::Door;

use crate::functions::symbol;

const N_DOMAINS: usize = 3;
/// The one of objects.
const OBJECTS: usize = 2;
/// Allocators that ours may stand before, in each domain: there is one in most processes, and one more for each tool.
const N_ORIGINALS: usize = 8;
/// The library of `calor record --heap`.
const WATCHER: &str = "libcalor_preload";

/// `PyMemAllocatorEx`, as numbers.
type Words = [usize; 5];
type Malloc = unsafe extern "C" fn(*mut c_void, usize) -> *mut c_void;
type Calloc = unsafe extern "C" fn(*mut c_void, usize, usize) -> *mut c_void;
type Realloc = unsafe extern "C" fn(*mut c_void, *mut c_void, usize) -> *mut c_void;
type Free = unsafe extern "C" fn(*mut c_void, *mut c_void);
type Access = unsafe extern "C" fn(c_int, *mut Words);

/// An allocator that ours stand before, as the interpreter keeps it; zeros where there is none. Once written it stays.
#[repr(C)]
struct Original([AtomicUsize; 5]);

static ORIGINALS: [[Original; N_ORIGINALS]; N_DOMAINS] =
    [const { [const { Original([const { AtomicUsize::new(0) }; 5]) }; N_ORIGINALS] }; N_DOMAINS];
/// The last one that ours were put before, of each domain.
static LATEST: [AtomicUsize; N_DOMAINS] = [const { AtomicUsize::new(0) }; N_DOMAINS];

/// While somebody finds out whether ours are still called.
static IS_TRYING: AtomicBool = AtomicBool::new(false);
static WAS_CALLED: AtomicBool = AtomicBool::new(false);

/// Puts ours before those that are there, in all domains; the text says why that cannot be. The interpreter is held.
pub(super) fn install() -> Result<(), String> {
    let (get, set) = access().ok_or("the interpreter does not let others stand before its allocators")?;
    let find = |domain: usize| -> Option<Option<usize>> {
        let present = read(get, domain);
        if present[1] == ours(domain)[1] {
            return Some(None);
        }
        let known =
            ORIGINALS[domain].iter().position(|original| original.is(&present) || original.is_free())?;
        ORIGINALS[domain][known].write(&present);
        Some(Some(known))
    };
    let mut places = [None; N_DOMAINS];
    for (domain, place) in places.iter_mut().enumerate() {
        *place = find(domain).ok_or("too many others have stood before its allocators")?;
    }
    for (domain, place) in places.into_iter().enumerate() {
        let Some(place) = place else { continue };
        LATEST[domain].store(place, Release);
        let mut words = ours(domain);
        words[0] = ORIGINALS[domain][place].address();
        // SAFETY: ours are of the types that are asked for and pass everything on; the interpreter is held.
        unsafe { set(domain as c_int, &raw mut words) };
    }
    Ok(())
}

/// Takes ours away where they are first. The interpreter is held.
pub(super) fn uninstall() {
    let Some((get, set)) = access() else { return };
    for domain in 0..N_DOMAINS {
        let present = read(get, domain);
        if present[1] == ours(domain)[1] {
            let mut words = original(domain, present[0]).read();
            // SAFETY: that is what was there before.
            unsafe { set(domain as c_int, &raw mut words) };
        }
    }
}

/// Whether ours are first, or are called by those that are. The interpreter is held.
pub(super) fn is_in_place() -> bool {
    let Some((get, _)) = access() else { return false };
    let is_first = (0..N_DOMAINS).all(|domain| read(get, domain)[1] == ours(domain)[1]);
    is_first || is_called()
}

/// Asks for an object's memory and looks whether that comes by.
fn is_called() -> bool {
    let Some(door) = Door::here() else { return true };
    let present = access().map(|(get, _)| read(get, OBJECTS));
    let Some(present) = present else { return false };
    IS_TRYING.store(true, Relaxed);
    WAS_CALLED.store(false, Relaxed);
    // What comes by within the door is not counted.
    door.inside(|| {
        let context = std::ptr::with_exposed_provenance_mut(present[0]);
        // SAFETY: these are the interpreter's allocators, and it is held; what is asked for is given back.
        unsafe {
            let block = transmute::<usize, Malloc>(present[1])(context, 16);
            transmute::<usize, Free>(present[4])(context, block);
        }
    });
    IS_TRYING.store(false, Relaxed);
    WAS_CALLED.load(Relaxed)
}

/// Whether the process was started by `calor record --heap`.
pub(super) fn is_watched_from_outside() -> bool {
    let Some(malloc) = symbol(c"malloc") else { return false };
    // SAFETY: any address may be asked for; the name that comes back stays as long as the library.
    unsafe {
        let mut found: libc::Dl_info = std::mem::zeroed();
        libc::dladdr(malloc.as_ptr(), &raw mut found) != 0
            && !found.dli_fname.is_null()
            && CStr::from_ptr(found.dli_fname).to_string_lossy().contains(WATCHER)
    }
}

fn access() -> Option<(Access, Access)> {
    let (get, set) = (symbol(c"PyMem_GetAllocator")?, symbol(c"PyMem_SetAllocator")?);
    // SAFETY: these have been their types since 3.4.
    unsafe {
        Some((transmute::<*mut c_void, Access>(get.as_ptr()), transmute::<*mut c_void, Access>(set.as_ptr())))
    }
}

fn read(get: Access, domain: usize) -> Words {
    let mut words = [0; 5];
    // SAFETY: the words are as many as an allocator has.
    unsafe { get(domain as c_int, &raw mut words) };
    words
}

/// Ours, without what they stand before.
fn ours(domain: usize) -> Words {
    fn of<const DOMAIN: usize>() -> Words {
        let (malloc, calloc): (Malloc, Calloc) = (malloc::<DOMAIN>, calloc::<DOMAIN>);
        let (realloc, free): (Realloc, Free) = (realloc::<DOMAIN>, free::<DOMAIN>);
        [0, malloc as usize, calloc as usize, realloc as usize, free as usize]
    }
    [of::<0>, of::<1>, of::<OBJECTS>][domain]()
}

impl Original {
    fn read(&self) -> Words {
        self.0.each_ref().map(|word| word.load(Relaxed))
    }

    fn is(&self, words: &Words) -> bool {
        self.read() == *words
    }

    fn is_free(&self) -> bool {
        self.0[1].load(Acquire) == 0
    }

    fn write(&self, words: &Words) {
        self.0.iter().zip(words).for_each(|(word, value)| word.store(*value, Release));
    }

    fn address(&self) -> usize {
        std::ptr::from_ref(self).expose_provenance()
    }

    #[inline(always)]
    fn context(&self) -> *mut c_void {
        std::ptr::with_exposed_provenance_mut(self.0[0].load(Relaxed))
    }
}

/// What ours stand before, by what they were called with. While the interpreter's words are replaced, another thread may see
/// some of them: then it is the last one.
#[inline(always)]
fn original(domain: usize, context: usize) -> &'static Original {
    let all = &ORIGINALS[domain];
    let distance = context.wrapping_sub(all[0].address());
    let at = if distance < size_of_val(all) {
        distance / size_of::<Original>()
    } else {
        LATEST[domain].load(Acquire)
    };
    &all[at % N_ORIGINALS]
}

/// The door, if what is asked for is to be told there.
#[inline(always)]
fn door() -> Option<Door> {
    let door = Door::here();
    if door.is_none() && IS_TRYING.load(Relaxed) {
        WAS_CALLED.store(true, Relaxed);
    }
    door
}

unsafe extern "C" fn malloc<const DOMAIN: usize>(context: *mut c_void, size: usize) -> *mut c_void {
    let original = original(DOMAIN, context.addr());
    // SAFETY: what was there is called as it would have been.
    let run = || unsafe { transmute::<usize, Malloc>(original.0[1].load(Relaxed))(original.context(), size) };
    let Some(door) = door() else { return run() };
    let block = door.inside(run);
    if !block.is_null() {
        door.allocated(block.addr(), size);
    }
    block
}

unsafe extern "C" fn calloc<const DOMAIN: usize>(
    context: *mut c_void,
    count: usize,
    size: usize,
) -> *mut c_void {
    let original = original(DOMAIN, context.addr());
    // SAFETY: as above.
    let run = || unsafe {
        transmute::<usize, Calloc>(original.0[2].load(Relaxed))(original.context(), count, size)
    };
    let Some(door) = door() else { return run() };
    let block = door.inside(run);
    if !block.is_null() {
        door.allocated(block.addr(), count.wrapping_mul(size));
    }
    block
}

unsafe extern "C" fn realloc<const DOMAIN: usize>(
    context: *mut c_void,
    block: *mut c_void,
    size: usize,
) -> *mut c_void {
    let original = original(DOMAIN, context.addr());
    // SAFETY: as above.
    let run = || unsafe {
        transmute::<usize, Realloc>(original.0[3].load(Relaxed))(original.context(), block, size)
    };
    let Some(door) = door() else { return run() };
    if block.is_null() {
        let new = door.inside(run);
        if !new.is_null() {
            door.allocated(new.addr(), size);
        }
        return new;
    }
    let moving = door.moving(block.addr());
    let new = door.inside(run);
    if new.is_null() {
        door.stayed(moving);
    } else {
        door.moved(moving, new.addr(), size);
    }
    new
}

unsafe extern "C" fn free<const DOMAIN: usize>(context: *mut c_void, block: *mut c_void) {
    let original = original(DOMAIN, context.addr());
    // SAFETY: as above.
    let run = || unsafe {
        transmute::<usize, Free>(original.0[4].load(Relaxed))(original.context(), block);
    };
    let Some(door) = door().filter(|_| !block.is_null()) else { return run() };
    if DOMAIN == OBJECTS {
        door.forget_function(block.addr());
    }
    door.freed(block.addr());
    door.inside(run);
}

const _: () = assert!(size_of::<Original>() == size_of::<Words>());
