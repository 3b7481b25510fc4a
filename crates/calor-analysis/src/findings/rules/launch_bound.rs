//! Kernels are so short that launching them takes the host longer than the GPU takes to run them.

use calor_model::{DurationStats, KernelKey};

use crate::findings::device_work::{host_calls, kernel_nanos, place, site, uses};
use crate::findings::{About, Evidence, Facts, Finding, Fix, Gain, Need, Outcome, Rule, Share, Topic, Unit};

/// Kernels below this are short: a launch takes the host about as long.
const SHORT_NANOS: f64 = 10_000.0;
/// Fewer launches are over before anybody notices.
const LEAST_LAUNCHES: u64 = 1_000;
/// The part of all launches that has to be of short kernels.
const LEAST_OF_LAUNCHES: f64 = 0.5;
/// A device that is busier than this is not waiting for launches.
const MOST_BUSY: f64 = 0.7;
/// The part of the whole that the host has to spend on launches beyond what the kernels take.
const LEAST_SHARE: f64 = 0.05;
/// What a launch takes the host at least, about, and at most, with what a framework does around it.
const LAUNCH_NANOS: [f64; 3] = [3_000.0, 6_000.0, 15_000.0];
/// The part of it that goes if many launches become one.
const REMOVED: (f64, f64) = (0.4, 0.95);

pub(super) struct LaunchBound;

const ABOUT: About<'_> = About {
    id: "GPU-LAUNCH-BOUND",
    version: 1,
    topic: Topic::Gpu,
    title: "kernels are shorter than their launches",
    needs: &[Need::Gpu],
    suppresses: &["GPU-IDLE"],
};

impl Rule for LaunchBound {
    fn about(&self) -> About<'_> {
        ABOUT
    }

    fn judge(&self, facts: &Facts<'_>) -> Outcome {
        let kernels = &facts.profile().gpu.kernels;
        let short: Vec<(&KernelKey, &DurationStats)> =
            kernels.iter().filter(|(_, stats)| is_short(stats)).collect();
        let all: u64 = kernels.values().map(|stats| stats.count).sum();
        let launches: u64 = short.iter().map(|(_, stats)| stats.count).sum();
        let busy = busy(facts);
        let is_many = launches >= LEAST_LAUNCHES && launches as f64 >= LEAST_OF_LAUNCHES * all as f64;
        if !is_many || busy > MOST_BUSY {
            return Outcome::Fine;
        }
        let nanos: u64 = short.iter().map(|(_, stats)| stats.total_nanos).sum();
        let share = exposed(facts, launches, nanos);
        if share.estimate < LEAST_SHARE {
            return Outcome::Fine;
        }
        let most = short.iter().max_by_key(|(_, stats)| stats.count).and_then(|(key, _)| key.launched_from);
        let place = place(facts, site(facts, most));
        let mean = nanos as f64 / launches as f64;
        let title = format!("{launches} kernels of {:.1} µs each are launched one by one", mean / 1e3);
        let gain = Gain::removed(
            share,
            REMOVED,
            "if 40 % to 95 % of what launches take goes with fewer, larger ones",
        );
        let finding = Finding::new(&ABOUT, title, place, gain)
            .because(
                "A launch takes the host a few microseconds, more in a framework of Python, whatever the kernel does. Kernels that \
                 are shorter than that leave the GPU waiting for the next one.",
            )
            .with(Evidence::new("launches of short kernels", launches as f64, Unit::Count).against(LEAST_LAUNCHES as f64))
            .with(Evidence::new("time of a kernel", mean, Unit::Nanos).against(SHORT_NANOS))
            .with(Evidence::share("share of the time in launches beyond kernels", share).against(LEAST_SHARE))
            .with(Evidence::new("part of the time that the GPU is busy", busy, Unit::Share).against(MOST_BUSY))
            .fixed_by(
                Fix::new(
                    "Fuse operations (torch.compile, jax.jit), launch a recorded graph (CUDA graphs), use fused optimizers, and \
                     larger batches.",
                )
                .with_code(
                    "for step in range(n):\n    loss = model(x)",
                    "model = torch.compile(model, mode=\"reduce-overhead\")\nfor step in range(n):\n    loss = model(x)",
                ),
            )
            .by_setting();
        Outcome::of(vec![finding])
    }
}

