//! Events: which one CPU time is taken from, and what its samples are worth in time.

use std::collections::HashMap;

/// What a sample of an event tells about time.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub(super) enum EventKind {
    /// The period is in nanoseconds.
    Clock,
    /// Goes on while the thread runs.
    Cycles,
    /// Anything else.
    Other,
    /// The thread stops running.
    Switch,
}

/// What an event is, by its name without modifiers such as `:u`.
pub(super) fn kind(event: &str) -> EventKind {
    match base(event) {
        "cpu-clock" | "task-clock" => EventKind::Clock,
        "cycles" | "cpu-cycles" | "ref-cycles" | "bus-cycles" => EventKind::Cycles,
        "sched" if event.starts_with("sched:sched_switch") => EventKind::Switch,
        _ => EventKind::Other,
    }
}

fn base(event: &str) -> &str {
    let named = event.split_once('/').map_or(event, |(_, inner)| inner);
    named.split([':', '/', ',']).next().unwrap_or(named)
}

/// How long a thread usually runs from one sample to the next: the middle of the distances, which pauses do not
/// move. `times` are of one event: thread and nanoseconds.
pub(super) fn usual_distance_nanos(times: impl Iterator<Item = (usize, u64)>) -> u64 {
    let mut last: HashMap<usize, u64> = HashMap::new();
    let mut distances: Vec<u64> = Vec::new();
    for (thread, at_nanos) in times {
        if let Some(before) = last.insert(thread, at_nanos)
            && at_nanos > before
        {
            distances.push(at_nanos - before);
        }
    }
    let middle = distances.len() / 2;
    // With a single sample nothing is known; a millisecond is what profilers commonly take.
    if distances.is_empty() { 1_000_000 } else { *distances.select_nth_unstable(middle).1 }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn events_are_told_by_name_without_their_modifiers() {
        for (event, expected) in [
            ("cpu-clock:ppp", EventKind::Clock),
            ("task-clock:u", EventKind::Clock),
            ("cycles", EventKind::Cycles),
            ("cpu_core/cycles/P", EventKind::Cycles),
            ("cpu/cpu-cycles,name=x/", EventKind::Cycles),
            ("sched:sched_switch", EventKind::Switch),
            ("sched:sched_wakeup", EventKind::Other),
            ("page-faults", EventKind::Other),
        ] {
            assert_eq!(kind(event), expected, "{event}");
        }
    }

    #[test]
    fn a_pause_does_not_change_the_usual_distance() {
        let times = [(0, 10), (1, 12), (0, 20), (1, 22), (0, 30), (0, 9_000), (0, 8_000)];
        assert_eq!(usual_distance_nanos(times.into_iter()), 10);
        assert_eq!(usual_distance_nanos([(0, 10)].into_iter()), 1_000_000);
    }
}
