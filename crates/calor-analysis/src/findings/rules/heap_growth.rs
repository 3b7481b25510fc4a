//! A place holds more and more, steadily until the end of the recording: caches that nothing bounds, lists of all that ever
//! happened, queues that are filled faster than they are emptied.

use crate::findings::{
    About, Evidence, Facts, Finding, Fix, Gain, HeapFacts, Need, Outcome, Rule, Share, Topic, Unit,
};
use crate::{GROWTH_SURE_NANOS, Growth, GrowthRow, GrowthTrend};

/// What is sure to have grown, as a part of the peak, if the recording is long.
const LEAST_SHARE: f64 = 0.10;
/// The same of a short one, which may be no more than the start of the program.
const LEAST_SHARE_OF_SHORT: f64 = 0.25;
/// Less is not worth looking for.
const LEAST_BYTES: f64 = 8_388_608.0;
/// Places that grew by less than this part of what grew the most are told with it.
const BESIDE: f64 = 0.5;
/// The part of the growth that a bound takes away: some of what is kept is used.
const REMOVED: (f64, f64) = (0.3, 1.0);

pub(super) struct HeapGrowth;

const ABOUT: About<'_> = About {
    id: "HEAP-GROWTH",
    version: 1,
    topic: Topic::Heap,
    title: "a place holds more and more memory",
    needs: &[Need::HeapSnapshots],
    suppresses: &["HEAP-HOTSPOT"],
};

impl Rule for HeapGrowth {
    fn about(&self) -> About<'_> {
        ABOUT
    }

    fn judge(&self, facts: &Facts<'_>) -> Outcome {
        let Some(heap) = facts.heap() else { return Outcome::Fine };
        let Growth::Measured { span_nanos, total, paths, .. } = &heap.growth else { return Outcome::Fine };
        // What moves from one place to another does not make the heap larger.
        if !total.is_growing() {
            return Outcome::Fine;
        }
        let mut found: Vec<Finding> =
            paths.iter().filter_map(|row| finding(facts, heap, row, *span_nanos)).collect();
        // What grows beside the most, and less, is mostly kept by the same container: keys beside their values.
        let most = found.iter().map(|finding| finding.gain.share.estimate).fold(0.0, f64::max);
        found.retain(|finding| finding.gain.share.estimate >= BESIDE * most);
        Outcome::of(found)
    }
}

fn finding(facts: &Facts<'_>, heap: &HeapFacts, row: &GrowthRow, span_nanos: u64) -> Option<Finding> {
    let seconds = span_nanos as f64 / 1e9;
    let [low, high] = row.slope.interval.map(|bytes_per_second| bytes_per_second * seconds);
    let peak = heap.totals.peak_bytes.max(1) as f64;
    let share = Share::between(low / peak, row.slope.slope * seconds / peak, high / peak);
    let is_long = span_nanos >= GROWTH_SURE_NANOS;
    let least = if is_long { LEAST_SHARE } else { LEAST_SHARE_OF_SHORT };
    if row.trend != GrowthTrend::Steady || low < LEAST_BYTES || share.low < least {
        return None;
    }
    let place = facts.program_place(row.stack?);
    let title = format!(
        "`{}` holds {:.1} MiB more each second, {:.0} MiB in the end",
        place.function,
        row.slope.slope / f64::from(1 << 20),
        row.last_bytes as f64 / f64::from(1 << 20)
    );
    let gain = Gain::memory(share, REMOVED, "if 30 % to all of what it came to hold is let go in time");
    let slope = Evidence {
        interval: Some((row.slope.interval[0], row.slope.interval[1])),
        ..Evidence::new("bytes more each second", row.slope.slope, Unit::BytesPerSecond)
    };
    let caution = if is_long {
        ""
    } else {
        " The recording is short: over a longer one it would be surer that this goes on."
    };
    Some(
        Finding::new(&ABOUT, title, place, gain)
            .because(format!(
                "What this place holds grew as fast in the later half of the recording as in the earlier one, so nothing \
                 bounds it: the longer the program runs, the more memory it takes.{caution}"
            ))
            .with(slope.against(0.0))
            .with(Evidence::share("growth as a part of the peak", share).against(least))
            .with(Evidence::new("seconds watched", seconds, Unit::Count))
            .fixed_by(
                Fix::new(
                    "Bound it: a cache with a size and an order in which entries leave, results that are written out as they \
                     come, a queue whose writers wait when it is full.",
                )
                .with_code(
                    "cache = {}\ndef load(key):\n    if key not in cache:\n        cache[key] = read(key)\n    return cache[key]",
                    "@functools.lru_cache(maxsize=10_000)\ndef load(key):\n    return read(key)",
                ),
            ),
    )
}

