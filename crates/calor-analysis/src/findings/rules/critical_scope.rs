//! A scope that the whole program waits for, where nothing more special explains it: one thread works in it while the others
//! stand still, or it is one of several steps that each item goes through and takes many times as long as any other.

use calor_model::{StackId, ThreadId};

use crate::Basis;
use crate::findings::{
    About, Evidence, Facts, Finding, Fix, Gain, Need, Outcome, Rule, ScopeFacts, Topic, Unit,
};

/// The part of the critical path that a scope itself has to have where others wait for it.
const LEAST_SERIAL: f64 = 0.30;
/// The other threads may use at most this part of what all that could work at once could do.
const MOST_USED: f64 = 0.45;
/// So many threads have to be there at once for this part of the time to count as able to work at once.
const LEAST_TOGETHER: f64 = 0.05;
/// The part of the time of a step that stands out.
const LEAST_STEP: f64 = 0.50;
/// It has to take so many times as long as the next longest of its siblings.
const LEAST_RATIO: f64 = 10.0;
/// Fewer siblings are no steps to compare with.
const LEAST_SIBLINGS: usize = 4;
/// Steps are entered equally often, but for this part.
const SAME_CALLS: f64 = 0.1;
/// What work gains at least when it is divided, or looked at for the first time.
const LOCAL_LOW: f64 = 1.2;
/// No more than this is told without knowing why a step is slow.
const LOCAL_HIGH: f64 = 20.0;

pub(super) struct CriticalScope;

const ABOUT: About<'_> = About {
    id: "CPU-CRITICAL-SCOPE",
    version: 1,
    topic: Topic::Cpu,
    title: "the whole program waits for one scope",
    needs: &[Need::Scopes],
    suppresses: &[],
};

impl Rule for CriticalScope {
    fn about(&self) -> About<'_> {
        ABOUT
    }

    fn judge(&self, facts: &Facts<'_>) -> Outcome {
        let workers = workers(facts);
        let found = facts.scopes().iter().filter_map(|scope| match workers {
            Some(workers) => serial(facts, scope, workers),
            None => step(facts, scope),
        });
        Outcome::of(found.collect())
    }
}

/// Threads that could work at once; `None` of a program with one thread, or whose timeline does not tell.
fn workers(facts: &Facts<'_>) -> Option<f64> {
    let at_once = together(facts).min(facts.cores().map_or(usize::MAX, |cores| cores as usize));
    (at_once >= 2).then_some(at_once as f64)
}

/// How many threads there are at once for some time, each from its first span to its last: a program may start new ones
/// for each piece of work, of which none lives long.
fn together(facts: &Facts<'_>) -> usize {
    let end = |span: &calor_model::Span| span.start_nanos.saturating_add(span.duration_nanos);
    let mut changes: Vec<(u64, bool)> = Vec::new();
    for (_, track) in facts.profile().timeline.iter() {
        let first = track.spans.iter().map(|span| span.start_nanos).min();
        let last = track.spans.iter().map(end).max();
        // A thread whose spans have no length was at work for no time, and would end before it begins.
        if let Some((first, last)) = first.zip(last).filter(|(first, last)| first < last) {
            changes.extend([(first, true), (last, false)]);
        }
    }
    changes.sort_unstable();
    // By number of threads: for how long there were so many or more.
    let mut nanos: Vec<u64> = Vec::new();
    let (mut n_threads, mut since) = (0, 0);
    for (at, begins) in changes {
        nanos.resize(nanos.len().max(n_threads), 0);
        nanos[..n_threads].iter_mut().for_each(|sum| *sum += at - since);
        n_threads = if begins { n_threads + 1 } else { n_threads - 1 };
        since = at;
    }
    let least = LEAST_TOGETHER * facts.whole().clock_nanos as f64;
    nanos.iter().take_while(|nanos| **nanos as f64 >= least).count()
}

/// The part of what all threads could do at once that those other than a scope's own did. What its own thread does around the
/// scope may be waiting.
fn others_at_work(facts: &Facts<'_>, stack: StackId, at_once: f64) -> f64 {
    let rows = facts.profile().scopes.iter().filter(|(key, _)| key.stack == stack);
    let own: Vec<ThreadId> = rows.map(|(key, _)| key.thread).collect();
    let others = facts.summary().threads.iter().filter(|thread| !own.contains(&thread.thread));
    let nanos: f64 = others.filter_map(|thread| thread.recorded_nanos).map(|nanos| nanos as f64).sum();
    nanos / (at_once * facts.whole().clock_nanos.max(1) as f64)
}

