//! Data is compressed at a level that another beats: as small, or nearly, and much quicker. Levels are compared by what the
//! program itself did with its own data.

use std::collections::{BTreeMap, BTreeSet};

use calor_model::{StackId, ThreadId};

use crate::CPU_NANOS;
use crate::findings::{About, Evidence, Facts, Finding, Fix, Gain, Need, Outcome, Rule, Share, Topic, Unit};
use crate::workload::is_repeated_by_time;

/// Labels of a scope that compresses, and its counters.
const CODEC: &str = "codec";
const LEVEL: &str = "level";
/// What it compresses, where that is told: then levels are compared on the same data alone.
const DATA: &str = "data";
const BYTES_IN: &str = "bytes_in";
const BYTES_OUT: &str = "bytes_out";
/// Fewer bytes at a level do not tell how it does.
const LEAST_BYTES: f64 = 1e6;
/// Another level has to be so many times faster.
const LEAST_FASTER: f64 = 1.5;
/// And its output at most so much larger.
const MOST_LARGER: f64 = 1.03;
/// Of a bench, data whose output is larger than this part of it is left out: nobody keeps what nothing makes smaller compressed.
const INCOMPRESSIBLE: f64 = 0.97;
/// A level with less of the time is left alone.
const LEAST_SHARE: f64 = 0.03;
/// How sure the ratio of two speeds is that were measured on different data.
const SURE: (f64, f64) = (0.7, 1.2);

pub(super) struct CompressionLevel;

const ABOUT: About<'_> = About {
    id: "CPU-COMPRESSION-LEVEL",
    version: 1,
    topic: Topic::Cpu,
    title: "another level compresses as well and faster",
    needs: &[Need::Scopes],
    suppresses: &["CPU-CRITICAL-SCOPE"],
};

/// What a level did.
#[derive(Default)]
struct Level {
    bytes_in: f64,
    bytes_out: f64,
    by_thread: BTreeMap<ThreadId, f64>,
    stack: Option<StackId>,
}

impl Level {
    fn nanos(&self) -> f64 {
        self.by_thread.values().sum()
    }

    fn bytes_per_second(&self) -> f64 {
        self.bytes_in * 1e9 / self.nanos().max(1.0)
    }

    /// The output for each byte of input.
    fn size(&self) -> f64 {
        self.bytes_out / self.bytes_in.max(1.0)
    }
}

impl Rule for CompressionLevel {
    fn about(&self) -> About<'_> {
        ABOUT
    }

    fn judge(&self, facts: &Facts<'_>) -> Outcome {
        let is_bench = is_repeated_by_time(facts.profile());
        let mut codecs: BTreeMap<(&str, Option<&str>), BTreeMap<i64, Level>> = BTreeMap::new();
        for (key, stats) in facts.profile().scopes.iter() {
            let level = facts.label(key.labels, LEVEL).and_then(|level| level.parse().ok());
            let counted = facts.counter(&stats.work, BYTES_IN).zip(facts.counter(&stats.work, BYTES_OUT));
            let (Some(codec), Some(level), Some((bytes_in, bytes_out))) =
                (facts.label(key.labels, CODEC), level, counted)
            else {
                continue;
            };
            let data = facts.label(key.labels, DATA);
            let sum = codecs.entry((codec, data)).or_default().entry(level).or_default();
            sum.bytes_in += bytes_in as f64;
            sum.bytes_out += bytes_out as f64;
            // A bench tells the CPU time of its cases: then other programs are not in the speeds.
            let cpu = facts.counter(&stats.work, CPU_NANOS).filter(|nanos| is_bench && *nanos > 0);
            let nanos = cpu.map_or(stats.inclusive_nanos() as f64, |nanos| nanos as f64);
            *sum.by_thread.entry(key.thread).or_default() += nanos;
            sum.stack = sum.stack.or(Some(key.stack));
        }
        for levels in codecs.values_mut() {
            levels.retain(|_, level| level.bytes_in >= LEAST_BYTES && level.nanos() > 0.0);
        }
        codecs.retain(|_, levels| levels.len() >= 2);
        if codecs.is_empty() {
            return Outcome::NotEnough {
                missing: "scopes that compress at two levels or more, with their bytes".to_owned(),
                how: "label the scope with codec=NAME and level=N, count bytes_in and bytes_out, and run some of the data at \
                      another level"
                    .to_owned(),
            };
        }
        let mut found: Vec<((&str, Option<&str>), Beaten<'_>)> = Vec::new();
        for (of, levels) in &codecs {
            found.extend(levels.keys().filter_map(|number| Some((*of, Beaten::of(*number, levels)?))));
        }
        if is_bench {
            // Nobody uses all levels that are measured, on all data: of each codec, the one that loses most says it.
            found.retain(|(_, beaten)| beaten.level.size() <= INCOMPRESSIBLE);
            found.sort_by(|(_, a), (_, b)| b.faster().total_cmp(&a.faster()));
            let mut told = BTreeSet::new();
            found.retain(|((codec, _), _)| told.insert(*codec));
        }
        let found = found.iter().filter_map(|(of, beaten)| finding(facts, *of, beaten, is_bench));
        Outcome::of(found.collect())
    }
}

