//! A library of linear algebra runs more threads than there are cores, often because several pools each take one for every
//! core: they take turns, spin while they wait for each other, and push each other's data out of the caches.

use std::collections::BTreeMap;

use calor_model::{SampleKind, StackId, ThreadId};

use crate::findings::{About, Evidence, Facts, Finding, Fix, Gain, Need, Outcome, Place, Rule, Topic, Unit};
use crate::wait_reason::bare;

/// Threads in linear algebra for each core from where on they are too many.
const LEAST_RATIO: f64 = 1.5;
/// The part of the whole that linear algebra has to take.
const LEAST_SHARE: f64 = 0.1;
/// A thread counts if it has so many samples there.
const LEAST_SAMPLES: u64 = 5;
/// Parts of the names of the libraries' files.
const LIBRARIES: [&str; 6] = ["openblas", "libmkl_", "libblis", "libblas", "libatlas", "libflexiblas"];
/// Functions in which their threads wait by spinning.
const SPINNING: [&str; 5] =
    ["sched_yield", "blas_thread_server", "exec_blas", "gomp_team_barrier_wait", "kmp_wait"];
/// How much faster linear algebra is at least with one thread for each core, beside the spinning that goes.
const LEAST_FASTER: f64 = 1.03;

pub(super) struct BlasThreads;

const ABOUT: About<'_> = About {
    id: "ARRAY-BLAS-THREADS",
    version: 1,
    topic: Topic::Arrays,
    title: "linear algebra runs on more threads than there are cores",
    needs: &[Need::CpuSamples],
    suppresses: &["THREADS-OVERSUBSCRIBED"],
};

impl Rule for BlasThreads {
    fn about(&self) -> About<'_> {
        ABOUT
    }

    fn judge(&self, facts: &Facts<'_>) -> Outcome {
        let profile = facts.profile();
        let algebra = facts.paths_through(|frame| {
            let module = frame.module.map_or("", |module| profile.strings.get(module));
            LIBRARIES.iter().any(|library| module.contains(library))
        });
        let mut threads: BTreeMap<ThreadId, u64> = BTreeMap::new();
        for (key, weight) in profile.samples.iter().filter(|(key, _)| key.kind == SampleKind::Cpu) {
            if algebra[key.stack.index()] {
                *threads.entry(key.thread).or_default() += weight.count;
            }
        }
        let n_threads = threads.values().filter(|samples| **samples >= LEAST_SAMPLES).count();
        if n_threads == 0 {
            return Outcome::Fine;
        }
        let Some(cores) = facts.cores() else {
            return Outcome::NotEnough {
                missing: "how many cores the machine has".to_owned(),
                how: "calor record -- PROGRAM".to_owned(),
            };
        };
        Outcome::of(finding(facts, &algebra, n_threads as f64, f64::from(cores.max(1))).into_iter().collect())
    }
}

fn finding(facts: &Facts<'_>, is_algebra: &[bool], n_threads: f64, cores: f64) -> Option<Finding> {
    let cpu = facts.cpu();
    let part_of = |is_wanted: &dyn Fn(StackId) -> bool| {
        let wanted = cpu.stacks().filter(|stack| is_wanted(*stack));
        let (samples, nanos) = wanted.fold((0, 0.0), |sum, stack| {
            let own = cpu.own(stack);
            (sum.0 + own.0, sum.1 + own.1)
        });
        cpu.share(samples, nanos)
    };
    let algebra = part_of(&|stack| is_algebra[stack.index()]);
    let spinning = part_of(&|stack| is_algebra[stack.index()] && is_spinning(facts, stack));
    let ratio = n_threads / cores;
    if ratio < LEAST_RATIO || algebra.estimate < LEAST_SHARE {
        return None;
    }
    let useful = 1.0 - (spinning.low / algebra.estimate.max(f64::MIN_POSITIVE)).min(0.9);
    // Spinning that goes is time on cores that others have, so that half of it at least comes back.
    let least = LEAST_FASTER.max((1.0 + 1.0 / useful) / 2.0);
    let gain = Gain::faster(
        algebra,
        (least, (ratio / useful).max(least)),
        "if linear algebra runs on one thread for each core, without spinning and turns",
    );
    let title = format!("linear algebra runs on {n_threads:.0} threads on {cores:.0} cores");
    Some(
        Finding::new(&ABOUT, title, Place::whole_program(), gain)
            .because(
                "Libraries of linear algebra take a thread for every core and let them spin while they wait. Where several \
                 pools or processes do that at once, threads take turns on the cores and spin for partners that cannot run.",
            )
            .with(Evidence::new("threads for each core", ratio, Unit::Ratio).against(LEAST_RATIO))
            .with(Evidence::share("share of the time in linear algebra", algebra).against(LEAST_SHARE))
            .with(Evidence::share("share of the time in spinning", spinning))
            .fixed_by(
                Fix::new(
                    "Give each process or worker its part of the cores: OPENBLAS_NUM_THREADS, MKL_NUM_THREADS or OMP_NUM_THREADS, \
                     or threadpoolctl around the part that has threads of its own.",
                )
                .with_code(
                    "with ThreadPoolExecutor(8) as pool:\n    pool.map(fit, parts)",
                    "with threadpool_limits(1), ThreadPoolExecutor(8) as pool:\n    pool.map(fit, parts)",
                ),
            )
            .by_setting(),
    )
}

