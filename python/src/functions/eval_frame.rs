//! Tracing by a function that runs frames in place of the interpreter's own (PEP 523): each call of a Python function goes
//! through it, so that begin and end are one call of ours and nothing has to be remembered between. It is the quickest way
//! there is. Since 3.11 it also has calls of Python functions nest on the machine's stack, which they do not by
//! themselves: so it is for recursion limits that leave room for it, and not together with others who run frames.

#![expect(unsafe_code, reason = "the interpreter's frames are read where its layout says")]

use std::ffi::{CStr, c_int, c_void};
use std::mem::transmute;
use std::ptr::null_mut;
use std::sync::atomic::Ordering::Relaxed;
use std::sync::atomic::{AtomicBool, AtomicPtr, AtomicUsize};

use calor_cpython::{Layout, Level, Version};
use pyo3::ffi::PyObject;
use pyo3::prelude::*;
use pyo3::types::PyDict;

use super::codes;
use super::interpreter::symbol;
use crate::scope::settle;
use crate::{here, stack_room};

/// The recursion limit up to which frames that nest on the machine's stack have room: with more, 3.12 raised
/// `RecursionError` at 5,000 frames, and 3.11 ended at 50,000.
pub(super) const MAX_RECURSION_LIMIT: usize = 3000;

type RunFrame = unsafe extern "C" fn(*mut c_void, *mut c_void, c_int) -> *mut PyObject;
type CurrentInterpreter = unsafe extern "C" fn() -> *mut c_void;
type GetRunFrame = unsafe extern "C" fn(*mut c_void) -> *mut c_void;
type SetRunFrame = unsafe extern "C" fn(*mut c_void, *mut c_void);

/// The interpreter's own function that runs frames.
static DEFAULT: AtomicPtr<c_void> = AtomicPtr::new(null_mut());
/// Where frames have their code and their globals.
static CODE_OFFSET: AtomicUsize = AtomicUsize::new(0);
static GLOBALS_OFFSET: AtomicUsize = AtomicUsize::new(0);
/// Off while others keep our function among theirs after we are done.
static IS_ON: AtomicBool = AtomicBool::new(false);
/// Deep calls during which the interpreter runs frames by itself.
static SUSPENDED: AtomicUsize = AtomicUsize::new(0);
/// What the trial saw: its code and its globals.
static SEEN: [AtomicPtr<c_void>; 2] = [AtomicPtr::new(null_mut()), AtomicPtr::new(null_mut())];

/// Tracing that is on.
#[derive(Debug)]
pub(super) struct EvalFrame {
    interface: Interface,
    /// What runs frames meanwhile.
    traced: RunFrame,
}

/// The functions of the interpreter that this needs.
#[derive(Clone, Copy, Debug)]
struct Interface {
    default: RunFrame,
    current: CurrentInterpreter,
    get: GetRunFrame,
    set: SetRunFrame,
}

impl EvalFrame {
    /// Begins, or tells why it cannot.
    pub(super) fn start(py: Python<'_>) -> PyResult<Result<Self, String>> {
        let limit: usize = py.import("sys")?.call_method0("getrecursionlimit")?.extract()?;
        if limit > MAX_RECURSION_LIMIT {
            return Ok(Err(format!(
                "the recursion limit is {limit}, and deep recursion could exhaust the machine's stack above \
                 {MAX_RECURSION_LIMIT}"
            )));
        }
        let stack_bytes: usize = py.import("threading")?.call_method0("stack_size")?.extract()?;
        if !stack_room::is_enough(stack_bytes, limit) {
            return Ok(Err(format!(
                "the stacks of threads are too small for {limit} calls inside one another"
            )));
        }
        let Some((code, globals)) = offsets(py) else {
            return Ok(Err(format!("frames of Python {} are not known", Python::version_str())));
        };
        let Some(interface) = Interface::find() else {
            return Ok(Err("this interpreter does not let others run its frames".into()));
        };
        if interface.running() != interface.default as *mut c_void {
            return Ok(Err("another tool runs the frames of this interpreter already".into()));
        }
        DEFAULT.store(interface.default as *mut c_void, Relaxed);
        CODE_OFFSET.store(code, Relaxed);
        GLOBALS_OFFSET.store(globals, Relaxed);
        let Some(trials) = elsewhere(py, |py| interface.trials(py, limit)) else {
            return Ok(Err("there is no thread to try it on".into()));
        };
        if let Err(reason) = trials? {
            return Ok(Err(reason));
        }
        // Before 3.12 nobody else sees to it that frames have room on the machine's stack.
        let traced = if py.version_info() < (3, 12) { traced::<true> } else { traced::<false> };
        IS_ON.store(true, Relaxed);
        interface.run_by(traced);
        Ok(Ok(Self { interface, traced }))
    }

