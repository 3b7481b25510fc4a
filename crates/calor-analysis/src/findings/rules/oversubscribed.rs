//! More threads want to run than there are cores, and what they spend on waiting for each other's turns shows: spinning,
//! giving way, going to sleep and waking up.

use std::collections::BTreeMap;

use calor_model::{SampleKind, StackId, ThreadId};

use crate::findings::{
    About, Evidence, Facts, Finding, Fix, Gain, Need, Outcome, Place, Rule, Share, Topic, Unit,
};
use crate::wait_reason::bare;

/// So many threads for each core want to run before they are too many.
const LEAST_DEMAND: f64 = 1.5;
/// The part of the time on processors that goes into turns before it is worth a finding: threads that only share cores lose
/// next to nothing.
const LEAST_SHARE: f64 = 0.05;
/// Threads with fewer samples are not counted.
const LEAST_SAMPLES: u64 = 5;
/// Threads with fewer samples that spin may do so by accident.
const LEAST_SPINS: u64 = 2;
/// The part of that which goes with as many threads as cores.
const REMOVED: (f64, f64) = (0.5, 1.0);

pub(super) struct Oversubscribed;

const ABOUT: About<'_> = About {
    id: "THREADS-OVERSUBSCRIBED",
    version: 1,
    topic: Topic::Threads,
    title: "more threads want to run than there are cores",
    needs: &[Need::CpuSamples, Need::Waits],
    suppresses: &["WAIT-LOCK-CONTENTION"],
};

impl Rule for Oversubscribed {
    fn about(&self) -> About<'_> {
        ABOUT
    }

    fn judge(&self, facts: &Facts<'_>) -> Outcome {
        let Some(cores) = facts.cores() else {
            return Outcome::NotEnough {
                missing: "on how many cores the program could run".to_owned(),
                how: "calor record --off-cpu -- PROGRAM".to_owned(),
            };
        };
        let wanted = wanted(facts).unwrap_or_else(|| spinning(facts));
        let demand = wanted / f64::from(cores.max(1));
        let sites = facts.cpu().stacks().filter(|stack| is_turn(facts, *stack));
        // With more threads than cores the time of the processors is what all wait for, so it is the whole.
        let samples: u64 = sites.map(|stack| facts.cpu().own(stack).0).sum();
        let share = Share::counted(samples, facts.cpu().samples);
        if demand < LEAST_DEMAND || share.estimate < LEAST_SHARE {
            return Outcome::Fine;
        }
        let title = format!("{wanted:.0} threads want to run at once on {cores} cores");
        let gain = Gain::removed(
            share,
            REMOVED,
            "if half to all of the time spent on turns goes with fewer threads",
        );
        let finding = Finding::new(&ABOUT, title, Place::whole_program(), gain)
            .because(
                "Threads beyond the number of cores run no sooner: they take turns. A thread that spins for another, or a \
                 team that waits for its last member, then waits for threads that are not even running.",
            )
            .with(Evidence::new("threads that want to run for each core", demand, Unit::Ratio).against(LEAST_DEMAND))
            .with(Evidence::share("share of the time spent on turns", share).against(LEAST_SHARE))
            .fixed_by(
                Fix::new(
                    "Use as many threads as cores, over all pools together: libraries that compute start one for each core \
                     themselves.",
                )
                .with_code(
                    "OMP_NUM_THREADS=16 python train.py   # 8 workers, 16 threads in each",
                    "OMP_NUM_THREADS=2 python train.py   # 8 workers, 16 cores",
                ),
            )
            .by_setting();
        Outcome::Findings(vec![finding])
    }
}

/// How many threads wanted to run at once in the mean: of each, its time from first to last sample less what it waited.
/// `None` where samples do not tell when they were taken.
fn wanted(facts: &Facts<'_>) -> Option<f64> {
    let mut lives: BTreeMap<ThreadId, (u64, u64, u64)> = BTreeMap::new();
    let mut waited: BTreeMap<ThreadId, u64> = BTreeMap::new();
    for (key, weight) in facts.profile().samples.iter() {
        match key.kind {
            SampleKind::OffCpu => *waited.entry(key.thread).or_default() += weight.nanos,
            _ => {
                let at = key.at_nanos?;
                let life = lives.entry(key.thread).or_insert((at, at, 0));
                *life = (life.0.min(at), life.1.max(at), life.2 + weight.count);
            }
        }
    }
    let lives = lives.iter().filter(|(_, life)| life.2 >= LEAST_SAMPLES);
    let (mut first, mut last, mut sum) = (u64::MAX, 0, 0);
    for (thread, (from, to, _)) in lives {
        sum += (to - from).saturating_sub(waited.get(thread).copied().unwrap_or(0));
        (first, last) = (first.min(*from), last.max(*to));
    }
    (last > first).then(|| sum as f64 / (last - first) as f64)
}

