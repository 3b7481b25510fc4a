//! A loop in Python takes numbers out of an array one by one, or puts them in: each makes an object of NumPy, and what is
//! computed with those is slower than with Python's own numbers. Told by operations, or by samples in what makes such objects.

use std::collections::HashMap;

use calor_model::{FrameKind, FunctionKey, StackId};
use foldhash::fast::RandomState;

use crate::findings::array_operation::{OperationGroup, by_function, is_indexing};
use crate::findings::{
    About, CpuSite, Evidence, FEWEST_SAMPLES, Facts, Finding, Fix, Gain, Need, Operation, Outcome, Rule,
    Share, Topic, Unit,
};
use crate::wait_reason::bare;

/// Fewer accesses are over before anybody notices.
const LEAST_CALLS: u64 = 10_000;
/// The part of the whole that they have to take.
const LEAST_SHARE: f64 = 0.05;
/// What one access takes at least, about, and at most where it was counted and not timed.
const ACCESS_NANOS: [f64; 3] = [40.0, 60.0, 120.0];
/// What the loop takes for each beside it: its step and a computation with the number.
const LOOP_NANOS: [f64; 3] = [20.0, 60.0, 200.0];
/// The part of the whole that a function has to take where samples tell, since its other work is not known apart.
const LEAST_SAMPLED: f64 = 0.15;
/// The part of its samples that make or read objects of single numbers: a result of one number for each operation on a small
/// array makes fewer.
const LEAST_SCALARS: f64 = 0.12;
/// Fewer samples are too few to found advice on.
const LEAST_SAMPLES: u64 = 30;
/// The part of the name of NumPy's file.
const NUMPY: &str = "_multiarray_umath";
/// Beginnings of its functions that make objects of single numbers, and let go of them.
const SCALARS: [&str; 4] = ["PyArray_Scalar", "gentype_", "scalar_value", "PyArray_Pack"];
/// What goes if an operation on the whole array replaces the loop.
const REMOVED: (f64, f64) = (0.7, 0.98);

pub(super) struct ScalarIndexing;

const ABOUT: About<'_> = About {
    id: "ARRAY-SCALAR-INDEXING",
    version: 1,
    topic: Topic::Arrays,
    title: "a loop takes numbers out of an array one by one",
    needs: &[],
    suppresses: &["ARRAY-SMALL-OPERATIONS", "PYTHON-INTERPRETED-LOOP"],
};

impl Rule for ScalarIndexing {
    fn about(&self) -> About<'_> {
        ABOUT
    }

    fn judge(&self, facts: &Facts<'_>) -> Outcome {
        if facts.operations().is_empty() {
            return by_samples(facts);
        }
        let indexing = || facts.operations().iter().filter(|operation| is_indexing(operation));
        let kind = |operation: &Operation<'_>| facts.label(operation.labels, "index");
        if indexing().next().is_some() && indexing().all(|operation| kind(operation).is_none()) {
            return Outcome::NotEnough {
                missing: "how arrays were indexed".to_owned(),
                how: Need::Operations.how().to_owned(),
            };
        }
        let scalar = indexing().filter(|operation| kind(operation) == Some("integer"));
        let groups = by_function(facts, scalar);
        Outcome::of(groups.iter().filter_map(|group| finding(facts, group)).collect())
    }
}

fn by_samples(facts: &Facts<'_>) -> Outcome {
    let is_sampled = facts.cpu().samples >= FEWEST_SAMPLES;
    if !is_sampled {
        let missing = "operations on arrays, or samples of running threads".to_owned();
        return Outcome::NotEnough { missing, how: "calor record -- python PROGRAM.py".to_owned() };
    }
    let function = |stack: StackId| -> FunctionKey {
        facts.profile().frames.get(facts.profile().stacks.get(stack).frame).function()
    };
    let scalars = facts.cpu_sites(|stack| makes_scalar(facts, stack));
    let all = facts.cpu_sites(|stack| {
        facts.program_site(stack).is_some_and(|site| facts.kind(site) == FrameKind::Python)
    });
    let all: HashMap<FunctionKey, &CpuSite, RandomState> =
        all.iter().map(|site| (function(site.stack), site)).collect();
    let of_function = |site: &CpuSite| sampled(facts, site, all.get(&function(site.stack))?);
    Outcome::of(scalars.iter().filter_map(of_function).collect())
}

