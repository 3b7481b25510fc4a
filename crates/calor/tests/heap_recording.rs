//! A program with the allocator that records itself: its heap is in the file, and Calor's own memory is not.

#![expect(unsafe_code, reason = "CPU times of processes are a C interface")]

use std::hint::black_box;
use std::path::Path;

use calor::model::{HeapMode, HeapSite, Profile, Recorder};
use calor_formats::native;

#[global_allocator]
static ALLOCATOR: calor::Alloc = calor::Alloc::exact(std::alloc::System);

#[inline(never)]
fn kept_block(size: usize) -> Vec<u8> {
    black_box(vec![1; size])
}

#[inline(never)]
fn passing_block(size: usize) {
    drop(black_box(vec![1_u8; size]));
}

fn read(path: &Path) -> Profile {
    native::read(&std::fs::read(path).expect("the recording is there")).expect("it is whole")
}

/// What paths through a function of this file did, together.
fn through(profile: &Profile, function: &str) -> HeapSite {
    let mut sum = HeapSite::default();
    for (key, site) in profile.heap.iter() {
        if profile.path_names(key.stack).iter().any(|name| name.ends_with(function)) {
            sum.add(site);
        }
    }
    sum
}

/// Starts this binary again to play a role in a process of its own.
fn play(role: &str, path: &Path) {
    let status = std::process::Command::new(std::env::current_exe().expect("it runs"))
        .args(["role", "--exact"])
        .env("CALOR_TEST_ROLE", role)
        .env("CALOR_TEST_FILE", path)
        .stdout(std::process::Stdio::null())
        .status()
        .expect("it can be started");
    assert!(status.success(), "{role}: {status}");
}

#[test]
fn role() {
    let Some(path) = std::env::var_os("CALOR_TEST_FILE") else { return };
    calor::start_recording(&path);
    std::mem::forget(kept_block(123_456));
    if std::env::var("CALOR_TEST_ROLE").as_deref() == Ok("stops") {
        let _ = calor::stop_recording();
    }
}

#[test]
fn what_is_held_is_leaked_only_if_the_recording_ends_with_the_program() {
    let folder = tempfile::tempdir().expect("there is room for files");
    for (role, is_end) in [("ends", true), ("stops", false)] {
        let path = folder.path().join(role);
        play(role, &path);
        let profile = read(&path);
        assert_eq!(through(&profile, "kept_block").live_bytes(), 123_456, "{role}");
        let leaked = profile.heap.summary.and_then(|summary| summary.leaked);
        assert_eq!(leaked.is_some(), is_end, "{role}");
        assert!(leaked.is_none_or(|leaked| leaked.bytes >= 123_456), "{leaked:?}");
        assert!(profile.warnings.is_empty(), "{:?}", profile.warnings);
    }
}

#[test]
fn a_recording_has_the_heap_and_nothing_of_calors_own() {
    let folder = tempfile::tempdir().expect("there is room for files");
    let path = folder.path().join("run.calor");
    let before = calor::heap::live_bytes().expect("the allocator is installed");
    let recording = calor::start_recording(&path);
    let kept: Vec<Vec<u8>> = (0..100).map(|_| kept_block(10_000)).collect();
    for _ in 0..50 {
        calor::scope!("work");
        passing_block(3_000);
    }
    // A thread with scopes has blocks of the recorder's, which are larger than all it allocates itself.
    let with_a_scope = || {
        calor::scope!("short");
    };
    let threads: Vec<_> = (0..4).map(|_| std::thread::spawn(with_a_scope)).collect();
    threads.into_iter().for_each(|thread| thread.join().expect("it ends well"));
    let recorded = recording.stop().expect("it was under way");
    assert_eq!(recorded.problem, None);
    let held = calor::heap::live_bytes().expect("the allocator is installed") - before;
    let profile = read(&path);

    let summary = profile.heap.summary.expect("the heap was watched");
    assert_eq!((summary.mode, summary.leaked), (HeapMode::Exact, None));
    assert!(profile.runs[0].recorders.contains(&Recorder::Heap));
    assert!(profile.runs[0].cost.memory_bytes > Some(1_000_000), "{:?}", profile.runs[0].cost);
    let of_kept = through(&profile, "kept_block");
    assert_eq!((of_kept.allocated_bytes, of_kept.allocated_count), (1_000_000, 100));
    assert_eq!((of_kept.live_bytes(), of_kept.peak_bytes), (1_000_000, 1_000_000));
    let passing = through(&profile, "passing_block");
    assert_eq!((passing.allocated_bytes, passing.live_bytes()), (150_000, 0));
    assert_eq!((passing.temporary_count, passing.temporary_bytes), (50, 150_000));

    let at_peak: u64 = profile.heap.iter().map(|(_, site)| site.peak_bytes).sum();
    assert_eq!(at_peak, summary.peak_bytes, "the rows add up to the peak");
    let own = ["try_start_recording", "Writer::run", "OwnHeap::tell_moment", "Block::leak"];
    for name in own {
        assert_eq!(through(&profile, name), HeapSite::default(), "{name}");
    }
    // The other test of this file has some of the rest.
    assert!(held < 1_500_000, "{held} bytes are held for 1,000,000 of the program's");
    assert!(summary.peak_bytes < before + 1_500_000, "{} bytes at the peak", summary.peak_bytes);
    assert!(!profile.heap.snapshots.is_empty() && !profile.heap.histograms.sizes.is_empty());
    drop(kept);
}

/// CPU time that children of this process took, those that were waited for.
#[cfg(target_os = "linux")]
fn children_cpu_nanos() -> u64 {
    // SAFETY: all zeros are a valid value of it, and the pointer is to a local of the right type.
    let usage = unsafe {
        let mut usage: libc::rusage = std::mem::zeroed();
        assert_eq!(libc::getrusage(libc::RUSAGE_CHILDREN, &raw mut usage), 0);
        usage
    };
    let nanos = |time: libc::timeval| {
        time.tv_sec.cast_unsigned() * 1_000_000_000 + time.tv_usec.cast_unsigned() * 1_000
    };
    nanos(usage.ru_utime) + nanos(usage.ru_stime)
}

/// Naming the call paths of the heap takes the recorder's threads many times what this program does.
#[cfg(target_os = "linux")]
#[test]
fn the_time_of_the_recorders_threads_is_its_own_and_not_the_programs() {
    let folder = tempfile::tempdir().expect("there is room");
    let path = folder.path().join("x.calor");
    let before = children_cpu_nanos();
    play("stops", &path);
    let all = children_cpu_nanos() - before;
    let run = read(&path).runs.first().expect("it has a run").clone();
    let (program, own) = (run.cpu_nanos.expect("it is known"), run.cost.own_cpu_nanos.expect("it is known"));
    assert!(own > 0 && program + own <= all, "{program} and {own} of {all}");
}
