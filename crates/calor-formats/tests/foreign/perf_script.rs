//! The text of `perf script`.

use calor_formats::{Format, Metric, read, read_as};
use calor_model::{FrameKind, Profile};

use crate::fixtures::fixture;
use crate::told::{values, warnings};

fn read_text(text: &str) -> Profile {
    read_as(text.as_bytes(), Format::PerfScript).unwrap()
}

fn threads(profile: &Profile) -> Vec<&str> {
    let mut names: Vec<&str> =
        profile.threads.iter().map(|(_, thread)| profile.strings.get(thread.name)).collect();
    names.sort_unstable();
    names.dedup();
    names
}

#[test]
fn samples_of_a_clock_add_up_to_the_time_they_stand_for() {
    let bytes = fixture(Format::PerfScript, "frame-pointers");
    let profile = read(bytes).unwrap();
    let n_samples = std::str::from_utf8(bytes).unwrap().matches("cpu-clock").count() as u64;
    let total: u64 = values(&profile, Metric::Cpu).values().sum();
    assert_eq!(total, n_samples * 10_101_010);
    assert_eq!(threads(&profile), ["model", "worker 1"]);
    assert!(profile.warnings.is_empty(), "{:?}", profile.warnings);
    let values = values(&profile, Metric::Cpu);
    assert!(values.keys().any(|path| path == "start_thread;worker;attention"), "{values:?}");
}

#[test]
fn comments_tell_the_machine_and_other_events_are_left_out_and_counted() {
    let bytes = fixture(Format::PerfScript, "two-events");
    let profile = read(bytes).unwrap();
    let n_faults = std::str::from_utf8(bytes).unwrap().matches(" page-faults:").count() as u64;
    assert_eq!(warnings(&profile), [("event_left_out", Some(n_faults))]);
    let run = &profile.runs[0];
    assert!(run.command.as_deref().unwrap().contains("perf record"));
    assert_eq!((run.host.os.as_str(), run.host.arch.as_str(), run.host.cores), ("linux", "x86_64", Some(2)));
    assert!(run.duration_nanos > 100_000_000);
}

#[test]
fn inlined_functions_have_the_module_of_what_they_are_in() {
    let profile = read(fixture(Format::PerfScript, "inlined")).unwrap();
    let leaf = profile.strings.find("leaf").unwrap();
    let frame = profile.frames.iter().map(|(_, frame)| frame).find(|frame| frame.name == leaf).unwrap();
    assert!(frame.is_inlined);
    assert_eq!(profile.strings.get(frame.module.unwrap()), "/opt/model/model");
    assert!(values(&profile, Metric::Cpu).contains_key("clone3;start_thread;worker;layer;feed_forward;leaf"));
}

#[test]
fn without_call_graphs_the_frame_is_on_the_line_of_the_sample() {
    let bytes = fixture(Format::PerfScript, "no-call-graph");
    let profile = read(bytes).unwrap();
    let n_samples = std::str::from_utf8(bytes).unwrap().lines().count() as u64;
    assert_eq!(values(&profile, Metric::Cpu).values().sum::<u64>(), n_samples * 10_101_010);
    assert!(values(&profile, Metric::Cpu).contains_key("attention"));
}

#[test]
fn cycles_are_turned_into_the_usual_time_between_samples() {
    let profile = read_text(
        "a 1/2 [000] 1.000000: 5000 cycles:u:\n\t12 f+0x1 (/bin/a)\n\n\
         a 1/2 [000] 1.010000: 6000 cycles:u:\n\t12 f+0x1 (/bin/a)\n\n\
         a 1/2 [000] 1.020000: 9000 cycles:u:\n\t12 g+0x1 (/bin/a)\n\n",
    );
    let expected = [("f".to_owned(), 20_000_000), ("g".to_owned(), 10_000_000)].into();
    assert_eq!(values(&profile, Metric::Cpu), expected);
    assert_eq!(warnings(&profile), [("time_estimated", None)]);
    let (_, thread) = profile.threads.iter().next().unwrap();
    assert_eq!((thread.pid, thread.tid), (1, 2));
}

#[test]
fn a_switched_out_thread_is_off_the_cpu_until_it_is_switched_to() {
    let profile = read_text(
        "a 2 [000] 1.000000: sched:sched_switch: prev_comm=a prev_pid=2 prev_state=S ==> next_comm=b next_pid=3\n\
         \tffffffff81000000 schedule+0x1 ([kernel.kallsyms])\n\t12 wait+0x1 (/bin/a)\n\n\
         b 3 [000] 1.500000: sched:sched_switch: b:3 [120] S ==> a:2 [120]\n\t13 poll+0x1 (/bin/b)\n\n",
    );
    assert_eq!(values(&profile, Metric::OffCpu), [("wait;schedule".to_owned(), 500_000_000)].into());
    assert_eq!(warnings(&profile), [("waiting_at_end", Some(1))]);
    assert_eq!(Metric::available(&profile), [Metric::OffCpu]);
}

#[test]
fn lost_samples_and_lines_that_make_no_sense_are_counted() {
    let profile = read_text(
        "a 2 1.000000: PERF_RECORD_LOST lost 17\n\
         a 2 1.000000: 100 cpu-clock:\n\t12 py::forward:/m/model.py+0x1 (/tmp/perf-2.map)\n\tmodel.c:12\n\n\
         a 2 1.000100: 100 cpu-clock:\n\n\
         cafe 2 1.000200: 100 cpu-clock:\n\t13 [unknown] (/lib/x.so)\n\n",
    );
    let expected = [("line_left_out", Some(1)), ("samples_lost", Some(17)), ("stack_missing", Some(1))];
    assert_eq!(warnings(&profile), expected);
    let kinds: Vec<FrameKind> = profile.frames.iter().map(|(_, frame)| frame.kind).collect();
    assert_eq!(kinds, [FrameKind::Python, FrameKind::Native]);
    assert_eq!(
        values(&profile, Metric::Cpu),
        [("(unknown)".to_owned(), 100), ("forward".to_owned(), 100)].into()
    );
    assert_eq!(threads(&profile), ["a", "cafe"]);
}
