//! The call path that leads to an instruction. Each return address has a rule that says where its caller's frame is; rules come
//! from the unwind tables that every program carries for its exceptions, are worked out once, and kept. Neither
//! frame pointers nor a library is needed.
//!
//! Most call paths begin like the one before: see [`path`].
//!
//! # Safety
//! Reading registers has no effect but the answer.

pub(crate) mod cfi;
mod known;
pub(crate) mod objects;
pub(crate) mod path;
pub(crate) mod rule;
pub(crate) mod rules;
pub(crate) mod stack_range;

/// Where a thread is: what unwinding begins with.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Registers {
    /// The instruction.
    pub pc: usize,
    /// The stack pointer.
    pub sp: usize,
    /// The frame pointer, whatever it is used for.
    pub bp: usize,
}

impl Registers {
    /// Those of the function that this is inlined into.
    #[inline(always)]
    #[must_use]
    pub fn here() -> Self {
        let (pc, sp, bp);
        #[cfg(target_arch = "x86_64")]
        unsafe {
            core::arch::asm!(
                "lea {pc}, [rip]",
                "mov {sp}, rsp",
                "mov {bp}, rbp",
                pc = out(reg) pc,
                sp = out(reg) sp,
                bp = out(reg) bp,
                options(nomem, nostack, preserves_flags),
            );
        }
        #[cfg(target_arch = "aarch64")]
        unsafe {
            core::arch::asm!(
                "adr {pc}, .",
                "mov {sp}, sp",
                "mov {bp}, x29",
                pc = out(reg) pc,
                sp = out(reg) sp,
                bp = out(reg) bp,
                options(nomem, nostack, preserves_flags),
            );
        }
        Self { pc, sp, bp }
    }
}