fn sampled(facts: &Facts<'_>, scalars: &CpuSite, all: &CpuSite) -> Option<Finding> {
    let part = scalars.samples as f64 / all.samples.max(1) as f64;
    if all.share.estimate < LEAST_SAMPLED || part < LEAST_SCALARS || scalars.samples < LEAST_SAMPLES {
        return None;
    }
    let place = facts.place(scalars.stack);
    let title = format!(
        "`{}` works on arrays number by number for {:.0} % of the time",
        place.function,
        100.0 * all.share.estimate
    );
    let reason = "if operations on whole arrays replace 70 % to nearly all of the function's time";
    Some(
        told(Finding::new(&ABOUT, title, place, Gain::removed(all.share, REMOVED, reason)))
            .with(Evidence::share("share of the time in the function", all.share).against(LEAST_SAMPLED))
            .with(
                Evidence::new("part of that for objects of one number", part, Unit::Share)
                    .against(LEAST_SCALARS),
            ),
    )
}

/// Whether a function of NumPy that makes or frees an object of one number is on a path, after the line of the program.
fn makes_scalar(facts: &Facts<'_>, stack: StackId) -> bool {
    let profile = facts.profile();
    let is_made = |at: StackId| {
        let frame = profile.frames.get(profile.stacks.get(at).frame);
        let module = frame.module.map_or("", |module| profile.strings.get(module));
        let name = bare(facts.name(at));
        module.contains(NUMPY)
            && (SCALARS.iter().any(|beginning| name.starts_with(beginning))
                || name.ends_with("_getitem")
                || name.ends_with("_setitem"))
    };
    let within = std::iter::successors(Some(stack), |at| profile.stacks.get(*at).parent);
    within.take_while(|at| facts.kind(*at) != FrameKind::Python).any(is_made)
}

fn finding(facts: &Facts<'_>, group: &OperationGroup<'_, '_>) -> Option<Finding> {
    let calls = group.calls as f64;
    let timed: u64 = group.operations.iter().map(|operation| operation.total_nanos).sum();
    let access = |at: usize| if timed > 0 { timed as f64 / calls } else { ACCESS_NANOS[at] };
    let [low, estimate, high] =
        [0, 1, 2].map(|at| facts.share(calls * (access(at) + LOOP_NANOS[at])).estimate);
    let share = Share::between(low, estimate, high);
    if group.calls < LEAST_CALLS || share.estimate < LEAST_SHARE {
        return None;
    }
    let place = group.place.clone();
    let title = format!("`{}` takes or sets {} numbers of arrays one by one", place.function, group.calls);
    let reason = "if operations on whole arrays replace the loop, at 60 to 320 ns for a turn of it";
    Some(
        told(Finding::new(&ABOUT, title, place, Gain::removed(share, REMOVED, reason)))
            .with(Evidence::share("share of the time in the loop, about", share).against(LEAST_SHARE))
            .with(Evidence::new("numbers taken or set", calls, Unit::Count).against(LEAST_CALLS as f64)),
    )
}

fn told(finding: Finding) -> Finding {
    finding
        .because(
            "Taking one number out of an array makes an object of NumPy for it, which costs more than a list would, and \
             arithmetic with such objects is several times slower than with Python's numbers.",
        )
        .fixed_by(
            Fix::new(
                "Write the loop as operations on whole arrays. Where it has to be a loop, work on a.tolist(), or compile it \
                 (Numba, Cython).",
            )
            .with_code("total = 0.0\nfor i in range(len(a)):\n    total += a[i] * b[i]", "total = float(a @ b)"),
        )
}

#[cfg(test)]
mod tests {
    use calor_model::Work;

