//! Steps of a training, or of any loop over batches, wait for their next batch: what loads the data is slower than what
//! works on it.

use std::collections::BTreeMap;

use calor_model::{FrameKind, SampleKind, StackId, ThreadId};

use crate::findings::{
    About, Evidence, FEWEST_SAMPLES, Facts, Finding, Fix, Gain, Outcome, Place, Rule, Share, Topic, Unit,
};

/// The part of the steps' time that waits for input.
const LEAST_SHARE: f64 = 0.05;
/// Fewer steps are a beginning, in which everything is loaded for the first time.
const LEAST_STEPS: u64 = 10;
/// The part of it that goes when loading runs beside the steps.
const REMOVED: (f64, f64) = (0.5, 1.0);
/// The part of its time that a thread has to wait for a queue: some of it is the time until the first batch.
const LEAST_OF_QUEUE: f64 = 0.2;
/// The part of its time that it has to work: a thread that does less only collects.
const LEAST_WORK: f64 = 0.15;
/// Where more of the cores is in use nothing can be loaded sooner.
const MOST_OF_CORES: f64 = 0.75;
/// What is beside the waits goes with them: waking up, handing over, asking again.
const ABOVE: f64 = 1.15;
/// The label that says what a scope is in a loop over batches, and its values.
const LABEL: &str = "role";
const INPUT: &str = "input";
const STEP: &str = "step";

pub(super) struct InputBound;

const ABOUT: About<'_> = About {
    id: "PYTHON-INPUT-BOUND",
    version: 1,
    topic: Topic::Python,
    title: "steps wait for their next batch",
    needs: &[],
    suppresses: &["CPU-CRITICAL-SCOPE", "WAIT-BLOCKING-IO", "WAIT-LOCK-CONTENTION"],
};

impl Rule for InputBound {
    fn about(&self) -> About<'_> {
        ABOUT
    }

    fn judge(&self, facts: &Facts<'_>) -> Outcome {
        let told = by_labels(facts);
        if let Some(Told::InTurn(input)) = &told {
            return judge(facts, input);
        }
        if facts.cpu().samples < FEWEST_SAMPLES {
            // Input on another thread than the steps is beside them, as it should be.
            return if matches!(told, Some(Told::Beside)) { Outcome::Fine } else { not_enough() };
        }
        let found = by_samples(facts).into_iter().chain(by_queues(facts));
        let most = found.max_by(|a, b| a.nanos.total_cmp(&b.nanos));
        most.map_or(Outcome::Fine, |input| judge(facts, &input))
    }
}

fn not_enough() -> Outcome {
    Outcome::NotEnough {
        missing: "scopes with the label role=input, or samples of Python".to_owned(),
        how: "label the scope that fetches a batch role=input, and the one of a step role=step, or calor record --off-cpu -- \
              python PROGRAM.py"
            .to_owned(),
    }
}

/// Time spent on getting input.
struct Input {
    place: StackId,
    /// Of the thread that takes the steps.
    nanos: f64,
    /// That as a part of the whole.
    share: f64,
    /// How many steps there were, and how long they took; `None` where nobody told.
    steps: Option<(u64, f64)>,
}

fn judge(facts: &Facts<'_>, input: &Input) -> Outcome {
    let share = input.share;
    let of_steps = input.steps.map_or(share, |(_, nanos)| input.nanos / (input.nanos + nanos).max(1.0));
    if of_steps < LEAST_SHARE || input.steps.is_some_and(|(steps, _)| steps < LEAST_STEPS) {
        return Outcome::Fine;
    }
    let share = Share::between(0.9 * share, share, ABOVE * share);
    let place: Place = facts.program_place(input.place);
    let title = format!("steps wait {:.0} % of their time for the next batch", 100.0 * of_steps);
    let gain = Gain::removed(share, REMOVED, "if half to all of the loading goes on beside the steps");
    let finding = Finding::new(&ABOUT, title, place, gain)
        .because(
            "A step begins when its batch is there. While data is read, decoded and put together, nothing computes, and while \
             a step computes, nothing is loaded.",
        )
        .with(Evidence::new("part of the steps' time", of_steps, Unit::Share).against(LEAST_SHARE))
        .with(Evidence::new("time spent on input", input.nanos, Unit::Nanos))
        .fixed_by(
            Fix::new(
                "Load the next batches beside the step that runs: with workers and prefetching, from memory that was decoded \
                 once, in larger pieces.",
            )
            .with_code(
                "loader = DataLoader(data, batch_size=64)",
                "loader = DataLoader(data, batch_size=64, num_workers=4, prefetch_factor=4, persistent_workers=True)",
            ),
        )
        .by_setting();
    Outcome::Findings(vec![finding])
}

