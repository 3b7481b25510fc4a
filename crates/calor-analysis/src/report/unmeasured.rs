//! What a reader might look for and was not recorded. A figure that is missing is never a zero: it is absent,
//! and one of these sentences says why.

use calor_model::{Profile, Recorder, Run, Warning, add_warning};

use crate::{RecordingCost, Summary};

/// The profile's own warnings, and one for every promised figure that it does not have.
pub(super) fn warnings(profile: &Profile, summary: &Summary, cost: &RecordingCost) -> Vec<Warning> {
    let mut list = profile.warnings.clone();
    let say = |list: &mut Vec<Warning>, code, message: &str| add_warning(list, Warning::new(code, message));
    if profile.runs.is_empty() {
        say(
            &mut list,
            "run_unknown",
            "the profile does not say which run it is of: machine, start and duration are not known",
        );
    } else if summary.cpu_nanos.is_none() {
        say(&mut list, "cpu_time_not_measured", "the CPU time of the program was not measured");
    }
    if let Some(run) = profile.runs.first() {
        let missing = missing_of_run(run);
        if !missing.is_empty() {
            say(&mut list, "run_incomplete", &format!("not known of the run: {}", missing.join(", ")));
        }
        if cost.estimated_nanos().is_some() {
            let message = "the CPU time that recording took was not measured: it is estimated from what one scope costs";
            say(&mut list, "recording_cost_estimated", message);
        } else if cost.cpu_nanos.is_none() {
            say(&mut list, "recording_cost_unknown", "the CPU time that recording took was not measured");
        }
    }
    if summary.heap.is_some_and(|heap| !heap.has_sums()) {
        say(
            &mut list,
            "heap_not_sampled",
            "so little was allocated that no block was sampled: of the heap only its peak is known; \
             `calor::Alloc::exact` or `calor record --heap` follow every block",
        );
    } else if !summary.has_allocations() {
        let has_recorder = profile.runs.iter().any(|run| run.recorders.contains(&Recorder::Heap));
        if has_recorder {
            say(&mut list, "heap_empty", "the heap was watched and nothing was seen to allocate");
        } else {
            say(
                &mut list,
                "heap_not_recorded",
                "allocations were not recorded: nothing that watches the heap was part of this recording",
            );
        }
    } else if profile.heap.is_empty() {
        say(
            &mut list,
            "blocks_not_followed",
            "scopes counted their allocations, but blocks were not followed: live and peak bytes are not known",
        );
    }
    if summary.clamped_nanos > 0 {
        let message = "children took longer than their callers on some paths (estimated times can), so self times \
                       add up to more than the recorded time; the count is in nanoseconds";
        add_warning(&mut list, Warning::counted("self_times_clamped", message, summary.clamped_nanos));
    }
    if summary.recorded_nanos == Some(0) {
        say(&mut list, "no_time_recorded", "no scope took any time: shares cannot be given");
    }
    if profile.is_empty() {
        say(
            &mut list,
            "nothing_recorded",
            "the profile is empty: nothing was recorded before it was written",
        );
    }
    list
}

fn missing_of_run(run: &Run) -> Vec<&'static str> {
    let host = &run.host;
    [
        ("its start", run.started_at_unix_nanos == 0),
        ("the operating system", host.os.is_empty()),
        ("its kernel", host.kernel.is_empty()),
        ("the architecture", host.arch.is_empty()),
        ("the processor", host.cpu.is_empty()),
        ("the number of cores", host.cores.is_none()),
        ("the memory of the machine", host.memory_bytes.is_none()),
    ]
    .into_iter()
    .filter_map(|(what, is_missing)| is_missing.then_some(what))
    .collect()
}
