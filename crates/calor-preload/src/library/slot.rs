//! Where each thread keeps its pointer: thread-local storage that is there as soon as the thread is and that takes no
//! call to reach. Rust's own may allocate on first use in a loaded library.
//!
//! # Safety
//! The symbol is defined here, in thread-local storage that every thread has from its beginning, zeroed, as large as the type.

use core::cell::Cell;

use calor_heap::ThreadSlot;

#[cfg(target_arch = "x86_64")]
core::arch::global_asm!(
    ".section .tbss,\"awT\",@nobits",
    ".balign 16",
    ".type calor_thread_slot,@object",
    ".hidden calor_thread_slot",
    "calor_thread_slot:",
    ".zero 16",
    ".size calor_thread_slot,16",
    ".text",
);

/// What a thread keeps.
#[repr(C)]
struct Local {
    slot: ThreadSlot,
    /// How deep it is inside an allocator that may map memory through us.
    depth: Cell<usize>,
}

/// The slot of the thread that runs.
#[inline(always)]
pub(crate) fn slot<'a>() -> &'a ThreadSlot {
    &local().slot
}

/// Whether the thread that runs is inside an allocator.
pub(crate) fn depth<'a>() -> &'a Cell<usize> {
    &local().depth
}

#[cfg(target_arch = "x86_64")]
#[inline(always)]
fn local<'a>() -> &'a Local {
    let at: *const Local;
    unsafe {
        core::arch::asm!(
            "mov {at}, qword ptr [rip + calor_thread_slot@GOTTPOFF]",
            "add {at}, qword ptr fs:[0]",
            at = out(reg) at,
            options(pure, nomem, nostack),
        );
        &*at
    }
}
