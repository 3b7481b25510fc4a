//! One thread of the file: its samples, its markers, and the tables that both point into.

use std::collections::{BTreeSet, HashSet};

use calor_model::{Profile, ThreadId, Track};
use serde::Serialize;

use super::tables::{FrameTable, FuncTable, NativeSymbols, ResourceTable, StackTable, Tables};
use super::{markers, millis, samples};
use crate::Weights;

/// A thread that is written.
pub(super) struct Chosen {
    /// The thread of the profile; `None` for what ran on GPUs.
    pub(super) thread: Option<ThreadId>,
    pub(super) pid: String,
    tid: String,
    is_main: bool,
}

/// The threads that have something to show; at least one, because a file without any cannot be opened.
pub(super) fn choose(profile: &Profile, weights: &Weights<'_>) -> Vec<Chosen> {
    let weighed: BTreeSet<Option<ThreadId>> = weights.rows.iter().map(|row| row.thread).collect();
    let has_track = |thread| profile.timeline.track(thread).is_some_and(|track| *track != Track::default());
    let (mut pids, mut tids) = (HashSet::new(), HashSet::new());
    let mut chosen = Vec::new();
    for (id, thread) in profile.threads.iter() {
        if !weighed.contains(&Some(id)) && !has_track(id) {
            continue;
        }
        let pid = thread.pid.to_string();
        let mut tid = thread.tid.to_string();
        // Threads are told apart by this alone, and several may go by number 0.
        if !tids.insert(tid.clone()) {
            tid = format!("{tid}.{}", id.index());
            tids.insert(tid.clone());
        }
        chosen.push(Chosen { thread: Some(id), is_main: pids.insert(thread.pid), pid, tid });
    }
    if weighed.contains(&None) || chosen.is_empty() {
        let (pid, tid) = ("gpu".to_owned(), "gpu".to_owned());
        chosen.push(Chosen { thread: None, pid, tid, is_main: true });
    }
    chosen
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Columns<'w> {
    name: String,
    is_main_thread: bool,
    process_type: &'static str,
    process_name: String,
    process_startup_time: f64,
    process_shutdown_time: Option<f64>,
    register_time: f64,
    unregister_time: Option<f64>,
    pid: &'w str,
    tid: &'w str,
    paused_ranges: [u8; 0],
    show_markers_in_timeline: bool,
    samples: samples::Samples,
    markers: markers::Markers,
    stack_table: StackTable,
    frame_table: FrameTable,
    func_table: FuncTable,
    resource_table: ResourceTable,
    native_symbols: NativeSymbols,
    string_array: Vec<&'w str>,
}

/// The columns of a thread.
pub(super) fn columns<'w>(profile: &'w Profile, weights: &'w Weights<'w>, chosen: &'w Chosen) -> Columns<'w> {
    let mut tables = Tables::new(weights);
    let (samples, is_timed) = samples::columns(profile, weights, chosen.thread, &mut tables);
    let track = chosen.thread.and_then(|thread| profile.timeline.track(thread));
    let markers = track.map(|track| markers::columns(profile, track, &mut tables)).unwrap_or_default();
    let name = match chosen.thread {
        Some(thread) => profile.strings.get(profile.threads.get(thread).name),
        None if weights.rows.is_empty() => "nothing recorded",
        None => "GPU",
    };
    let name = if is_timed { name.to_owned() } else { format!("{name} (totals, not in order of time)") };
    let command = profile.runs.iter().find_map(|run| run.command.clone());
    Columns {
        name,
        is_main_thread: chosen.is_main,
        process_type: "default",
        process_name: command.unwrap_or_else(|| format!("process {}", chosen.pid)),
        process_startup_time: 0.0,
        process_shutdown_time: Some(millis(profile.duration_nanos())).filter(|time| *time > 0.0),
        register_time: 0.0,
        unregister_time: None,
        pid: &chosen.pid,
        tid: &chosen.tid,
        paused_ranges: [],
        show_markers_in_timeline: true,
        samples,
        markers,
        stack_table: tables.stacks,
        frame_table: tables.frames,
        func_table: tables.funcs,
        resource_table: tables.resources,
        native_symbols: NativeSymbols::default(),
        string_array: tables.strings,
    }
}
