//! Most of the time goes into the interpreter itself, running the lines of one Python function over and over: no library
//! does the work, each step is looked up, counted and boxed.

use calor_model::{Frame, FunctionKey, StackId};
use foldhash::fast::RandomState;
use indexmap::IndexMap;

use crate::findings::{
    About, Evidence, Facts, Finding, Fix, Gain, LineFacts, Need, Outcome, Rule, Share, Topic, Unit,
};

/// The part of the whole that the interpreter has to spend in one function: less of it is what Python is for.
const LEAST_SHARE: f64 = 0.40;
/// The part of the function's own time that has to be the interpreter's.
const LEAST_INTERPRETER: f64 = 0.75;
/// The part of that which has to be the interpreter's own loop, reading one instruction after the other: a tenth where
/// built-in functions do the work, such as searching a list or a pattern, and a third or more where steps are small.
const LEAST_STEPS: f64 = 0.22;
/// Fewer samples are too few to found advice on.
const LEAST_SAMPLES: u64 = 50;
/// A line of the loop has this part of the function's samples.
const HOT_LINE: f64 = 0.1;
/// Objects that the loop made are also freed elsewhere.
const ABOVE: f64 = 1.05;
/// From a comprehension or a built-in function to arrays or compiled code.
const LOCAL: (f64, f64) = (1.5, 60.0);

pub(super) struct InterpretedLoop;

const ABOUT: About<'_> = About {
    id: "PYTHON-INTERPRETED-LOOP",
    version: 1,
    topic: Topic::Python,
    title: "most of the time runs the lines of one Python function",
    needs: &[Need::CpuSamples, Need::Python],
    suppresses: &[],
};

impl Rule for InterpretedLoop {
    fn about(&self) -> About<'_> {
        ABOUT
    }

    fn judge(&self, facts: &Facts<'_>) -> Outcome {
        let mut functions: IndexMap<FunctionKey, Vec<&LineFacts>, RandomState> = IndexMap::default();
        for line in facts.python_lines() {
            functions.entry(function_of(facts, line.stack)).or_default().push(line);
        }
        let found: Vec<_> =
            functions.values().filter_map(|lines| Some((lines, finding(facts, lines)?))).collect();
        // A function that a loop calls for each element is part of that loop.
        let loops: Vec<Vec<bool>> = found.iter().map(|(lines, _)| below_hot_lines(facts, lines)).collect();
        let is_called = |at: usize, finding: &[&LineFacts]| {
            let stacks = || finding.iter().map(|line| line.stack);
            let is_below = |below: &[bool]| stacks().all(|stack| below[stack.index()]);
            loops.iter().enumerate().any(|(other, below)| other != at && is_below(below))
        };
        let callers = found.iter().enumerate().filter(|(at, (lines, _))| !is_called(*at, lines));
        Outcome::of(callers.map(|(_, (_, finding))| finding.clone()).collect())
    }
}