    /// Ends. `false` if somebody else runs frames by now: then calls since have not been seen.
    pub(super) fn stop(&self) -> bool {
        IS_ON.store(false, Relaxed);
        let running = self.interface.running();
        let is_ours = running == self.traced as *mut c_void;
        if is_ours {
            self.interface.restore();
        }
        // What runs during a deep call is no other tool.
        is_ours || (SUSPENDED.load(Relaxed) > 0 && running == self.interface.default as *mut c_void)
    }
}

impl Interface {
    fn find() -> Option<Self> {
        let default = symbol(c"_PyEval_EvalFrameDefault")?;
        let current = symbol(c"PyInterpreterState_Get")?;
        let get = symbol(c"_PyInterpreterState_GetEvalFrameFunc")?;
        let set = symbol(c"_PyInterpreterState_SetEvalFrameFunc")?;
        // SAFETY: these have been their types since 3.9; a function's address is not null.
        unsafe {
            Some(Self {
                default: transmute::<*mut c_void, RunFrame>(default.as_ptr()),
                current: transmute::<*mut c_void, CurrentInterpreter>(current.as_ptr()),
                get: transmute::<*mut c_void, GetRunFrame>(get.as_ptr()),
                set: transmute::<*mut c_void, SetRunFrame>(set.as_ptr()),
            })
        }
    }

    /// What runs frames now.
    fn running(&self) -> *mut c_void {
        // SAFETY: callers hold the interpreter's lock.
        unsafe { (self.get)((self.current)()) }
    }

    fn run_by(&self, function: RunFrame) {
        // SAFETY: callers hold the interpreter's lock, and the function is of the type that is asked for.
        unsafe { (self.set)((self.current)(), function as *mut c_void) };
    }

    fn restore(&self) {
        self.run_by(self.default);
    }

    /// Whether it works here, or why not.
    fn trials(&self, py: Python<'_>, limit: usize) -> PyResult<Result<(), String>> {
        if !self.trial(py)? {
            return Ok(Err("frames of this interpreter are not laid out as those of its version are".into()));
        }
        if !self.trial_of_depth(py, limit)? {
            return Ok(Err(format!("recursion to the limit of {limit} calls would fail earlier")));
        }
        Ok(Ok(()))
    }

    /// Runs a function of which code and globals are known, and compares.
    fn trial(&self, py: Python<'_>) -> PyResult<bool> {
        let names = PyDict::new(py);
        py.run(c"def trial(n):\n    return n + 1\n", Some(&names), None)?;
        let Some(trial) = names.get_item("trial")? else { return Ok(false) };
        let code = trial.getattr("__code__")?;
        self.run_by(tried);
        let outcome = trial.call1((41,));
        self.restore();
        let seen = SEEN.each_ref().map(|seen| seen.swap(null_mut(), Relaxed));
        let is_right = seen == [code.as_ptr().cast(), names.as_ptr().cast()];
        Ok(outcome?.extract::<u32>()? == 42 && is_right)
    }

