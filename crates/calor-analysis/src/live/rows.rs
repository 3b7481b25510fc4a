//! The lists of a live view: from sums to rows, filtered and sorted.

use std::cmp::Ordering;
use std::collections::HashMap;
use std::sync::Arc;

use super::amount::{LiveLineTime, LiveThreadTime};
use super::digest::LiveWait;
use super::names::{LiveFunction, LiveThread, PythonLine};
use super::span::LiveSpan;
use super::window::LiveWindow;

/// A trend is how the last parts differ from those before them.
const NOW: usize = 3;
const BEFORE: usize = 13;

/// A smaller change of a share is none.
const TURN: f64 = 0.01;

/// A smaller share without a line is not worth a row.
const LEAST_REST: f64 = 0.0005;

/// What a row is about.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum LiveRowKey {
    /// A function.
    Function(Arc<LiveFunction>),
    /// A thread.
    Thread(LiveThread),
    /// A line of Python.
    Line(PythonLine),
    /// What was on no line of Python.
    NoLine,
    /// A place where threads wait.
    Wait(LiveWait),
}

/// Shares of a row's time, with names.
pub type LiveShares = Vec<(f64, String)>;

/// One row. What its numbers mean, its list says: shares of the sampled time for functions and lines, of one core for
/// threads, nanoseconds and how often for waits.
#[derive(Clone, PartialEq, Debug)]
pub struct LiveRow {
    /// What it is about.
    pub key: LiveRowKey,
    /// The time of itself, or of waiting.
    pub own: f64,
    /// The time with what it called, or how often.
    pub total: f64,
    /// What is beside the two: outside the interpreter, with its lock held, nanoseconds a wait.
    pub aside: f64,
    /// By how much the first number has changed lately.
    pub trend: f64,
    /// Whether the trend is more than chance.
    pub is_turning: bool,
    /// Its name.
    pub name: String,
    /// Where it is, or what it does.
    pub place: String,
}

/// A list that there is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum LiveList {
    /// Functions by their time.
    Functions,
    /// Threads by what they ran and waited.
    Threads,
    /// Lines of Python by their time.
    Lines,
    /// Where threads wait.
    Waits,
}

/// By which of its numbers rows are sorted.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum LiveOrder {
    /// The first.
    Own,
    /// The second.
    Total,
    /// What is beside the two.
    Aside,
    /// How it changes.
    Trend,
    /// The name.
    Name,
}

/// Which rows are wanted, in which order.
#[derive(Clone, Copy, Debug)]
pub struct LiveQuestion<'a> {
    /// The list.
    pub list: LiveList,
    /// Over which time.
    pub span: LiveSpan,
    /// By which number, the largest first.
    pub order: LiveOrder,
    /// Whether the other way around.
    pub is_reversed: bool,
    /// What a row's name or place has to contain, whatever its case; all rows where it is empty.
    pub filter: &'a str,
}

impl LiveWindow {
    /// The rows, and how many there would be without the filter.
    #[must_use]
    pub fn rows(&self, question: &LiveQuestion<'_>) -> (Vec<LiveRow>, usize) {
        let mut rows = match question.list {
            LiveList::Functions => functions(self, question.span),
            LiveList::Threads => threads(self, question.span),
            LiveList::Lines => lines(self, question.span),
            LiveList::Waits => waits(self, question.span),
        };
        let n_all = rows.len();
        let wanted = question.filter.to_lowercase();
        if !wanted.is_empty() {
            let has = |text: &str| text.to_lowercase().contains(&wanted);
            rows.retain(|row| has(&row.name) || has(&row.place));
        }
        rows.sort_by(|a, b| {
            let order = compare(a, b, question.order);
            if question.is_reversed { order.reverse() } else { order }
        });
        (rows, n_all)
    }

