//! Threads wait for a lock that another of them holds, for so long that it shows in the time of the whole. Threads that wait
//! for work, for a condition or for another's end wait in other functions, and are left alone.

use calor_model::{FrameKind, FunctionKey, Link, LinkKind, SampleKind, StackId};
use foldhash::fast::RandomState;
use indexmap::IndexMap;

use crate::findings::{
    About, Evidence, Facts, Finding, Fix, Gain, Need, Outcome, Owner, Rule, Share, Topic, Unit, WaitFacts,
};
use crate::wait_reason::bare;
use crate::{ThreadSummary, WaitReason};

/// The part of the whole that the threads which wait there have to wait in the mean.
const LEAST_SHARE: f64 = 0.10;
/// A lock that was waited for a few times is no habit.
const LEAST_WAITS: u64 = 20;
/// There has to be so much more of the processors than is used, or threads that do not wait have nowhere to run.
const LEAST_ROOM: f64 = 1.1;
/// So many waits for locks tell who holds them as well as all do; each is looked up among the spans of a thread.
const MOST_LINKS: usize = 200;
/// The part of the waiting that goes: what has to be done under the lock stays.
const REMOVED: (f64, f64) = (0.25, 1.0);

pub(super) struct LockContention;

const ABOUT: About<'_> = About {
    id: "WAIT-LOCK-CONTENTION",
    version: 1,
    topic: Topic::Waiting,
    title: "threads wait for a lock that another holds",
    needs: &[Need::Waits],
    suppresses: &[],
};

impl Rule for LockContention {
    fn about(&self) -> About<'_> {
        ABOUT
    }

    fn judge(&self, facts: &Facts<'_>) -> Outcome {
        let whole = facts.whole();
        let used = whole.cpu_nanos as f64 / whole.nanos.max(1) as f64;
        let room = facts.cores().map_or(f64::INFINITY, |cores| f64::from(cores) / used.max(1e-9));
        if room < LEAST_ROOM {
            return Outcome::Fine;
        }
        let waits = facts.waits().iter().filter(|wait| wait.wait.cause.reason == WaitReason::Lock);
        let waits = waits.filter(|wait| is_for_lock(facts, wait.wait.stack));
        Outcome::of(waits.filter_map(|wait| finding(facts, wait, room)).collect())
    }
}

fn finding(facts: &Facts<'_>, found: &WaitFacts<'_>, room: f64) -> Option<Finding> {
    let wait = &found.wait;
    let is_python = facts.kind(found.site) == FrameKind::Python;
    let room = if is_python { room * python_part(facts) } else { room };
    if room < LEAST_ROOM {
        return None;
    }
    let n_threads = wait.threads.len();
    let mean = facts.share(wait.blocked_nanos as f64 / n_threads.max(1) as f64).estimate;
    if mean < LEAST_SHARE || wait.count < LEAST_WAITS {
        return None;
    }
    let share = Share::between(0.6 * mean, mean, found.share.high);
    let mut gain =
        Gain::removed(share, REMOVED, "if a quarter to all of the waiting goes, and cores are free for that");
    gain.high = gain.high.min(room);
    gain.low = gain.low.min(gain.high);
    let place = facts.place(found.site);
    let holder = holder(facts, found);
    let title = match &holder {
        Some(holder) => format!(
            "threads wait {:.0} % of the time for a lock in `{}`, held by `{holder}`",
            100.0 * mean,
            place.function
        ),
        None => format!("threads wait {:.0} % of the time for a lock in `{}`", 100.0 * mean, place.function),
    };
    let each = wait.mean_nanos().unwrap_or(0.0);
    Some(
        Finding::new(&ABOUT, title, place, gain)
            .because(
                "One thread holds the lock while others stand still. They could have worked meanwhile: the processors were \
                 not all in use.",
            )
            .with(Evidence::share("part of the time that a waiting thread waits", share).against(LEAST_SHARE))
            .with(Evidence::new("waits", wait.count as f64, Unit::Count).against(LEAST_WAITS as f64))
            .with(Evidence::new("time of a wait", each, Unit::Nanos))
            .with(Evidence::new("threads that wait", n_threads as f64, Unit::Count))
            .fixed_by(
                Fix::new(
                    "Hold the lock for what needs it alone: compute before taking it, and copy out what is read. Give each \
                     thread its own part and join them in the end, or split the data over several locks.",
                )
                .with_code(
                    "let mut totals = totals.lock().unwrap();\nfor item in items {\n    *totals += expensive(item);\n}",
                    "let sum: u64 = items.iter().map(expensive).sum();\n*totals.lock().unwrap() += sum;",
                ),
            ),
    )
}

