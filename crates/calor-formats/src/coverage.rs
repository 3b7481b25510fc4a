//! How much of the time of scopes the timeline shows. Rings that were full, files that reached their limit and calls that
//! were counted without being timed leave time in the statistics that no span stands for.

use std::collections::HashMap;

use calor_model::{Profile, StackId, StackTable, ThreadId};

/// Time by call path.
pub(crate) type PathNanos = HashMap<StackId, u64>;

/// The time of the scopes of all threads that have a timeline, and how much of it their spans leave out.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
#[non_exhaustive]
pub struct Coverage {
    /// Time in scopes, as their statistics say.
    pub recorded_nanos: u64,
    /// Time of which no span says on which call path it was spent.
    pub missing_nanos: u64,
}

impl Coverage {
    /// What the timeline of a profile covers. Threads without one are left out: what is drawn of them are totals.
    #[must_use]
    pub fn of(profile: &Profile) -> Self {
        let mut of_threads: HashMap<ThreadId, PathNanos> = HashMap::new();
        for (thread, track) in profile.timeline.iter().filter(|(_, track)| !track.spans.is_empty()) {
            let spans = track.spans.iter().map(|span| (span.stack, span.duration_nanos));
            of_threads.insert(thread, self_nanos(&profile.stacks, spans));
        }
        let mut coverage = Self::default();
        for ((key, _), recorded) in profile.scopes.iter().zip(profile.scope_self_nanos()) {
            let Some(shown) = of_threads.get_mut(&key.thread) else { continue };
            // Rows that differ in their labels share the spans of their path.
            let shown = shown.entry(key.stack).or_default();
            let covered = recorded.min(*shown);
            *shown -= covered;
            coverage.recorded_nanos = coverage.recorded_nanos.saturating_add(recorded);
            coverage.missing_nanos = coverage.missing_nanos.saturating_add(recorded - covered);
        }
        coverage
    }

    /// The share of the time that is missing, from 0 to 1.
    #[must_use]
    pub fn missing_share(self) -> f64 {
        self.missing_nanos as f64 / self.recorded_nanos.max(1) as f64
    }
}

/// Times of calls, callees included, as what each path took by itself.
pub(crate) fn self_nanos(stacks: &StackTable, calls: impl Iterator<Item = (StackId, u64)>) -> PathNanos {
    let (mut whole, mut of_callees) = (PathNanos::default(), PathNanos::default());
    for (stack, nanos) in calls {
        let sum = whole.entry(stack).or_default();
        *sum = sum.saturating_add(nanos);
        if let Some(parent) = stacks.get(stack).parent {
            let sum = of_callees.entry(parent).or_default();
            *sum = sum.saturating_add(nanos);
        }
    }
    for (stack, nanos) in &mut whole {
        *nanos = nanos.saturating_sub(of_callees.get(stack).copied().unwrap_or(0));
    }
    whole
}

#[cfg(test)]
mod tests {
    use calor_model::{FrameKind, LabelTable, ScopeKey, ScopeStats, Span};

    use super::*;

    /// A thread that ran for 100 ns, 60 of them in a step.
    fn profile(spans: &[(u64, &[&str])]) -> Profile {
        let mut profile = Profile::default();
        let thread = profile.intern_thread(1, 1, "main");
        for (total_nanos, path) in [(100, &["run"][..]), (60, &["run", "step"])] {
            let stack = profile.intern_named_path(path, FrameKind::Scope).unwrap();
            let key = ScopeKey { stack, thread, labels: LabelTable::none() };
            profile.scopes.add(key, ScopeStats { calls: 1, total_nanos, ..ScopeStats::default() });
        }
        for &(duration_nanos, path) in spans {
            let stack = profile.intern_named_path(path, FrameKind::Scope).unwrap();
            profile.timeline.track_mut(thread).spans.push(Span { start_nanos: 0, duration_nanos, stack });
        }
        profile
    }

    #[test]
    fn what_is_missing_is_time_whose_path_no_span_tells() {
        for (spans, missing) in [
            (&[(100, &["run"][..]), (60, &["run", "step"])][..], 0),
            // The step's time is there as its caller's, which is the wrong place.
            (&[(100, &["run"])], 60),
            (&[(100, &["run"]), (20, &["run", "step"])], 40),
            (&[(60, &["run", "step"])], 40),
        ] {
            let coverage = Coverage::of(&profile(spans));
            assert_eq!((coverage.recorded_nanos, coverage.missing_nanos), (100, missing), "{spans:?}");
            assert!((coverage.missing_share() - missing as f64 / 100.0).abs() < 1e-9);
        }
    }

    #[test]
    fn without_a_timeline_nothing_is_missing_from_it() {
        assert_eq!(Coverage::of(&profile(&[])), Coverage::default());
        assert_eq!(Coverage::default().missing_share(), 0.0);
    }
}