/// A scope of one thread that others wait for, as the program told: where nobody did, a thread that waits itself looks like
/// one that the others wait for.
fn serial(facts: &Facts<'_>, scope: &ScopeFacts, at_once: f64) -> Option<Finding> {
    let is_told = facts.path_basis() == Some(Basis::Told);
    if !is_told || scope.n_threads != 1 || scope.self_share.low < LEAST_SERIAL {
        return None;
    }
    let used = others_at_work(facts, scope.stack, at_once);
    if used > MOST_USED {
        return None;
    }
    let place = facts.place(scope.stack);
    let title = format!(
        "the other threads wait while `{}` works, {:.0} % of the time",
        place.function,
        100.0 * scope.self_share.estimate
    );
    let reason = format!("if its work is divided over up to {at_once:.0} threads");
    Some(
        Finding::new(&ABOUT, title, place, Gain::faster(scope.self_share, (LOCAL_LOW, at_once), reason))
            .because(
                "The run could not have ended before this scope did, and while one thread was in it the others had nothing to \
                 do: what they wait for comes out of it.",
            )
            .with(Evidence::share("share of the critical path", scope.self_share).against(LEAST_SERIAL))
            .with(Evidence::new("part of all threads' time that others are at work", used, Unit::Share).against(MOST_USED))
            .fixed_by(
                Fix::new(
                    "Divide the work of the scope over the threads that wait for it, hand over what is ready while the rest is \
                     made, or begin it earlier.",
                )
                .with_code(
                    "let index = build_index(&rows);   // one thread\nlet hits = queries.par_iter().map(|query| index.find(query));",
                    "let parts: Vec<Index> = rows.par_chunks(n).map(build_index).collect();\nlet index = Index::joined(parts);",
                ),
            ),
    )
}

/// One of several steps that takes many times as long as any other.
fn step(facts: &Facts<'_>, scope: &ScopeFacts) -> Option<Finding> {
    if scope.self_share.estimate < LEAST_STEP {
        return None;
    }
    let parent = facts.profile().stacks.get(scope.stack).parent?;
    let siblings = facts.scopes().iter().filter(|other| {
        let is_beside =
            facts.profile().stacks.get(other.stack).parent == Some(parent) && other.stack != scope.stack;
        let difference = other.calls.abs_diff(scope.calls) as f64;
        is_beside && difference <= SAME_CALLS * scope.calls as f64
    });
    let times: Vec<u64> = siblings.map(|other| other.total_nanos).collect();
    let ratio = scope.self_nanos as f64 / times.iter().copied().max()?.max(1) as f64;
    if times.len() < LEAST_SIBLINGS || ratio < LEAST_RATIO {
        return None;
    }
    let place = facts.place(scope.stack);
    let title = format!(
        "`{}` takes {ratio:.0} times as long as the next of {} steps",
        place.function,
        times.len() + 1
    );
    let local = (LOCAL_LOW, ratio.min(LOCAL_HIGH));
    let gain =
        Gain::faster(scope.self_share, local, "if it becomes 1.2 times faster, up to as fast as other steps");
    Some(
        Finding::new(&ABOUT, title, place, gain)
            .because("Each item goes through several steps, and this one takes nearly all of the time by itself.")
            .with(Evidence::share("share of the time", scope.self_share).against(LEAST_STEP))
            .with(Evidence::new("times as long as the next step", ratio, Unit::Ratio).against(LEAST_RATIO))
            .with(Evidence::new("calls", scope.calls as f64, Unit::Count))
            .fixed_by(
                Fix::new(
                    "Look into this step before any other: record samples to see its functions and lines. What it does for each \
                     item and could do once is the first thing to look for.",
                )
                .with_code(
                    "for item in items {\n    let table = load_table()?;\n    check(item, &table);\n}",
                    "let table = load_table()?;\nfor item in items {\n    check(item, &table);\n}",
                ),
            ),
    )
}

#[cfg(test)]
mod tests {
    use calor_model::{FrameKind, Link, LinkKind, Span};

    use super::*;
    use crate::findings::draft::Draft;
    use crate::findings::findings;

    const MILLI: u64 = 1_000_000;