/// The part of the cores that threads of Python can use: those that hold the interpreter's lock run one at a time, however
/// many cores there are, and what runs without it does so beside them.
fn python_part(facts: &Facts<'_>) -> f64 {
    let cores = f64::from(facts.cores().unwrap_or(1).max(1));
    let threads = &facts.summary().threads;
    let sum =
        |figure: fn(&ThreadSummary) -> Option<u64>| threads.iter().filter_map(figure).sum::<u64>() as f64;
    let is_told = sum(|thread| thread.gil_samples) > 0.0;
    let held = sum(|thread| thread.gil_held) / sum(|thread| thread.samples).max(1.0);
    let with_lock = if is_told { held } else { 1.0 };
    (1.0 / with_lock.max(1.0 / cores)) / cores
}

/// Whether the functions of the system on a path take a lock that somebody holds.
fn is_for_lock(facts: &Facts<'_>, stack: StackId) -> bool {
    let profile = facts.profile();
    let mut at = Some(stack);
    while let Some(here) = at {
        let row = profile.stacks.get(here);
        let frame = profile.frames.get(row.frame);
        let name = bare(profile.strings.get(frame.name));
        if frame.kind == FrameKind::Python || facts.owner(here) == Owner::Program {
            return false;
        }
        if name.starts_with("PyThread_acquire_lock") {
            return true;
        }
        if LOCKS.iter().any(|lock| name.starts_with(lock)) {
            return true;
        }
        // Conditions and the ends of threads are waited for with the same calls further in.
        if OTHERS.iter().any(|other| name.starts_with(other)) {
            return false;
        }
        at = row.parent;
    }
    false
}

const LOCKS: [&str; 12] = [
    "pthread_mutex_lock",
    "pthread_mutex_timedlock",
    "pthread_rwlock_",
    "lll_lock_wait",
    "lock_contended",
    "read_contended",
    "write_contended",
    "lock_slow",
    "lock_shared_slow",
    "lock_exclusive_slow",
    "PyMutex_Lock",
    "mtx_lock",
];
const OTHERS: [&str; 7] = [
    "pthread_cond_",
    "pthread_join",
    "pthread_timedjoin",
    "pthread_clockjoin",
    "pthread_barrier_",
    "park",
    "take_gil",
];

/// Who holds the lock: as links or labels tell, otherwise the function that runs most after taking it where others wait.
fn holder(facts: &Facts<'_>, found: &WaitFacts<'_>) -> Option<String> {
    by_links(facts, found).or_else(|| by_labels(facts, found)).or_else(|| by_samples(facts, found))
}

/// The scope in which the thread was that released locks those that wait here waited for.
fn by_links(facts: &Facts<'_>, found: &WaitFacts<'_>) -> Option<String> {
    let profile = facts.profile();
    let mut sums: IndexMap<StackId, u64, RandomState> = IndexMap::default();
    let is_of_here = |link: &&Link| found.wait.threads.contains(&link.to);
    let locks = profile.timeline.links.iter().filter(|link| link.kind == LinkKind::Lock && link.is_wait());
    let waited = locks.filter(is_of_here).take(MOST_LINKS);
    for link in waited {
        let spans = profile.timeline.track(link.from).map_or(&[][..], |track| &track.spans);
        let open = spans.iter().filter(|span| {
            span.start_nanos <= link.from_nanos
                && link.from_nanos <= span.start_nanos.saturating_add(span.duration_nanos)
        });
        if let Some(innermost) =
            open.max_by_key(|span| (span.start_nanos, std::cmp::Reverse(span.duration_nanos)))
        {
            *sums.entry(innermost.stack).or_default() += link.to_nanos.saturating_sub(link.since_nanos);
        }
    }
    let (stack, _) = sums.into_iter().max_by_key(|(stack, nanos)| (*nanos, std::cmp::Reverse(*stack)))?;
    Some(facts.name(stack).to_owned())
}

/// What the label `holder` of waits there says.
fn by_labels(facts: &Facts<'_>, found: &WaitFacts<'_>) -> Option<String> {
    let mut sums: IndexMap<&str, u64, RandomState> = IndexMap::default();
    let rows = facts.profile().samples.iter().filter(|(key, _)| key.kind == SampleKind::OffCpu);
    for (key, weight) in rows.filter(|(key, _)| facts.program_site(key.stack) == Some(found.site)) {
        if let Some(holder) = facts.label(key.labels, "holder") {
            *sums.entry(holder).or_default() += weight.nanos;
        }
    }
    sums.into_iter().max_by_key(|(_, nanos)| *nanos).map(|(holder, _)| holder.to_owned())
}