/// How many threads were found spinning for others, which they do side by side: what is known where samples do not tell when
/// they were taken.
fn spinning(facts: &Facts<'_>) -> f64 {
    let mut threads: BTreeMap<ThreadId, u64> = BTreeMap::new();
    for (key, weight) in facts.profile().samples.iter().filter(|(key, _)| key.kind != SampleKind::OffCpu) {
        if is_among(facts, key.stack, &SPINS) {
            *threads.entry(key.thread).or_default() += weight.count;
        }
    }
    threads.values().filter(|samples| **samples >= LEAST_SPINS).count() as f64
}

/// Whether a path ends in waiting for turns while it runs.
fn is_turn(facts: &Facts<'_>, stack: StackId) -> bool {
    is_among(facts, stack, &SPINS) || is_among(facts, stack, &SLEEPS)
}

fn is_among(facts: &Facts<'_>, stack: StackId, turns: &[&str]) -> bool {
    let profile = facts.profile();
    let mut at = Some(stack);
    // Only what the system and libraries do at the end of the path.
    while let Some(here) = at {
        if facts.owner(here) == crate::findings::Owner::Program {
            return false;
        }
        let name = bare(facts.name(here));
        if turns.iter().any(|turn| name.starts_with(turn)) {
            return true;
        }
        at = profile.stacks.get(here).parent;
    }
    false
}

/// Beginnings of functions that spin or give way: of C libraries and of teams of threads.
const SPINS: [&str; 10] = [
    "sched_yield",
    "yield_now",
    "spin_loop",
    "gomp_barrier_",
    "gomp_team_barrier_",
    "kmp_wait",
    "kmp_hyper_barrier",
    "kmp_flag",
    "blas_thread_server",
    "exec_blas",
];
/// Of those that go to sleep and wake others.
const SLEEPS: [&str; 6] =
    ["futex", "pthread_cond_", "pthread_barrier_", "pthread_mutex_", "lll_lock_", "sem_wait"];

#[cfg(test)]
mod tests {
    use super::*;
    use crate::findings::draft::Draft;

    const MILLI: u64 = 1_000_000;

    /// Threads that want to run all the time, each of which got its part of two cores, `spinning` of ten samples for turns.
    fn judged(threads: u64, spinning: u64, waited_millis: u64) -> Outcome {
        let mut draft = Draft::new().seconds(1.0).cores(2);
        for thread in 0..threads {
            let name = format!("w{thread}");
            for at in (thread..1000).step_by(threads as usize / 2) {
                let path: &[&str] = match at / (threads / 2) % 10 < spinning {
                    true => &["app::work@src/main.rs:9", "sched_yield!libc.so.6"],
                    false => &["app::work@src/main.rs:9"],
                };
                draft = draft.cpu_at(&name, path, 1, at * MILLI);
            }
            draft = draft.wait_on(
                &name,
                &["app::work@src/main.rs:9", "read!libc.so.6"],
                1,
                waited_millis * MILLI,
            );
        }
        Oversubscribed.judge(&Facts::new(&draft.profile(), None))
    }

    #[test]
    fn threads_that_spin_for_turns_are_found() {
        let Outcome::Findings(found) = judged(8, 3, 0) else { panic!("found") };
        assert!(found[0].title.contains("8 threads want to run at once on 2 cores"), "{}", found[0].title);
        assert!(found[0].gain.low > 1.1 && found[0].gain.high < 1.6, "{:?}", found[0].gain);
    }

    #[test]
    fn as_many_threads_as_cores_waiting_threads_and_threads_that_only_share_are_fine() {
        assert_eq!(judged(2, 3, 0), Outcome::Fine);
        assert_eq!(judged(8, 3, 800), Outcome::Fine);
        assert_eq!(judged(8, 0, 0), Outcome::Fine);
    }

    #[test]
    fn without_instants_threads_that_spin_are_counted() {
        let judged = |threads: u64| {
            let mut draft = Draft::new().seconds(1.0).cores(2);
            for thread in 0..threads {
                let name = format!("w{thread}");
                draft = draft.cpu_on(&name, &["app::work@src/main.rs:9"], 100).cpu_on(
                    &name,
                    &["app::work@src/main.rs:9", "__sched_yield!libc.so.6"],
                    20,
                );
            }
            Oversubscribed.judge(&Facts::new(&draft.profile(), None))
        };
        assert!(matches!(judged(3), Outcome::Findings(_)));
        assert_eq!(judged(2), Outcome::Fine);
    }

    #[test]
    fn an_unknown_number_of_cores_is_not_enough() {
        let profile = Draft::new().seconds(1.0).cpu(&["app::work@src/main.rs:9"], 500).profile();
        assert!(matches!(Oversubscribed.judge(&Facts::new(&profile, None)), Outcome::NotEnough { .. }));
    }
}
