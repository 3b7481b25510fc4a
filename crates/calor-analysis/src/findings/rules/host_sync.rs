//! The host waits for the GPU again and again in a loop: it reads a number, or asks for all work to be done, before it launches
//! the next step.

use calor_model::{CopyKind, StackId};
use foldhash::fast::RandomState;
use indexmap::IndexMap;

use crate::findings::device_work::{host_calls, place, site};
use crate::findings::{About, Evidence, Facts, Finding, Fix, Gain, Need, Outcome, Rule, Share, Topic, Unit};

/// Copies to the host of no more bytes in the mean are numbers that are looked at.
const SMALL_BYTES: f64 = 4_096.0;
/// Fewer of them are no loop.
const LEAST_COUNT: u64 = 100;
/// The part of the whole that they have to take.
const LEAST_SHARE: f64 = 0.03;
/// What one costs at least, about, and at most where waiting was not recorded: the way there and back, and the queue that runs
/// empty.
const SYNC_NANOS: [f64; 3] = [8_000.0, 25_000.0, 150_000.0];
/// The part of it that goes: the GPU's own work has to be waited for in the end.
const REMOVED: (f64, f64) = (0.25, 0.95);

pub(super) struct HostSync;

const ABOUT: About<'_> = About {
    id: "GPU-HOST-SYNC",
    version: 1,
    topic: Topic::Gpu,
    title: "the host waits for the GPU in a loop",
    needs: &[Need::Gpu],
    suppresses: &["GPU-IDLE", "GPU-PAGEABLE-COPIES", "GPU-TRANSFERS"],
};

impl Rule for HostSync {
    fn about(&self) -> About<'_> {
        ABOUT
    }

    fn judge(&self, facts: &Facts<'_>) -> Outcome {
        // By the line that looks at numbers: how many, and their bytes.
        let mut lines: IndexMap<Option<StackId>, (u64, u64), RandomState> = IndexMap::default();
        let copies = facts.profile().gpu.copies.iter();
        for (key, stats) in copies.filter(|(key, _)| key.kind == CopyKind::DeviceToHost) {
            let count = stats.durations.count;
            if count > 0 && stats.bytes as f64 / count as f64 <= SMALL_BYTES {
                let sum = lines.entry(site(facts, key.launched_from)).or_default();
                *sum = (sum.0 + count, sum.1 + stats.bytes);
            }
        }
        let found = lines.iter().filter_map(|(line, (count, bytes))| finding(facts, *line, *count, *bytes));
        Outcome::of(found.collect())
    }
}

fn finding(facts: &Facts<'_>, line: Option<StackId>, count: u64, bytes: u64) -> Option<Finding> {
    let [low, estimate, high] =
        SYNC_NANOS.map(|nanos| facts.whole().clock_share(nanos * count as f64).estimate);
    let usual = Share::between(low, estimate, high);
    let share = host_calls(facts, "sync", line).map_or(usual, |(waited, _)| waited);
    if count < LEAST_COUNT || share.estimate < LEAST_SHARE {
        return None;
    }
    let place = place(facts, line);
    let title = format!("`{}` waits for the GPU {count} times to read a few bytes", place.function);
    let reason = "if 25 % to 95 % of this waiting goes by looking at results less often or later";
    Some(
        Finding::new(&ABOUT, title, place, Gain::removed(share, REMOVED, reason))
            .because(
                "To read a number from the GPU the host waits until all work before it is done, and only then prepares the next \
                 step, while the GPU has nothing to do. .item(), .cpu(), printing a loss, and tests on values do this.",
            )
            .with(Evidence::new("copies of a few bytes to the host", count as f64, Unit::Count).against(LEAST_COUNT as f64))
            .with(Evidence::new("bytes of each", bytes as f64 / count as f64, Unit::Bytes).against(SMALL_BYTES))
            .with(Evidence::share("share of the time in waiting", share).against(LEAST_SHARE))
            .fixed_by(
                Fix::new("Keep results on the GPU and read them once in many steps; compare and select on the GPU (torch.where).")
                    .with_code(
                        "for batch in loader:\n    loss = step(batch)\n    total += loss.item()",
                        "for batch in loader:\n    loss = step(batch)\n    total += loss.detach()\nprint(total.item())",
                    ),
            ),
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::findings::draft::Draft;
    use crate::findings::findings;

    fn draft(count: u64, bytes_each: u64) -> Draft {
        let kind = (CopyKind::DeviceToHost, Some(true));
        let draft = Draft::new().seconds(1.0).kernel("gemm", 1_000, 100_000);
        draft.copies(&["py:train@train.py:12"], kind, count, bytes_each, 1_000)
    }

    fn judged(draft: Draft) -> Outcome {
        HostSync.judge(&Facts::new(&draft.profile(), None))
    }

    #[test]
    fn numbers_that_are_read_in_a_loop_are_found_at_their_line() {
        let Outcome::Findings(found) = judged(draft(10_000, 4)) else { panic!("found") };
        let [finding] = &found[..] else { panic!("one place: {found:?}") };
        assert_eq!(finding.place.source().as_deref(), Some("train.py:12"));
        assert!(finding.title.contains("10000 times"), "{}", finding.title);
        assert!(finding.gain.low > 1.01 && finding.gain.high > 1.3, "{:?}", finding.gain);
    }

    #[test]
    fn waiting_that_was_recorded_tells_what_it_took() {
        let path = ["py:train@train.py:12", "cudaStreamSynchronize"];
        let stats = calor_model::ScopeStats { calls: 10_000, total_nanos: 500_000_000, ..Default::default() };
        let draft = draft(10_000, 4).scope_row("main", &path, &[("gpu", "sync")], stats);
        let Outcome::Findings(found) = judged(draft) else { panic!("found") };
        assert!((found[0].gain.share.estimate - 0.5).abs() < 1e-9, "{:?}", found[0].gain);
    }

    #[test]
    fn few_large_and_short_waits_are_fine() {
        assert_eq!(judged(draft(99, 4).seconds(0.01)), Outcome::Fine);
        assert!(matches!(judged(draft(100, 4).seconds(0.01)), Outcome::Findings(_)));
        assert_eq!(judged(draft(10_000, 4_097)), Outcome::Fine);
        assert_eq!(judged(draft(1_000, 4)), Outcome::Fine);
    }

    #[test]
    fn without_what_ran_on_the_gpu_nothing_is_told() {
        let profile = Draft::new().seconds(1.0).profile();
        let all = findings(&Facts::new(&profile, None), &[&HostSync], &[]);
        assert_eq!((all.found.len(), all.fine.len(), all.not_enough.len()), (0, 0, 1));
    }
}
