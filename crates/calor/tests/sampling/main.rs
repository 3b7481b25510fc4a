//! Sampling of the own process: shares, threads that come and go, forks, refused perf events, files, and stress.
//!
//! Sampling is one for the process, and some tests change what the process may do: each is this test binary itself,
//! started again with the name of a role: see [`role`].

#![cfg(all(target_os = "linux", target_arch = "x86_64"))]
#![expect(unsafe_code, reason = "fork, seccomp and the dynamic loader are C interfaces")]
#![allow(clippy::unwrap_used, reason = "a failure of the test itself may panic")]

#[path = "../support/mod.rs"]
mod support;

mod advice;
mod forbidden;
mod fork;
mod joined;
mod shares;
mod signals;
mod stress;
mod whole;
mod work;

use std::process::Command;

use calor::model::{Profile, SampleKind};
use calor::sampling::{self, SamplingOptions, Source};

const ROLE: &str = "CALOR_TEST_ROLE";

/// Starts this binary again to play a role, and shows what it printed.
fn play(role: &str) -> String {
    let output = Command::new(std::env::current_exe().unwrap())
        .args(["role", "--exact", "--nocapture"])
        .env(ROLE, role)
        .output()
        .unwrap();
    let text =
        format!("{}{}", String::from_utf8_lossy(&output.stdout), String::from_utf8_lossy(&output.stderr));
    assert!(output.status.success(), "{role}: {}\n{text}", output.status);
    println!("{text}");
    text
}

/// Plays the role that the environment names; without one, it checks that there is none to play.
#[test]
fn role() {
    match std::env::var(ROLE).as_deref() {
        Err(_) => assert!(std::env::var_os(ROLE).is_none()),
        Ok("shares by perf events") => shares::check(Source::PerfEvents),
        Ok("shares by timers") => shares::check(Source::Timers),
        Ok("threads by perf events") => shares::check_threads(Source::PerfEvents),
        Ok("threads by timers") => shares::check_threads(Source::Timers),
        Ok("again and again by perf events") => shares::check_restarts(Source::PerfEvents),
        Ok("again and again by timers") => shares::check_restarts(Source::Timers),
        Ok("perf events forbidden") => forbidden::check(),
        Ok("everything forbidden") => forbidden::check_without_timers(),
        Ok("fork by perf events") => fork::check(Source::PerfEvents),
        Ok("fork by timers") => fork::check(Source::Timers),
        Ok("joined") => joined::check(),
        Ok("sampling ends first by perf events") => whole::check_sampling_ends_first(Source::PerfEvents),
        Ok("sampling ends first by timers") => whole::check_sampling_ends_first(Source::Timers),
        Ok("recording ends first by perf events") => whole::check_recording_ends_first(Source::PerfEvents),
        Ok("recording ends first by timers") => whole::check_recording_ends_first(Source::Timers),
        Ok("dropped by perf events") => whole::check_dropped(Source::PerfEvents),
        Ok("dropped by timers") => whole::check_dropped(Source::Timers),
        Ok("exit by perf events") => whole::check_exit(Source::PerfEvents),
        Ok("exit by timers") => whole::check_exit(Source::Timers),
        Ok("own threads by perf events") => whole::check_own_threads(Source::PerfEvents),
        Ok("own threads by timers") => whole::check_own_threads(Source::Timers),
        Ok("remarks") => whole::check_remarks(),
        Ok("no free signal") => signals::check_none_free(),
        Ok("signal taken over") => signals::check_taken_over(),
        Ok("calls are not interrupted") => signals::check_calls(),
        Ok("scalar loop") => advice::check(),
        Ok("stress by perf events") => stress::check(Source::PerfEvents),
        Ok("stress by timers") => stress::check(Source::Timers),
        Ok(other) => panic!("no role {other}"),
    }
}

fn start(source: Source) -> sampling::Sampling {
    sampling::start_with(&SamplingOptions::new().rate(999).source(source)).unwrap()
}

/// Time of samples with a function anywhere on their path, in nanoseconds.
fn nanos_with(profile: &Profile, function: &str) -> u64 {
    let rows = profile.samples.iter().filter(|(key, _)| {
        key.kind == SampleKind::Cpu
            && profile.path_names(key.stack).iter().any(|name| name.contains(function))
    });
    rows.map(|(_, weight)| weight.nanos).sum()
}

/// The names of all threads with samples.
fn thread_names(profile: &Profile) -> Vec<&str> {
    let mut names: Vec<_> = profile
        .samples
        .iter()
        .map(|(key, _)| profile.strings.get(profile.threads.get(key.thread).name))
        .collect();
    names.sort_unstable();
    names.dedup();
    names
}