/// What labels tell.
enum Told {
    /// Input and steps in turn, on one thread.
    InTurn(Input),
    /// Input on other threads than the steps.
    Beside,
}

/// What scopes with the label say.
fn by_labels(facts: &Facts<'_>) -> Option<Told> {
    let mut input: BTreeMap<ThreadId, Fetched> = BTreeMap::new();
    let mut steps: BTreeMap<ThreadId, (u64, f64)> = BTreeMap::new();
    for (key, stats) in facts.profile().scopes.iter() {
        match facts.label(key.labels, LABEL) {
            Some(INPUT) => {
                let sum =
                    input.entry(key.thread).or_insert(Fetched { place: key.stack, calls: 0, nanos: 0.0 });
                sum.calls += stats.calls;
                sum.nanos += stats.inclusive_nanos() as f64;
            }
            Some(STEP) => {
                let sum = steps.entry(key.thread).or_default();
                *sum = (sum.0 + stats.calls, sum.1 + stats.inclusive_nanos() as f64);
            }
            _ => {}
        }
    }
    if input.is_empty() {
        return None;
    }
    if steps.is_empty() {
        steps = between(facts, &input);
    }
    let (thread, told) = steps.into_iter().max_by(|a, b| a.1.1.total_cmp(&b.1.1))?;
    let Some(Fetched { place, nanos, .. }) = input.remove(&thread) else { return Some(Told::Beside) };
    let share = facts.whole().clock_share(nanos).estimate;
    Some(Told::InTurn(Input { place, nanos, share, steps: Some(told) }))
}

/// Batches that a thread fetched.
struct Fetched {
    place: StackId,
    calls: u64,
    nanos: f64,
}

/// Where nobody tells what a step is: all that threads recorded beside fetching is. There is a step for each batch.
fn between(facts: &Facts<'_>, input: &BTreeMap<ThreadId, Fetched>) -> BTreeMap<ThreadId, (u64, f64)> {
    let profile = facts.profile();
    let mut has_row = vec![false; profile.stacks.len()];
    profile.scopes.iter().for_each(|(key, _)| has_row[key.stack.index()] = true);
    // Whether a path is inside another that was recorded; callers come before callees.
    let mut is_inside: Vec<bool> = Vec::with_capacity(has_row.len());
    for (_, stack) in profile.stacks.iter() {
        let parent = stack.parent.map(|parent| parent.index());
        is_inside.push(parent.is_some_and(|parent| has_row[parent] || is_inside[parent]));
    }
    let mut steps: BTreeMap<ThreadId, (u64, f64)> = BTreeMap::new();
    for (key, stats) in profile.scopes.iter().filter(|(key, _)| !is_inside[key.stack.index()]) {
        steps.entry(key.thread).or_default().1 += stats.inclusive_nanos() as f64;
    }
    for (thread, sum) in &mut steps {
        let fetched = input.get(thread);
        *sum = (fetched.map_or(0, |own| own.calls), (sum.1 - fetched.map_or(0.0, |own| own.nanos)).max(0.0));
    }
    steps
}

/// What samples in the loaders of libraries say, of the thread that spends the most there.
fn by_samples(facts: &Facts<'_>) -> Option<Input> {
    let profile = facts.profile();
    let is_loading = facts.paths_through(|frame| {
        let file = frame.file.map_or("", |file| profile.strings.get(file));
        frame.kind == FrameKind::Python && LOADERS.iter().any(|loader| file.ends_with(loader))
    });
    let mut by_thread: BTreeMap<ThreadId, BTreeMap<StackId, f64>> = BTreeMap::new();
    for (key, weight) in profile.samples.iter() {
        if is_loading[key.stack.index()] {
            let site = facts.program_site(key.stack).unwrap_or(key.stack);
            *by_thread.entry(key.thread).or_default().entry(site).or_default() += weight.nanos as f64;
        }
    }
    let sums = by_thread.into_values().filter_map(|sites| {
        let nanos: f64 = sites.values().sum();
        let place = sites.into_iter().max_by(|a, b| a.1.total_cmp(&b.1))?.0;
        let share = facts.share(nanos).estimate;
        Some(Input { place, nanos, share, steps: None })
    });
    sums.max_by(|a, b| a.nanos.total_cmp(&b.nanos))
}

