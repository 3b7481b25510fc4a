//! Products of large matrices that stay far below what the machine can compute.

use crate::findings::array_operation::{is_floating, is_product, outermost, place};
use crate::findings::{
    About, Evidence, Facts, Finding, Fix, Gain, MachineFigures, Need, Operation, Outcome, Rule, Topic, Unit,
};

/// Matrices with a smaller side cannot reach the peak.
const LEAST_SIDE: u64 = 256;
/// Operations of a call that matrices of that side have: twice the cube.
const LEAST_FLOPS: f64 = 33_554_432.0;
/// The part of the peak below which a product is slow; libraries reach 70 % to 95 %.
const MOST_OF_PEAK: f64 = 0.3;
/// The part of the whole that it has to take.
const LEAST_SHARE: f64 = 0.05;
/// The part of the peak that a good library reaches, at least and at most.
const REACHED: (f64, f64) = (0.5, 0.95);

/// The part of the processors' time that the program has to be given while products are timed, or else the machine was too busy with
/// others for their times to tell anything.
const LEAST_GIVEN: f64 = 0.8;

pub(super) struct SlowMatrixProduct;

const ABOUT: About<'_> = About {
    id: "ARRAY-SLOW-MATRIX-PRODUCT",
    version: 1,
    topic: Topic::Arrays,
    title: "products of matrices stay far below the machine's peak",
    needs: &[Need::Operations, Need::Machine],
    suppresses: &["ARRAY-STRIDED-OPERANDS"],
};

impl Rule for SlowMatrixProduct {
    fn about(&self) -> About<'_> {
        ABOUT
    }

    fn judge(&self, facts: &Facts<'_>) -> Outcome {
        let large = outermost(facts).filter(|operation| is_large(operation));
        let slow: Vec<(&Operation<'_>, Finding)> =
            large.filter_map(|operation| Some((operation, finding(facts, operation)?))).collect();
        let busy = slow.iter().filter_map(|(operation, _)| given(facts, operation)).fold(1.0, f64::min);
        let is_told =
            |operation: &Operation<'_>| given(facts, operation).is_none_or(|part| part >= LEAST_GIVEN);
        let n_slow = slow.len();
        let found: Vec<Finding> = slow
            .into_iter()
            .filter(|(operation, _)| is_told(operation))
            .map(|(_, finding)| finding)
            .collect();
        if found.is_empty() && n_slow > 0 {
            return Outcome::NotEnough {
                missing: format!(
                    "products on a machine that is not busy with others: the program was given {:.0} % of the processors' time \
                     that it could use",
                    100.0 * busy
                ),
                how: "record again while nothing else runs".to_owned(),
            };
        }
        Outcome::of(found)
    }
}

fn is_large(operation: &Operation<'_>) -> bool {
    let flops = operation.stats.work.flops as f64 / operation.calls.max(1) as f64;
    let sides = operation.shape.unwrap_or_default().split(['x', ',']);
    let is_wide = sides.filter_map(|side| side.trim().parse::<u64>().ok()).all(|side| side >= LEAST_SIDE);
    is_product(operation) && flops >= LEAST_FLOPS && is_wide && operation.share.estimate >= LEAST_SHARE
}

fn finding(facts: &Facts<'_>, operation: &Operation<'_>) -> Option<Finding> {
    let machine = facts.machine()?;
    let (operands, _) = operation.dtypes();
    let dtype = operands.first().copied()?;
    let is_integer = !is_floating(dtype);
    // Products of integers are computed by a plain loop; as float64 they would be exact up to 2^53, and fast.
    let number = if is_integer { "float64" } else { dtype };
    let (roof, whose) = peak(machine, number, n_threads(facts, operation).unwrap_or(1))?;
    let reached = operation.flops_per_second()?;
    let part = reached / roof;
    if part >= MOST_OF_PEAK {
        return None;
    }
    let place = place(facts, operation);
    let title = format!(
        "{} of {dtype} in `{}` reaches {:.0} % of {whose}",
        operation.name,
        place.function,
        100.0 * part
    );
    let local = (REACHED.0 / part, REACHED.1 / part);
    let reason =
        "if the product reaches 50 % to 95 % of the measured peak, as libraries of linear algebra do";
    let (why, fix) = cause(is_integer, operation.is_contiguous == Some(false));
    Some(
        Finding::new(&ABOUT, title, place, Gain::faster(operation.share, local, reason))
            .because(why)
            .with(Evidence::new("part of the peak", part, Unit::Share).against(MOST_OF_PEAK))
            .with(Evidence::new("operations a second", reached, Unit::FlopsPerSecond))
            .with(Evidence::new("peak that it is held against", roof, Unit::FlopsPerSecond))
            .with(Evidence::share("share of the time in the product", operation.share).against(LEAST_SHARE))
            .fixed_by(fix),
    )
}

