//! What to change in a process that recorded itself. It may have waited for its user meanwhile, at a prompt or in a notebook, and
//! that is no time that anybody could save: gains are of the time in which it worked.

use std::borrow::Cow;

use calor_model::{Profile, ThreadId};

use crate::{CallTree, TreeOptions};

/// The profile of a run that was no longer than its work: its time on processors, or that of its scopes, where they waited.
pub(super) fn without_idle_time(profile: &Profile) -> Cow<'_, Profile> {
    let [run] = &profile.runs[..] else { return Cow::Borrowed(profile) };
    let Some(cpu) = run.cpu_nanos.filter(|_| profile.samples.is_empty()) else {
        return Cow::Borrowed(profile);
    };
    let worked = cpu.max(longest_thread(profile));
    if worked == 0 || worked >= run.duration_nanos {
        return Cow::Borrowed(profile);
    }
    let mut changed = profile.clone();
    changed.runs[0].duration_nanos = worked;
    Cow::Owned(changed)
}

/// The time in scopes of the thread that was longest in them.
fn longest_thread(profile: &Profile) -> u64 {
    let tree = CallTree::of_scopes(profile, &TreeOptions::default());
    let mut is_outermost = vec![false; profile.stacks.len()];
    for root in tree.roots() {
        is_outermost[tree.node(*root).stack.index()] = true;
    }
    let mut sums = vec![0_u64; profile.threads.len()];
    let mut add = |thread: ThreadId, nanos: u64| {
        if let Some(sum) = sums.get_mut(thread.index()) {
            *sum = sum.saturating_add(nanos);
        }
    };
    for (key, stats) in profile.scopes.iter().filter(|(key, _)| is_outermost[key.stack.index()]) {
        add(key.thread, stats.inclusive_nanos());
    }
    sums.into_iter().max().unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use calor_model::{FrameKind, LabelTable, Run, ScopeKey, ScopeStats};

    use super::*;

    fn run(duration_nanos: u64, cpu_nanos: Option<u64>) -> Profile {
        let run = Run { duration_nanos, cpu_nanos, ..Run::default() };
        let mut profile = Profile { runs: vec![run], ..Profile::default() };
        for (path, tid, total_nanos) in [(&["a"][..], 1, 300), (&["a", "b"], 1, 200), (&["a"], 2, 100)] {
            let stack = profile.intern_named_path(path, FrameKind::Scope).expect("a path has a frame");
            let thread = profile.intern_thread(1, tid, "");
            let stats = ScopeStats { calls: 1, total_nanos, ..ScopeStats::default() };
            profile.scopes.add(ScopeKey { stack, thread, labels: LabelTable::none() }, stats);
        }
        profile
    }

    #[test]
    fn a_process_that_waited_for_its_user_is_as_long_as_its_work() {
        let length = |duration, cpu| without_idle_time(&run(duration, cpu)).runs[0].duration_nanos;
        assert_eq!(
            [length(9_000, Some(500)), length(9_000, Some(50)), length(400, Some(500))],
            [500, 300, 400]
        );
        assert_eq!(length(9_000, None), 9_000);
    }
}