    /// Who calls a function, and whom it calls, as shares of its total.
    #[must_use]
    pub fn calls_of(&self, span: LiveSpan, function: &Arc<LiveFunction>) -> (LiveShares, LiveShares) {
        let n_rounds = self.n_rounds(span);
        let whole = self.functions.sums(n_rounds).find(|(key, _)| *key == function);
        let whole = whole.map_or(0, |(_, time)| time.total);
        let (mut callers, mut callees) = (Vec::new(), Vec::new());
        for ((from, to), nanos) in self.calls.sums(n_rounds) {
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
    #[must_use]
    pub fn work_of(&self, span: LiveSpan, thread: LiveThread) -> LiveShares {
        let spots = self.spots.sums(self.n_rounds(span)).filter(|((key, _), _)| *key == thread);
        let spots: Vec<_> = spots.map(|((_, function), nanos)| (nanos, function.name.clone())).collect();
        let whole = spots.iter().map(|(nanos, _)| nanos).sum();
        sorted(spots.into_iter().map(|(nanos, name)| (share(nanos, whole), name)).collect())
    }

    /// A function's own share in each of the last parts, the newest last.
    #[must_use]
    pub fn history(&self, function: &Arc<LiveFunction>, n_rounds: usize) -> Vec<f64> {
        let amounts = self.functions.history(function, n_rounds);
        amounts.zip(self.last(n_rounds)).map(|(time, round)| share(time.own, round.sampled_nanos)).collect()
    }
}

fn compare(a: &LiveRow, b: &LiveRow, sort: LiveOrder) -> Ordering {
    let most = |of: fn(&LiveRow) -> f64| of(b).total_cmp(&of(a));
    let first = match sort {
        LiveOrder::Own => most(|row| row.own),
        LiveOrder::Total => most(|row| row.total),
        LiveOrder::Aside => most(|row| row.aside),
        LiveOrder::Trend => most(|row| row.trend),
        LiveOrder::Name => a.name.to_lowercase().cmp(&b.name.to_lowercase()),
    };
    first
        .then_with(|| most(|row| row.own))
        .then_with(|| most(|row| row.total))
        .then_with(|| (&a.name, &a.place).cmp(&(&b.name, &b.place)))
}

fn share(part: u64, whole: u64) -> f64 {
    if whole == 0 { 0.0 } else { part as f64 / whole as f64 }
}

fn functions(window: &LiveWindow, span: LiveSpan) -> Vec<LiveRow> {
    let whole = window.round(span).sampled_nanos;
    let (now, before) = (window.between(0, NOW), window.between(NOW, BEFORE));
    let row = |function: &Arc<LiveFunction>, own: u64, total: u64| {
        let own_between = |newest, oldest| window.functions.between(function, newest, oldest).own;
        let new = share(own_between(0, NOW), now.sampled_nanos);
        let old = share(own_between(NOW, BEFORE), before.sampled_nanos);
        // Without a time before there is nothing to differ from.
        let trend = if before.sampled_nanos == 0 { 0.0 } else { new - old };
        LiveRow {
            key: LiveRowKey::Function(Arc::clone(function)),
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

fn threads(window: &LiveWindow, span: LiveSpan) -> Vec<LiveRow> {
    let n_rounds = window.n_rounds(span);
    let wall = window.round(span).wall_nanos;
    let mut hottest: HashMap<LiveThread, (&Arc<LiveFunction>, u64)> = HashMap::default();
    for ((thread, function), nanos) in window.spots.sums(n_rounds) {
        let known = hottest.entry(*thread).or_insert((function, 0));
        // Of two that are as hot the first by name, so that the row does not flicker.
        if nanos > known.1 || (nanos == known.1 && function < known.0) {
            *known = (function, nanos);
        }
    }
    let row = |(thread, time): (&LiveThread, LiveThreadTime)| LiveRow {
        key: LiveRowKey::Thread(*thread),
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

fn lines(window: &LiveWindow, span: LiveSpan) -> Vec<LiveRow> {
    let whole = window.round(span).sampled_nanos;
    let sums = window.lines.sums(window.n_rounds(span));
    let row = |(line, time): (&PythonLine, LiveLineTime)| LiveRow {
        key: LiveRowKey::Line(line.clone()),
        own: share(time.own, whole),
        total: share(time.total, whole),
        aside: share(time.native, whole),
        trend: 0.0,
        is_turning: false,
        name: format!("{}:{}", line.file, line.number),
        place: line.function.clone(),
    };
    let mut rows: Vec<LiveRow> = sums.map(row).collect();
    // With it, the rows add up to all samples.
    let rest = (1.0 - rows.iter().map(|row| row.own).sum::<f64>()).max(0.0);
    if !rows.is_empty() && rest >= LEAST_REST {
        rows.push(LiveRow {
            key: LiveRowKey::NoLine,
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

fn waits(window: &LiveWindow, span: LiveSpan) -> Vec<LiveRow> {
    let sums = window.waits.sums(window.n_rounds(span));
    sums.map(|(place, time)| LiveRow {
        key: LiveRowKey::Wait(place.clone()),
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

fn sorted(mut shares: LiveShares) -> LiveShares {
    shares.sort_by(|a, b| b.0.total_cmp(&a.0).then_with(|| a.1.cmp(&b.1)));
    shares
}

#[cfg(test)]
mod tests;
