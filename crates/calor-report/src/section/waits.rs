//! Where threads wait, how long and for what.

use calor_analysis::Wait;
use calor_analysis::quantity::{count, counted, duration, percent};
use calor_model::ThreadId;

use super::{path_name, thread_name};
use crate::document::{Body, Cell, Column, Name, Row, Section, Table};
use crate::report::Report;

pub(crate) fn section(report: &Report<'_>) -> Option<Section> {
    let blocked = report.answer.summary.blocked_nanos?;
    if report.answer.waits.is_empty() {
        return None;
    }
    let columns = vec![
        Column::new("blocked", 0, "time that threads waited here, all threads together"),
        Column::new("% of waiting", 3, "that as a share of all waiting").shortened("% wait"),
        Column::new("count", 0, "how often a thread waited here"),
        Column::new("mean", 1, "how long a thread waited at a time"),
        Column::words("reason", 0, "what for, told by the call in which it waited"),
        Column::words("thread", 2, "who waited"),
    ];
    let whole = blocked as f64;
    let row = |wait: &Wait<'_>| {
        let share = (blocked > 0).then(|| wait.blocked_nanos as f64 / whole);
        let cells = vec![
            Cell::duration(Some(wait.blocked_nanos as f64)),
            Cell::share(share),
            Cell::count(Some(wait.count)),
            Cell::duration(wait.mean_nanos()),
            Cell::words(wait.cause.words()),
            Cell::words(threads(report, &wait.threads)),
        ];
        Row::new(name(report, wait), cells)
    };
    let table = Table { subject: "waits in", columns, rows: report.answer.waits.iter().map(row).collect() };
    let shown = report.answer.waits.iter().fold(0_u64, |sum, wait| sum.saturating_add(wait.blocked_nanos));
    let n_shown = report.answer.waits.len() as u64;
    let places = match report.answer.n_waits as u64 {
        n_all if n_all > n_shown => format!("{} of {}", count(n_shown), counted(n_all, "place")),
        n_all => counted(n_all, "place"),
    };
    let share = if blocked > 0 { format!(": {}", percent(shown as f64 / whole)) } else { String::new() };
    let intro = format!(
        "{places} by time blocked{share} of {}. Threads wait side by side, so their times can add up to more than the \
         run took. A place is the function that made the call; what lies further in belongs to the system.",
        duration(whole)
    );
    Some(Section::new("off-cpu", "Where threads wait", Body::Table(table)).with_intro(intro))
}

/// The path to the function that waited; the hint has all of it.
fn name(report: &Report<'_>, wait: &Wait<'_>) -> Name {
    let whole = report.answer.profile.path_names(wait.stack).join(" › ");
    Name { whole: Some(whole), ..path_name(report.answer.profile, wait.cause.site) }
}

/// The name of the thread; of several that share one the name and how many; otherwise how many.
fn threads(report: &Report<'_>, threads: &[ThreadId]) -> String {
    let name = |id: &ThreadId| report.answer.profile.strings.get(report.answer.profile.threads.get(*id).name);
    match threads {
        [] => "-".to_owned(),
        [one] => thread_name(report.answer.profile, *one),
        [first, rest @ ..] if rest.iter().all(|other| name(other) == name(first)) => {
            format!("{} ×{}", name(first), threads.len())
        }
        _ => counted(threads.len() as u64, "thread"),
    }
}
