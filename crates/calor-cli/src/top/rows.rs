//! What the lists show: from sums to rows, filtered and sorted. Nothing here knows of a terminal.

use std::cmp::Ordering;
use std::collections::HashMap;
use std::sync::Arc;

use super::amount::LineTime;
use super::digest::WaitPlace;
use super::names::{Function, PythonLine, ThreadKey};
use super::view::{Sort, View};
use super::window::{Span, Window};

/// A trend is how the last parts differ from those before them.
const NOW: usize = 3;
const BEFORE: usize = 13;

/// A smaller change of a share is none.
const TURN: f64 = 0.01;

/// A smaller share without a line is not worth a row.
const LEAST_REST: f64 = 0.0005;

/// What a row is about.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(super) enum RowKey {
    Function(Arc<Function>),
    Thread(ThreadKey),
    Line(PythonLine),
    /// What was on no line of Python.
    NoLine,
    Wait(WaitPlace),
}

/// One row. What its numbers mean, its view says: shares of the sampled time for functions and lines, of one core for
/// threads, nanoseconds and how often for waits.
#[derive(Clone, PartialEq, Debug)]
pub(super) struct Row {
    pub(super) key: RowKey,
    pub(super) own: f64,
    pub(super) total: f64,
    /// What is beside the two: outside the interpreter, with its lock held, nanoseconds a wait.
    pub(super) aside: f64,
    pub(super) trend: f64,
    /// Whether the trend is more than chance.
    pub(super) is_turning: bool,
    pub(super) name: String,
    pub(super) place: String,
}

/// Which rows are wanted, in which order.
#[derive(Clone, Copy, Debug)]
pub(super) struct Choice<'a> {
    pub(super) view: View,
    pub(super) span: Span,
    pub(super) sort: Sort,
    pub(super) is_reversed: bool,
    pub(super) filter: &'a str,
}

/// The rows, and how many there would be without the filter.
pub(super) fn rows(window: &Window, choice: &Choice<'_>) -> (Vec<Row>, usize) {
    let mut rows = match choice.view {
        View::Functions => functions(window, choice.span),
        View::Threads => threads(window, choice.span),
        View::Python => lines(window, choice.span),
        View::Waits => waits(window, choice.span),
        View::Memory | View::Output | View::Notes => Vec::new(),
    };
    let n_all = rows.len();
    let wanted = choice.filter.to_lowercase();
    if !wanted.is_empty() {
        let has = |text: &str| text.to_lowercase().contains(&wanted);
        rows.retain(|row| has(&row.name) || has(&row.place));
    }
    rows.sort_by(|a, b| {
        let order = compare(a, b, choice.sort);
        if choice.is_reversed { order.reverse() } else { order }
    });
    (rows, n_all)
}

fn compare(a: &Row, b: &Row, sort: Sort) -> Ordering {
    let most = |of: fn(&Row) -> f64| of(b).total_cmp(&of(a));
    let first = match sort {
        Sort::Own => most(|row| row.own),
        Sort::Total => most(|row| row.total),
        Sort::Aside => most(|row| row.aside),
        Sort::Trend => most(|row| row.trend),
        Sort::Name => a.name.to_lowercase().cmp(&b.name.to_lowercase()),
    };
    first
        .then_with(|| most(|row| row.own))
        .then_with(|| most(|row| row.total))
        .then_with(|| (&a.name, &a.place).cmp(&(&b.name, &b.place)))
}

fn share(part: u64, whole: u64) -> f64 {
    if whole == 0 { 0.0 } else { part as f64 / whole as f64 }
}

fn functions(window: &Window, span: Span) -> Vec<Row> {
    let whole = window.round(span).sampled_nanos;
    let (now, before) = (window.between(0, NOW), window.between(NOW, BEFORE));
    let row = |function: &Arc<Function>, own: u64, total: u64| {
        let own_between = |newest, oldest| window.functions.between(function, newest, oldest).own;
        let new = share(own_between(0, NOW), now.sampled_nanos);
        let old = share(own_between(NOW, BEFORE), before.sampled_nanos);
        // Without a time before there is nothing to differ from.
        let trend = if before.sampled_nanos == 0 { 0.0 } else { new - old };
        Row {
            key: RowKey::Function(Arc::clone(function)),
            own: share(own, whole),
            total: share(total, whole),
            aside: 0.0,
            trend,
            is_turning: trend.abs() >= TURN.max(chance(old, now.n_samples, before.n_samples)),
            name: function.name.clone(),
            place: function.module.clone(),
        }
    };
    let sums = window.functions.sums(window.n_rounds(span));
    sums.map(|(function, time)| row(function, time.own, time.total)).collect()
}

/// By how much two shares of samples may differ without anything having changed: three standard deviations, so that
/// of some dozen rows hardly one says otherwise.
fn chance(share: f64, n_now: u64, n_before: u64) -> f64 {
    let of = |n_samples: u64| 1.0 / n_samples.max(1) as f64;
    3.0 * (share * (1.0 - share) * (of(n_now) + of(n_before))).max(0.0).sqrt()
}