fn finding(facts: &Facts<'_>, lines: &[&LineFacts]) -> Option<Finding> {
    let hottest = lines.iter().max_by_key(|line| line.interpreter_samples)?;
    let samples: u64 = lines.iter().map(|line| line.interpreter_samples).sum();
    let all: u64 = lines.iter().map(|line| line.samples).sum();
    let estimate: f64 = lines.iter().map(|line| line.interpreter_share.estimate).sum();
    let share = facts.cpu().share(samples, estimate * facts.whole().nanos as f64);
    let part = samples as f64 / all.max(1) as f64;
    let steps = lines.iter().map(|line| line.step_samples).sum::<u64>() as f64 / samples.max(1) as f64;
    let is_heavy = share.estimate >= LEAST_SHARE && samples >= LEAST_SAMPLES;
    let is_stepping = part >= LEAST_INTERPRETER && steps >= LEAST_STEPS;
    if !is_heavy || !is_stepping || calls_itself(facts, hottest.stack) {
        return None;
    }
    // What the loop calls for each element goes with it, as far as it is the interpreter that runs it.
    let most = ABOVE * called_share(facts, lines).max(share.high);
    let share = Share::between(share.low, share.estimate, most);
    let place = facts.place(hottest.stack);
    let title = format!(
        "`{}` keeps the interpreter busy for {:.0} % of the time",
        place.function,
        100.0 * share.estimate
    );
    let reason =
        "if a built-in function, an array or compiled code does the loop's work, 1.5 to 60 times faster";
    Some(
        Finding::new(&ABOUT, title, place, Gain::faster(share, LOCAL, reason))
            .because(
                "The time is spent in the interpreter, not in a library that it calls. For each step it reads an instruction, \
                 finds out the types, and makes an object for the result: some tens of nanoseconds for what a compiled loop \
                 does in less than one.",
            )
            .with(Evidence::share("share of the time in the interpreter", share).against(LEAST_SHARE))
            .with(Evidence::new("part of the function's time", part, Unit::Share).against(LEAST_INTERPRETER))
            .with(Evidence::new("part of that between small steps", steps, Unit::Share).against(LEAST_STEPS))
            .with(Evidence::new("part of the hottest line", hottest.interpreter_share.estimate, Unit::Share))
            .fixed_by(
                Fix::new(
                    "Let a library go over the data: NumPy for numbers, built-in functions such as `sum`, `map`, `str.join` \
                     and `sorted` with a key for the rest; or compile the function.",
                )
                .with_code(
                    "total = 0.0\nfor x, y in zip(xs, ys):\n    total += (x - y) ** 2",
                    "xs, ys = np.asarray(xs), np.asarray(ys)\ntotal = float(((xs - ys) ** 2).sum())",
                ),
            ),
    )
}

/// The part of the whole that runs on the hot lines of a function, or in Python functions of the program that they call.
fn called_share(facts: &Facts<'_>, lines: &[&LineFacts]) -> f64 {
    let is_below = below_hot_lines(facts, lines);
    let below = facts.python_lines().iter().filter(|line| is_below[line.stack.index()]);
    below.map(|line| line.interpreter_share.estimate).sum()
}

/// Which paths go through one of the hot lines of a function.
fn below_hot_lines(facts: &Facts<'_>, lines: &[&LineFacts]) -> Vec<bool> {
    let profile = facts.profile();
    let frame = |stack: StackId| profile.frames.get(profile.stacks.get(stack).frame);
    let samples: u64 = lines.iter().map(|line| line.interpreter_samples).sum();
    let is_hot = |line: &&&LineFacts| line.interpreter_samples as f64 >= HOT_LINE * samples as f64;
    let hot: Vec<Frame> = lines.iter().filter(is_hot).map(|line| frame(line.stack)).collect();
    facts.paths_through(|frame| hot.contains(&frame))
}

fn function_of(facts: &Facts<'_>, stack: StackId) -> FunctionKey {
    facts.profile().frames.get(facts.profile().stacks.get(stack).frame).function()
}

