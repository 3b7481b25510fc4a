//! Data goes back and forth between host and GPU, or so much of it goes there that copying takes a good part of the time.

use calor_model::{CopyKey, CopyKind, CopyStats, StackId};
use foldhash::fast::RandomState;
use indexmap::IndexMap;

use crate::findings::device_work::{is_transfer, place, site};
use crate::findings::{About, Evidence, Facts, Finding, Fix, Gain, Need, Outcome, Rule, Topic, Unit};

/// The part of the whole that copies of one line have to take if they go one way.
const LEAST_SHARE: f64 = 0.3;
/// The same if they go both ways.
const LEAST_SHARE_OF_BOTH: f64 = 0.1;
/// Bytes of the two ways that differ by no more than this factor are the same data.
const SAME_BYTES: f64 = 4.0;
/// Smaller copies cost the call: those have other rules.
const LEAST_BYTES: f64 = 65_536.0;
/// The part of it that goes if data stays on the GPU, or is copied while kernels run.
const REMOVED: (f64, f64) = (0.3, 0.95);

pub(super) struct GpuTransfers;

const ABOUT: About<'_> = About {
    id: "GPU-TRANSFERS",
    version: 1,
    topic: Topic::Gpu,
    title: "copies between host and GPU take much of the time",
    needs: &[Need::Gpu],
    suppresses: &["GPU-IDLE", "GPU-PAGEABLE-COPIES"],
};

/// Copies of one function, to the device and from it.
#[derive(Default)]
struct Transfers {
    nanos: u64,
    to_bytes: u64,
    from_bytes: u64,
    most: (u64, Option<StackId>),
}

impl Rule for GpuTransfers {
    fn about(&self) -> About<'_> {
        ABOUT
    }

    fn judge(&self, facts: &Facts<'_>) -> Outcome {
        let profile = facts.profile();
        let is_large = |(key, stats): &(&CopyKey, &CopyStats)| {
            is_transfer(key.kind) && stats.bytes as f64 >= LEAST_BYTES * stats.durations.count.max(1) as f64
        };
        let mut functions: IndexMap<_, Transfers, RandomState> = IndexMap::default();
        for (key, stats) in profile.gpu.copies.iter().filter(is_large) {
            let line = site(facts, key.launched_from);
            let function = line.map(|line| profile.frames.get(profile.stacks.get(line).frame).function());
            let sum = functions.entry(function).or_default();
            sum.nanos += stats.durations.total_nanos;
            sum.most = sum.most.max((stats.durations.total_nanos, line));
            match key.kind {
                CopyKind::HostToDevice => sum.to_bytes += stats.bytes,
                _ => sum.from_bytes += stats.bytes,
            }
        }
        Outcome::of(functions.values().filter_map(|transfers| finding(facts, transfers)).collect())
    }
}

fn finding(facts: &Facts<'_>, transfers: &Transfers) -> Option<Finding> {
    let share = facts.whole().clock_share(transfers.nanos as f64);
    let (to, from) = (transfers.to_bytes as f64, transfers.from_bytes as f64);
    let is_both = to.min(from) > 0.0 && to.max(from) <= SAME_BYTES * to.min(from);
    let least = if is_both { LEAST_SHARE_OF_BOTH } else { LEAST_SHARE };
    if share.estimate < least {
        return None;
    }
    let place = place(facts, transfers.most.1);
    let mib = |bytes: f64| bytes / f64::from(1 << 20);
    let title = format!(
        "`{}` copies {:.0} MiB to the GPU and {:.0} MiB back, {:.0} % of the time",
        place.function,
        mib(to),
        mib(from),
        100.0 * share.estimate
    );
    let why = if is_both {
        "About as much comes back as goes there: intermediate results make the way over the bus only to be computed with again."
    } else {
        "The bus between host and GPU is ten to fifty times slower than the GPU's own memory, and kernels wait for what comes \
         over it."
    };
    let reason = "if 30 % to 95 % of these copies go, or run while kernels do";
    Some(
        Finding::new(&ABOUT, title, place, Gain::removed(share, REMOVED, reason))
            .because(why)
            .with(Evidence::share("share of the time in copies", share).against(least))
            .with(Evidence::new("bytes to the GPU", to, Unit::Bytes))
            .with(Evidence::new("bytes from the GPU", from, Unit::Bytes))
            .with(Evidence::new("bytes a second", (to + from) * 1e9 / transfers.nanos.max(1) as f64, Unit::BytesPerSecond))
            .fixed_by(
                Fix::new("Keep data on the GPU between steps, do small steps there too, and copy the next batch while kernels run, from \
                          pinned memory, which is also the quickest change.")
                    .with_code(
                        "y = (x.to(\"cuda\") @ w).cpu()\nz = np.tanh(y.numpy())\nout = torch.from_numpy(z).to(\"cuda\") @ v",
                        "y = x.to(\"cuda\") @ w\nout = torch.tanh(y) @ v",
                    ),
            ),
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::findings::draft::Draft;

    fn judged(to: (u64, u64), from: (u64, u64)) -> Outcome {
        let line = ["py:train@train.py:12"];
        let draft = Draft::new().seconds(1.0).copies(&line, (CopyKind::HostToDevice, None), 100, to.0, to.1);
        let draft = match from {
            (0, 0) => draft,
            (bytes, nanos) => draft.copies(&line, (CopyKind::DeviceToHost, None), 100, bytes, nanos),
        };
        GpuTransfers.judge(&Facts::new(&draft.profile(), None))
    }

    #[test]
    fn data_that_goes_back_and_forth_is_found_at_its_line() {
        let Outcome::Findings(found) = judged((1 << 20, 100_000_000), (1 << 20, 100_000_000)) else {
            panic!("found")
        };
        let [finding] = &found[..] else { panic!("one place: {found:?}") };
        assert_eq!(finding.place.source().as_deref(), Some("train.py:12"));
        assert!(finding.title.contains("100 MiB to the GPU and 100 MiB back"), "{}", finding.title);
        assert!(finding.gain.low > 1.05 && finding.gain.high < 1.3, "{:?}", finding.gain);
    }

    #[test]
    fn one_way_has_to_take_more_of_the_time() {
        assert_eq!(judged((1 << 20, 299_000_000), (0, 0)), Outcome::Fine);
        assert!(matches!(judged((1 << 20, 301_000_000), (0, 0)), Outcome::Findings(_)));
        assert_eq!(judged((1 << 20, 100_000_000), (200_000, 100_000_000)), Outcome::Fine);
    }

    #[test]
    fn small_copies_and_little_time_are_fine() {
        assert_eq!(judged((65_535, 400_000_000), (65_535, 400_000_000)), Outcome::Fine);
        assert_eq!(judged((1 << 20, 49_000_000), (1 << 20, 49_000_000)), Outcome::Fine);
    }
}
