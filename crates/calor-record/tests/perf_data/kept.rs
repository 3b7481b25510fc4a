//! Kept files, of a program that is not: what does not depend on its symbols.

use calor_model::{Recorder, SampleKind};

use super::{by_thread, kept_bytes, n_samples, read, warning_codes};

#[track_caller]
fn check(name: &str, n_expected: u64) -> calor_model::Profile {
    let profile = read(&kept_bytes(name)).expect("a kept file can be read");
    assert_eq!(n_samples(&profile, SampleKind::Cpu), n_expected, "{name}");
    let threads: Vec<String> = by_thread(&profile, SampleKind::Cpu).into_keys().collect();
    assert_eq!(threads, ["model", "worker 1"], "{name}");
    for (key, _) in profile.samples.iter().filter(|(key, _)| key.kind == SampleKind::Cpu) {
        let frame = profile.frames.get(profile.stacks.get(key.stack).frame);
        let leaf = profile.stack_name(key.stack);
        let (module, offset) = leaf.split_once("+0x").unwrap_or_else(|| panic!("{name}: {leaf}"));
        assert!(module == "model" && u64::from_str_radix(offset, 16).is_ok(), "{name}: {leaf}");
        assert_eq!(frame.module.map(|module| profile.strings.get(module)), Some("model"), "{name}");
    }
    let run = &profile.runs[0];
    assert!(
        run.command.as_ref().is_some_and(|command| command.ends_with("./model")),
        "{name}: {:?}",
        run.command
    );
    let host = &run.host;
    assert_eq!((host.name.as_str(), host.os.as_str(), host.arch.as_str()), ("host", "linux", "x86_64"));
    assert!(host.kernel.starts_with("6.18.") && !host.cpu.is_empty(), "{name}: {host:?}");
    assert_eq!((host.cores, host.memory_bytes.unwrap_or(0) >> 30), (Some(2), 23), "{name}");
    assert!(warning_codes(&profile).contains(&"image_unreadable"), "{name}: {:?}", profile.warnings);
    profile
}

#[test]
fn call_chains_become_paths_with_the_time_of_the_clock() {
    let profile = check("frame-pointers.data", 23);
    let nanos: u64 = profile.samples.iter().map(|(_, weight)| weight.nanos).sum();
    // 99 samples a second.
    assert_eq!(nanos, 23 * 10_101_010);
    assert!(profile.duration_nanos() > 100_000_000, "{}", profile.duration_nanos());
    assert!(profile.samples.iter().all(|(key, _)| profile.stacks.path(key.stack).len() > 2));
}

#[test]
fn copies_of_stacks_without_the_program_are_cut_off_and_counted() {
    let profile = check("stacks.data", 10);
    let cut = profile.warnings.iter().find(|warning| warning.code == "stacks_untold").unwrap();
    assert_eq!(cut.count, Some(10));
    for (key, _) in profile.samples.iter() {
        assert_eq!(profile.path_names(key.stack)[0], "(stack cut off)");
    }
}

#[test]
fn compressed_records_are_unpacked() {
    assert!(!warning_codes(&check("compressed.data", 22)).contains(&"records_not_unpacked"));
}

#[test]
fn a_pipe_tells_as_much_as_a_file() {
    check("pipe.data", 23);
}

#[test]
fn one_event_is_time_another_is_waiting_and_the_rest_is_counted() {
    let profile = check("events.data", 23);
    let left_out = profile.warnings.iter().find(|warning| warning.code == "event_left_out").unwrap();
    assert_eq!((left_out.count, left_out.message.contains("page-faults")), (Some(N_FAULTS), true));
    let waiting = profile.warnings.iter().find(|warning| warning.code == "waiting_at_end");
    let n_waits = n_samples(&profile, SampleKind::OffCpu);
    assert_eq!(n_waits + waiting.map_or(0, |warning| warning.count.unwrap_or(0)), N_SWITCHES);
    let recorders = &profile.runs[0].recorders;
    assert!(recorders.contains(&Recorder::Cpu) && recorders.contains(&Recorder::OffCpu));
}

/// As `perf script` counts them.
const N_FAULTS: u64 = 5;
const N_SWITCHES: u64 = 17;

#[test]
fn a_file_that_is_read_twice_is_one_run_and_two_files_are_two() {
    let id = |name| read(&kept_bytes(name)).unwrap().runs[0].id;
    assert_eq!(id("pipe.data"), id("pipe.data"));
    assert_ne!(id("pipe.data"), id("frame-pointers.data"));
}
