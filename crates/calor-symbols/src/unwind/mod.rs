//! From a thread's registers and a copy of its stack to the addresses it came through.
//!
//! **You get** whole stacks of ordinary code, built without frame pointers included: functions that realign their
//! stack for vector registers, procedure linkage tables, signal handlers on stacks of their own, and hand-written
//! assembly where what it left on the stack can be checked. **You bring** the images that are mapped, where they are
//! ([`Space`]) and what is in memory ([`Memory`]).
//!
//! It is fast because nearly all code says of its caller only where it is from `rsp` or `rbp`. Those rules are small,
//! are read once for each function and found again by address; the quick walk knows nothing else. A stack that needs
//! more is walked anew with all registers. It does not guess: a stack that cannot be followed ends with the reason.

mod cache;
mod compile;
mod expression;
mod module;
mod quick;
mod registers;
mod rule;
mod search;
mod starts;
mod thorough;
mod unruled;
mod x86_64;

use std::sync::Arc;

use crate::image::Image;
use cache::Cache;
use compile::Context;
use module::Module;
pub use registers::Registers;
pub use starts::FunctionStarts;

/// Which of an unwinder's modules.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct ModuleId(u32);

/// An address as a module sees it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Place {
    /// The module it is in.
    pub module: ModuleId,
    /// The address by the module's own reckoning: less the bias it is mapped with.
    pub svma: u64,
}

/// The address space of a process at an instant.
pub trait Space {
    /// Which module an address is in. It is asked once for each frame and the walk waits for it: an answer that
    /// looks first where the last one was found makes walks faster by a third.
    fn find(&self, address: u64) -> Option<Place>;
}

/// What is in the memory of a process.
pub trait Memory {
    /// The eight bytes at an address, which need not be a multiple of eight.
    fn word(&mut self, address: u64) -> Option<u64>;
}

/// Why a walk ended.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum End {
    /// The thread's first function: the stack is whole.
    Root,
    /// Memory at this address was not to be had.
    Cut {
        /// What could not be read.
        address: u64,
    },
    /// No module has this address, which is the last one of the stack.
    NoModule {
        /// The address.
        address: u64,
    },
    /// Nothing tells how to get from this address, which is the last one of the stack, to its caller.
    NoRule {
        /// The address.
        address: u64,
    },
    /// The stack leads in a circle.
    Stuck,
    /// There are more frames than were asked for.
    Limit,
}

/// Why a rule gave no value.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
enum Fault {
    Memory(u64),
    Rule,
}

/// The modules of a recording and the rules read from them so far, for all its processes.
pub struct Unwinder {
    modules: Vec<Module>,
    cache: Cache,
    context: Box<Context>,
    /// The stack pointer of each frame of the last walk.
    tops: Vec<u64>,
}

impl Default for Unwinder {
    fn default() -> Self {
        Self::new()
    }
}

impl std::fmt::Debug for Unwinder {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Unwinder").field("n_modules", &self.modules.len()).finish_non_exhaustive()
    }
}

impl Unwinder {
    /// One without modules.
    #[must_use]
    pub fn new() -> Self {
        Self {
            modules: Vec::new(),
            cache: Cache::new(),
            context: Box::new(Context::new_in()),
            tops: Vec::new(),
        }
    }

    /// Adds an image, once for all processes that map it.
    ///
    /// # Panics
    /// With more than four thousand million images.
    pub fn add(&mut self, image: Arc<Image>) -> ModuleId {
        let id = u32::try_from(self.modules.len()).ok().filter(|&id| id != u32::MAX);
        self.modules.push(Module::new(image));
        ModuleId(id.expect("an image takes memory, so there are fewer"))
    }

    /// Appends the addresses to look up, innermost first, at most `limit`: the instruction pointer itself, then
    /// return addresses less one, which is within the calling instruction; where a signal came in, again the
    /// instruction pointer itself.
    pub fn walk(
        &mut self,
        space: &impl Space,
        registers: &Registers,
        memory: &mut impl Memory,
        limit: usize,
        out: &mut Vec<u64>,
    ) -> End {
        let first = out.len();
        self.tops.clear();
        if !cfg!(target_arch = "x86_64") {
            out.push(registers.ip());
            return End::NoRule { address: registers.ip() };
        }
        self.quick(space, registers, memory, limit, out).unwrap_or_else(|| {
            out.truncate(first);
            self.tops.clear();
            self.thorough(space, registers, memory, limit, out)
        })
    }

    /// Where the stack stood in each frame of the last walk: what a function keeps on the stack lies from its own
    /// value up to its caller's.
    pub fn tops(&self) -> &[u64] {
        &self.tops
    }

    /// The registers in the frame that is so many calls further out, as far as they are known there.
    pub fn registers_of(
        &mut self,
        space: &impl Space,
        registers: &Registers,
        memory: &mut impl Memory,
        calls: usize,
    ) -> Option<Registers> {
        let (mut registers, mut is_exact) = (*registers, true);
        for _ in 0..calls {
            (registers, is_exact) = self.caller(space, &registers, is_exact, memory).1.ok()?;
        }
        Some(registers)
    }
}
