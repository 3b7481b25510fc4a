//! Memory over time, and of each process.

use calor_analysis::live::{MemoryUsage, ProcessMemory, memory_rates};
use calor_analysis::quantity::{bytes, count};
use ratatui::buffer::Buffer;
use ratatui::layout::Rect;
use ratatui::text::Line;

use super::super::shorten::{self, padded};
use super::super::state::State;
use super::{Picture, put};

/// Columns of the numbers on the left of a chart.
const SCALE: u16 = 11;

pub(super) fn draw(
    buffer: &mut Buffer,
    area: Rect,
    state: &mut State,
    picture: &Picture<'_>,
    n_processes: usize,
) {
    let usage: Vec<MemoryUsage> = picture.window.memory.iter().copied().collect();
    let Some(now) = usage.last() else {
        put(buffer, area, 1, " waiting for the first look at its memory");
        return;
    };
    let faults: Vec<u64> = memory_rates(&usage, |usage| usage.faults);
    let major: Vec<u64> = memory_rates(&usage, |usage| usage.major_faults);
    let last = |rates: &[u64]| rates.last().copied().unwrap_or(0);
    let peak: u64 = picture.window.processes.iter().map(|process| process.peak_bytes).sum();
    let summary = format!(
        "resident {}  peak {}  swap {}",
        bytes(now.resident_bytes),
        bytes(peak),
        bytes(now.swapped_bytes)
    );
    put(buffer, area, 0, Line::styled(summary, picture.theme.title));

    // Two charts and a list share what is left, the list as little as it needs.
    let left = area.height - 3;
    let list = u16::try_from(n_processes).unwrap_or(left).clamp(1, left / 3) + 1;
    let charts = left - list;
    let (above, beneath) = (charts - charts / 3, charts / 3);
    let at = |y: u16, height: u16| Rect { y: area.y + y, height, ..area };
    let resident: Vec<u64> = usage.iter().map(|usage| usage.resident_bytes).collect();
    chart(buffer, at(1, above), picture, &resident, bytes);
    let text =
        format!("page faults {}/s, {}/s of them read from disk", count(last(&faults)), count(last(&major)));
    put(buffer, area, 1 + above, Line::styled(text, picture.theme.title));
    chart(buffer, at(2 + above, beneath), picture, &faults, |rate| format!("{}/s", count(rate)));
    processes(buffer, at(3 + charts - 1, list + 1), state, picture);
}

/// Columns that end with the newest value, from 0 to the largest.
fn chart(
    buffer: &mut Buffer,
    area: Rect,
    picture: &Picture<'_>,
    values: &[u64],
    label: impl Fn(u64) -> String,
) {
    let width = usize::from(area.width - SCALE);
    let shown = &values[values.len().saturating_sub(width)..];
    let most = shown.iter().copied().max().unwrap_or(0);
    let scale = usize::from(SCALE) - 1;
    for row in 0..area.height {
        let mark = if row == 0 { label(most) } else { String::new() };
        let mut line = format!("{mark:>scale$} ");
        line.extend(std::iter::repeat_n(" ", width - shown.len()));
        for value in shown {
            // In rows from below: how much of this one is filled.
            let filled = *value as f64 / most.max(1) as f64 * f64::from(area.height);
            let here = filled - f64::from(area.height - 1 - row);
            line.push_str(picture.theme.signs.level(here.clamp(0.0, 1.0)));
        }
        put(buffer, area, row, Line::from(line));
    }
}

fn processes(buffer: &mut Buffer, area: Rect, state: &mut State, picture: &Picture<'_>) {
    let all: &[ProcessMemory] = &picture.window.processes;
    let room = usize::from(area.width).saturating_sub(8 + 4 * 12 + 1);
    let heading = format!("{:>8}{:>12}{:>12}{:>12}{:>12} name", "pid", "resident", "peak", "swap", "threads");
    put(buffer, area, 0, Line::styled(heading, picture.theme.title));
    let page = usize::from(area.height.saturating_sub(1));
    state.settle_count(all.len(), page);
    for (at, process) in (1..).zip(all.iter().skip(state.first).take(page)) {
        let line = format!(
            "{:>8}{:>12}{:>12}{:>12}{:>12} {}",
            process.pid,
            bytes(process.resident_bytes),
            bytes(process.peak_bytes),
            bytes(process.swapped_bytes),
            process.n_threads,
            padded(&shorten::name(&process.name, room), room)
        );
        put(buffer, area, at, Line::from(line));
    }
}