/// A level, and one that is as good and the fastest of those.
struct Beaten<'l> {
    number: i64,
    level: &'l Level,
    better: i64,
    with: &'l Level,
}

impl<'l> Beaten<'l> {
    fn of(number: i64, levels: &'l BTreeMap<i64, Level>) -> Option<Self> {
        let level = levels.get(&number)?;
        let is_better = |other: &&(&i64, &Level)| {
            other.1.bytes_per_second() >= LEAST_FASTER * level.bytes_per_second()
                && other.1.size() <= MOST_LARGER * level.size()
        };
        let (better, with) = levels
            .iter()
            .filter(|other| is_better(&other))
            .max_by(|a, b| a.1.bytes_per_second().total_cmp(&b.1.bytes_per_second()))?;
        Some(Self { number, level, better: *better, with })
    }

    fn faster(&self) -> f64 {
        self.with.bytes_per_second() / self.level.bytes_per_second()
    }

    fn larger(&self) -> f64 {
        self.with.size() / self.level.size()
    }
}

/// A bench gives each level about as much time, so there the part of the time says nothing.
fn finding(
    facts: &Facts<'_>,
    (codec, data): (&str, Option<&str>),
    beaten: &Beaten<'_>,
    is_bench: bool,
) -> Option<Finding> {
    let &Beaten { number, level, better, with: _ } = beaten;
    let longest = level.by_thread.values().copied().fold(0.0, f64::max);
    let [low, high] = [longest, level.nanos()].map(|nanos| facts.whole().clock_share(nanos).estimate);
    let share = if is_bench { Share::exact(1.0) } else { Share::between(low, low, high) };
    if share.estimate < LEAST_SHARE {
        return None;
    }
    let (faster, larger) = (beaten.faster(), beaten.larger());
    let place = facts.place(level.stack?);
    let title = format!(
        "level {better} of {codec} is {faster:.1} times as fast as level {number} and {:+.1} % in size{}",
        100.0 * (larger - 1.0),
        data.map(|data| format!(" ({data})")).unwrap_or_default()
    );
    let local = (faster * SURE.0, faster * SURE.1);
    let alone = match is_bench {
        true => {
            "if it only compresses such data at this level, since a bench does not tell its part of a program, and "
        }
        false => "",
    };
    let reason = format!(
        "{alone}if what was measured of level {better} holds for all of the data, 30 % less to 20 % more"
    );
    let found = Finding::new(&ABOUT, title, place, Gain::faster(share, local, reason))
        .because(
            "Higher levels look longer for repetitions. Beyond a point that depends on the data they find next to nothing \
             more, and on some data they find less.",
        )
        .with(Evidence::new("speed of the other level against this one", faster, Unit::Ratio).against(LEAST_FASTER))
        .with(Evidence::new("output of the other level against this one", larger, Unit::Ratio).against(MOST_LARGER))
        .with(Evidence::new("speed of this level", level.bytes_per_second(), Unit::BytesPerSecond));
    let found = match is_bench {
        true => found,
        false => found.with(Evidence::share("share of the time of the run", share).against(LEAST_SHARE)),
    };
    let [before, after] = [number, better].map(|level| code(codec, level));
    let fix = Fix::new(format!("Use level {better}.")).with_code(&before, &after);
    Some(found.fixed_by(fix).by_setting())
}