/// The part of the processors' time that the program was given: what it got, of what it would have got if the threads of the
/// product ran all the time that it took, and one thread for the rest. Calls are timed by the clock, which goes on while others run.
/// `None` where CPU time was not measured.
fn given(facts: &Facts<'_>, operation: &Operation<'_>) -> Option<f64> {
    let runs = &facts.profile().runs;
    let cpu = runs.iter().map(|run| run.cpu_nanos).reduce(|a, b| Some(a?.saturating_add(b?))).flatten()?;
    let cores = facts.cores().map_or(f64::INFINITY, f64::from);
    let threads = n_threads(facts, operation).map_or(1.0, f64::from).clamp(1.0, cores.max(1.0));
    let total = operation.total_nanos as f64;
    let rest = (facts.whole().clock_nanos as f64 - total).max(0.0);
    let wanted = total * threads + rest;
    (wanted > 0.0).then(|| (cpu as f64 / wanted).min(1.0))
}

fn n_threads(facts: &Facts<'_>, operation: &Operation<'_>) -> Option<u32> {
    facts.label(operation.labels, "threads")?.parse().ok()
}

/// What as many cores as it has threads can compute at most, and whose peak that is. The threads of a core share what it can do,
/// so more of them than cores do not reach more than all cores do. Where nobody tells how many worked, it was one at least.
fn peak(machine: &MachineFigures, dtype: &str, n_threads: u32) -> Option<(f64, String)> {
    let one = machine.peak_flops(dtype)?;
    if n_threads <= 1 {
        return Some((one, "what a core can do at most".to_owned()));
    }
    let together = one * f64::from(n_threads);
    Some(match machine.all_cores_peak_flops(dtype) {
        Some(all) if all <= together => (all, "the machine's peak".to_owned()),
        _ => (together, format!("what {n_threads} cores can do at most")),
    })
}

/// Why it is slow, and what to do about it.
fn cause(is_integer: bool, is_strided: bool) -> (&'static str, Fix) {
    if is_integer {
        let why = "Products of integers are not done by the library of linear algebra but by a plain loop, one number at a time.";
        let fix =
            Fix::new("Multiply floating-point numbers: as float64, products and sums are exact up to 2**53.")
                .with_code(
                    "counts = a @ b                      # int64",
                    "counts = (a.astype(np.float64) @ b.astype(np.float64)).astype(np.int64)",
                );
        return (why, fix);
    }
    if is_strided {
        let why = "The matrices do not lie in memory as the library of linear algebra needs them, so that a plain loop does the \
                   work, or they are copied first.";
        let fix = Fix::new(
            "Give matrices that are contiguous or plainly transposed; copy one that is used often once.",
        )
        .with_code(
            "product = a[:, ::2] @ b",
            "half = np.ascontiguousarray(a[:, ::2])      # once\nproduct = half @ b",
        );
        return (why, fix);
    }
    let why = "A library of linear algebra that is built for this machine reaches most of its peak on matrices of this size. This \
               one does not: it may be built for another processor, use fewer threads, or not be a tuned one at all.";
    let fix = Fix::new(
        "Look for OpenBLAS or MKL in numpy.show_config() or torch.__config__.show(), and at how many threads they may use.",
    )
    .with_code(
        "OPENBLAS_NUM_THREADS=1 python train.py",
        "python -c \"import numpy; numpy.show_config()\"     # which library it is\npython train.py      # with all its threads",
    );
    (why, fix)
}

#[cfg(test)]
mod tests {
    use calor_model::Work;

    use super::*;
    use crate::findings::draft::Draft;
    use crate::findings::findings;

    fn draft(labels: &[(&str, &str)], side: u64, total: u64) -> Draft {
        let work = Work { flops: 10 * 2 * side * side * side, ..Work::default() };
        Draft::new().seconds(1.0).operation(&["py:layer@model.py:9", "matmul"], labels, 10, total, work)
    }

    fn judged(draft: Draft) -> Outcome {
        let machine = MachineFigures {
            peak_flops: vec![("f32".to_owned(), 1e11), ("f64".to_owned(), 5e10)],
            all_cores_peak_flops: vec![("f32".to_owned(), 3e11)],
            ..MachineFigures::default()
        };
        SlowMatrixProduct.judge(&Facts::new(&draft.profile(), Some(&machine)))
    }

