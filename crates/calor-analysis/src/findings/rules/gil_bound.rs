//! Threads of Python that all have work to do, and of which one runs at a time: they wait for the interpreter's lock.

use std::collections::BTreeMap;

use calor_model::{FrameId, FrameKind, SampleKind, StackId, ThreadId};

use crate::findings::{
    About, Evidence, Facts, Finding, Fix, Gain, Need, Outcome, Owner, Rule, Share, Topic, Unit,
};
use crate::{ThreadSummary, WaitReason, wait_cause};

/// Threads that held the lock in fewer samples do not count.
const LEAST_HELD: u64 = 10;
/// A thread counts that held the lock for this part of what all of them did: others only help.
const LEAST_PART: f64 = 0.1;
/// More than so many cores in use mean that threads do not stand in each other's way.
const MOST_CORES: f64 = 1.2;
/// The part of the time in which threads could have run that they have to wait for the lock.
const LEAST_WAIT: f64 = 0.2;
/// The part of their time on processors that threads have to hold the lock: those that mostly work without it, in libraries
/// that let go of it, run beside each other as soon as there are cores.
const LEAST_WITH_LOCK: f64 = 0.6;
/// A line with so many samples runs.
const LEAST_AT_LINE: u64 = 5;
/// What processes give for each further core at least: they start, and hand over data.
const LEAST_OF_CORE: f64 = 0.4;

pub(super) struct GilBound;

const ABOUT: About<'_> = About {
    id: "PYTHON-GIL-BOUND",
    version: 1,
    topic: Topic::Python,
    title: "threads of Python run one at a time",
    needs: &[Need::CpuSamples, Need::Python, Need::Waits],
    suppresses: &["WAIT-LOCK-CONTENTION"],
};

impl Rule for GilBound {
    fn about(&self) -> About<'_> {
        ABOUT
    }

    fn judge(&self, facts: &Facts<'_>) -> Outcome {
        let threads = &facts.summary().threads;
        let held = |thread: &&ThreadSummary| thread.gil_held.unwrap_or(0);
        let all: u64 = threads.iter().map(|thread| held(&thread)).sum();
        if all == 0 {
            return Outcome::NotEnough {
                missing: "which thread held Python's lock".to_owned(),
                how: "calor record --off-cpu -- python PROGRAM.py".to_owned(),
            };
        }
        let at_work: Vec<&ThreadSummary> = threads
            .iter()
            .filter(|thread| held(thread) >= LEAST_HELD && held(thread) as f64 >= LEAST_PART * all as f64)
            .collect();
        let sum = |figure: fn(&ThreadSummary) -> Option<u64>| {
            at_work.iter().filter_map(|thread| figure(thread)).sum::<u64>() as f64
        };
        let told = sum(|thread| thread.gil_wait_nanos);
        let chosen: Vec<ThreadId> = at_work.iter().map(|thread| thread.thread).collect();
        let waited = if told > 0.0 { told } else { guessed_nanos(facts, &chosen) };
        let cpu = sum(|thread| thread.cpu_nanos);
        let in_use = cpu / facts.whole().nanos.max(1) as f64;
        let waiting = waited / (waited + cpu).max(1.0);
        let at_once = at_work.len().min(facts.cores().map_or(usize::MAX, |cores| cores as usize)) as f64;
        let with_lock = sum(|thread| thread.gil_held) / sum(|thread| thread.samples).max(1.0);
        let is_for_lock = waiting >= LEAST_WAIT && with_lock >= LEAST_WITH_LOCK;
        if at_work.len() < 2 || at_once < 2.0 || in_use >= MOST_CORES || !is_for_lock {
            return Outcome::Fine;
        }
        let share = share_of(facts, &at_work, waiting);
        let local = (1.0 + LEAST_OF_CORE * (at_once - 1.0), at_once);
        let reason = format!(
            "if the work is done by {at_once:.0} processes at once, at 40 % of a core for each or better"
        );
        let stack = facts.python_lines().first().map(|line| line.stack);
        let place = stack.map_or_else(crate::findings::Place::whole_program, |stack| facts.place(stack));
        let title = format!("{} threads of Python together use {in_use:.1} cores", at_work.len());
        let finding = Finding::new(&ABOUT, title, place, Gain::faster(share, local, reason))
            .because(
                "Only the thread that holds the interpreter's lock runs Python. These threads all have Python to run, so each \
                 waits while another runs, and together they are no faster than one.",
            )
            .with(Evidence::new("threads with work", at_work.len() as f64, Unit::Count).against(2.0))
            .with(Evidence::new("cores that they use", in_use, Unit::Count).against(MOST_CORES))
            .with(Evidence::new("part of their time that they wait for the lock", waiting, Unit::Share).against(LEAST_WAIT))
            .with(Evidence::new("part of their running that holds it", with_lock, Unit::Share).against(LEAST_WITH_LOCK))
            .fixed_by(
                Fix::new(
                    "Use processes for work in Python, or move the work into calls that let go of the lock, as those of NumPy \
                     on large arrays do. Threads are for waiting.",
                )
                .with_code(
                    "with ThreadPoolExecutor() as pool:\n    results = list(pool.map(parse, files))",
                    "with ProcessPoolExecutor() as pool:\n    results = list(pool.map(parse, files, chunksize=16))",
                ),
            )
            .by_setting();
        Outcome::Findings(vec![finding])
    }
}

