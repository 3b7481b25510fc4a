//! What ran on GPUs, on lanes of its own: one process for each device, one line for its kernels and one for its
//! copies, in order of their total time. The table carries no time, so where they stand means nothing.

use std::io::Write;

use calor_model::{CopyKind, DurationStats, FrameKind, Profile, StackId};

use super::event_writer::{EventWriter, json};
use super::lanes::{Lane, Lanes};
use super::words;
use crate::Error;

/// One event: all runs of a kernel, or all copies of a kind, that were launched from one path.
struct Row<'p> {
    device: u32,
    is_copy: bool,
    name: &'p str,
    durations: &'p DurationStats,
    bytes: Option<u64>,
    launched_from: Option<StackId>,
}

pub(super) fn write<W: Write>(
    profile: &Profile,
    lanes: &Lanes,
    events: &mut EventWriter<'_, W>,
) -> Result<(), Error> {
    let mut rows = rows(profile);
    rows.sort_by_key(|row| (row.device, row.is_copy, std::cmp::Reverse(row.durations.total_nanos)));
    for (nth, of_device) in rows.chunk_by(|a, b| a.device == b.device).enumerate() {
        let device = of_device[0].device;
        let pid = lanes.free_pid(nth);
        events.process_name(pid, &device_name(profile, device))?;
        for line in of_device.chunk_by(|a, b| a.is_copy == b.is_copy) {
            let what = if line[0].is_copy { "copies" } else { "kernels" };
            let lane = Lane { pid, tid: if line[0].is_copy { 2 } else { 1 } };
            events.thread_name(lane, &format!("GPU {device} {what} (totals, not in order of time)"))?;
            let mut start = 0_u64;
            for row in line {
                let category = format!("{}{}", words::TOTALS, words::word(FrameKind::Gpu));
                let total = row.durations.total_nanos;
                events.totals(lane, start, total, row.name, &category, &arguments(profile, row))?;
                start = start.saturating_add(total);
            }
        }
    }
    Ok(())
}

fn rows(profile: &Profile) -> Vec<Row<'_>> {
    let kernels = profile.gpu.kernels.iter().map(|(key, durations)| Row {
        device: key.device,
        is_copy: false,
        name: profile.strings.get(key.name),
        durations,
        bytes: None,
        launched_from: key.launched_from,
    });
    let copies = profile.gpu.copies.iter().map(|(key, copies)| Row {
        device: key.device,
        is_copy: true,
        name: match key.kind {
            CopyKind::HostToDevice => "Memcpy HtoD",
            CopyKind::DeviceToHost => "Memcpy DtoH",
            CopyKind::Set => "Memset",
            _ => "Memcpy DtoD",
        },
        durations: &copies.durations,
        bytes: Some(copies.bytes),
        launched_from: key.launched_from,
    });
    kernels.chain(copies).collect()
}

fn device_name(profile: &Profile, device: u32) -> String {
    match profile.gpu.devices.iter().find(|known| known.index == device) {
        Some(known) => format!("GPU {device}: {}", profile.strings.get(known.name)),
        None => format!("GPU {device}"),
    }
}

fn arguments(profile: &Profile, row: &Row<'_>) -> String {
    let durations = row.durations;
    let mut members = vec![
        format!("\"{}\":{}", words::DEVICE, row.device),
        format!("\"{}\":{}", words::CALLS, durations.count),
        format!("\"{}\":{}", words::TOTAL_NANOS, durations.total_nanos),
        format!("\"{}\":{}", words::MIN_NANOS, durations.min_nanos),
        format!("\"{}\":{}", words::MAX_NANOS, durations.max_nanos),
    ];
    members.extend(row.bytes.map(|bytes| format!("\"{}\":{bytes}", words::BYTES)));
    if let Some(stack) = row.launched_from {
        let path = profile.path_names(stack).join(" → ");
        members.push(format!("\"launched_from\":{}", json(&path)));
    }
    members.join(",")
}
