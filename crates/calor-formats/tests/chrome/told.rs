//! A profile in a few lines, for tests to compare.

use calor_formats::chrome;
use calor_model::{Profile, ThreadId, Track};

/// The profile of a trace that has to be readable.
pub(crate) fn read(trace: impl AsRef<[u8]>) -> Profile {
    chrome::read(trace.as_ref()).unwrap()
}

/// The tracks in the order of their threads.
fn tracks(profile: &Profile) -> impl Iterator<Item = (ThreadId, &Track)> {
    let threads = profile.threads.iter();
    threads.filter_map(|(thread, _)| Some((thread, profile.timeline.track(thread)?)))
}

/// `thread: path start+duration`, in nanoseconds, for every span.
pub(crate) fn spans(profile: &Profile) -> Vec<String> {
    let mut lines = Vec::new();
    for (thread, track) in tracks(profile) {
        let name = profile.strings.get(profile.threads.get(thread).name);
        for span in &track.spans {
            let path = profile.path_names(span.stack).join(";");
            lines.push(format!("{name}: {path} {}+{}", span.start_nanos, span.duration_nanos));
        }
    }
    lines
}

/// `thread: path calls total min max` for every row of the scope table, sorted.
pub(crate) fn scopes(profile: &Profile) -> Vec<String> {
    let mut lines: Vec<String> = profile
        .scopes
        .iter()
        .map(|(key, stats)| {
            let name = profile.strings.get(profile.threads.get(key.thread).name);
            let path = profile.path_names(key.stack).join(";");
            let timed = &stats.timed;
            let (min, max) = (timed.min_nanos, timed.max_nanos);
            format!("{name}: {path} {} {} {min} {max}", stats.calls, stats.total_nanos)
        })
        .collect();
    lines.sort();
    lines
}

/// `thread: name at key=value ...` for every mark.
pub(crate) fn marks(profile: &Profile) -> Vec<String> {
    let text = |id| profile.strings.get(id);
    let mut lines = Vec::new();
    for (thread, track) in tracks(profile) {
        for mark in &track.marks {
            let details = mark.details.iter().map(|&(key, value)| format!(" {}={}", text(key), text(value)));
            let thread = text(profile.threads.get(thread).name);
            lines.push(format!(
                "{thread}: {} {}{}",
                text(mark.name),
                mark.at_nanos,
                details.collect::<String>()
            ));
        }
    }
    lines
}

/// `name [unit] at=value ...` for every counter.
pub(crate) fn counters(profile: &Profile) -> Vec<String> {
    let line = |(key, points): (calor_model::CounterKey, &[calor_model::CounterPoint])| {
        let points = points.iter().map(|point| format!(" {}={}", point.at_nanos, point.value));
        let (name, unit) = (profile.strings.get(key.name), profile.strings.get(key.unit));
        format!("{name} [{unit}]{}", points.collect::<String>())
    };
    profile.counters.iter().map(line).collect()
}

/// `code count` for every warning.
pub(crate) fn warnings(profile: &Profile) -> Vec<String> {
    let count = |count: Option<u64>| count.map_or(String::new(), |count| format!(" {count}"));
    profile.warnings.iter().map(|warning| format!("{}{}", warning.code, count(warning.count))).collect()
}
