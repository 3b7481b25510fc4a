//! One line a thread, when there is more than one. A program that starts hundreds of short threads or processes gets
//! one line a name.

use calor_analysis::quantity::count;
use calor_analysis::{ThreadGroup, ThreadSummary};

use super::thread_name;
use crate::document::{Body, Cell, Column, Name, Row, Section, Table};
use crate::report::Report;

/// Lines on a page. When there are more threads, those of one name are added up; the rest is counted.
const ROWS: usize = 16;

pub(crate) fn section(report: &Report<'_>) -> Option<Section> {
    let threads = &report.answer.summary.threads;
    if threads.len() < 2 {
        return None;
    }
    let has =
        |figure: fn(&ThreadSummary) -> Option<u64>| threads.iter().any(|thread| figure(thread).is_some());
    let [has_scopes, has_samples, has_waits] =
        [has(|thread| thread.scope_calls), has(|thread| thread.samples), has(|thread| thread.waits)];
    let [has_gil, has_gil_waits] = [has(|thread| thread.gil_samples), has(|thread| thread.gil_wait_nanos)];
    let is_grouped = threads.len() > ROWS;
    let lines = report.answer.threads_within(ROWS);
    let mut columns = Vec::new();
    if has_scopes {
        columns.push(Column::new("in scopes", 0, "time of the thread's outermost scopes"));
        columns.push(Column::new("calls", 0, "calls of scopes on this thread"));
    }
    if has_samples {
        columns.push(Column::new("CPU", 0, "CPU time by samples"));
        columns.push(Column::new("samples", 0, "samples taken of this thread while it ran"));
    }
    if has_waits {
        columns.push(Column::new("waited", 0, "time it was blocked"));
        columns.push(Column::new("waits", 1, "how often"));
    }
    if has_gil {
        let meaning = "the share of its samples in which it held Python's global interpreter lock";
        columns.push(Column::new("GIL held", 1, meaning).shortened("GIL"));
    }
    if has_gil_waits {
        columns.push(Column::new("GIL wait", 1, "time it waited for that lock"));
    }
    let time = |nanos: Option<u64>| Cell::duration(nanos.map(|nanos| nanos as f64));
    let row = |line: &ThreadGroup| {
        let figures = &line.figures;
        let mut cells = Vec::new();
        if has_scopes {
            cells.extend([time(figures.recorded_nanos), Cell::count(figures.scope_calls)]);
        }
        if has_samples {
            cells.extend([time(figures.cpu_nanos), Cell::count(figures.samples)]);
        }
        if has_waits {
            cells.extend([time(figures.blocked_nanos), Cell::count(figures.waits)]);
        }
        if has_gil {
            cells.push(Cell::share(figures.gil_held_share()));
        }
        if has_gil_waits {
            cells.push(time(figures.gil_wait_nanos));
        }
        let name = match line.n_threads {
            1 => thread_name(report.answer.profile, figures.thread),
            n => {
                let name =
                    report.answer.profile.strings.get(report.answer.profile.threads.get(figures.thread).name);
                format!("{name} ×{}", count(n as u64))
            }
        };
        Row::new(Name::plain(name), cells)
    };
    let rows = lines.iter().take(ROWS).map(row).collect();
    let (title, subject) = if report.answer.has_processes_for_threads() {
        ("Processes", "process")
    } else {
        ("Threads", "thread")
    };
    let section = Section::new("threads", title, Body::Table(Table { subject, columns, rows }));
    let hidden: usize = lines.iter().skip(ROWS).map(|line| line.n_threads).sum();
    let grouped = match is_grouped && lines.len() < threads.len() {
        true => format!("{title} of one name are added up. "),
        false => String::new(),
    };
    let left_out = match hidden {
        0 => String::new(),
        n => format!("The first {ROWS} by time; {} not shown.", are(n as u64, subject)),
    };
    let intro = format!("{grouped}{left_out}");
    Some(if intro.is_empty() { section } else { section.with_intro(intro.trim_end()) })
}

fn are(more: u64, subject: &str) -> String {
    match (more, subject) {
        (1, _) => format!("1 more {subject} is"),
        (_, "process") => format!("{} more processes are", count(more)),
        _ => format!("{} more {subject}s are", count(more)),
    }
}
