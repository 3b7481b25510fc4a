//! The way in: a number for the call path that leads to an instruction.
//!
//! # Safety
//! Paths are started before they are asked for, and their region is mapped as long as the process runs. A walker is reached by
//! its own thread alone, which is not inside of it twice: whoever calls promises it.

use core::cell::UnsafeCell;
use core::sync::atomic::Ordering::{AcqRel, Relaxed};
use core::sync::atomic::{AtomicPtr, AtomicU32, AtomicUsize};

use crate::clock;
use crate::layout::store_bytes;
use crate::modules::Modules;
use crate::nodes::Nodes;
use crate::python::{Attached, Codes, Frames, Interpreter};
use crate::region::Region;
use crate::sites::{Place, Sites};
use crate::sys;
use crate::walk::Registers;
use crate::walk::path::{Path, mixed};
use crate::walk::rules::Rules;

/// What the threads of a process share. Zeroed memory is paths that were not started.
#[repr(C)]
pub struct Paths {
    region: AtomicUsize,
    rules: AtomicUsize,
    /// The interpreter whose functions are parts of paths, if there is one.
    python: AtomicPtr<Interpreter>,
    /// How often code was unloaded.
    unloaded: AtomicU32,
    /// Whether the interpreter was told that it runs.
    has_run_first: AtomicU32,
    nodes: Nodes,
    sites: Sites,
    codes: Codes,
    modules: Modules,
}

/// What a thread keeps of its last paths. Zeroed memory is a walker that has not walked.
#[repr(C)]
pub struct Walker {
    path: UnsafeCell<Path>,
    frames: UnsafeCell<Frames>,
    attached: Attached,
}

impl Paths {
    /// Begins: from here on paths are written down in `region`.
    pub fn start(&self, region: Region, rules: Rules) {
        let header = region.header();
        header.process.store(sys::process_id(), Relaxed);
        header.started_ticks.store(clock::ticks(), Relaxed);
        header.started_nanos.store(sys::monotonic_nanos(), Relaxed);
        let mut executable = [0; 512];
        let length = sys::read_link(b"/proc/self/exe", &mut executable);
        store_bytes(&header.executable, &executable[..length.min(511)]);
        self.region.store(core::ptr::from_ref(header) as usize, Relaxed);
        self.rules.store(rules.address(), Relaxed);
    }

    /// Where they are written down.
    #[inline(always)]
    #[must_use]
    pub fn region(&self) -> Region {
        unsafe { Region::at(self.region.load(Relaxed)) }
    }

    /// The number of the call path that leads to `registers`; 0 when there is no room for it.
    ///
    /// # Safety
    /// The paths were started. The registers are those of a function that is running on this thread, whose walker this is,
    /// and which is not inside this function already.
    #[inline(always)]
    pub unsafe fn site(&self, walker: &Walker, registers: Registers) -> u32 {
        let path = unsafe { &mut *walker.path.get() };
        if self.python.load(Relaxed).is_null()
            && let Some(site) = path.known_site(registers, self.unloaded.load(Relaxed))
        {
            return site;
        }
        self.walked_site(walker, registers.pc, registers.sp, registers.bp)
    }

    /// The same of a path that is not known yet, or that has Python's functions too. The registers come one by one: as one they
    /// would be written to memory before it is known whether they are needed there, and those that read them wait for that.
    #[inline(never)]
    fn walked_site(&self, walker: &Walker, pc: usize, sp: usize, bp: usize) -> u32 {
        let registers = Registers { pc, sp, bp };
        let path = unsafe { &mut *walker.path.get() };
        let (region, rules) = (self.region(), Rules::at(self.rules.load(Relaxed)));
        let hear = |object: &_| self.modules.remember(region, object);
        let walked = path.walk(rules, registers, self.unloaded.load(Relaxed), &hear);
        let native = |path: &mut Path| {
            if walked.is_known {
                path.walk_anew(rules, registers, &hear);
            }
            path.node(&self.nodes, region)
        };
        let python = self.python.load(Relaxed);
        // A handler may have come while the interpreter changes its frames.
        if !python.is_null() && !walked.has_signal {
            let (frames, python) = unsafe { (&mut *walker.frames.get(), &*python) };
            let on_stack = |address| path.is_on_stack(address);
            let hash = frames.walk(python, &self.codes, region, &walker.attached, on_stack);
            if hash != 0 {
                return self.sites.number(region, mixed(walked.hash, hash as usize), || {
                    Some(Place { native: native(path)?, python: frames.node(&self.nodes, region)? })
                });
            }
        }
        if walked.site != 0 {
            return walked.site;
        }
        let place = || Some(Place { native: native(path)?, python: 0 });
        let site = self.sites.number(region, walked.hash, place);
        path.name(site, &walked);
        site
    }

    /// A file was unloaded: what was known of its code may be wrong for what is loaded there next.
    pub fn forget_code(&self) {
        self.unloaded.fetch_add(1, AcqRel);
    }

    /// With an interpreter, its functions become parts of paths.
    pub fn watch_python(&self, interpreter: Option<&'static Interpreter>) {
        let interpreter = interpreter.map_or(core::ptr::null(), core::ptr::from_ref);
        self.python.store(interpreter.cast_mut(), Relaxed);
    }

    /// Tells the interpreter that it runs, once one of its functions was met by a thread that holds its lock.
    #[inline(always)]
    pub fn greet_python(&self, walker: &Walker) {
        if !self.python.load(Relaxed).is_null() && self.has_run_first.load(Relaxed) == 0 {
            self.run_first(walker);
        }
    }

    #[cold]
    #[inline(never)]
    fn run_first(&self, walker: &Walker) {
        let is_due = walker.attached.is_now.get() && self.region().header().functions.load(Relaxed) != 0;
        if is_due && let Some(interpreter) = unsafe { self.python.load(Relaxed).as_ref() } {
            self.has_run_first.store(1, Relaxed);
            (interpreter.runs_first)();
        }
    }

    /// Whether a Python function may lie in the block at this address.
    #[inline(always)]
    #[must_use]
    pub fn may_be_function(&self, address: usize) -> bool {
        self.codes.may_hold(address)
    }

    /// The function that lies in the block at this address is freed.
    pub fn forget_function(&self, address: usize) {
        self.codes.forget(address);
    }

    /// Nobody told for a while which functions are gone: whatever lies at their addresses is looked at anew.
    pub fn forget_functions(&self) {
        self.codes.forget_all();
    }
}

impl Walker {
    /// The thread is another one now. Called by that thread.
    ///
    /// # Safety
    /// As for [`Paths::site`].
    pub unsafe fn forget(&self) {
        unsafe {
            (*self.path.get()).forget();
            (*self.frames.get()).forget();
        }
        self.attached.state.set(0);
    }
}