    use super::*;
    use crate::findings::draft::Draft;

    const LINE: &str = "py:dot@vectors.py:9";

    fn draft(index: &[(&str, &str)], calls: u64, total: u64) -> Draft {
        Draft::new().seconds(1.0).operation(&[LINE, "getitem"], index, calls, total, Work::default())
    }

    fn judged(draft: Draft) -> Outcome {
        ScalarIndexing.judge(&Facts::new(&draft.profile(), None))
    }

    const INTEGER: [(&str, &str); 1] = [("index", "integer")];

    #[test]
    fn a_loop_over_numbers_is_found_at_its_line_counted_or_timed() {
        let Outcome::Findings(found) = judged(draft(&INTEGER, 4_000_000, 0)) else { panic!("found") };
        let [finding] = &found[..] else { panic!("one place: {found:?}") };
        assert_eq!(finding.place.source().as_deref(), Some("vectors.py:9"));
        assert!((finding.gain.share.estimate - 0.48).abs() < 1e-9, "{:?}", finding.gain);
        assert!(finding.gain.low > 1.15, "{:?}", finding.gain);
        let Outcome::Findings(found) = judged(draft(&INTEGER, 4_000_000, 200_000_000)) else {
            panic!("found")
        };
        assert!((found[0].gain.share.estimate - 0.44).abs() < 1e-9, "{:?}", found[0].gain);
    }

    #[test]
    fn few_numbers_a_small_part_of_the_time_and_slices_are_fine() {
        assert_eq!(judged(draft(&INTEGER, 9_999, 0).seconds(0.01)), Outcome::Fine);
        assert!(matches!(judged(draft(&INTEGER, 10_000, 0).seconds(0.01)), Outcome::Findings(_)));
        assert_eq!(judged(draft(&INTEGER, 400_000, 0)), Outcome::Fine);
        assert_eq!(judged(draft(&[("index", "slice")], 4_000_000, 0)), Outcome::Fine);
    }

    #[test]
    fn indexing_of_an_unknown_kind_does_not_tell() {
        assert!(matches!(judged(draft(&[], 4_000_000, 0)), Outcome::NotEnough { .. }));
        let other = Draft::new().operation(&[LINE, "add"], &[], 1, 1, Work::default());
        assert_eq!(judged(other), Outcome::Fine);
    }

    fn sampled(scalars: u64, others: u64, elsewhere: u64) -> Outcome {
        let file = "_multiarray_umath.cpython-311-x86_64-linux-gnu.so";
        let [subscript, scalar] = ["array_subscript", "PyArray_Scalar"].map(|name| format!("{name}!{file}"));
        let draft = Draft::new()
            .seconds(1.0)
            .cpu(&[LINE, &subscript, &scalar, "malloc!libc.so.6"], scalars)
            .cpu(&[LINE, &subscript], others)
            .cpu(&["py:main@vectors.py:30"], elsewhere);
        judged(draft)
    }

    #[test]
    fn without_operations_samples_in_objects_of_one_number_tell() {
        let Outcome::Findings(found) = sampled(200, 600, 200) else { panic!("found") };
        assert!(
            found[0].title.contains("`dot` works on arrays number by number for 80 % of the time"),
            "{}",
            found[0].title
        );
        assert_eq!(found[0].place.source().as_deref(), Some("vectors.py:9"));
    }

    #[test]
    fn few_such_samples_and_small_functions_are_fine_and_none_at_all_not_enough() {
        assert!(matches!(sampled(100, 700, 200), Outcome::Findings(_)), "an eighth of them");
        assert_eq!(sampled(90, 710, 200), Outcome::Fine, "a ninth of them");
        assert!(matches!(sampled(80, 80, 840), Outcome::Findings(_)));
        assert_eq!(sampled(70, 70, 860), Outcome::Fine);
        assert_eq!(sampled(29, 50, 21), Outcome::Fine, "too few samples");
        assert!(matches!(sampled(20, 20, 0), Outcome::NotEnough { .. }));
    }
}