/// Whether a function is on the path to itself: then its time is in calls, not in a loop.
fn calls_itself(facts: &Facts<'_>, stack: StackId) -> bool {
    let own = function_of(facts, stack);
    let mut caller = facts.profile().stacks.get(stack).parent;
    while let Some(at) = caller {
        if function_of(facts, at) == own {
            return true;
        }
        caller = facts.profile().stacks.get(at).parent;
    }
    false
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::findings::draft::Draft;
    use crate::findings::findings;

    const EVAL: &str = "_PyEval_EvalFrameDefault!python3.11";

    fn judged(interpreter: u64, library: u64, others: u64) -> Outcome {
        let lines = ["py:distance@/home/me/run.py:12", "py:distance@/home/me/run.py:13"];
        let profile = Draft::new()
            .seconds(1.0)
            .cpu(&["py:<module>@/home/me/run.py:40", lines[0], EVAL], interpreter / 3)
            .cpu(&["py:<module>@/home/me/run.py:40", lines[1], EVAL], interpreter - interpreter / 3)
            .cpu(&["py:<module>@/home/me/run.py:40", lines[1], "array_add!_multiarray_umath.so"], library)
            .cpu(&["py:<module>@/home/me/run.py:41", "array_dot!_multiarray_umath.so"], others)
            .profile();
        InterpretedLoop.judge(&Facts::new(&profile, None))
    }

    #[test]
    fn a_function_that_keeps_the_interpreter_busy_is_found_at_its_hottest_line() {
        let Outcome::Findings(found) = judged(800, 0, 200) else { panic!("found") };
        let [finding] = &found[..] else { panic!("one function") };
        assert_eq!(finding.place.line, Some(13));
        assert!(
            finding.title.contains("`distance` keeps the interpreter busy for 80 %"),
            "{}",
            finding.title
        );
    }

    #[test]
    fn functions_that_libraries_work_for_or_that_are_a_part_of_many_are_fine() {
        assert_eq!(judged(395, 0, 605), Outcome::Fine);
        assert!(matches!(judged(405, 0, 595), Outcome::Findings(_)));
        assert_eq!(judged(600, 400, 0), Outcome::Fine);
        assert_eq!(judged(48, 0, 60), Outcome::Fine);
    }

    #[test]
    fn a_function_whose_time_is_in_built_in_functions_is_fine() {
        let judged = |steps: u64| {
            let line = "py:distance@/home/me/run.py:12";
            let profile = Draft::new()
                .seconds(1.0)
                .cpu(&[line], steps)
                .cpu(&[line, "sre_ucs1_match!python3.11"], 1000 - steps)
                .profile();
            InterpretedLoop.judge(&Facts::new(&profile, None))
        };
        assert_eq!(judged(210), Outcome::Fine);
        assert!(matches!(judged(230), Outcome::Findings(_)));
    }

    #[test]
    fn what_a_hot_line_calls_for_each_element_may_go_with_the_loop() {
        let judged = |line: &str, called: u64| {
            let profile = Draft::new()
                .seconds(1.0)
                .cpu(&["py:distance@/home/me/run.py:12", EVAL], 450)
                .cpu(&[line, "py:square@/home/me/run.py:3", EVAL], called)
                .cpu(&["py:main@/home/me/run.py:40", EVAL], 550 - called)
                .profile();
            let outcome = InterpretedLoop.judge(&Facts::new(&profile, None));
            let Outcome::Findings(found) = outcome else { panic!("found") };
            (found.len(), (100.0 * found[0].gain.share.high).round())
        };
        assert_eq!(judged("py:distance@/home/me/run.py:12", 350), (1, 84.0));
        assert!(judged("py:distance@/home/me/run.py:20", 350).1 < 60.0, "that line is not the loop's");
        assert_eq!(judged("py:distance@/home/me/run.py:12", 450).0, 1, "one loop, told once");
        assert_eq!(judged("py:main@/home/me/run.py:40", 450).0, 2);
    }

    #[test]
    fn a_function_that_calls_itself_is_fine() {
        let fib = "py:fib@/home/me/run.py:3";
        let profile = Draft::new().seconds(1.0).cpu(&[fib, fib, EVAL], 900).profile();
        assert_eq!(InterpretedLoop.judge(&Facts::new(&profile, None)), Outcome::Fine);
    }

    #[test]
    fn a_program_without_python_is_fine_and_one_without_samples_not_enough() {
        let profile = Draft::new().seconds(1.0).cpu(&["app::main@src/main.rs:1"], 500).profile();
        let all = findings(&Facts::new(&profile, None), &[&InterpretedLoop], &[]);
        assert_eq!(all.fine, ["PYTHON-INTERPRETED-LOOP"]);
        let all = findings(&Facts::new(&Draft::new().profile(), None), &[&InterpretedLoop], &[]);
        assert_eq!(all.not_enough.len(), 1);
    }
}
