//! C++'s `new` and `delete`. Allocators that replace them do not call `malloc`, so they are taken here. An exception
//! must not pass through a function of ours: where there is no memory, the real operator is jumped to as if we had not
//! been there, and it throws.
//!
//! # Safety
//! The operators do what the C++ standard demands of them by `malloc` and `free`; the jump to the real operator leaves the stack
//! and the arguments as they were at the call.

use core::ffi::c_void;

use super::allocate::{free, malloc, memalign};
use crate::real::Function;

macro_rules! throwing {
    ($($symbol:ident = $text:literal($($argument:ident),*) by $body:ident;)*) => {
        $(
            const _: () = {
                static REAL: Function = Function::new($text);

                /// The block, or where to go for an exception: a block's address is even, and so is a function's;
                /// which of the two it is stands in the second register of the answer.
                extern "C" fn decide($($argument: usize),*) -> Answer {
                    let block = unsafe { $body($($argument),*) };
                    let go_to = if block.is_null() { REAL.address().unwrap_or(0) } else { 0 };
                    Answer { block, go_to }
                }

                #[unsafe(no_mangle)]
                #[unsafe(naked)]
                pub unsafe extern "C" fn $symbol($($argument: usize),*) -> *mut c_void {
                    // The call path goes through here, so the frame has to be described.
                    core::arch::naked_asm!(
                        ".cfi_startproc",
                        "push rdi",
                        ".cfi_adjust_cfa_offset 8",
                        "push rsi",
                        ".cfi_adjust_cfa_offset 8",
                        "sub rsp, 8",
                        ".cfi_adjust_cfa_offset 8",
                        "call {decide}",
                        "add rsp, 8",
                        ".cfi_adjust_cfa_offset -8",
                        "pop rsi",
                        ".cfi_adjust_cfa_offset -8",
                        "pop rdi",
                        ".cfi_adjust_cfa_offset -8",
                        "test rdx, rdx",
                        "jnz 2f",
                        "ret",
                        "2:",
                        "jmp rdx",
                        ".cfi_endproc",
                        decide = sym decide,
                    )
                }
            };
        )*
    };
}

#[repr(C)]
struct Answer {
    block: *mut c_void,
    go_to: usize,
}

unsafe fn plain(size: usize) -> *mut c_void {
    unsafe { malloc(size.max(1)) }
}

unsafe fn aligned(size: usize, alignment: usize) -> *mut c_void {
    unsafe { memalign(alignment, size.max(1)) }
}

throwing! {
    _Znwm = c"_Znwm"(size) by plain;
    _Znam = c"_Znam"(size) by plain;
    _ZnwmSt11align_val_t = c"_ZnwmSt11align_val_t"(size, alignment) by aligned;
    _ZnamSt11align_val_t = c"_ZnamSt11align_val_t"(size, alignment) by aligned;
}

macro_rules! not_throwing {
    ($($symbol:ident($($argument:ident),*) = $block:expr;)*) => {
        $(
            #[unsafe(no_mangle)]
            pub unsafe extern "C" fn $symbol($($argument: usize),*) -> *mut c_void {
                unsafe { $block }
            }
        )*
    };
}

not_throwing! {
    _ZnwmRKSt9nothrow_t(size, _nothrow) = plain(size);
    _ZnamRKSt9nothrow_t(size, _nothrow) = plain(size);
    _ZnwmSt11align_val_tRKSt9nothrow_t(size, alignment, _nothrow) = aligned(size, alignment);
    _ZnamSt11align_val_tRKSt9nothrow_t(size, alignment, _nothrow) = aligned(size, alignment);
}

macro_rules! deleting {
    ($($symbol:ident($($argument:ident),*);)*) => {
        $(
            #[unsafe(no_mangle)]
            pub unsafe extern "C" fn $symbol(block: *mut c_void $(, $argument: usize)*) {
                unsafe { free(block) };
            }
        )*
    };
}

deleting! {
    _ZdlPv();
    _ZdaPv();
    _ZdlPvm(_size);
    _ZdaPvm(_size);
    _ZdlPvRKSt9nothrow_t(_nothrow);
    _ZdaPvRKSt9nothrow_t(_nothrow);
    _ZdlPvSt11align_val_t(_alignment);
    _ZdaPvSt11align_val_t(_alignment);
    _ZdlPvmSt11align_val_t(_size, _alignment);
    _ZdaPvmSt11align_val_t(_size, _alignment);
    _ZdlPvSt11align_val_tRKSt9nothrow_t(_alignment, _nothrow);
    _ZdaPvSt11align_val_tRKSt9nothrow_t(_alignment, _nothrow);
}
