//! What ran on GPUs: kernels by the line that launched them, and copies.

use calor_analysis::quantity::{byte_rate, bytes, count, counted, duration};
use calor_analysis::{CopySum, GpuSums, KernelSum, short_name};
use calor_model::{CopyKind, FrameKind, Profile};

use crate::document::{Body, Cell, Column, Name, Row, Section, Table};

use crate::text::printable::cut_back;

/// Kernels that are listed where nobody says how many.
const KERNELS: usize = 12;
/// Columns that the place of a launch may take.
const PLACE: usize = 48;

/// Nothing where no GPU did anything, or nobody recorded it.
pub(crate) fn sections(gpu: Option<&GpuSums<'_>>, profile: &Profile, top: Option<usize>) -> Vec<Section> {
    let Some(gpu) = gpu else { return Vec::new() };
    let mut sections = Vec::new();
    sections.extend(kernels(gpu, profile, top.unwrap_or(KERNELS)));
    sections.extend(copies(gpu));
    sections
}

fn kernels(gpu: &GpuSums<'_>, profile: &Profile, n_rows: usize) -> Option<Section> {
    if gpu.kernels.is_empty() {
        return None;
    }
    let has_several = gpu.kernels.iter().any(|kernel| kernel.device != gpu.kernels[0].device);
    let columns = vec![
        Column::new("total", 0, "time of all its runs"),
        Column::new("% of kernels", 0, "that as a part of the time of all kernels").shortened("%"),
        Column::new("count", 0, "how often it ran"),
        Column::new("mean", 0, "mean of the runs"),
        Column::new("p95", 2, "95 of 100 runs take no longer"),
        Column::new("max", 3, "the longest run"),
        Column::new("device", 1, "the number of the GPU"),
        Column::words("launched from", 0, "the scope or line that had it run"),
    ];
    let row = |kernel: &KernelSum<'_>| {
        let durations = &kernel.durations;
        let cells = vec![
            Cell::duration(Some(durations.total_nanos as f64)),
            Cell::share(Some(kernel.share)),
            Cell::count(Some(durations.count)),
            Cell::duration(durations.mean_nanos()),
            Cell::duration(durations.quantile_nanos(0.95)),
            Cell::duration(Some(durations.max_nanos as f64)),
            device(has_several, kernel.device),
            place(profile, kernel).map_or_else(Cell::missing, |place| Cell::words(cut_back(&place, PLACE))),
        ];
        let short = short_name(FrameKind::Gpu, kernel.name).into_owned();
        let whole = (short != kernel.name).then(|| kernel.name.to_owned());
        Row::new(Name { leaf: short, whole, is_function: true, ..Name::default() }, cells)
    };
    let rows: Vec<Row> = gpu.kernels.iter().take(n_rows).map(row).collect();
    let n_more = gpu.kernels.len() - rows.len();
    let devices: Vec<String> = profile
        .gpu
        .devices
        .iter()
        .map(|device| format!("{} ({})", profile.strings.get(device.name), bytes(device.memory_bytes)))
        .collect();
    let mut intro = format!(
        "{} in {}, which is time of the GPU beside that of the host.",
        counted(gpu.n_kernels, "kernel"),
        duration(gpu.kernel_nanos as f64)
    );
    if !devices.is_empty() {
        intro = format!("{}: {intro}", devices.join(", "));
    }
    if n_more > 0 {
        intro.push_str(&format!(" {} more rows are not listed.", count(n_more as u64)));
    }
    let table = Table { subject: "kernel", columns, rows }.without_empty_columns();
    Some(Section::new("gpu-kernels", "Kernels on GPUs", Body::Table(table)).with_intro(intro))
}

/// The number of a device, where rows are of several.
fn device(has_several: bool, device: u32) -> Cell {
    if has_several { Cell::count(Some(u64::from(device))) } else { Cell::missing() }
}

/// Where a kernel was launched, in few words: `linear net.py:12`.
fn place(profile: &Profile, kernel: &KernelSum<'_>) -> Option<String> {
    let frame = profile.frames.get(profile.stacks.get(kernel.launched_from?).frame);
    let name = profile.strings.get(frame.name);
    let file = frame.file.map(|file| profile.strings.get(file));
    let file = file.map(|file| file.rsplit('/').next().unwrap_or(file));
    Some(match (file, frame.line) {
        (Some(file), Some(line)) => format!("{name} {file}:{line}"),
        _ => name.to_owned(),
    })
}

fn copies(gpu: &GpuSums<'_>) -> Option<Section> {
    let has_several = gpu.copies.iter().any(|copy| copy.device != gpu.copies[0].device);
    let columns = vec![
        Column::new("total", 0, "time of all of them"),
        Column::new("count", 0, "how many there were"),
        Column::new("bytes", 0, "how much they moved"),
        Column::new("mean size", 2, "bytes of one on average"),
        Column::new("rate", 0, "bytes a second"),
        Column::new("device", 1, "the number of the GPU"),
        Column::words("memory of the host", 1, "pageable memory is copied twice, pinned memory once"),
    ];
    let row = |copy: &CopySum| {
        let (stats, n) = (&copy.stats, copy.stats.durations.count);
        let nanos = stats.durations.total_nanos;
        let rate = (nanos > 0).then(|| stats.bytes as f64 * 1e9 / nanos as f64);
        let memory = copy.is_pageable.map(|is_pageable| if is_pageable { "pageable" } else { "pinned" });
        let cells = vec![
            Cell::duration(Some(nanos as f64)),
            Cell::count(Some(n)),
            Cell::bytes(Some(stats.bytes)),
            Cell::bytes((n > 0).then(|| stats.bytes / n)),
            Cell::of(rate, byte_rate, |rate| rate),
            device(has_several, copy.device),
            memory.map_or_else(Cell::missing, Cell::words),
        ];
        Row::new(Name::plain(words(copy.kind)), cells)
    };
    let rows: Vec<Row> = gpu.copies.iter().map(row).collect();
    let table = Table { subject: "copies", columns, rows }.without_empty_columns();
    (!gpu.copies.is_empty()).then(|| Section::new("gpu-copies", "Copies on GPUs", Body::Table(table)))
}

fn words(kind: CopyKind) -> &'static str {
    match kind {
        CopyKind::HostToDevice => "host to GPU",
        CopyKind::DeviceToHost => "GPU to host",
        CopyKind::DeviceToDevice => "inside of GPUs",
        CopyKind::Set => "filling of memory",
        _ => "other",
    }
}