#[cfg(test)]
mod tests {
    use calor_model::HeapSite;

    use super::*;
    use crate::findings::draft::Draft;
    use crate::findings::findings;

    const PATH: [&str; 2] = ["app::main@src/main.rs:3", "app::load@src/cache.rs:7"];
    const MIB: u64 = 1 << 20;

    /// A place that holds so many MiB at each of 21 instants, of a peak of so many.
    fn draft(seconds: f64, peak: u64, held: impl Fn(f64) -> f64) -> Draft {
        let site = HeapSite { peak_bytes: peak * MIB, allocated_bytes: 1, ..HeapSite::default() };
        let mut draft = Draft::new().seconds(seconds).heap(&["app::main@src/main.rs:3"], site);
        for at in 0..=20 {
            let second = seconds * f64::from(at) / 20.0;
            draft = draft.snapshot(second, &[(&PATH, (held(f64::from(at) / 20.0) * MIB as f64) as u64 + 1)]);
        }
        draft
    }

    fn judged(draft: Draft) -> Outcome {
        HeapGrowth.judge(&Facts::new(&draft.profile(), None))
    }

    #[test]
    fn what_grows_to_the_end_is_found_at_its_line_with_its_pace() {
        let Outcome::Findings(found) = judged(draft(10.0, 40, |part| 20.0 * part)) else { panic!("found") };
        let [finding] = &found[..] else { panic!("one place: {found:?}") };
        assert_eq!(finding.place.source().as_deref(), Some("src/cache.rs:7"));
        assert!(finding.title.contains("2.0 MiB more each second"), "{}", finding.title);
        let (low, high) = finding.gain.memory.expect("memory");
        assert!(low > 1.15 && high > 1.9 && high < 2.1, "{:?}", finding.gain);
        assert!(finding.description.contains("recording is short"));
    }

    #[test]
    fn growth_that_is_small_settles_or_slows_is_fine() {
        assert_eq!(judged(draft(10.0, 9, |part| 7.9 * part)), Outcome::Fine);
        assert_eq!(judged(draft(10.0, 100, |part| 24.0 * part)), Outcome::Fine);
        assert!(matches!(judged(draft(10.0, 100, |part| 26.0 * part)), Outcome::Findings(_)));
        assert_eq!(judged(draft(10.0, 40, |part| (80.0 * part).min(20.0))), Outcome::Fine);
        assert_eq!(judged(draft(10.0, 40, |part| 20.0 - 20.0 * (1.0 - part).powi(2))), Outcome::Fine);
    }

    #[test]
    fn what_grows_beside_something_larger_is_not_told_apart() {
        let beside = ["app::main@src/main.rs:3", "app::key@src/cache.rs:3"];
        let both = |part: f64| {
            let mut draft = draft(10.0, 60, |at| 30.0 * at);
            for at in 0..=20 {
                let bytes = (part * 30.0 * f64::from(at) / 20.0 * MIB as f64) as u64;
                draft = draft.snapshot(10.0 * f64::from(at) / 20.0, &[(&beside, bytes + 1)]);
            }
            judged(draft)
        };
        assert!(matches!(both(0.55), Outcome::Findings(found) if found.len() == 2));
        assert!(matches!(both(0.45), Outcome::Findings(found) if found.len() == 1));
    }

    #[test]
    fn over_a_longer_time_less_is_enough() {
        assert!(matches!(judged(draft(31.0, 100, |part| 11.0 * part)), Outcome::Findings(_)));
        assert_eq!(judged(draft(31.0, 100, |part| 9.0 * part)), Outcome::Fine);
    }

    #[test]
    fn a_short_recording_does_not_tell() {
        let profile = draft(2.0, 40, |part| 20.0 * part).profile();
        let all = findings(&Facts::new(&profile, None), &[&HeapGrowth], &[]);
        assert_eq!((all.found.len(), all.fine.len(), all.not_enough.len()), (0, 0, 1));
    }
}
