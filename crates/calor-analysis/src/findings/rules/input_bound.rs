//! Steps of a training, or of any loop over batches, wait for their next batch: what loads the data is slower than what
//! works on it.

use std::collections::BTreeMap;

use calor_model::{FrameKind, StackId, ThreadId};

use crate::findings::{
    About, Evidence, FEWEST_SAMPLES, Facts, Finding, Fix, Gain, Outcome, Place, Rule, Share, Topic, Unit,
};

/// The part of the steps' time that waits for input.
const LEAST_SHARE: f64 = 0.05;
/// Fewer steps are a beginning, in which everything is loaded for the first time.
const LEAST_STEPS: u64 = 10;
/// The part of it that goes when loading runs beside the steps.
const REMOVED: (f64, f64) = (0.5, 1.0);
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
        if let Some(input) = by_labels(facts) {
            return judge(facts, &input);
        }
        if facts.cpu().samples < FEWEST_SAMPLES {
            return Outcome::NotEnough {
                missing: "scopes with the label role=input and role=step, or samples of Python".to_owned(),
                how: "label the scope that fetches a batch role=input and the one of a step role=step, or calor record \
                      --off-cpu -- python PROGRAM.py"
                    .to_owned(),
            };
        }
        by_samples(facts).map_or(Outcome::Fine, |input| judge(facts, &input))
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
    let share = Share::between(0.9 * share, share, share);
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

/// What scopes with the label say.
fn by_labels(facts: &Facts<'_>) -> Option<Input> {
    let mut input: BTreeMap<ThreadId, (StackId, f64)> = BTreeMap::new();
    let mut steps: BTreeMap<ThreadId, (u64, f64)> = BTreeMap::new();
    for (key, stats) in facts.profile().scopes.iter() {
        match facts.label(key.labels, LABEL) {
            Some(INPUT) => {
                let sum = input.entry(key.thread).or_insert((key.stack, 0.0));
                sum.1 += stats.inclusive_nanos() as f64;
            }
            Some(STEP) => {
                let sum = steps.entry(key.thread).or_default();
                *sum = (sum.0 + stats.calls, sum.1 + stats.inclusive_nanos() as f64);
            }
            _ => {}
        }
    }
    // Input on other threads than the steps is beside them, as it should be.
    let (thread, told) = steps.into_iter().max_by(|a, b| a.1.1.total_cmp(&b.1.1))?;
    let (place, nanos) = input.remove(&thread)?;
    let share = facts.whole().clock_share(nanos).estimate;
    Some(Input { place, nanos, share, steps: Some(told) })
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
        assert!(found[0].gain.low > 1.2 && found[0].gain.high < 1.68, "{:?}", found[0].gain);
    }

    #[test]
    fn little_input_few_steps_and_input_on_another_thread_are_fine() {
        assert_eq!(judged(100, 49, 951, "main"), Outcome::Fine);
        assert!(matches!(judged(100, 51, 949, "main"), Outcome::Findings(_)));
        assert_eq!(judged(9, 400, 600, "main"), Outcome::Fine);
        assert_ne!(judged(100, 400, 600, "loader").clone(), judged(100, 400, 600, "main"));
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

    #[test]
    fn without_labels_and_samples_it_cannot_tell_and_without_loaders_all_is_fine() {
        let none = Draft::new().seconds(1.0).scope(&["run"], 10, 1000).profile();
        assert!(matches!(InputBound.judge(&Facts::new(&none, None)), Outcome::NotEnough { .. }));
        let other = Draft::new().seconds(1.0).cpu(&["app::main@src/main.rs:1"], 500).profile();
        assert_eq!(InputBound.judge(&Facts::new(&other, None)), Outcome::Fine);
    }
}
