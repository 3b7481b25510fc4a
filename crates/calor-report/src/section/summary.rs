//! The profile in a few figures.

use calor_analysis::quantity::{bytes, count, counted, duration, percent, uncertainty};
use calor_analysis::{PythonSummary, Summary};
use calor_model::HeapMode;

use crate::document::{Body, Section};
use crate::report::Report;
use crate::{carried, selection};

pub(crate) fn section(report: &Report<'_>) -> Section {
    let summary = &report.answer.summary;
    let wall = summary.duration_nanos;
    let mut facts =
        vec![("wall time", if wall > 0 { duration(wall as f64) } else { "not known".to_owned() })];
    facts.push((
        "CPU time",
        match summary.cpu_nanos {
            Some(cpu) if wall > 0 => {
                format!("{} ({:.2} cores busy on average)", duration(cpu as f64), cpu as f64 / wall as f64)
            }
            Some(cpu) => duration(cpu as f64),
            None => "not measured".to_owned(),
        },
    ));
    if let (Some(recorded), Some(paths)) = (summary.recorded_nanos, summary.scope_paths) {
        let calls = summary.scope_calls.map_or("calls not known,".to_owned(), |calls| counted(calls, "call"));
        facts.push(("time in scopes", format!("{}, all threads together", duration(recorded as f64))));
        facts.push(("scopes", format!("{calls} on {}", counted(paths as u64, "path"))));
    }
    facts.extend(on_no_path(summary));
    facts.extend(open_calls(summary));
    if let Some(samples) = summary.samples {
        let lost = summary.samples_lost.unwrap_or(0);
        let share = lost as f64 / (samples.saturating_add(lost)).max(1) as f64;
        let lost =
            if lost > 0 { format!(", {} lost ({})", count(lost), percent(share)) } else { String::new() };
        facts.push(("samples", format!("{}{lost}", count(samples))));
    }
    if let (Some(waits), Some(blocked)) = (summary.waits, summary.blocked_nanos) {
        let text =
            format!("{} in {}, all threads together", duration(blocked as f64), counted(waits, "wait"));
        facts.push(("waited", text));
    }
    facts.extend(summary.python.as_ref().map(|python| ("Python", python_words(python))));
    if !summary.threads.is_empty() {
        let word = if report.answer.has_processes_for_threads() { "processes" } else { "threads" };
        facts.push((word, count(summary.threads.len() as u64)));
    }
    if let Some(events) = summary.timeline_events {
        facts.push(("timeline", counted(events as u64, "event")));
    }
    facts.extend(heap(report));
    let body = Body::Facts(facts.into_iter().map(|(name, value)| (name.to_owned(), value)).collect());
    let section = Section::new("summary", "Summary", body);
    let made_smaller = carried::caution(report.answer.profile).map(sentence_of);
    let sentences: Vec<String> =
        selection::sentence(report.answer.profile, report.options).into_iter().chain(made_smaller).collect();
    match sentences.is_empty() {
        true => section,
        false => section.with_intro(sentences.join(" ")),
    }
}

/// A warning's message as a sentence.
fn sentence_of(message: &str) -> String {
    let mut letters = message.chars();
    let first = letters.next().map(|letter| letter.to_uppercase().to_string()).unwrap_or_default();
    format!("{first}{}.", letters.as_str())
}

/// Calls that the recorder counted and could not follow.
fn on_no_path(summary: &Summary) -> Option<(&'static str, String)> {
    let reasons = [
        (summary.too_deep_calls, "nested deeper than the recorder follows"),
        (summary.over_limit_calls, "on more call paths than it holds"),
    ];
    let reasons: Vec<String> = reasons
        .into_iter()
        .filter(|(calls, _)| *calls > 0)
        .map(|(calls, why)| format!("{} {why}", counted(calls, "call")))
        .collect();
    let text = format!("{}; their time is in the scope around them", reasons.join(", "));
    (!reasons.is_empty()).then_some(("not on a path", text))
}