/// What waits say of a program whose main thread takes what others made from a queue, and works on it. One that only collects
/// has next to no work, and where the makers keep the cores busy there is nothing to load with.
fn by_queues(facts: &Facts<'_>) -> Option<Input> {
    let (profile, whole) = (facts.profile(), facts.whole());
    let used = whole.cpu_nanos as f64 / whole.nanos.max(1) as f64;
    if facts.cores().is_some_and(|cores| used > MOST_OF_CORES * f64::from(cores)) {
        return None;
    }
    let mut by_thread: BTreeMap<ThreadId, Queued> = BTreeMap::new();
    for (key, weight) in profile.samples.iter().filter(|(key, _)| key.kind == SampleKind::OffCpu) {
        if let Some(site) = queue_site(facts, key.stack) {
            let queued = by_thread.entry(key.thread).or_insert(Queued { site, waits: 0, nanos: 0.0 });
            queued.waits += weight.count;
            queued.nanos += weight.nanos as f64;
        }
    }
    let work = |thread: ThreadId| {
        let summary = facts.summary().threads.iter().find(|summary| summary.thread == thread);
        summary.and_then(|summary| summary.cpu_nanos).unwrap_or(0) as f64
    };
    let inputs = by_thread.into_iter().filter_map(|(thread, Queued { site, waits, nanos })| {
        let steps = work(thread);
        let waited = nanos / (nanos + steps).max(1.0);
        let is_in_turn = (LEAST_OF_QUEUE..=1.0 - LEAST_WORK).contains(&waited);
        let share = facts.share(nanos).estimate;
        is_in_turn.then_some(Input { place: site, nanos, share, steps: Some((waits, steps)) })
    });
    inputs.max_by(|a, b| a.nanos.total_cmp(&b.nanos))
}

/// Waits of one thread for a queue.
struct Queued {
    site: StackId,
    waits: u64,
    nanos: f64,
}

/// The function of the program that takes from a queue on the main thread, if a path does that.
fn queue_site(facts: &Facts<'_>, stack: StackId) -> Option<StackId> {
    let profile = facts.profile();
    let site = facts.program_site(stack)?;
    let text = |id| profile.strings.get(id);
    let mut within = std::iter::successors(Some(stack), |at| profile.stacks.get(*at).parent);
    let takes = within.by_ref().take_while(|at| *at != site).any(|at| {
        let frame = profile.frames.get(profile.stacks.get(at).frame);
        let (file, name) = (frame.file.map_or("", text), facts.name(at));
        let name = name.rsplit('.').next().unwrap_or(name);
        frame.kind == FrameKind::Python
            && QUEUES.iter().any(|(of_library, function)| file.ends_with(of_library) && name == *function)
    });
    // Others wait for work where they have none.
    let is_main = || {
        let callers = std::iter::successors(Some(site), |at| profile.stacks.get(*at).parent);
        let mut of_python = callers.filter(|at| facts.kind(*at) == FrameKind::Python);
        of_python.any(|at| facts.name(at) == "<module>")
    };
    (takes && is_main()).then_some(site)
}

/// Functions of Python's library that wait for what another thread or process made.
const QUEUES: [(&str, &str); 5] = [
    ("/queue.py", "get"),
    ("/multiprocessing/queues.py", "get"),
    ("/multiprocessing/connection.py", "recv"),
    ("/multiprocessing/pool.py", "next"),
    ("/multiprocessing/pool.py", "__next__"),
];

/// Files of libraries that hand out batches.
const LOADERS: [&str; 3] = [
    "torch/utils/data/dataloader.py",
    "tensorflow/python/data/ops/iterator_ops.py",
    "datasets/iterable_dataset.py",
];

#[cfg(test)]
mod tests {
    use calor_model::ScopeStats;

    use super::*;
    use crate::findings::draft::Draft;

    const MILLI: u64 = 1_000_000;

    fn stats(calls: u64, millis: u64) -> ScopeStats {
        ScopeStats { calls, total_nanos: millis * MILLI, ..ScopeStats::default() }
    }

    fn judged(steps: u64, input_millis: u64, step_millis: u64, thread: &str) -> Outcome {
        let profile = Draft::new()
            .seconds(1.0)
            .scope_row(thread, &["next batch"], &[("role", "input")], stats(steps, input_millis))
            .scope_row("main", &["train"], &[("role", "step")], stats(steps, step_millis))
            .profile();
        InputBound.judge(&Facts::new(&profile, None))
    }

    #[test]
    fn steps_that_wait_for_input_are_found() {
        let Outcome::Findings(found) = judged(100, 400, 600, "main") else { panic!("found") };
        assert!(found[0].title.contains("wait 40 % of their time"), "{}", found[0].title);
        assert!(found[0].gain.low > 1.2 && found[0].gain.high < 1.9, "{:?}", found[0].gain);
    }

