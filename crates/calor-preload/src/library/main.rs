//! The library that is loaded into programs. What it is told of there comes in by a door, which is a folder here: today the
//! heap, for which it stands before all others. What doors share lies beside them: the C library's functions, what a thread
//! keeps, memory for the loader, and the ends of a process.
//!
//! Nothing here may allocate, lock or fail: a program with this library does what it does without.
//!
//! # Safety
//! `abort` may be called at any time.

#![cfg_attr(calor_library, no_std)]
#![expect(unsafe_code, reason = "these functions are called by C programs, and call the allocator of C")]
#![expect(unreachable_pub, reason = "what has a name of the C library is called from outside")]
#![expect(non_snake_case, reason = "the functions are those of the C and C++ standards")]
#![expect(clippy::undocumented_unsafe_blocks, reason = "every call passes on what it was given")]

mod early;
mod heap;
mod process;
mod real;
mod slot;

#[cfg(calor_library)]
#[panic_handler]
fn stop(_: &core::panic::PanicInfo<'_>) -> ! {
    // The core is written not to panic; if it does, the program must not go on with a broken state.
    unsafe { real::abort() }
}

// The core library was compiled for programs that unwind, and names this function though nothing here unwinds. It must
// not be seen from outside, where other libraries have the real one.
#[cfg(calor_library)]
core::arch::global_asm!(
    ".globl rust_eh_personality",
    ".hidden rust_eh_personality",
    "rust_eh_personality:",
    "ud2",
);