/// Where a level is given: as the crate of the codec takes it, where there is one way above all others.
fn code(codec: &str, level: i64) -> String {
    match codec {
        "zstd" => format!("let mut encoder = zstd::Encoder::new(file, {level})?;"),
        _ => format!("compress(data, level = {level})"),
    }
}

#[cfg(test)]
mod tests {
    use calor_model::{ScopeStats, Work};

    use super::*;
    use crate::findings::draft::Draft;

    /// Levels: number, milliseconds for 10 MB, output in kB.
    fn judged(levels: &[(i64, u64, i64)], seconds: f64) -> Outcome {
        let levels: Vec<_> =
            levels.iter().map(|&(number, millis, kilobytes)| (number, millis, kilobytes, None)).collect();
        judged_data(&levels, seconds)
    }

    /// The same, with the data that each compressed.
    fn judged_data(levels: &[(i64, u64, i64, Option<&str>)], seconds: f64) -> Outcome {
        let levels: Vec<_> = levels
            .iter()
            .map(|&(number, millis, kilobytes, data)| ("zstd", number, millis, kilobytes, data))
            .collect();
        CompressionLevel.judge(&Facts::new(&draft(&levels, seconds).profile(), None))
    }

    fn draft(levels: &[(&str, i64, u64, i64, Option<&str>)], seconds: f64) -> Draft {
        Draft::new().seconds(seconds).change(|profile| {
            for (codec, number, millis, kilobytes, data) in levels {
                let mut work = Work::default();
                work.add_counter(profile.strings.intern("bytes_in"), 10_000_000);
                work.add_counter(profile.strings.intern("bytes_out"), kilobytes * 1_000);
                let stack = profile.intern_named_path(&["save"], calor_model::FrameKind::Scope).unwrap();
                let thread = profile.intern_thread(1, 1, "main");
                let mut pairs = vec![("codec", (*codec).to_owned()), ("level", number.to_string())];
                pairs.extend(data.map(|data| ("data", data.to_owned())));
                let pairs: Vec<_> = pairs
                    .into_iter()
                    .map(|(key, value)| (profile.strings.intern(key), profile.strings.intern(&value)))
                    .collect();
                let labels = profile.labels.intern(&pairs);
                let stats =
                    ScopeStats { calls: 10, total_nanos: millis * 1_000_000, work, ..ScopeStats::default() };
                profile.scopes.add(calor_model::ScopeKey { stack, thread, labels }, stats);
            }
        })
    }

    #[test]
    fn a_level_that_another_beats_is_found() {
        let Outcome::Findings(found) = judged(&[(19, 500, 2_000), (9, 100, 2_040), (1, 20, 3_000)], 1.0)
        else {
            panic!("found")
        };
        let [finding] = &found[..] else { panic!("one level: {found:?}") };
        assert!(
            finding.title.contains("level 9 of zstd is 5.0 times as fast as level 19 and +2.0 %"),
            "{}",
            finding.title
        );
        let code = [finding.fix.before.as_deref(), finding.fix.after.as_deref()];
        let expected = [19, 9].map(|level| format!("let mut encoder = zstd::Encoder::new(file, {level})?;"));
        assert_eq!(code, expected.each_ref().map(|line| Some(line.as_str())));
        assert!(finding.gain.low > 1.5 && finding.gain.high < 1.75 && finding.is_knob, "{:?}", finding.gain);
    }

