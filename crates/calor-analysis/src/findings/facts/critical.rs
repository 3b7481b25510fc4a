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

    /// From where it is known which thread waited for which.
    pub(super) fn basis(&self) -> Basis {
        self.path.basis
    }

    /// The part of the whole that a call path has, with what it calls, on the critical path. `otherwise` is what is known
    /// without it; where nobody told who waited for whom, the path is a guess, and so the bounds hold both.
    pub(super) fn share(&self, profile: &Profile, stack: StackId, otherwise: Share) -> Share {
        self.bounded(profile, stack, self.path.share_of(stack), otherwise)
    }

    /// The same of the call path itself, without what it calls.
    pub(super) fn self_share(&self, profile: &Profile, stack: StackId, otherwise: Share) -> Share {
        self.bounded(profile, stack, self.path.self_share_of(stack), otherwise)
    }

    fn bounded(&self, profile: &Profile, stack: StackId, of_path: f64, otherwise: Share) -> Share {
        let name = profile.frames.get(profile.stacks.get(stack).frame).name;
        let estimate = of_path * self.covered;
        // What another path leaves of the gain is left of every part of it.
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
    use calor_model::{FrameKind, Link, LinkKind, Profile, Span, ThreadId};

    use crate::Basis;
    use crate::findings::draft::Draft;
    use crate::findings::{Facts, Share};

    const MILLI: u64 = 1_000_000;

    /// A run of a second: on the main thread `load` for 0.4 s and then a wait for a worker, which takes 0.9 s for `work`,
    /// then `save`.
    fn profile() -> (Profile, [ThreadId; 2]) {
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
        let find = |profile: &Profile, name: &str| {
            let is_it = |known: &(ThreadId, calor_model::Thread)| profile.strings.get(known.1.name) == name;
            profile.threads.iter().find(is_it).expect("the thread has scopes").0
        };
        for (thread, path, from, to) in rows {
            let stack = profile.intern_named_path(path, FrameKind::Scope).expect("a path has a frame");
            let thread = find(&profile, thread);
            let span = Span { start_nanos: from * MILLI, duration_nanos: (to - from) * MILLI, stack };
            profile.timeline.track_mut(thread).spans.push(span);
        }
        profile.timeline.sort();
        let threads = ["main", "worker"].map(|name| find(&profile, name));
        (profile, threads)
    }

    /// The same with who waited for whom: the worker was started at 50 ms, and waited for since 400.
    fn told() -> Profile {
        let (mut profile, [main, worker]) = profile();
        let link = |kind, from, from_at: u64, to, since: u64, to_at: u64| Link {
            kind,
            object: 1,
            from,
            from_nanos: from_at * MILLI,
            to,
            since_nanos: since * MILLI,
            to_nanos: to_at * MILLI,
            held_nanos: 0,
        };
        profile.timeline.links.push(link(LinkKind::Spawn, main, 50, worker, 50, 50));
        profile.timeline.links.push(link(LinkKind::Join, worker, 950, main, 400, 950));
        profile
    }

    /// A scope's part with what it calls and without, in thousandths: low, estimate, high.
    fn shares(facts: &Facts<'_>, name: &str) -> [[u64; 3]; 2] {
        let scope = facts.scopes().iter().find(|scope| facts.name(scope.stack) == name);
        let scope = scope.expect("it is a scope");
        let rounded =
            |share: Share| [share.low, share.estimate, share.high].map(|part| (part * 1000.0).round() as u64);
        [rounded(scope.total_share), rounded(scope.self_share)]
    }

    #[test]
    fn where_waits_are_told_scopes_have_the_part_of_the_path_that_they_are_on() {
        let profile = told();
        let facts = Facts::new(&profile, None);
        assert_eq!(facts.path_basis(), Some(Basis::Told));
        // If `work` took no time the run would still load for 0.4 s: the rest of it is what it bears on.
        assert_eq!(shares(&facts, "work"), [[550, 900, 900]; 2]);
        assert_eq!(shares(&facts, "load")[0], [50, 50, 50]);
        assert_eq!(shares(&facts, "save")[0], [50, 50, 50]);
        // Half of the time in `run` itself is a wait: no work of its own is on the path.
        let [total, own] = shares(&facts, "run");
        assert_eq!((total[1], own), (100, [0, 0, 0]));
    }

    #[test]
    fn where_nobody_told_the_bounds_hold_the_guess_and_what_is_known_without_it() {
        let (profile, _) = profile();
        let facts = Facts::new(&profile, None);
        assert_eq!(facts.path_basis(), Some(Basis::Inferred));
        // `run` was open all the time, so that nothing shows that it waited for `work`.
        assert_eq!(shares(&facts, "work")[0], [0, 0, 900]);
        // Without `load` the worker would be what the run takes: 0.9 s.
        assert_eq!(shares(&facts, "load")[0], [100, 400, 400]);
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
        assert_eq!((shares, facts.path_basis()), (vec![0.9, 0.4], None));
    }
}