fn is_short(stats: &DurationStats) -> bool {
    stats.mean_nanos().is_some_and(|mean| mean < SHORT_NANOS)
}

/// The part of the time that the busiest device ran something.
fn busy(facts: &Facts<'_>) -> f64 {
    let looked_at = uses(facts).into_iter().map(|used| used.busy).reduce(f64::max);
    looked_at.unwrap_or_else(|| facts.whole().clock_share(kernel_nanos(facts) as f64).estimate)
}

/// What launches took the host beyond what their kernels took the device, as a part of the whole: as recorded, or by what a
/// launch usually takes.
fn exposed(facts: &Facts<'_>, launches: u64, kernels_nanos: u64) -> Share {
    let kernels = facts.whole().clock_share(kernels_nanos as f64).estimate;
    let recorded = host_calls(facts, "launch", None).filter(|(_, calls)| *calls >= launches / 2);
    let [low, estimate, high] = match recorded {
        // A framework around the call to the driver is not in it.
        Some((share, _)) => [share.low, share.estimate, 2.5 * share.high],
        None => LAUNCH_NANOS.map(|nanos| facts.whole().clock_share(nanos * launches as f64).estimate),
    };
    Share::between((low - kernels).max(0.0), (estimate - kernels).max(0.0), (high - kernels).max(0.0))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::findings::draft::Draft;

    fn draft(launches: u64, nanos_each: u64, busy: f64) -> Draft {
        let utilisation = (0..10).map(|_| 100.0 * busy);
        Draft::new().seconds(1.0).kernel("add", launches, nanos_each).series(
            "gpu 0 utilisation",
            "%",
            utilisation,
        )
    }

    fn judged(draft: Draft) -> Outcome {
        LaunchBound.judge(&Facts::new(&draft.profile(), None))
    }

    #[test]
    fn short_kernels_launched_one_by_one_are_found() {
        let Outcome::Findings(found) = judged(draft(100_000, 2_000, 0.3)) else { panic!("found") };
        let [finding] = &found[..] else { panic!("one finding: {found:?}") };
        assert!(finding.title.contains("100000 kernels of 2.0 µs"), "{}", finding.title);
        assert!(finding.gain.low > 1.03 && finding.gain.high > 1.5, "{:?}", finding.gain);
    }

    #[test]
    fn launches_that_were_recorded_tell_what_they_took() {
        let path = ["py:step@train.py:9", "cudaLaunchKernel"];
        let stats =
            calor_model::ScopeStats { calls: 100_000, total_nanos: 700_000_000, ..Default::default() };
        let draft = draft(100_000, 2_000, 0.3).scope_row("main", &path, &[("gpu", "launch")], stats);
        let Outcome::Findings(found) = judged(draft) else { panic!("found") };
        assert!((found[0].gain.share.estimate - 0.5).abs() < 1e-9, "{:?}", found[0].gain);
    }

    #[test]
    fn long_kernels_few_launches_a_busy_device_and_little_time_are_fine() {
        assert_eq!(judged(draft(50_000, 10_000, 0.3)), Outcome::Fine);
        assert_eq!(judged(draft(999, 1_000, 0.3).seconds(0.01)), Outcome::Fine);
        assert!(matches!(judged(draft(1_000, 1_000, 0.3).seconds(0.01)), Outcome::Findings(_)));
        assert_eq!(judged(draft(100_000, 2_000, 0.71)), Outcome::Fine);
        assert_eq!(judged(draft(10_000, 1_500, 0.3)), Outcome::Fine);
        let mixed = draft(20_000, 2_000, 0.3).kernel("conv", 20_001, 30_000);
        assert_eq!(judged(mixed), Outcome::Fine);
    }
}
