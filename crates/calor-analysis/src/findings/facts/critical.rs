//! Scopes on the critical path: where a timeline tells which thread waited for which, the part of the path that a scope has is
//! what its speed bears on, and what would remain if its work took no time bounds the gain: another path takes over.

use std::collections::BTreeMap;

use calor_model::{Profile, StackId, StringId};

use super::Whole;
use crate::findings::Share;
use crate::{Basis, CriticalPath};

/// A timeline of less than this part of the run says too little of it.
const LEAST_COVERED: f64 = 0.9;
/// Scopes whose bound is worked out; others have too little of the path to matter.
const MOST_SCOPES: usize = 64;
/// A bound takes a walk over all spans, so that of long timelines few are worked out: so many spans are walked over in all.
const MOST_WALKED: usize = 10_000_000;

/// The critical path of a run with several threads.
#[derive(Debug)]
pub(super) struct Critical {
    path: CriticalPath,
    /// By name of scope: the part of the path that would be saved if its work took no time.
    bounds: BTreeMap<StringId, f64>,
    /// The timeline as a part of the whole.
    covered: f64,
}

impl Critical {
    /// `None` where there is no timeline of most of the run, or one thread alone, of which all is known anyway.
    pub(super) fn of(profile: &Profile, whole: &Whole) -> Option<Self> {
        let path = CriticalPath::of(profile).ok()?;
        let covered = path.wall_nanos as f64 / whole.clock_nanos.max(1) as f64;
        if path.n_threads < 2 || covered < LEAST_COVERED {
            return None;
        }
        let n_scopes = (MOST_WALKED / profile.timeline.n_spans().max(1)).min(MOST_SCOPES);
        let gains = path.gains(profile, f64::INFINITY, n_scopes);
        let saved = |overall: f64| if overall.is_finite() { 1.0 - 1.0 / overall.max(1.0) } else { 1.0 };
        let bounds = gains.iter().map(|gain| (gain.name, saved(gain.bound.overall))).collect();
        Some(Self { path, bounds, covered: covered.min(1.0) })
    }

    /// The part of the whole that a call path has, with what it calls, on the critical path. `otherwise` is what is known
    /// without it; where nobody told who waited for whom, the path is a guess, and so the bounds hold both.
    pub(super) fn share(&self, profile: &Profile, stack: StackId, otherwise: Share) -> Share {
        let name = profile.frames.get(profile.stacks.get(stack).frame).name;
        let estimate = self.path.share_of(stack) * self.covered;
        let bound = self.bounds.get(&name).map_or(estimate, |saved| saved * self.covered);
        let low = estimate.min(bound);
        match self.path.basis {
            Basis::Inferred => Share::between(low.min(otherwise.low), estimate, estimate.max(otherwise.low)),
            _ => Share::between(low, estimate, estimate),
        }
    }
}

#[cfg(test)]
mod tests {
    use calor_model::{FrameKind, Span};

    use crate::findings::Facts;
    use crate::findings::draft::Draft;

    /// A run of a second: on the main thread `load` for 0.4 s and then `wait` for a worker, which takes 0.9 s for `work`.
    fn facts_of(check: impl FnOnce(&Facts<'_>)) {
        const MILLI: u64 = 1_000_000;
        let rows: [(&str, &[&str], u64, u64); 4] = [
            ("main", &["run"], 0, 1000),
            ("main", &["run", "load"], 0, 400),
            ("worker", &["work"], 50, 950),
            ("main", &["run", "save"], 950, 1000),
        ];
        let mut draft = Draft::new().seconds(1.0);
        for (thread, path, from, to) in rows {
            draft = draft.scope_on(thread, path, 1, (to - from) * MILLI);
        }
        let mut profile = draft.profile();
        for (thread, path, from, to) in rows {
            let stack = profile.intern_named_path(path, FrameKind::Scope).expect("a path has a frame");
            let found = profile.threads.iter().find(|(_, known)| profile.strings.get(known.name) == thread);
            let thread = found.expect("the thread has scopes").0;
            let span = Span { start_nanos: from * MILLI, duration_nanos: (to - from) * MILLI, stack };
            profile.timeline.track_mut(thread).spans.push(span);
        }
        profile.timeline.sort();
        check(&Facts::new(&profile, None));
    }

    #[test]
    fn a_scope_that_others_did_not_wait_for_is_worth_less_than_its_time() {
        facts_of(|facts| {
            let share = |name: &str| {
                let scope = facts.scopes().iter().find(|scope| facts.name(scope.stack) == name);
                scope.expect("it is a scope").total_share
            };
            let (load, work) = (share("load"), share("work"));
            assert!(work.estimate <= 0.95 && load.low <= 0.4, "{load:?} {work:?}");
            // Both ran at once: no more than one of them can be what the run waited for.
            assert!(load.low + work.low <= 1.0, "{load:?} {work:?}");
        });
    }

    #[test]
    fn without_a_timeline_of_most_of_the_run_threads_are_taken_by_themselves() {
        let profile = Draft::new()
            .seconds(1.0)
            .scope_on("main", &["load"], 1, 400_000_000)
            .scope_on("worker", &["work"], 1, 900_000_000)
            .profile();
        let facts = Facts::new(&profile, None);
        let shares: Vec<f64> = facts.scopes().iter().map(|scope| scope.total_share.estimate).collect();
        assert_eq!(shares, [0.9, 0.4]);
    }
}