/// Whether a path ends in waiting for other threads, in a function of the library or of the system that it calls.
fn is_spinning(facts: &Facts<'_>, stack: StackId) -> bool {
    let profile = facts.profile();
    let mut at = Some(stack);
    for _ in 0..3 {
        let Some(path) = at else { break };
        let name = bare(facts.name(path));
        if SPINNING.iter().any(|call| name.contains(call)) {
            return true;
        }
        at = profile.stacks.get(path).parent;
    }
    false
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::findings::draft::Draft;

    const FIT: &str = "py:fit@model.py:9";

    fn draft(n_threads: usize, cores: u32, samples: u64, spinning: u64) -> Draft {
        let gemm = [FIT, "dgemm_kernel!libopenblas64_p.so"];
        let spin = [FIT, "blas_thread_server!libopenblas64_p.so", "sched_yield!libc.so.6"];
        let draft = Draft::new().seconds(1.0).cores(cores).cpu(&[FIT], 600);
        (0..n_threads).fold(draft, |draft, thread| {
            let name = format!("worker {thread}");
            draft.cpu_on(&name, &gemm, samples).cpu_on(&name, &spin, spinning)
        })
    }

    fn judged(draft: Draft) -> Outcome {
        BlasThreads.judge(&Facts::new(&draft.profile(), None))
    }

    #[test]
    fn more_threads_than_cores_are_found_and_spinning_raises_the_gain() {
        let Outcome::Findings(found) = judged(draft(8, 2, 100, 0)) else { panic!("found") };
        let [finding] = &found[..] else { panic!("one finding: {found:?}") };
        assert!(finding.title.contains("8 threads on 2 cores") && finding.is_knob, "{}", finding.title);
        assert!(finding.gain.low > 1.0 && finding.gain.low < 1.05, "{:?}", finding.gain);
        let Outcome::Findings(spinning) = judged(draft(8, 2, 50, 50)) else { panic!("found") };
        assert!(spinning[0].gain.low > 1.1, "{:?}", spinning[0].gain);
    }

    #[test]
    fn a_thread_for_each_core_and_little_algebra_are_fine() {
        assert_eq!(judged(draft(4, 4, 100, 0)), Outcome::Fine);
        assert_eq!(judged(draft(2, 2, 100, 0)), Outcome::Fine);
        assert!(matches!(judged(draft(3, 2, 100, 0)), Outcome::Findings(_)));
        assert_eq!(judged(draft(8, 2, 8, 0)), Outcome::Fine);
        assert_eq!(judged(draft(8, 2, 4, 0).seconds(0.1)), Outcome::Fine);
    }

    #[test]
    fn threads_of_other_libraries_are_fine_and_unknown_cores_do_not_tell() {
        let other = Draft::new().seconds(1.0).cores(2).cpu_on("a", &[FIT, "sort!libother.so"], 500);
        assert_eq!(judged(other), Outcome::Fine);
        let draft = draft(8, 2, 100, 0).change(|profile| profile.runs[0].host.cores = None);
        assert!(matches!(judged(draft), Outcome::NotEnough { .. }));
    }
}