    const SINGLE: [(&str, &str); 2] = [("shape", "512x512,512x512"), ("dtype", "float32,float32->float32")];

    #[test]
    fn a_product_far_below_the_peak_is_found_at_its_line() {
        // 2.7e9 operations in 0.4 s are 7 % of 1e11 a second.
        let Outcome::Findings(found) = judged(draft(&SINGLE, 512, 400_000_000)) else { panic!("found") };
        let [finding] = &found[..] else { panic!("one place: {found:?}") };
        assert_eq!(finding.place.source().as_deref(), Some("model.py:9"));
        assert!(finding.title.contains("reaches 7 %"), "{}", finding.title);
        assert!(finding.gain.low > 1.4 && finding.gain.high < 1.7, "{:?}", finding.gain);
        let fix = &finding.fix;
        assert!(fix.text.contains("show_config") && !format!("{fix:?}").contains("int64"), "{fix:?}");
    }

    #[test]
    fn on_a_machine_that_is_busy_with_others_nothing_is_told() {
        let judged = |threads: &str, cpu: u64| {
            let labels = [SINGLE[0], SINGLE[1], ("threads", threads)];
            let draft = draft(&labels, 512, 600_000_000).cores(4);
            judged(draft.change(|profile| profile.runs[0].cpu_nanos = Some(cpu)))
        };
        // Two threads for 0.6 s and one for 0.4 s are 1.6 s.
        assert!(matches!(judged("2", 1_500_000_000), Outcome::Findings(_)));
        let Outcome::NotEnough { missing, .. } = judged("2", 800_000_000) else { panic!("busy") };
        assert!(missing.contains("50 % of the processors' time"), "{missing}");
        assert!(matches!(judged("1", 950_000_000), Outcome::Findings(_)));
        assert!(matches!(judged("1", 500_000_000), Outcome::NotEnough { .. }));
        assert!(matches!(judged("16", 2_400_000_000), Outcome::Findings(_)), "no more than there are cores");
    }

    #[test]
    fn more_threads_than_cores_are_held_against_all_cores_as_tables_are() {
        // 2.7e9 operations in 0.1 s are 9 % of the 3e11 of all cores, and 27 % of one.
        for (threads, told) in [
            ("2", "13 % of what 2 cores can do"),
            ("8", "9 % of the machine's peak"),
            ("1", "27 % of what a core"),
        ] {
            let labels = [SINGLE[0], SINGLE[1], ("threads", threads)];
            let Outcome::Findings(found) = judged(draft(&labels, 512, 100_000_000)) else { panic!("found") };
            assert!(found[0].title.contains(told), "{}", found[0].title);
        }
    }

    #[test]
    fn integers_are_held_against_what_floats_would_reach() {
        let integers = [("shape", "512x512,512x512"), ("dtype", "int64,int64->int64")];
        let Outcome::Findings(found) = judged(draft(&integers, 512, 800_000_000)) else { panic!("found") };
        assert!(found[0].description.contains("integers") && found[0].gain.low > 3.0, "{:?}", found[0].gain);
        assert!(found[0].fix.after.as_ref().is_some_and(|code| code.contains("float64")));
    }

    #[test]
    fn several_threads_have_to_reach_more() {
        let one = draft(&SINGLE, 512, 80_000_000);
        assert_eq!(judged(one), Outcome::Fine);
        let four = [SINGLE[0], SINGLE[1], ("threads", "4")];
        assert!(matches!(judged(draft(&four, 512, 80_000_000)), Outcome::Findings(_)));
    }

    #[test]
    fn small_and_narrow_matrices_and_little_time_are_fine() {
        assert_eq!(judged(draft(&SINGLE, 255, 400_000_000)), Outcome::Fine);
        let narrow = [("shape", "4096x64,64x4096"), SINGLE[1]];
        assert_eq!(judged(draft(&narrow, 512, 400_000_000)), Outcome::Fine);
        assert_eq!(judged(draft(&SINGLE, 256, 49_000_000)), Outcome::Fine);
    }

    #[test]
    fn without_the_machines_peak_nothing_is_told() {
        let profile = draft(&SINGLE, 512, 400_000_000).profile();
        let all = findings(&Facts::new(&profile, None), &[&SlowMatrixProduct], &[]);
        assert_eq!((all.found.len(), all.fine.len(), all.not_enough.len()), (0, 0, 1));
    }
}
