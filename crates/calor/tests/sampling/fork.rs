//! Forks while sampling.

use super::work::{burn, multiply_words, rotate_words};
use super::*;

pub(super) fn check(source: Source) {
    let sampling = start(source);
    burn(rotate_words, 0.1);
    // SAFETY: the child uses what Calor offers after a fork, which is the point, and leaves without unwinding.
    let pid = unsafe { libc::fork() };
    if pid == 0 {
        // SAFETY: the call has no precondition; a child that hangs is ended by it.
        unsafe { libc::alarm(60) };
        burn(multiply_words, 0.3);
        assert!(sampling.progress().is_none());
        let here = sampling.snapshot();
        assert!(here.samples.is_empty() && support::warned_at_all(&here, "sampling_not_here"));
        // It may sample for itself.
        let own = start(source);
        burn(multiply_words, 0.3);
        let profile = own.stop();
        assert!(nanos_with(&profile, "multiply_words") > 0);
        assert_eq!(nanos_with(&profile, "rotate_words"), 0);
        drop(sampling);
        std::process::exit(0);
    }
    let mut status = 0;
    // SAFETY: the pointer is to a local.
    assert_eq!(unsafe { libc::waitpid(pid, &raw mut status, 0) }, pid);
    assert_eq!(status, 0, "the forked child failed");
    burn(rotate_words, 0.1);
    let profile = sampling.stop();
    assert!(nanos_with(&profile, "rotate_words") > 0);
    assert_eq!(nanos_with(&profile, "multiply_words"), 0, "the child's work is in the parent's profile");
}

#[test]
fn a_forked_child_is_not_sampled_and_can_sample_for_itself() {
    play("fork by perf events");
    play("fork by timers");
}
