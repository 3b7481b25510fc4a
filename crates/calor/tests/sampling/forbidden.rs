//! Processes that may not use perf events, as in containers: a filter refuses the system calls.

use super::work::{burn, rotate_words};
use super::*;

/// From now on these system calls fail as forbidden ones do.
fn forbid(calls: &[libc::c_long]) {
    let load_number = libc::BPF_LD | libc::BPF_W | libc::BPF_ABS;
    let is_equal = libc::BPF_JMP | libc::BPF_JEQ | libc::BPF_K;
    let answer = libc::BPF_RET | libc::BPF_K;
    let line = |code: u32, jt: u8, k: u32| libc::sock_filter { code: code as u16, jt, jf: 0, k };
    let refuse = libc::SECCOMP_RET_ERRNO | libc::EPERM as u32;
    let mut filter = vec![line(load_number, 0, 0)];
    for (index, call) in calls.iter().enumerate() {
        let to_refusal = (calls.len() - index) as u8;
        filter.push(line(is_equal, to_refusal, *call as u32));
    }
    filter.push(line(answer, 0, libc::SECCOMP_RET_ALLOW));
    filter.push(line(answer, 0, refuse));
    let program = libc::sock_fprog { len: filter.len() as u16, filter: filter.as_mut_ptr() };
    // SAFETY: the program is filled in and lives through the call, which holds for all threads.
    unsafe {
        assert_eq!(libc::prctl(libc::PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0), 0);
        let flags = libc::SECCOMP_FILTER_FLAG_TSYNC;
        let outcome =
            libc::syscall(libc::SYS_seccomp, libc::SECCOMP_SET_MODE_FILTER, flags, &raw const program);
        assert_eq!(outcome, 0, "{}", std::io::Error::last_os_error());
    }
}

pub(super) fn check() {
    forbid(&[libc::SYS_perf_event_open]);
    let only = SamplingOptions::new().source(Source::PerfEvents);
    let refused = sampling::start_with(&only).unwrap_err().to_string();
    assert!(refused.contains("perf_event_open"), "{refused}");

    let sampling = sampling::start(999).unwrap();
    burn(rotate_words, 0.6);
    let progress = sampling.progress().unwrap();
    let profile = sampling.stop();
    println!("rate reached {:?} of {}", progress.rate_reached(), progress.rate_asked);
    assert_eq!(progress.source, Source::Timers);
    let reached = progress.rate_reached().unwrap();
    assert!(reached > 10.0, "{reached}");
    assert!(nanos_with(&profile, "rotate_words") as f64 / 1e9 > 0.3);
    let why = profile.warnings.iter().find(|warning| warning.code == "sampled_by_timers").unwrap();
    assert!(why.message.contains("perf_event_open is blocked"), "{}", why.message);
    // Where the kernel ticks 1,000 times a second there is nothing to complain about.
    if reached < 800.0 {
        let low = profile.warnings.iter().find(|warning| warning.code == "sampling_rate_low").unwrap();
        assert!(low.message.contains("of 999 asked for"), "{}", low.message);
    }
}

pub(super) fn check_without_timers() {
    forbid(&[libc::SYS_perf_event_open, libc::SYS_process_vm_readv]);
    let refused = sampling::start(999).unwrap_err().to_string();
    assert!(refused.contains("process_vm_readv"), "{refused}");
}

#[test]
fn where_perf_events_are_forbidden_timers_sample_and_the_profile_says_so() {
    play("perf events forbidden");
}

#[test]
fn where_everything_is_forbidden_the_error_says_what_to_allow() {
    play("everything forbidden");
}