fn open_calls(summary: &Summary) -> Option<(&'static str, String)> {
    let calls = counted(summary.open_calls, "call");
    let their = if summary.open_calls == 1 { "its" } else { "their" };
    match summary.open_calls {
        0 => None,
        _ if summary.is_open_uncertain => Some((
            "end not known",
            format!(
                "{calls} began without an end in what is left of the damaged file; what {their} path{} took is not exact",
                if summary.open_calls == 1 { "" } else { "s" }
            ),
        )),
        _ => Some(("still open", format!("{calls} had not ended; {their} time so far is counted"))),
    }
}

fn python_words(python: &PythonSummary) -> String {
    // Of the others nobody knows.
    let of_known = match python.lock_samples {
        n if n < python.samples => format!(" of the {} it is known of", count(n)),
        _ => String::new(),
    };
    let held = python.held_share.map(|share| format!("GIL held in {}{of_known}", percent(share)));
    let waited = python.gil_wait_nanos.map(|nanos| format!("waited for it {}", duration(nanos as f64)));
    let said: Vec<String> =
        [Some(counted(python.samples, "sample")), held, waited].into_iter().flatten().collect();
    let not_verified = match (python.unverified, python.unverified_waits) {
        (0, 0) => String::new(),
        (samples, 0) => format!("; {} not verified", counted(samples, "sample")),
        (0, waits) => format!("; {} not verified", counted(waits, "wait")),
        (samples, waits) => {
            format!("; {} and {} not verified", counted(samples, "sample"), counted(waits, "wait"))
        }
    };
    format!("{}{not_verified}", said.join(", "))
}

fn heap(report: &Report<'_>) -> Vec<(&'static str, String)> {
    let allocated = report.answer.summary.allocated_bytes;
    let of_scopes = || allocated.map(|allocated| ("allocated", bytes(allocated)));
    let Some(heap) = report.answer.summary.heap else { return of_scopes().into_iter().collect() };
    let mark = if heap.mode == HeapMode::Sampled { "~" } else { "" };
    let at = heap.peak_at_nanos.map(|at| format!(" at {}", duration(at as f64))).unwrap_or_default();
    let peak = ("peak", format!("{mark}{}{at}", bytes(heap.peak_bytes)));
    let Some(allocated) = allocated.filter(|_| heap.has_sums()) else {
        return of_scopes().into_iter().chain([peak]).collect();
    };
    vec![
        (
            "allocated",
            format!(
                "{mark}{}{} in {mark}{}",
                bytes(allocated),
                within(uncertainty(allocated, heap.sum.allocated_interval())),
                counted(heap.allocated_count, "allocation")
            ),
        ),
        peak,
        (
            "not freed",
            format!(
                "{mark}{}{} in {mark}{}",
                bytes(allocated.saturating_sub(heap.freed_bytes)),
                within(uncertainty(heap.live_bytes(), heap.sum.live_interval())),
                counted(heap.allocated_count.saturating_sub(heap.freed_count), "block")
            ),
        ),
    ]
}

fn within(uncertainty: Option<String>) -> String {
    uncertainty.map(|uncertainty| format!(" {uncertainty}")).unwrap_or_default()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_share_of_the_lock_says_how_many_samples_it_is_known_of() {
        let python = PythonSummary {
            samples: 80,
            lock_samples: 60,
            held_share: Some(0.5),
            ..PythonSummary::default()
        };
        assert_eq!(python_words(&python), "80 samples, GIL held in 50.0 % of the 60 it is known of");
        let python = PythonSummary { lock_samples: 80, ..python };
        assert_eq!(python_words(&python), "80 samples, GIL held in 50.0 %");
    }

    #[test]
    fn samples_and_waits_that_are_not_verified_are_told_one_by_one() {
        for (unverified, unverified_waits, expected) in [
            (0, 0, "80 samples"),
            (3, 0, "80 samples; 3 samples not verified"),
            (0, 1, "80 samples; 1 wait not verified"),
            (3, 2, "80 samples; 3 samples and 2 waits not verified"),
        ] {
            let python =
                PythonSummary { samples: 80, unverified, unverified_waits, ..PythonSummary::default() };
            assert_eq!(python_words(&python), expected);
        }
    }
}
