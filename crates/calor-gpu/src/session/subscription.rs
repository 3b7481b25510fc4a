//! What CUPTI was asked for: it has one user at a time, and what others asked of it before is theirs. So all that is asked for is
//! remembered, and that is what is undone.

#![expect(unsafe_code, reason = "CUPTI is called by the addresses of its functions")]

use std::ffi::{CStr, c_char, c_void};
use std::ptr::null_mut;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

use super::GpuError;
use super::library::{Called, Completed, Cupti, Requested, SUCCESS, refusal};
use crate::activity;

/// Areas of functions, as CUPTI numbers them: of the driver and of the runtime above it.
const DRIVER: u32 = 1;
const RUNTIME: u32 = 2;
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
/// That of the driver which all kernels go through: without it none would have a place.
const LAUNCHES_KERNELS: &str = "cuLaunchKernel";
/// What copies between devices are called where they are refused.
pub const COPIES_BETWEEN: &str = "copies between devices";
/// Records of what is not done yet are wanted, too: for the end, behind which nobody asks any more.
const FORCED: u32 = 1;

/// What was asked for.
pub(super) struct Subscription {
    handle: *mut c_void,
    kinds: Vec<u32>,
    calls: Vec<(u32, u32)>,
    /// What CUPTI does not tell of, where the rest is worth having.
    refused: Vec<String>,
}

// SAFETY: the handle is only handed back to CUPTI, which may be called from any thread.
unsafe impl Send for Subscription {}

impl Subscription {
    /// Asks for all of it; where that cannot be, nothing is left behind.
    pub(super) fn begin(
        cupti: &Cupti,
        (called, requested, completed): (Called, Requested, Completed),
    ) -> Result<Self, GpuError> {
        let mut handle = null_mut();
        // SAFETY: it writes a pointer, and calls `called` until `unsubscribe`.
        check("a subscription", unsafe { (cupti.subscribe)(&raw mut handle, called, null_mut()) })?;
        let mut made = Self { handle, kinds: Vec::new(), calls: Vec::new(), refused: Vec::new() };
        match made.ask(cupti, requested, completed) {
            Ok(()) => Ok(made),
            Err(error) => {
                made.end(cupti, &AtomicBool::new(false));
                Err(error)
            }
        }
    }

    /// What CUPTI refused to tell of.
    pub(super) fn refused(&self) -> &[String] {
        &self.refused
    }

    /// Ends all of it. `is_last` is set while records are handed over that nobody waits for.
    pub(super) fn end(self, cupti: &Cupti, is_last: &AtomicBool) {
        // SAFETY: the functions are there as long as the process is, and the handle is not used again.
        unsafe {
            if !self.kinds.is_empty() {
                (cupti.flush)(0);
            }
            for &(area, number) in &self.calls {
                (cupti.enable_call)(0, self.handle, area, number);
            }
            for &kind in &self.kinds {
                (cupti.disable)(kind);
            }
            if !self.kinds.is_empty() {
                is_last.store(true, Relaxed);
                (cupti.flush)(FORCED);
                is_last.store(false, Relaxed);
            }
            (cupti.unsubscribe)(self.handle);
        }
    }

    fn ask(&mut self, cupti: &Cupti, requested: Requested, completed: Completed) -> Result<(), GpuError> {
        // SAFETY: the functions are there as long as the process is.
        check("to hand over records", unsafe { (cupti.register)(requested, completed) })?;
        for kind in [activity::KERNEL, activity::COPY, activity::FILL] {
            // SAFETY: as above.
            check("records of kernels and copies", unsafe { (cupti.enable)(kind) })?;
            self.kinds.push(kind);
        }
        // SAFETY: as above.
        match unsafe { (cupti.enable)(activity::COPY_BETWEEN) } {
            SUCCESS => self.kinds.push(activity::COPY_BETWEEN),
            // Machines with one GPU need not know it.
            _ => self.refused.push(COPIES_BETWEEN.to_owned()),
        }
        self.listen(cupti)
    }

    /// Asks to be told of all calls that have a GPU do something.
    fn listen(&mut self, cupti: &Cupti) -> Result<(), GpuError> {
        let (mut has_kernels, mut refused_by) = (false, SUCCESS);
        for (area, number) in
            [DRIVER, RUNTIME].into_iter().flat_map(|area| (1..MOST_CALLS).map(move |number| (area, number)))
        {
            let mut name: *const c_char = std::ptr::null();
            // SAFETY: it writes a pointer to a text that stays, where there is such a function.
            let answer = unsafe { (cupti.name_of_call)(area, number, &raw mut name) };
            if answer != SUCCESS || name.is_null() {
                continue;
            }
            // SAFETY: as above.
            let name = unsafe { CStr::from_ptr(name) }.to_string_lossy();
            if !LAUNCHES_BEGIN.iter().any(|begin| name.starts_with(begin)) {
                continue;
            }
            // SAFETY: the handle is that of the subscription.
            match unsafe { (cupti.enable_call)(1, self.handle, area, number) } {
                SUCCESS => {
                    self.calls.push((area, number));
                    has_kernels |= area == DRIVER && name.starts_with(LAUNCHES_KERNELS);
                }
                code => {
                    self.refused.push(name.into_owned());
                    refused_by = code;
                }
            }
        }
        if has_kernels { Ok(()) } else { Err(refusal("to tell of launches", refused_by)) }
    }
}

fn check(what: &'static str, answer: u32) -> Result<(), GpuError> {
    if answer == SUCCESS { Ok(()) } else { Err(refusal(what, answer)) }
}