/// The function of the program that runs most beneath the one in which others wait.
fn by_samples(facts: &Facts<'_>, found: &WaitFacts<'_>) -> Option<String> {
    let profile = facts.profile();
    let key =
        |stack: StackId| -> FunctionKey { profile.frames.get(profile.stacks.get(stack).frame).function() };
    let locking = key(found.site);
    let is_beneath = |stack: StackId| {
        profile.stacks.frames(stack).any(|frame| profile.frames.get(frame).function() == locking)
    };
    let sites = facts.cpu_sites(is_beneath);
    sites.first().filter(|site| site.samples >= LEAST_WAITS).map(|site| facts.name(site.stack).to_owned())
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::findings::draft::Draft;
    use crate::findings::findings;

    const MILLI: u64 = 1_000_000;
    const WORK: [&str; 2] = ["app::main@src/main.rs:3", "app::update@src/cache.rs:9"];

    fn draft(calls: &[&str], millis: u64, count: u64, cpu: u64) -> Draft {
        let path: Vec<&str> = WORK.iter().chain(calls).copied().collect();
        let mut draft = Draft::new().seconds(1.0).cores(4);
        for thread in ["a", "b", "c"] {
            draft = draft.wait_on(thread, &path, count, millis * MILLI);
            draft = draft.cpu_on(thread, &[WORK[0], WORK[1], "app::rehash@src/cache.rs:30"], cpu);
        }
        draft
    }

    fn judged(calls: &[&str], millis: u64, count: u64, cpu: u64) -> Outcome {
        LockContention.judge(&Facts::new(&draft(calls, millis, count, cpu).profile(), None))
    }

    const MUTEX: &[&str] = &["std::sys::sync::mutex::futex::Mutex::lock_contended!app", "syscall!libc.so.6"];

    #[test]
    fn threads_that_wait_for_a_lock_are_found_with_who_holds_it() {
        let Outcome::Findings(found) = judged(MUTEX, 600, 300, 400) else { panic!("found") };
        let [finding] = &found[..] else { panic!("one place: {found:?}") };
        assert!(
            finding.title.contains("60 % of the time for a lock in `app::update`, held by `app::rehash`"),
            "{}",
            finding.title
        );
        assert!(finding.gain.low > 1.05 && finding.gain.high <= 2.5, "{:?}", finding.gain);
    }

    #[test]
    fn short_rare_and_unavoidable_waits_are_fine() {
        assert_eq!(judged(MUTEX, 99, 300, 901), Outcome::Fine);
        assert_eq!(judged(MUTEX, 600, 6, 400), Outcome::Fine);
        assert_eq!(judged(MUTEX, 600, 300, 1300), Outcome::Fine, "all cores are in use");
    }

    #[test]
    fn threads_that_wait_for_work_are_fine() {
        for calls in [
            &["pthread_cond_wait!libc.so.6", "__futex_abstimed_wait_common!libc.so.6"][..],
            &["std::thread::park!app", "syscall!libc.so.6"],
            &["read!libc.so.6"],
            &[
                "std::sync::mpsc::Receiver<T>::recv!app",
                "std::sync::mpmc::waker::SyncWaker::register!app",
                "std::sys::sync::mutex::futex::Mutex::lock_contended!app",
                "syscall!libc.so.6",
            ],
        ] {
            assert_eq!(judged(calls, 900, 300, 50), Outcome::Fine, "{calls:?}");
        }
        let get = ["py:get@/usr/lib/python3.11/queue.py:171", "py:wait@/usr/lib/python3.11/threading.py:320"];
        let path = [WORK[0], get[0], get[1], "PyThread_acquire_lock_timed!python3.11", "__futex!libc.so.6"];
        let idle = Draft::new().seconds(1.0).wait_on("a", &path, 300, 900 * MILLI).profile();
        assert_eq!(LockContention.judge(&Facts::new(&idle, None)), Outcome::Fine);
    }

    #[test]
    fn a_lock_of_python_is_found_as_long_as_its_threads_leave_a_core_free() {
        let judged = |cpu: u64, gil: &str| {
            let line = "py:add@/home/me/add.py:6";
            let path = [line, "PyThread_acquire_lock_timed!python3.12", "__new_sem_wait_slow64!libc.so.6"];
            let mut draft = Draft::new().seconds(1.0).cores(4);
            for thread in ["a", "b"] {
                let waiting = draft.wait_on(thread, &path, 300, 500 * MILLI);
                draft = waiting.cpu_labelled(thread, &[line], &[("gil", gil)], cpu);
            }
            LockContention.judge(&Facts::new(&draft.profile(), None))
        };
        assert!(matches!(judged(100, "held"), Outcome::Findings(_)));
        assert_eq!(judged(480, "held"), Outcome::Fine);
        assert!(matches!(judged(480, "free"), Outcome::Findings(_)), "what runs without the lock has cores");
    }

    #[test]
    fn labels_name_the_holder_and_without_waits_nothing_is_known() {
        let path: Vec<&str> = WORK.iter().chain(MUTEX).copied().collect();
        let profile = Draft::new()
            .seconds(1.0)
            .wait_labelled("a", &path, &[("holder", "flush")], 300, 600 * MILLI)
            .cpu_on("a", &WORK, 400)
            .profile();
        let Outcome::Findings(found) = LockContention.judge(&Facts::new(&profile, None)) else {
            panic!("found")
        };
        assert!(found[0].title.ends_with("held by `flush`"), "{}", found[0].title);
        let none = Draft::new().seconds(1.0).cpu(&WORK, 500).profile();
        let all = findings(&Facts::new(&none, None), &[&LockContention], &[]);
        assert_eq!(all.not_enough[0].how, "calor record --off-cpu -- PROGRAM");
    }
}
