//! The sentences of a page about a history, the same in every format.

use calor_analysis::history::{History, HistoryRun, HistorySeries, HistoryValue};
use calor_analysis::quantity::{bytes, count, counted, duration, percent};
use calor_analysis::{ChangeCause, RunChange};

use crate::document::Tone;
use calor_wire::utc;

/// How much of a commit is shown; git shows as much.
const COMMIT: usize = 7;

/// What a page is of, and of when.
pub(super) fn subject(history: &History) -> String {
    let days = match (history.runs.first(), history.runs.last()) {
        (Some(first), Some(last)) if day(first) == day(last) => format!(" of {}", day(first)),
        (Some(first), Some(last)) => format!(" from {} to {}", day(first), day(last)),
        _ => String::new(),
    };
    let runs = counted(history.runs.len() as u64, "run");
    format!("{runs} of {}{days}, {}", history.subject, history.metric.name())
}

/// What a series is of.
pub(super) fn title(series: &HistorySeries) -> String {
    let Some(scope) = &series.scope else { return "whole program".to_owned() };
    let place = series.place.as_deref().map(|place| format!(" ({place})")).unwrap_or_default();
    let value = match series.value {
        HistoryValue::Total => "with what it calls",
        HistoryValue::Own => "by itself",
        HistoryValue::Call => "a call",
    };
    format!("{scope}{place}, {value}")
}

/// A figure with its unit.
pub(super) fn figure(history: &History, value: f64) -> String {
    match history.metric.is_bytes() {
        true => bytes(value.round().max(0.0) as u64),
        false => duration(value),
    }
}

/// What became of a series, in few words; its changes are told below.
pub(super) fn standing(history: &History, series: &HistorySeries) -> String {
    let now = series.level().map(|level| figure(history, level)).unwrap_or_default();
    match &series.changes[..] {
        [] => format!("{now}, {}", unchanged(series)),
        [.., last] => format!("{now} now, change {} was {}", series.changes.len(), last.change),
    }
}

/// That no change was found, and which could have hidden: a few runs that differ much tell little.
fn unchanged(series: &HistorySeries) -> String {
    /// What is hidden is more than most changes are.
    const LARGE: f64 = 0.1;
    match series.smallest_detectable() {
        None => "too few runs to tell a change".to_owned(),
        Some(smallest) if smallest > LARGE => {
            format!("too few runs to tell a change of less than {:.0} %", 100.0 * smallest)
        }
        Some(smallest) => format!("no change; one of {} would show", percent(smallest)),
    }
}

/// A change in a sentence: by how much, when, with which commit.
pub(super) fn change(history: &History, change: &RunChange) -> String {
    let [before, after] = change.levels.map(|level| figure(history, level));
    let run = &history.runs[change.at];
    let when = minute(run);
    let source = source(history, change);
    let cause = match change.cause {
        ChangeCause::Machine => "; the machine changed with it, by the piece of code that recordings time",
        ChangeCause::Program | ChangeCause::Unknown => "",
    };
    format!("{}, {before} to {after}, since {when} (run {}): {source}{cause}", change.change, run.id)
}

/// What came into the sources with a change.
fn source(history: &History, change: &RunChange) -> String {
    let [before, after] = [change.before, change.at].map(|at| &history.runs[at]);
    let (is_same, is_dirty) = (before.commit == after.commit, before.is_dirty || after.is_dirty);
    match (commit(before), commit(after)) {
        (Some(_), Some(commit)) if is_same && is_dirty => {
            format!("both runs are of commit {commit}, with changes that were not committed")
        }
        (Some(_), Some(commit)) if is_same => {
            format!("both runs are of commit {commit}, so it was not the sources")
        }
        (Some(before), Some(after)) => {
            let [from, to] = [&before, &after].map(|commit| commit.trim_end_matches('*'));
            match history.n_commits.get(&[change.before, change.at]) {
                Some(1) if is_dirty => format!("commit {to}, or changes that were not committed"),
                Some(1) => format!("commit {to}"),
                Some(n) => format!("commit {after}, or another of the {} in {from}..{to}", count(*n)),
                None => format!("commit {after}, or another of {from}..{to}"),
            }
        }
        (None, Some(after)) => format!("commit {after}; that of the run before is not known"),
        (_, None) => "the commit is not known".to_owned(),
    }
}

/// A commit as short as git shows it; a star says that files were changed.
pub(super) fn commit(run: &HistoryRun) -> Option<String> {
    let star = if run.is_dirty { "*" } else { "" };
    let short: String = run.commit.as_ref()?.chars().take(COMMIT).collect();
    Some(short + star)
}

/// More is worse, whatever is measured.
pub(super) fn tone(change: &RunChange) -> Tone {
    match change.cause {
        ChangeCause::Machine => Tone::Quiet,
        _ if change.change.effect > 0.0 => Tone::Worse,
        _ => Tone::Better,
    }
}

/// What is left to be said of scopes.
pub(super) fn rest(history: &History) -> Option<String> {
    match history.n_unchanged {
        0 => None,
        1 => Some("One more scope was looked at: no change was found in it.".to_owned()),
        n => Some(format!("{} more scopes were looked at: no change was found in them.", count(n as u64))),
    }
}

pub(super) fn day(run: &HistoryRun) -> String {
    utc(run.at_unix_nanos).unwrap_or_default().chars().take(10).collect()
}

pub(super) fn minute(run: &HistoryRun) -> String {
    let text = utc(run.at_unix_nanos).unwrap_or_default();
    text.get(..16).unwrap_or_default().replace('T', " ")
}