    /// Whether recursion goes as far as without us. Since 3.12 the interpreter counts calls on the machine's stack
    /// apart, and in some releases allows fewer of them than Python's own limit.
    fn trial_of_depth(&self, py: Python<'_>, limit: usize) -> PyResult<bool> {
        let names = PyDict::new(py);
        py.run(DEEP, Some(&names), None)?;
        let Some(deep) = names.get_item("deep")? else { return Ok(false) };
        self.run_by(passed_on);
        let outcome = deep.call1((limit.saturating_sub(LEFT_BELOW_LIMIT),));
        self.restore();
        Ok(outcome.is_ok())
    }
}

/// Does something on a thread of its own, which has no trace or profile function: they would see what is tried, and the
/// interpreter takes those away that fail, as they do where recursion ends. `None` if there can be no such thread.
fn elsewhere<T: Send>(py: Python<'_>, work: impl FnOnce(Python<'_>) -> T + Send) -> Option<T> {
    py.detach(|| {
        std::thread::scope(|scope| {
            let thread = std::thread::Builder::new().name("calor-trial".into()).stack_size(TRIAL_STACK_BYTES);
            thread.spawn_scoped(scope, || Python::attach(work)).ok()?.join().ok()
        })
    })
}

/// The stack of the thread that tries: as that of a program usually is.
const TRIAL_STACK_BYTES: usize = 8 << 20;
/// A function that calls itself so many times.
const DEEP: &CStr = c"
def deep(n):
    return 0 if n <= 0 else deep(n - 1)
";
/// Calls that are left below the limit for what runs the trial itself.
const LEFT_BELOW_LIMIT: usize = 30;

/// Where frames of this version have their code and their globals.
fn offsets(py: Python<'_>) -> Option<(usize, usize)> {
    let found = py.version_info();
    let version = Version { minor: found.minor, micro: Some(found.patch), level: Level::Final };
    // Behind the function that runs, or behind what the caller put there; the same in all releases of a version.
    let globals = match (found.major, found.minor) {
        (3, 9 | 10) => 48,
        (3, 11) => 8,
        (3, 12 | 13) => 24,
        _ => return None,
    };
    // Since 3.13 the first word of a frame is what it executes, as the interpreter's own table of offsets has it.
    let code = Layout::of(version).map_or(0, |layout| layout.frame.code as usize);
    Some((code, globals))
}

/// A field of a frame.
///
/// # Safety
/// The frame is one that the interpreter wants to run.
#[inline(always)]
unsafe fn field(frame: *mut c_void, offset: &AtomicUsize) -> *mut PyObject {
    // SAFETY: the trial has shown that this field is there.
    unsafe { frame.byte_add(offset.load(Relaxed)).cast::<*mut PyObject>().read() }
}

/// Runs a frame as the interpreter would.
#[inline(always)]
unsafe fn run(thread: *mut c_void, frame: *mut c_void, is_thrown_into: c_int) -> *mut PyObject {
    // SAFETY: it was set before this is called, to the interpreter's own function.
    unsafe { transmute::<*mut c_void, RunFrame>(DEFAULT.load(Relaxed))(thread, frame, is_thrown_into) }
}

unsafe extern "C" fn traced<const LOOKS_FOR_ROOM: bool>(
    thread: *mut c_void,
    frame: *mut c_void,
    is_thrown_into: c_int,
) -> *mut PyObject {
    if !IS_ON.load(Relaxed) {
        // SAFETY: handed on as it came.
        return unsafe { run(thread, frame, is_thrown_into) };
    }
    // SAFETY: the interpreter calls this with its lock held and a frame to run.
    // It is handed on as it came and is gone afterwards; by then it is the same thread. Sites are kept for good.
    unsafe {
        let code = field(frame, &CODE_OFFSET);
        let known = codes::known(code);
        // Before anything is named: that may run code of Python's, which comes back here.
        if LOOKS_FOR_ROOM && stack_room::is_deep() {
            if is_limit_raised() {
                return untraced(thread, frame, is_thrown_into);
            }
            if !stack_room::is_there() {
                return refuse(is_thrown_into != 0);
            }
        }
        let learnt = || (codes::learn(code, field(frame, &GLOBALS_OFFSET)), null_mut());
        let (site, last) = known.unwrap_or_else(learnt);
        // The frame is not among those that run yet.
        settle();
        // Only a function that is recorded gives its thread a recorder: by then the thread has a name.
        let Some((site, here)) = site.as_ref().and_then(|site| Some((site, here::of_thread()?))) else {
            return run(thread, frame, is_thrown_into);
        };
        let call = here.enter_call_again(site, last);
        let result = run(thread, frame, is_thrown_into);
        here.leave_call(call);
        result
    }
}