/// The part of the whole in which the threads worked or waited for each other: that of the one which did so longest. Time in
/// which even that one neither ran nor waited is time without a core on a busy machine, or before it began.
fn share_of(facts: &Facts<'_>, at_work: &[&ThreadSummary], waiting: f64) -> Share {
    let whole = facts.whole().nanos.max(1) as f64;
    let lives = at_work.iter().map(|thread| {
        let cpu = thread.cpu_nanos.unwrap_or(0) as f64;
        let active = cpu / (1.0 - waiting).max(0.01);
        (active, (whole - cpu - thread.blocked_nanos.unwrap_or(0) as f64).max(0.0))
    });
    let (active, unseen) = lives.max_by(|a, b| a.0.total_cmp(&b.0)).unwrap_or_default();
    Share::between(active / whole, active / whole, (active + unseen) / whole)
}

/// How long threads waited inside the interpreter at lines that also run, which is what waiting for its lock looks like where
/// the interpreter's functions have no names: a lock of the program's own is waited for at a line that does nothing else.
fn guessed_nanos(facts: &Facts<'_>, threads: &[ThreadId]) -> f64 {
    let profile = facts.profile();
    let frame = |stack: StackId| profile.stacks.get(stack).frame;
    let python = |stack: StackId| {
        let mut path = std::iter::successors(Some(stack), |at| profile.stacks.get(*at).parent);
        path.find(|at| facts.kind(*at) == FrameKind::Python).map(frame)
    };
    // Python's own locks, conditions and queues wait for others whatever else their lines do.
    let is_for_others = |line: FrameId| {
        let file = profile.frames.get(line).file.map_or("", |file| profile.strings.get(file));
        ["/threading.py", "/queue.py"].iter().any(|name| file.ends_with(name))
    };
    let mut lines: BTreeMap<FrameId, u64> = BTreeMap::new();
    for stack in facts.cpu().stacks() {
        if let Some(line) = python(stack).filter(|line| !is_for_others(*line)) {
            *lines.entry(line).or_default() += facts.cpu().own(stack).0;
        }
    }
    let running = |line: FrameId| lines.get(&line).is_some_and(|samples| *samples >= LEAST_AT_LINE);
    let rows = profile.samples.iter().filter(|(key, _)| key.kind == SampleKind::OffCpu);
    let rows = rows.filter(|(key, _)| threads.contains(&key.thread));
    let is_for_lock = |stack: StackId| {
        let mut at = Some(stack);
        while let Some(here) = at.filter(|here| facts.kind(*here) != FrameKind::Python) {
            if facts.owner(here) > Owner::Interpreter {
                return false;
            }
            at = profile.stacks.get(here).parent;
        }
        at.is_some_and(|line| running(frame(line))) && wait_cause(profile, stack).reason == WaitReason::Lock
    };
    rows.filter(|(key, _)| is_for_lock(key.stack)).map(|(_, weight)| weight.nanos as f64).sum()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::findings::draft::Draft;

    const LINE: &str = "py:parse@/home/me/parse.py:12";
    const MILLI: u64 = 1_000_000;

    fn judged(threads: u64, held: u64, waited_millis: u64) -> Outcome {
        let mut draft = Draft::new().seconds(1.0).cores(4);
        for thread in 0..threads {
            let name = format!("t{thread}");
            draft = draft.cpu_labelled(&name, &[LINE], &[("gil", "held")], held);
            let path = [LINE, "take_gil!python3.11", "__futex!libc.so.6"];
            draft = draft.wait_labelled(&name, &path, &[("gil", "waiting")], 50, waited_millis * MILLI);
        }
        GilBound.judge(&Facts::new(&draft.profile(), None))
    }

    #[test]
    fn threads_that_run_one_at_a_time_are_found() {
        let Outcome::Findings(found) = judged(4, 240, 700) else { panic!("found") };
        assert!(found[0].title.contains("4 threads of Python together use 1.0 cores"), "{}", found[0].title);
        assert_eq!((found[0].gain.local_low, found[0].gain.local_high), (Some(2.2), Some(4.0)));
        assert!(found[0].gain.low > 1.9 && found[0].gain.high <= 4.0, "{:?}", found[0].gain);
    }

    #[test]
    fn one_thread_threads_beside_each_other_and_little_waiting_are_fine() {
        assert_eq!(judged(1, 900, 700), Outcome::Fine);
        assert_eq!(judged(4, 350, 600), Outcome::Fine, "they use 1.4 cores");
        assert_eq!(judged(4, 200, 49), Outcome::Fine);
        assert!(matches!(judged(4, 200, 51), Outcome::Findings(_)));
    }

    #[test]
    fn threads_that_mostly_run_without_the_lock_are_fine() {
        let judged = |held: u64| {
            let mut draft = Draft::new().seconds(1.0).cores(4);
            for name in ["a", "b"] {
                let library = [LINE, "deflate!libz.so.1"];
                let path = [LINE, "take_gil!python3.11"];
                draft = draft
                    .cpu_labelled(name, &[LINE], &[("gil", "held")], held)
                    .cpu_labelled(name, &library, &[("gil", "free")], 500 - held)
                    .wait_labelled(name, &path, &[("gil", "waiting")], 50, 400 * MILLI);
            }
            GilBound.judge(&Facts::new(&draft.profile(), None))
        };
        assert_eq!(judged(290), Outcome::Fine);
        assert!(matches!(judged(310), Outcome::Findings(_)));
    }

    #[test]
    fn a_helper_beside_one_worker_is_fine() {
        let profile = Draft::new()
            .seconds(1.0)
            .cores(4)
            .cpu_labelled("main", &[LINE], &[("gil", "held")], 800)
            .cpu_labelled("helper", &[LINE], &[("gil", "held")], 70)
            .wait_labelled("helper", &[LINE, "take_gil!python3.11"], &[("gil", "waiting")], 50, 800 * MILLI)
            .profile();
        assert_eq!(GilBound.judge(&Facts::new(&profile, None)), Outcome::Fine);
    }

    #[test]
    fn without_names_waits_at_lines_that_run_are_taken_for_the_lock() {
        let judged = |line: &str| {
            let mut draft = Draft::new().seconds(1.0).cores(4);
            for thread in ["a", "b"] {
                let wait = [line, "python3.11+0x4f92c0!python3.11", "__futex_abstimed_wait!libc.so.6"];
                draft = draft.cpu_labelled(thread, &[LINE], &[("gil", "held")], 400).wait_on(
                    thread,
                    &wait,
                    50,
                    500 * MILLI,
                );
            }
            GilBound.judge(&Facts::new(&draft.profile(), None))
        };
        assert!(matches!(judged(LINE), Outcome::Findings(_)));
        assert_eq!(judged("py:parse@/home/me/parse.py:11"), Outcome::Fine, "a lock of the program's own");
        assert_eq!(judged("py:wait@/usr/lib/python3.11/threading.py:327"), Outcome::Fine);
    }

    #[test]
    fn without_the_state_of_the_lock_it_cannot_tell() {
        let profile = Draft::new().seconds(1.0).cpu(&[LINE], 500).profile();
        assert!(matches!(GilBound.judge(&Facts::new(&profile, None)), Outcome::NotEnough { .. }));
    }
}