    #[test]
    fn little_input_few_steps_and_input_on_another_thread_are_fine() {
        assert_eq!(judged(100, 49, 951, "main"), Outcome::Fine);
        assert!(matches!(judged(100, 51, 949, "main"), Outcome::Findings(_)));
        assert_eq!(judged(9, 400, 600, "main"), Outcome::Fine);
        assert_eq!(judged(100, 400, 600, "loader"), Outcome::Fine);
    }

    #[test]
    fn without_steps_all_that_lies_between_the_batches_is_one() {
        let judged = |batches: u64, input: u64, rest: u64, thread: &str| {
            let profile = Draft::new()
                .seconds(1.0)
                .scope_row(thread, &["next batch"], &[("role", "input")], stats(batches, input))
                .scope_row("main", &["linear"], &[("op", "torch")], stats(3 * batches, rest))
                .scope_row("main", &["linear", "addmm"], &[("op", "torch")], stats(3 * batches, rest))
                .profile();
            InputBound.judge(&Facts::new(&profile, None))
        };
        let Outcome::Findings(found) = judged(100, 400, 600, "main") else { panic!("found") };
        assert!(found[0].title.contains("wait 40 % of their time"), "{}", found[0].title);
        assert_eq!(judged(100, 40, 960, "main"), Outcome::Fine);
        assert_eq!(judged(9, 400, 600, "main"), Outcome::Fine);
        assert_eq!(judged(100, 400, 600, "loader"), Outcome::Fine);
    }

    #[test]
    fn loaders_of_libraries_are_known_and_the_place_is_the_programs() {
        let path = [
            "py:train@/home/me/train.py:20",
            "py:__next__@/v/site-packages/torch/utils/data/dataloader.py:630",
            "read!libc.so.6",
        ];
        let judged = |waited: u64, cpu: u64| {
            let profile = Draft::new()
                .seconds(1.0)
                .wait_on("main", &path, 30, waited * MILLI)
                .cpu(&path[..2], cpu)
                .cpu(&path[..1], 1_000 - waited - cpu)
                .profile();
            InputBound.judge(&Facts::new(&profile, None))
        };
        let Outcome::Findings(found) = judged(200, 100) else { panic!("found") };
        assert_eq!(found[0].place.source().as_deref(), Some("/home/me/train.py:20"));
        assert_eq!(judged(20, 20), Outcome::Fine);
    }

    fn queued(root: &str, waited: u64, work: u64, beside: u64) -> Outcome {
        let path = [
            root,
            "py:train@/home/me/train.py:20",
            "py:Queue.get@/usr/lib/python3.11/queue.py:171",
            "py:Condition.wait@/usr/lib/python3.11/threading.py:327",
            "futex_wait!libc.so.6",
        ];
        let profile = Draft::new()
            .seconds(1.0)
            .cores(2)
            .wait_on("main", &path, 30, waited * MILLI)
            .cpu(&path[..2], work)
            .cpu_on("loader", &["py:load@/home/me/train.py:9"], beside)
            .profile();
        InputBound.judge(&Facts::new(&profile, None))
    }

    #[test]
    fn a_main_thread_that_works_and_waits_for_a_queue_is_found() {
        let main = "py:<module>@/home/me/train.py:40";
        let Outcome::Findings(found) = queued(main, 600, 400, 100) else { panic!("found") };
        assert!(found[0].title.contains("wait 60 % of their time"), "{}", found[0].title);
        assert_eq!(found[0].place.source().as_deref(), Some("/home/me/train.py:20"));
    }

    #[test]
    fn collectors_workers_short_waits_and_busy_cores_are_fine() {
        let main = "py:<module>@/home/me/train.py:40";
        assert_eq!(queued(main, 860, 140, 100), Outcome::Fine, "it only collects");
        assert!(matches!(queued(main, 840, 160, 100), Outcome::Findings(_)));
        assert_eq!(queued("py:_bootstrap@/usr/lib/python3.11/threading.py:9", 600, 400, 100), Outcome::Fine);
        assert_eq!(queued(main, 190, 810, 100), Outcome::Fine);
        assert!(matches!(queued(main, 210, 790, 100), Outcome::Findings(_)));
        assert_eq!(queued(main, 400, 600, 950), Outcome::Fine, "the loader computes");
    }

    #[test]
    fn without_labels_and_samples_it_cannot_tell_and_without_loaders_all_is_fine() {
        let none = Draft::new().seconds(1.0).scope(&["run"], 10, 1000).profile();
        assert!(matches!(InputBound.judge(&Facts::new(&none, None)), Outcome::NotEnough { .. }));
        let other = Draft::new().seconds(1.0).cpu(&["app::main@src/main.rs:1"], 500).profile();
        assert_eq!(InputBound.judge(&Facts::new(&other, None)), Outcome::Fine);
    }
}