/// Whether the program allows deeper recursion than there is room for: it did so after tracing began.
#[cold]
fn is_limit_raised() -> bool {
    // SAFETY: the interpreter's lock is held.
    usize::try_from(unsafe { pyo3::ffi::Py_GetRecursionLimit() })
        .is_ok_and(|limit| limit > MAX_RECURSION_LIMIT)
}

/// Runs a frame, and all that it calls, as the interpreter does by itself: deep recursion then takes what it takes without us.
/// To hand frames on as they come is not enough, also where they nest anyway: each would have one of ours beside it on the stack. The
/// interpreter has one function that runs frames, so calls of other threads are not seen meanwhile either.
///
/// # Safety
/// As for [`run`], with the interpreter's lock held.
#[cold]
unsafe fn untraced(thread: *mut c_void, frame: *mut c_void, is_thrown_into: c_int) -> *mut PyObject {
    stack_room::UNTRACED.fetch_add(1, Relaxed);
    let ours = traced::<true> as *mut c_void;
    let interface = Interface::find().filter(|interface| interface.running() == ours);
    let Some(interface) = interface else {
        // SAFETY: by the caller's promise.
        return unsafe { run(thread, frame, is_thrown_into) };
    };
    interface.restore();
    SUSPENDED.fetch_add(1, Relaxed);
    // SAFETY: by the caller's promise.
    let result = unsafe { run(thread, frame, is_thrown_into) };
    SUSPENDED.fetch_sub(1, Relaxed);
    if IS_ON.load(Relaxed) && interface.running() == interface.default as *mut c_void {
        interface.run_by(traced::<true>);
    }
    result
}

/// Does not run a frame: there is no room for it. In the versions where this is asked, whoever wants a frame run puts it
/// away as well.
#[cold]
fn refuse(is_thrown_into: bool) -> *mut PyObject {
    if is_thrown_into {
        stack_room::TRACED.fetch_add(1, Relaxed);
        return null_mut();
    }
    let message =
        c"maximum recursion depth exceeded: Calor traces functions, and the machine's stack ends here";
    // SAFETY: the interpreter's lock is held, and no exception is under way.
    unsafe { stack_room::refuse(&stack_room::TRACED, message) }
}

/// As [`traced`], without a trace.
unsafe extern "C" fn passed_on(
    thread: *mut c_void,
    frame: *mut c_void,
    is_thrown_into: c_int,
) -> *mut PyObject {
    // SAFETY: handed on as it came.
    unsafe { run(thread, frame, is_thrown_into) }
}

/// Remembers what a trial's frame holds where the fields should be.
unsafe extern "C" fn tried(thread: *mut c_void, frame: *mut c_void, is_thrown_into: c_int) -> *mut PyObject {
    for (seen, offset) in SEEN.iter().zip([&CODE_OFFSET, &GLOBALS_OFFSET]) {
        if seen.load(Relaxed).is_null() {
            // SAFETY: a frame is longer than any of these offsets in every version that is tried.
            seen.store(unsafe { field(frame, offset) }.cast(), Relaxed);
        }
    }
    // SAFETY: handed on as it came.
    unsafe { run(thread, frame, is_thrown_into) }
}