fn threads(window: &Window, span: Span) -> Vec<Row> {
    let n_rounds = window.n_rounds(span);
    let wall = window.round(span).wall_nanos;
    let mut hottest: HashMap<ThreadKey, (&Arc<Function>, u64)> = HashMap::default();
    for ((thread, function), nanos) in window.spots.sums(n_rounds) {
        let known = hottest.entry(*thread).or_insert((function, 0));
        // Of two that are as hot the first by name, so that the row does not flicker.
        if nanos > known.1 || (nanos == known.1 && function < known.0) {
            *known = (function, nanos);
        }
    }
    let row = |(thread, time): (&ThreadKey, super::amount::ThreadTime)| Row {
        key: RowKey::Thread(*thread),
        own: share(time.running, wall),
        total: share(time.waiting, wall),
        aside: share(time.gil_held, wall),
        trend: 0.0,
        is_turning: false,
        name: window.thread_name(*thread).to_owned(),
        place: hottest.get(thread).map(|(function, _)| function.name.clone()).unwrap_or_default(),
    };
    window.threads.sums(n_rounds).map(row).collect()
}

fn lines(window: &Window, span: Span) -> Vec<Row> {
    let whole = window.round(span).sampled_nanos;
    let sums = window.lines.sums(window.n_rounds(span));
    let row = |(line, time): (&PythonLine, LineTime)| Row {
        key: RowKey::Line(line.clone()),
        own: share(time.own, whole),
        total: share(time.total, whole),
        aside: share(time.native, whole),
        trend: 0.0,
        is_turning: false,
        name: format!("{}:{}", line.file, line.number),
        place: line.function.clone(),
    };
    let mut rows: Vec<Row> = sums.map(row).collect();
    // With it, the rows add up to all samples.
    let rest = (1.0 - rows.iter().map(|row| row.own).sum::<f64>()).max(0.0);
    if !rows.is_empty() && rest >= LEAST_REST {
        rows.push(Row {
            key: RowKey::NoLine,
            own: rest,
            total: rest,
            aside: 0.0,
            trend: 0.0,
            is_turning: false,
            name: "(not Python, or not verified)".to_owned(),
            place: String::new(),
        });
    }
    rows
}

fn waits(window: &Window, span: Span) -> Vec<Row> {
    let sums = window.waits.sums(window.n_rounds(span));
    sums.map(|(place, time)| Row {
        key: RowKey::Wait(place.clone()),
        own: time.nanos as f64,
        total: time.count as f64,
        aside: share(time.nanos, time.count),
        trend: 0.0,
        is_turning: false,
        name: place.function.name.clone(),
        place: place.reason.word().to_owned(),
    })
    .collect()
}

/// What a panel shows beside a row: shares of the row's time, with names.
pub(super) type Shares = Vec<(f64, String)>;

/// Who calls a function, and whom it calls, as shares of its total.
pub(super) fn calls(window: &Window, span: Span, function: &Arc<Function>) -> (Shares, Shares) {
    let n_rounds = window.n_rounds(span);
    let whole = window.functions.sums(n_rounds).find(|(key, _)| *key == function);
    let whole = whole.map_or(0, |(_, time)| time.total);
    let (mut callers, mut callees) = (Vec::new(), Vec::new());
    for ((from, to), nanos) in window.calls.sums(n_rounds) {
        if to == function {
            let name = from.as_ref().map_or("(nobody: it is outermost)", |from| &from.name);
            callers.push((share(nanos, whole), name.to_owned()));
        }
        if from.as_ref() == Some(function) {
            callees.push((share(nanos, whole), to.name.clone()));
        }
    }
    (sorted(callers), sorted(callees))
}

/// What a thread does, as shares of the time it ran.
pub(super) fn of_thread(window: &Window, span: Span, thread: ThreadKey) -> Shares {
    let spots = window.spots.sums(window.n_rounds(span)).filter(|((key, _), _)| *key == thread);
    let spots: Vec<_> = spots.map(|((_, function), nanos)| (nanos, function.name.clone())).collect();
    let whole = spots.iter().map(|(nanos, _)| nanos).sum();
    sorted(spots.into_iter().map(|(nanos, name)| (share(nanos, whole), name)).collect())
}

fn sorted(mut shares: Shares) -> Shares {
    shares.sort_by(|a, b| b.0.total_cmp(&a.0).then_with(|| a.1.cmp(&b.1)));
    shares
}

/// A function's own share in each of the last parts, the newest last.
pub(super) fn history(window: &Window, function: &Arc<Function>, n_rounds: usize) -> Vec<f64> {
    let amounts = window.functions.history(function, n_rounds);
    amounts.zip(window.last(n_rounds)).map(|(time, round)| share(time.own, round.sampled_nanos)).collect()
}

#[cfg(test)]
mod tests;