    #[test]
    fn levels_that_each_have_their_use_are_fine() {
        assert_eq!(judged(&[(19, 500, 2_000), (9, 100, 2_070)], 1.0), Outcome::Fine);
        assert_eq!(judged(&[(4, 140, 2_000), (3, 100, 2_000)], 1.0), Outcome::Fine);
        assert_eq!(judged(&[(19, 20, 2_000), (9, 5, 2_000)], 1.0), Outcome::Fine, "2 % of the time");
    }

    #[test]
    fn a_bench_tells_the_level_of_each_codec_that_loses_most_whatever_its_part_of_the_time() {
        let levels = [
            ("zstd", 1, 20, 2_000, Some("text")),
            ("zstd", 9, 100, 2_000, Some("text")),
            ("zstd", 19, 500, 2_000, Some("text")),
            ("zstd", 1, 20, 9_990, Some("random")),
            ("zstd", 19, 900, 9_980, Some("random")),
            ("zstd", 1, 20, 2_000, Some("json")),
            ("zstd", 19, 400, 2_000, Some("json")),
            ("lz4", 1, 20, 2_000, Some("text")),
            ("lz4", 9, 100, 2_000, Some("text")),
        ];
        let (key, value) = crate::workload::REPEATED_BY_TIME;
        let label = |profile: &mut calor_model::Profile| {
            profile.runs.resize_with(1, Default::default);
            profile.runs[0].labels.insert(key.to_owned(), value.to_owned());
        };
        let bench = draft(&levels, 100.0).change(label).profile();
        let Outcome::Findings(found) = CompressionLevel.judge(&Facts::new(&bench, None)) else {
            panic!("found")
        };
        let [finding, other] = &found[..] else { panic!("one level of each codec: {found:?}") };
        assert!(
            finding.title.starts_with("level 1 of zstd is 25.0 times as fast as level 19")
                && finding.title.ends_with("(text)"),
            "{}",
            finding.title
        );
        assert!(other.title.starts_with("level 1 of lz4 is 5.0 times as fast as level 9"), "{}", other.title);
        assert_eq!(other.fix.before.as_deref(), Some("compress(data, level = 9)"));
        assert_eq!(other.fix.after.as_deref(), Some("compress(data, level = 1)"));
        assert!(finding.gain.reason.contains("a bench does not tell its part"), "{}", finding.gain.reason);
        assert!(!format!("{finding:?}").contains("share of the time"), "{finding:?}");
        let plain = CompressionLevel.judge(&Facts::new(&draft(&levels, 100.0).profile(), None));
        assert_eq!(plain, Outcome::Fine, "of any other run it is 0.6 % of the time");
    }

    #[test]
    fn levels_are_compared_on_the_same_data() {
        // Level 19 had the data that nothing makes smaller: that is no reason against it.
        let apart = [(19, 500, 9_900, Some("random")), (3, 50, 2_000, Some("text"))];
        assert!(matches!(judged_data(&apart, 1.0), Outcome::NotEnough { .. }));
        let same =
            [(19, 500, 2_000, Some("text")), (3, 50, 2_010, Some("text")), (1, 5, 10_000, Some("random"))];
        let Outcome::Findings(found) = judged_data(&same, 1.0) else { panic!("found") };
        assert!(found[0].title.ends_with("+0.5 % in size (text)"), "{}", found[0].title);
    }

    #[test]
    fn one_level_alone_is_not_enough() {
        assert!(matches!(judged(&[(19, 500, 2_000)], 1.0), Outcome::NotEnough { .. }));
        assert!(matches!(judged(&[], 1.0), Outcome::NotEnough { .. }));
    }
}
