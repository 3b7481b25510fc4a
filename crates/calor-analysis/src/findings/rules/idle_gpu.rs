//! A GPU waits for the host for much of the time in which it is in use.

use crate::findings::device_work::{DeviceUse, host_calls, uses};
use crate::findings::{
    About, Evidence, Facts, Finding, Fix, Gain, Need, Outcome, Place, Rule, Share, Topic, Unit,
};

/// A device that is busy for less of the time is idle.
const MOST_BUSY: f64 = 0.5;
/// One that is busy for less than this was hardly meant to work.
const LEAST_BUSY: f64 = 0.05;
/// The part of the run in which it has to be in use.
const LEAST_USE: f64 = 0.3;
/// Looks at a device that are needed to tell.
const LEAST_LOOKS: usize = 20;
/// The part of what could run at the same time that does so at least, if the host prepares while the device works.
const LEAST_OVERLAP: f64 = 0.3;
/// The part of the waiting that goes at most.
const MOST_REMOVED: f64 = 0.95;

pub(super) struct IdleGpu;

const ABOUT: About<'_> = About {
    id: "GPU-IDLE",
    version: 1,
    topic: Topic::Gpu,
    title: "a GPU waits for the host",
    needs: &[Need::Gpu],
    suppresses: &[],
};

impl Rule for IdleGpu {
    fn about(&self) -> About<'_> {
        ABOUT
    }

    fn judge(&self, facts: &Facts<'_>) -> Outcome {
        let uses: Vec<DeviceUse> =
            uses(facts).into_iter().filter(|used| used.n_looks >= LEAST_LOOKS).collect();
        if uses.is_empty() {
            return Outcome::NotEnough {
                missing: "how busy the GPU was over time".to_owned(),
                how: Need::Gpu.how().to_owned(),
            };
        }
        Outcome::of(uses.iter().filter_map(|used| finding(facts, used)).collect())
    }
}

fn finding(facts: &Facts<'_>, used: &DeviceUse) -> Option<Finding> {
    let in_use = facts.whole().clock_share(used.nanos as f64).estimate;
    if used.busy >= MOST_BUSY || used.busy < LEAST_BUSY || in_use < LEAST_USE {
        return None;
    }
    let idle = 1.0 - used.busy;
    let share = Share::exact(in_use * idle);
    // What the host does while the device waits, and what the device does while the host waits, can run at the same time.
    let least = LEAST_OVERLAP * used.busy.min(idle) / idle;
    let title = format!(
        "GPU {} is busy for {:.0} % of the time in which it is in use, and waits for the rest",
        used.device,
        100.0 * used.busy
    );
    let reason = "if the host prepares the next step while the GPU works, to at most all of its waiting";
    let mut finding =
        Finding::new(&ABOUT, title, Place::whole_program(), Gain::removed(share, (least, MOST_REMOVED), reason))
            .because(
                "Between kernels the GPU has nothing to do: the host loads and converts data, runs Python, or waits for results \
                 before it launches the next step.",
            )
            .with(Evidence::new("part of the time that the GPU is busy", used.busy, Unit::Share).against(MOST_BUSY))
            .with(Evidence::new("part of the run that it is in use", in_use, Unit::Share).against(LEAST_USE))
            .with(Evidence::new("looks", used.n_looks as f64, Unit::Count))
            .fixed_by(
                Fix::new(
                    "Load and convert data in other threads or processes ahead of its use, copy from pinned memory while \
                     kernels run, use larger batches, and do not wait for results in the loop.",
                )
                .with_code(
                    "loader = DataLoader(data, batch_size=32)",
                    "loader = DataLoader(data, batch_size=128, num_workers=4,\n                    pin_memory=True, prefetch_factor=4)",
                ),
            )
            .by_setting();
    if let Some((launches, _)) = host_calls(facts, "launch", None) {
        finding = finding.with(Evidence::share("share of the time in launching kernels", launches));
    }
    Some(finding)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::findings::draft::Draft;
    use crate::findings::findings;

    /// How busy a device was at looks 0.1 s apart.
    fn draft(values: impl Iterator<Item = f64>) -> Draft {
        Draft::new().seconds(5.0).kernel("gemm", 1_000, 1_000_000).series("gpu 0 utilisation", "%", values)
    }

    fn judged(draft: Draft) -> Outcome {
        IdleGpu.judge(&Facts::new(&draft.profile(), None))
    }

    #[test]
    fn a_device_that_waits_while_it_is_in_use_is_found() {
        let Outcome::Findings(found) = judged(draft((0..50).map(|_| 30.0))) else { panic!("found") };
        let [finding] = &found[..] else { panic!("one device: {found:?}") };
        assert!(finding.title.contains("busy for 30 %") && finding.is_knob, "{}", finding.title);
        assert!(finding.gain.low > 1.05 && finding.gain.high > 2.5, "{:?}", finding.gain);
    }

    #[test]
    fn a_busy_device_one_hardly_used_and_a_long_start_are_fine() {
        assert_eq!(judged(draft((0..50).map(|_| 50.0))), Outcome::Fine);
        assert!(matches!(judged(draft((0..50).map(|_| 49.0))), Outcome::Findings(_)));
        assert_eq!(judged(draft((0..50).map(|_| 4.0))), Outcome::Fine);
        // Nothing for three seconds, then busy.
        assert_eq!(judged(draft((0..50).map(|at| if at < 30 { 0.0 } else { 90.0 }))), Outcome::Fine);
        assert_eq!(
            judged(draft((0..50).map(|at| if at < 25 { 0.0 } else { 30.0 })).seconds(50.0)),
            Outcome::Fine
        );
    }

    #[test]
    fn without_looks_at_the_device_nothing_is_told() {
        let few = draft((0..19).map(|_| 30.0)).profile();
        let none = Draft::new().seconds(1.0).profile();
        for profile in [few, none] {
            let all = findings(&Facts::new(&profile, None), &[&IdleGpu], &[]);
            assert_eq!((all.found.len(), all.fine.len(), all.not_enough.len()), (0, 0, 1));
        }
    }
}
