//! Copies between host and GPU from memory that the system may move: the driver copies it once more, and the host waits.

use calor_model::{CopyKind, StackId};
use foldhash::fast::RandomState;
use indexmap::IndexMap;

use crate::findings::device_work::{is_transfer, place, site};
use crate::findings::{About, Evidence, Facts, Finding, Fix, Gain, Need, Outcome, Rule, Topic, Unit};

/// The part of the whole that such copies have to take.
const LEAST_SHARE: f64 = 0.05;
/// Smaller copies cost the call, from whatever memory.
const LEAST_BYTES: f64 = 65_536.0;
/// How much faster copies from pinned memory are at least; at most they run beside kernels and cost next to nothing.
const FASTER: (f64, f64) = (1.3, 8.0);

pub(super) struct PageableCopies;

const ABOUT: About<'_> = About {
    id: "GPU-PAGEABLE-COPIES",
    version: 1,
    topic: Topic::Gpu,
    title: "copies to and from a GPU use pageable memory",
    needs: &[Need::Gpu],
    suppresses: &[],
};

/// Copies of one line.
#[derive(Default)]
struct Copies {
    nanos: u64,
    bytes: u64,
    count: u64,
    kind: Option<CopyKind>,
}

impl Rule for PageableCopies {
    fn about(&self) -> About<'_> {
        ABOUT
    }

    fn judge(&self, facts: &Facts<'_>) -> Outcome {
        let transfers = || facts.profile().gpu.copies.iter().filter(|(key, _)| is_transfer(key.kind));
        if transfers().next().is_some() && transfers().all(|(key, _)| key.is_pageable.is_none()) {
            return Outcome::NotEnough {
                missing: "which memory copies used".to_owned(),
                how: Need::Gpu.how().to_owned(),
            };
        }
        let mut lines: IndexMap<Option<StackId>, Copies, RandomState> = IndexMap::default();
        for (key, stats) in transfers().filter(|(key, _)| key.is_pageable == Some(true)) {
            if stats.bytes as f64 >= LEAST_BYTES * stats.durations.count as f64 {
                let sum = lines.entry(site(facts, key.launched_from)).or_default();
                sum.nanos += stats.durations.total_nanos;
                sum.bytes += stats.bytes;
                sum.count += stats.durations.count;
                sum.kind = Some(key.kind);
            }
        }
        Outcome::of(lines.iter().filter_map(|(line, copies)| finding(facts, *line, copies)).collect())
    }
}

fn finding(facts: &Facts<'_>, line: Option<StackId>, copies: &Copies) -> Option<Finding> {
    let share = facts.whole().clock_share(copies.nanos as f64);
    if share.estimate < LEAST_SHARE {
        return None;
    }
    let place = place(facts, line);
    let rate = copies.bytes as f64 * 1e9 / copies.nanos.max(1) as f64;
    let way = if copies.kind == Some(CopyKind::DeviceToHost) { "from" } else { "to" };
    let title = format!(
        "`{}` copies {:.0} MiB {way} the GPU through pageable memory, {:.0} % of the time",
        place.function,
        copies.bytes as f64 / f64::from(1 << 20),
        100.0 * share.estimate
    );
    let reason = "if the copies come from pinned memory, and at most run beside kernels";
    Some(
        Finding::new(&ABOUT, title, place, Gain::faster(share, FASTER, reason))
            .because(
                "A GPU reads only memory that stays where it is. From other memory the driver copies each piece into a buffer of \
                 its own first, at a part of the speed, and the host waits until it is done.",
            )
            .with(Evidence::share("share of the time in these copies", share).against(LEAST_SHARE))
            .with(Evidence::new("bytes of a copy", copies.bytes as f64 / copies.count.max(1) as f64, Unit::Bytes).against(LEAST_BYTES))
            .with(Evidence::new("bytes a second", rate, Unit::BytesPerSecond))
            .fixed_by(
                Fix::new("Pin the host's memory, and copy without waiting.").with_code(
                    "loader = DataLoader(data)\nx = x.to(\"cuda\")",
                    "loader = DataLoader(data, pin_memory=True)\nx = x.to(\"cuda\", non_blocking=True)",
                ),
            ),
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::findings::draft::Draft;

    fn judged(is_pageable: Option<bool>, bytes_each: u64, nanos: u64) -> Outcome {
        let kind = (CopyKind::HostToDevice, is_pageable);
        let draft = Draft::new().seconds(1.0).copies(&["py:train@train.py:12"], kind, 100, bytes_each, nanos);
        PageableCopies.judge(&Facts::new(&draft.profile(), None))
    }

    #[test]
    fn copies_from_pageable_memory_are_found_at_their_line() {
        let Outcome::Findings(found) = judged(Some(true), 8 << 20, 300_000_000) else { panic!("found") };
        let [finding] = &found[..] else { panic!("one place: {found:?}") };
        assert_eq!(finding.place.source().as_deref(), Some("train.py:12"));
        assert!(finding.title.contains("800 MiB to the GPU"), "{}", finding.title);
        assert!(finding.gain.low > 1.07 && finding.gain.high < 1.4, "{:?}", finding.gain);
    }

    #[test]
    fn pinned_memory_small_copies_and_little_time_are_fine() {
        assert_eq!(judged(Some(false), 8 << 20, 300_000_000), Outcome::Fine);
        assert_eq!(judged(Some(true), 65_535, 300_000_000), Outcome::Fine);
        assert_eq!(judged(Some(true), 8 << 20, 49_000_000), Outcome::Fine);
        assert!(matches!(judged(Some(true), 65_536, 51_000_000), Outcome::Findings(_)));
    }

    #[test]
    fn memory_of_an_unknown_kind_does_not_tell() {
        assert!(matches!(judged(None, 8 << 20, 300_000_000), Outcome::NotEnough { .. }));
    }
}
