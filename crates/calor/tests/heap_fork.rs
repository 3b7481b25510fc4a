//! A program with the allocator that forks while its threads allocate: the child goes on, and counts for itself.

#![cfg(all(feature = "heap", target_os = "linux"))]
#![expect(unsafe_code, reason = "a fork is a system call")]

use std::alloc::System;
use std::hint::black_box;
use std::sync::atomic::AtomicBool;
use std::sync::atomic::Ordering::Relaxed;

#[global_allocator]
static ALLOCATOR: calor::Alloc = calor::Alloc::exact(System);

#[inline(never)]
fn made_by_the_child() -> Vec<Vec<u8>> {
    (0..100).map(|_| black_box(vec![1; 1000])).collect()
}

/// What a child finds, as its exit code.
fn child() -> i32 {
    let before = calor::heap::live_bytes().unwrap_or(0);
    let kept = made_by_the_child();
    let after = calor::heap::live_bytes().unwrap_or(0);
    let is_counted = after.saturating_sub(before) >= 100_000;
    drop(kept);
    i32::from(!is_counted)
}

#[test]
fn children_of_a_program_with_threads_go_on_and_count_for_themselves() {
    static IS_OVER: AtomicBool = AtomicBool::new(false);
    let threads: Vec<_> = (0..3)
        .map(|_| {
            std::thread::spawn(|| {
                while !IS_OVER.load(Relaxed) {
                    black_box(made_by_the_child());
                }
            })
        })
        .collect();
    for _ in 0..20 {
        // SAFETY: the child calls nothing that another thread may hold a lock of but the allocator, which the C library
        // makes ready for it.
        let process = unsafe { libc::fork() };
        if process == 0 {
            let code = child();
            // SAFETY: it ends here.
            unsafe { libc::_exit(code) };
        }
        let mut status = 0;
        // SAFETY: the status is a number of ours.
        unsafe { libc::waitpid(process, &raw mut status, 0) };
        assert!(libc::WIFEXITED(status), "the child was ended by signal {}", libc::WTERMSIG(status));
        assert_eq!(libc::WEXITSTATUS(status), 0, "the child did not count what it made");
    }
    IS_OVER.store(true, Relaxed);
    for thread in threads {
        thread.join().expect("it only allocates");
    }
}
