//! What each thread keeps for the allocator. Without a destructor, so that it can be reached from the first block of a
//! thread to the last.
//!
//! Where it can be, it is storage that lies at a fixed distance from the thread's pointer. The compiler's own is reached
//! by what is a call as long as it does not know that it is linked into a program: so everything would be saved around it,
//! for every block. A library that is loaded later finds little room there, or none: it has the compiler's own, and no
//! allocator but blocks that others tell of.

#![expect(unsafe_code, reason = "thread-local storage is reached by pointer")]

use std::cell::Cell;

use calor_heap::ThreadSlot;

use crate::recorder::memory::Block;

/// Zeroed memory is that of a thread that just began.
#[repr(C, align(64))]
pub(crate) struct Local {
    pub(super) slot: ThreadSlot,
    /// That of Calor's own memory; the two change places while Calor is at work on this thread.
    pub(super) own: ThreadSlot,
    /// Bytes allocated by this thread less those it freed: what scopes measure their peaks by.
    pub(super) net: Cell<i64>,
    /// Where the scopes of the thread are kept; null while it has none.
    pub(crate) block: Cell<*const Block>,
    pub(super) own_depth: Cell<u32>,
    /// How deep the thread is inside allocators that others tell of.
    pub(super) told_depth: Cell<u16>,
    /// Whether the recorder itself is at work on this thread: what it allocates is not the program's.
    pub(crate) is_at_work: Cell<bool>,
    /// Those of blocks that others tell of: sampled ones, and all.
    pub(super) told: [ThreadSlot; 2],
}

#[cfg(all(feature = "heap", target_os = "linux", target_arch = "x86_64", target_env = "gnu"))]
mod storage {
    use super::Local;

    const _: () = assert!(size_of::<Local>() == 64);

    /// The version is a part of it: a program may have several.
    macro_rules! symbol {
        () => {
            concat!(
                "calor_local_",
                env!("CARGO_PKG_VERSION_MAJOR"),
                "_",
                env!("CARGO_PKG_VERSION_MINOR"),
                "_",
                env!("CARGO_PKG_VERSION_PATCH"),
            )
        };
    }

    core::arch::global_asm!(
        ".pushsection .tbss,\"awT\",@nobits",
        ".balign 64",
        concat!(".type ", symbol!(), ",@object"),
        concat!(".globl ", symbol!()),
        concat!(".hidden ", symbol!()),
        concat!(symbol!(), ":"),
        ".zero 64",
        concat!(".size ", symbol!(), ",64"),
        ".popsection",
    );

    #[inline(always)]
    pub(super) fn local<'a>() -> &'a Local {
        let at: *const Local;
        // SAFETY: the symbol is defined above, zeroed, as large and as aligned as the type; it lives as long as its thread,
        // which is the one that runs.
        unsafe {
            core::arch::asm!(
                concat!("mov {at}, qword ptr [rip + ", symbol!(), "@GOTTPOFF]"),
                "add {at}, qword ptr fs:[0]",
                at = out(reg) at,
                options(pure, nomem, nostack),
            );
            &*at
        }
    }
}

#[cfg(not(all(feature = "heap", target_os = "linux", target_arch = "x86_64", target_env = "gnu")))]
mod storage {
    use std::cell::Cell;
    use std::ptr::{null, null_mut};

    use super::Local;

    #[inline(always)]
    pub(super) fn local<'a>() -> &'a Local {
        // SAFETY: it lives as long as its thread, which is the one that runs, and has no destructor. Handed out as a
        // pointer since a closure around all that is done with it would not be inlined.
        unsafe { &*LOCAL.with(std::ptr::from_ref) }
    }

    thread_local! {
        static LOCAL: Local = const { Local {
            slot: Cell::new(null_mut()),
            own: Cell::new(null_mut()),
            net: Cell::new(0),
            block: Cell::new(null()),
            own_depth: Cell::new(0),
            told_depth: Cell::new(0),
            is_at_work: Cell::new(false),
            told: [const { Cell::new(null_mut()) }; 2],
        } };
    }
}

impl Local {
    /// Bytes allocated by this thread less those it freed.
    pub(crate) fn net(&self) -> i64 {
        self.net.get()
    }
}

/// That of the thread that runs.
#[inline(always)]
pub(crate) fn local<'a>() -> &'a Local {
    storage::local()
}
