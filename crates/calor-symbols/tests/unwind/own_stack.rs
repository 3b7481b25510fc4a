//! This process's own stacks, against what the C library's unwinder finds at the same moment: Rust code, threads, and
//! a signal handler in the middle of it.

#![expect(unsafe_code, reason = "registers are read by assembly, and signals sent and handled")]

use std::arch::asm;
use std::sync::Mutex;

use calor_symbols::unwind::{End, Registers, Unwinder};

use crate::process::{Copy, Mappings};

/// What both found, as return addresses from the function that asked outwards.
struct Both {
    ours: Vec<u64>,
    end: End,
    theirs: Vec<u64>,
}

/// Walks the calling thread's stack in both ways. The first address of each is within this very function.
#[inline(never)]
fn walk_both() -> Both {
    let mut values = [0_u64; 8];
    // SAFETY: stores registers into the array, which has room for them; rax and rcx are named as used.
    unsafe {
        asm!(
            "lea rcx, [rip]",
            "mov [rax], rcx",
            "mov [rax + 8], rsp",
            "mov [rax + 16], rbp",
            "mov [rax + 24], rbx",
            "mov [rax + 32], r12",
            "mov [rax + 40], r13",
            "mov [rax + 48], r14",
            "mov [rax + 56], r15",
            in("rax") values.as_mut_ptr(),
            out("rcx") _,
        );
    }
    let [ip, sp, bp, others @ ..] = values;
    let mut registers = Registers::new(ip, sp, bp);
    for (number, value) in [3, 12, 13, 14, 15].into_iter().zip(others) {
        registers.set(number, value);
    }
    let mut frames = [std::ptr::null_mut(); 256];
    // SAFETY: the C library writes at most as many pointers as the array holds.
    let n = unsafe { libc::backtrace(frames.as_mut_ptr(), 256) };
    let theirs = frames[..usize::try_from(n).expect("a count")].iter().map(|&ip| ip as u64).collect();

    let (mut unwinder, mut mappings, pid) = (Unwinder::new(), Mappings::new(), std::process::id());
    mappings.refresh(pid, &mut unwinder);
    let mut memory = Copy::of(pid);
    memory.take(sp, 65_536);
    let mut ours = Vec::new();
    let end = unwinder.walk(&mappings, &registers, &mut memory, 256, &mut ours);
    Both { ours, end, theirs }
}

#[track_caller]
fn check(both: &Both, deepest: usize) {
    assert_eq!(both.end, End::Root, "{:x?}", both.ours);
    assert!(both.ours.len() >= deepest, "{} frames", both.ours.len());
    // The C library gives return addresses, and where a signal came in or returns to, addresses of their own.
    let ours: Vec<u64> = both.ours[1..].to_vec();
    let theirs = &both.theirs[1..];
    assert_eq!(ours.len(), theirs.len(), "ours {ours:x?}\ntheirs {theirs:x?}");
    for (our, their) in ours.iter().zip(theirs) {
        assert!(our + 1 == *their || our == their, "ours {ours:x?}\ntheirs {theirs:x?}");
    }
}

#[inline(never)]
fn nested(n: usize, then: &mut dyn FnMut()) -> usize {
    if n == 0 {
        then();
        return 1;
    }
    let inner = nested(n - 1, then);
    std::hint::black_box(inner + n)
}

#[test]
fn rust_code_is_walked_as_the_c_library_does() {
    let mut both = None;
    nested(20, &mut || both = Some(walk_both()));
    check(&both.expect("it was called"), 24);
}

#[test]
fn a_thread_ends_at_its_root() {
    let both = std::thread::spawn(|| {
        let mut both = None;
        // A closure that the standard library calls back from its sort.
        let mut numbers: Vec<usize> = (0..64).rev().collect();
        numbers.sort_by(|a, b| {
            if both.is_none() {
                nested(3, &mut || both = Some(walk_both()));
            }
            a.cmp(b)
        });
        both
    });
    check(&both.join().expect("it does not panic").expect("it was called"), 8);
}

static SEEN: Mutex<Option<Both>> = Mutex::new(None);

extern "C" fn handler(_: libc::c_int) {
    // The signal is raised by the same thread at a place where it holds no lock and does not allocate.
    *SEEN.lock().expect("nobody panics with it") = Some(walk_both());
}

#[test]
fn a_signal_handler_leads_back_to_where_the_signal_came() {
    // SAFETY: all bytes zero is a value of this structure; its handler is set before it is used.
    let mut action: libc::sigaction = unsafe { std::mem::zeroed() };
    action.sa_sigaction = handler as extern "C" fn(libc::c_int) as libc::sighandler_t;
    // SAFETY: the action is whole, and the handler does only what any code may do at the place it is raised from.
    let result = unsafe { libc::sigaction(libc::SIGUSR1, &raw const action, std::ptr::null_mut()) };
    assert_eq!(result, 0);
    nested(10, &mut || {
        // SAFETY: the signal has a handler.
        assert_eq!(unsafe { libc::raise(libc::SIGUSR1) }, 0);
    });
    let both = SEEN.lock().expect("nobody panics with it").take().expect("the handler ran");
    check(&both, 16);
}