    /// Steps of a thousand items, of so many milliseconds in all.
    fn by_steps(steps: &[u64]) -> Outcome {
        let mut draft = Draft::new().seconds(1.0).scope(&["run"], 1, 1_000 * MILLI);
        for (at, millis) in steps.iter().enumerate() {
            draft = draft.scope(&["run", &format!("step {at}")], 1_000, millis * MILLI);
        }
        CriticalScope.judge(&Facts::new(&draft.profile(), None))
    }

    #[test]
    fn threads_that_were_there_for_no_time_at_all_are_not_at_work_together() {
        let mut profile = Draft::new().seconds(1.0).cores(4).scope_on("main", &["tick"], 1, 0).profile();
        let stack = profile.intern_named_path(&["tick"], FrameKind::Scope).expect("a path has a frame");
        let (thread, _) = profile.threads.iter().next().expect("the thread has scopes");
        profile.timeline.track_mut(thread).spans = vec![Span { start_nanos: 7, duration_nanos: 0, stack }; 2];
        assert_eq!(together(&Facts::new(&profile, None)), 0);
    }

    /// The main thread prepares for so long, then three workers work until the end of the second; whether the program told
    /// that they waited for it.
    fn by_threads(prepared: u64, is_told: bool) -> Outcome {
        let mut rows = vec![("main", "prepare", 0, prepared)];
        rows.extend(["a", "b", "c"].map(|thread| (thread, "work", prepared, 1_000)));
        let mut draft = Draft::new().seconds(1.0).cores(4);
        for &(thread, name, from, to) in &rows {
            draft = draft.scope_on(thread, &[name], 1, (to - from) * MILLI);
        }
        let mut profile = draft.profile();
        for &(thread, name, from, to) in &rows {
            let stack = profile.intern_named_path(&[name], FrameKind::Scope).expect("a path has a frame");
            let known = profile.threads.iter().find(|(_, known)| profile.strings.get(known.name) == thread);
            let thread = known.expect("the thread has scopes").0;
            let span = Span { start_nanos: from * MILLI, duration_nanos: (to - from) * MILLI, stack };
            profile.timeline.track_mut(thread).spans.push(span);
        }
        let workers: Vec<ThreadId> = profile.threads.iter().map(|(id, _)| id).collect();
        for &to in workers.iter().skip(1).filter(|_| is_told) {
            let at = prepared * MILLI;
            profile.timeline.links.push(Link {
                kind: LinkKind::Spawn,
                object: 0,
                from: workers[0],
                from_nanos: at,
                to,
                since_nanos: at,
                to_nanos: at,
                held_nanos: 0,
            });
        }
        profile.timeline.sort();
        CriticalScope.judge(&Facts::new(&profile, None))
    }

    #[test]
    fn a_step_that_takes_many_times_as_long_as_the_others_is_found() {
        let Outcome::Findings(found) = by_steps(&[800, 40, 30, 20, 10]) else { panic!("found") };
        assert!(found[0].title.contains("20 times as long as the next of 5 steps"), "{}", found[0].title);
        assert!(found[0].gain.low > 1.1 && found[0].gain.high < 4.5, "{:?}", found[0].gain);
    }

    #[test]
    fn steps_that_differ_less_or_are_few_are_fine() {
        assert_eq!(by_steps(&[800, 81, 30, 20, 10]), Outcome::Fine);
        assert_eq!(by_steps(&[800, 40, 30, 20]), Outcome::Fine);
        assert_eq!(by_steps(&[490, 40, 30, 20, 10]), Outcome::Fine);
    }

    #[test]
    fn a_scope_that_all_threads_wait_for_is_found_and_a_short_one_is_fine() {
        let Outcome::Findings(found) = by_threads(700, true) else { panic!("found") };
        assert!(found[0].title.contains("wait while `prepare` works"), "{}", found[0].title);
        assert_eq!(found[0].gain.local_high, Some(3.0), "no more are there at once");
        assert_eq!(by_threads(250, true), Outcome::Fine);
    }

    #[test]
    fn where_nobody_told_who_waits_for_whom_nothing_is_said() {
        assert_eq!(by_threads(700, false), Outcome::Fine);
    }

    #[test]
    fn without_scopes_it_cannot_tell() {
        let profile = Draft::new().seconds(1.0).cpu(&["app::main@src/main.rs:1"], 500).profile();
        let all = findings(&Facts::new(&profile, None), &[&CriticalScope], &[]);
        assert_eq!(all.not_enough.len(), 1);
    }
}
