//! What somebody compresses for, and which of the measured settings serves that best.

use std::fmt;
use std::str::FromStr;

use calor_analysis::Median;

use super::{Block, Corpus, Measured, Rate, Setting, Source};
use crate::Error;

/// The largest blocks that logs are shipped in: whoever reads along does not wait for more.
const MOST_OF_LOGS: usize = 1 << 20;

/// Sizes and times that differ by less are the same: then what takes less of a processor is chosen.
const TIE: f64 = 0.01;

/// A purpose.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Goal {
    /// Data goes over a link once: compress, send, decompress.
    Link,
    /// As small as a budget of CPU time allows.
    Small,
    /// Logs that are sent in batches: as small as the budget allows, in blocks.
    Logs,
    /// Weights are read often and written once: receive, decompress.
    Weights,
    /// Checkpoints are written often and hardly read: compress, send.
    Checkpoints,
}

/// What the goals are judged by.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Terms {
    /// The link, or the disk.
    pub link: Rate,
    /// The least that a core has to compress in a second.
    pub budget: Rate,
}

/// One way to do it; without a setting, as it is.
#[derive(Clone, PartialEq, Debug)]
pub struct Candidate {
    /// The setting.
    pub setting: Option<Setting>,
    /// What counts for the goal, less is better: nanoseconds for each byte of data, or the part of the size that is left.
    pub score: f64,
    /// Where the score may lie.
    pub low: f64,
    /// And up to.
    pub high: f64,
    /// Nanoseconds to compress, send and decompress each byte of data.
    pub steps: [f64; 3],
    /// How many times smaller it becomes.
    pub ratio: f64,
}

/// What serves a goal best, for some data.
#[derive(Clone, PartialEq, Debug)]
pub struct Verdict {
    /// The goal.
    pub goal: Goal,
    /// The data.
    pub data: String,
    /// The blocks that it was judged by.
    pub block: Block,
    /// The best.
    pub best: Candidate,
    /// The one after it.
    pub second: Option<Candidate>,
    /// What doing nothing would score.
    pub nothing: f64,
    /// The best where all steps run at the same time, so that the slowest counts alone.
    pub pipelined: Option<(Option<Setting>, f64)>,
}

impl Goal {
    /// All of them.
    pub const ALL: [Self; 5] = [Self::Link, Self::Small, Self::Logs, Self::Weights, Self::Checkpoints];

    /// As on the command line.
    #[must_use]
    pub fn name(self) -> &'static str {
        match self {
            Self::Link => "link",
            Self::Small => "small",
            Self::Logs => "logs",
            Self::Weights => "weights",
            Self::Checkpoints => "checkpoints",
        }
    }

    /// Whether less of the score is less time; otherwise it is less size.
    #[must_use]
    pub fn is_time(self) -> bool {
        matches!(self, Self::Link | Self::Weights | Self::Checkpoints)
    }

    /// Whether it is judged for some data: of what was made up, only for its kind; of files, for all.
    pub(super) fn is_for(self, source: &Source) -> bool {
        match (self, source.corpus) {
            (_, None) | (Self::Link | Self::Small, _) => true,
            (Self::Logs, Some(corpus)) => corpus == Corpus::Logs,
            (Self::Weights, Some(corpus)) => matches!(corpus, Corpus::F32 | Corpus::Int8),
            (Self::Checkpoints, Some(corpus)) => corpus == Corpus::F32,
        }
    }

    /// The blocks that it is judged by: the largest, but of logs those that are sent at a time.
    fn block(self, measured: &[Measured]) -> Option<Block> {
        let blocks = || measured.iter().map(|case| case.block);
        let of_logs = |block: &Block| matches!(block, Block::Bytes(bytes) if *bytes <= MOST_OF_LOGS);
        match self {
            Self::Logs => blocks().filter(of_logs).max().or_else(|| blocks().min()),
            _ => blocks().max(),
        }
    }

    /// Which steps take time that counts.
    fn counted(self) -> [bool; 3] {
        match self {
            Self::Link | Self::Small | Self::Logs => [true, true, true],
            Self::Weights => [false, true, true],
            Self::Checkpoints => [true, true, false],
        }
    }

    /// The best for some data, of what was measured of it; `None` where nothing was.
    #[must_use]
    pub fn judge(self, data: &str, measured: &[Measured], terms: &Terms) -> Option<Verdict> {
        let block = self.block(measured)?;
        let send = terms.link.nanos_per_byte();
        let nothing = self.candidate(None, [(0.0, 0.0, 0.0), (0.0, 0.0, 0.0)], 1.0, send);
        let mut candidates = vec![nothing.clone()];
        for case in measured.iter().filter(|case| case.block == block && case.is_verified) {
            let pace =
                |values: Vec<f64>| Median::of(&values).map(|median| (median.value, median.low, median.high));
            let paces = pace(case.compress.nanos_per_byte(case.bytes_in))
                .zip(pace(case.decompress.nanos_per_byte(case.bytes_in)));
            let Some((compress, decompress)) = paces else { continue };
            let is_within = compress.0 <= terms.budget.nanos_per_byte();
            if self.is_time() || is_within {
                candidates.push(self.candidate(
                    Some(case.setting),
                    [compress, decompress],
                    case.ratio(),
                    send,
                ));
            }
        }
        let slowest = |candidate: &Candidate| {
            let steps = candidate.steps.iter().zip(self.counted()).filter(|(_, is_counted)| *is_counted);
            steps.map(|(nanos, _)| *nanos).fold(0.0, f64::max)
        };
        let pipelined = self.is_time().then(|| {
            candidates.sort_by(|a, b| slowest(a).total_cmp(&slowest(b)));
            let found = &candidates[quickest(&candidates, slowest)];
            (found.setting, slowest(found))
        });
        candidates.sort_by(|a, b| a.score.total_cmp(&b.score).then(a.cpu().total_cmp(&b.cpu())));
        let quickest = quickest(&candidates, |candidate| candidate.score);
        candidates[..=quickest].rotate_right(1);
        let mut candidates = candidates.into_iter();
        let best = candidates.next()?;
        Some(Verdict {
            goal: self,
            data: data.to_owned(),
            block,
            best,
            second: candidates.next(),
            nothing: nothing.score,
            pipelined,
        })
    }

    /// A way with its score: of compressing and decompressing, nanoseconds a byte with their interval.
    fn candidate(
        self,
        setting: Option<Setting>,
        [compress, decompress]: [(f64, f64, f64); 2],
        ratio: f64,
        send: f64,
    ) -> Candidate {
        let steps = [compress.0, send / ratio, decompress.0];
        let total = |steps: [f64; 3]| {
            steps
                .iter()
                .zip(self.counted())
                .map(|(nanos, is_counted)| if is_counted { *nanos } else { 0.0 })
                .sum()
        };
        let (score, low, high) = if self.is_time() {
            let ends = [(compress.1, decompress.1), (compress.2, decompress.2)];
            let [low, high] = ends.map(|(compress, decompress)| total([compress, steps[1], decompress]));
            (total(steps), low, high)
        } else {
            (1.0 / ratio, 1.0 / ratio, 1.0 / ratio)
        };
        Candidate { setting, score, low, high, steps, ratio }
    }
}

/// Of candidates in the order of some score, the one that takes least CPU time of those that are as good as the first: nobody waits
/// for a hundredth.
fn quickest(candidates: &[Candidate], score: impl Fn(&Candidate) -> f64) -> usize {
    let least = candidates.first().map_or(0.0, &score);
    let tied = candidates.iter().take_while(|candidate| score(candidate) <= least * (1.0 + TIE)).count();
    (0..tied).min_by(|a, b| candidates[*a].cpu().total_cmp(&candidates[*b].cpu())).unwrap_or(0)
}

impl Candidate {
    /// CPU time of both ways, in nanoseconds for each byte of data.
    fn cpu(&self) -> f64 {
        self.steps[0] + self.steps[2]
    }

    /// Its name.
    #[must_use]
    pub fn name(&self) -> String {
        told(self.setting)
    }
}

/// A setting, or none.
pub(super) fn told(setting: Option<Setting>) -> String {
    setting.map_or_else(|| "no compression".to_owned(), |setting| setting.to_string())
}

impl Verdict {
    /// How much worse the second is, as a part of the best.
    #[must_use]
    pub fn margin(&self) -> Option<f64> {
        self.second.as_ref().map(|second| second.score / self.best.score - 1.0)
    }

    /// Whether the second is as good within a hundredth, so that the one that takes less of a processor was taken.
    #[must_use]
    pub fn is_tie(&self) -> bool {
        let is_near = |margin: f64| margin <= TIE;
        let takes_more = self.second.as_ref().is_some_and(|second| second.cpu() > self.best.cpu());
        takes_more && self.margin().is_some_and(is_near)
    }

    /// Whether the best is better beyond what repetitions differ by.
    #[must_use]
    pub fn is_clear(&self) -> bool {
        self.second.as_ref().is_none_or(|second| self.best.high < second.low)
    }
}

impl fmt::Display for Goal {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

impl FromStr for Goal {
    type Err = Error;

    fn from_str(given: &str) -> Result<Self, Error> {
        let wanted = given.trim().to_ascii_lowercase();
        Self::ALL.into_iter().find(|goal| goal.name() == wanted).ok_or_else(|| Error::Choice {
            what: "goal",
            given: given.to_owned(),
            allowed: "link, small, logs, weights or checkpoints".to_owned(),
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::compression::measure::Pace;
    use crate::compression::{Algorithm, Setting};
    use crate::repeat::Times;

    /// A case of 1,000,000 bytes: level, compressed size, nanoseconds a byte of both ways.
    fn case(level: i32, bytes_out: usize, compress: u64, decompress: u64) -> Measured {
        let pace = |nanos: u64| {
            let cpu_ns: Vec<u64> = (0..9).map(|n| nanos * 1_000_000 + n * 1_000).collect();
            Pace { times: Times { wall_ns: cpu_ns.clone(), cpu_ns }, passes: 1 }
        };
        Measured {
            setting: Setting { algorithm: Algorithm::Zstd, level: Some(level) },
            block: Block::All,
            bytes_in: 1_000_000,
            bytes_out,
            compress: pace(compress),
            decompress: pace(decompress),
            compress_memory: None,
            decompress_memory: None,
            is_verified: true,
        }
    }

    fn best(goal: Goal, link: &str, budget: &str) -> (String, String) {
        let cases = [case(1, 400_000, 4, 1), case(9, 250_000, 40, 1), case(19, 200_000, 400, 1)];
        let terms = Terms { link: link.parse().unwrap(), budget: budget.parse().unwrap() };
        let verdict = goal.judge("x", &cases, &terms).unwrap();
        assert!(verdict.is_clear() && verdict.margin().unwrap() > 0.0);
        (verdict.best.name(), verdict.pipelined.map(|(setting, _)| told(setting)).unwrap_or_default())
    }

    #[test]
    fn the_slower_the_link_the_more_compression() {
        let of = |link| best(Goal::Link, link, "1MB/s");
        // 1 ns a byte: nothing is quicker than sending.
        assert_eq!(of("1GB/s"), ("no compression".to_owned(), "no compression".to_owned()));
        // 100 ns a byte: 45 with level 1, 66 with 9, 421 with 19; at the same time, 40 with either 1 or 9.
        assert_eq!(of("10MB/s").0, "zstd 1");
        // 1,000 ns a byte: 405, 291, 601; at the same time the link decides, 400, 250, 400.
        assert_eq!(of("1MB/s"), ("zstd 9".to_owned(), "zstd 9".to_owned()));
    }

    #[test]
    fn what_is_read_often_may_take_long_to_write() {
        assert_eq!(best(Goal::Weights, "100MB/s", "1MB/s").0, "zstd 19");
        assert_eq!(best(Goal::Checkpoints, "100MB/s", "1MB/s").0, "zstd 1");
    }

    #[test]
    fn the_smallest_is_the_smallest_within_the_budget() {
        assert_eq!(best(Goal::Small, "1MB/s", "100MB/s").0, "zstd 1");
        assert_eq!(best(Goal::Small, "1MB/s", "20MB/s").0, "zstd 9");
        assert_eq!(best(Goal::Logs, "1MB/s", "1MB/s").0, "zstd 19");
        let verdict = Goal::Small.judge(
            "x",
            &[case(1, 400_000, 4, 1)],
            &Terms { link: Rate::new(1e6), budget: Rate::new(1e9) },
        );
        assert_eq!(verdict.unwrap().best.name(), "no compression");
    }

    #[test]
    fn of_sizes_within_a_hundredth_the_quicker_one_is_chosen() {
        let terms = Terms { link: Rate::new(1e9), budget: Rate::new(1e6) };
        let judge = |cases: &[Measured]| Goal::Small.judge("x", cases, &terms).unwrap();
        let verdict = judge(&[case(4, 399_900, 8, 1), case(1, 400_000, 1, 1), case(2, 900_000, 1, 1)]);
        assert_eq!(
            (verdict.best.name().as_str(), verdict.second.unwrap().name().as_str()),
            ("zstd 1", "zstd 4")
        );
        let verdict = judge(&[case(4, 390_000, 8, 1), case(1, 400_000, 1, 1)]);
        assert_eq!(verdict.best.name(), "zstd 4");
    }

    #[test]
    fn of_times_within_a_hundredth_the_one_with_less_cpu_time_is_chosen() {
        // 1,000 ns a byte to send: 396.5 and 400 at the same time, 402.5 and 403 one after the other.
        let cases = [case(9, 396_500, 5, 1), case(1, 400_000, 2, 1), case(2, 900_000, 1, 1)];
        let terms = Terms { link: Rate::new(1e6), budget: Rate::new(1e6) };
        for goal in [Goal::Link, Goal::Weights, Goal::Checkpoints] {
            let verdict = goal.judge("x", &cases, &terms).unwrap();
            let (pipelined, nanos) = verdict.pipelined.unwrap();
            assert_eq!((told(pipelined).as_str(), nanos), ("zstd 1", 400.0), "{goal}");
            assert_eq!((verdict.best.name().as_str(), verdict.is_tie()), ("zstd 1", true), "{goal}");
        }
        // More than a hundredth is worth some CPU time.
        let cases = [case(9, 390_000, 5, 1), case(1, 400_000, 2, 1)];
        let verdict = Goal::Link.judge("x", &cases, &terms).unwrap();
        assert_eq!((verdict.best.name().as_str(), verdict.is_tie()), ("zstd 9", false));
        assert_eq!(told(verdict.pipelined.unwrap().0), "zstd 9");
    }

    #[test]
    fn what_did_not_come_back_is_no_candidate() {
        let broken = Measured { is_verified: false, ..case(1, 4, 1, 1) };
        let terms = Terms { link: Rate::new(1e6), budget: Rate::new(1e6) };
        let verdict = Goal::Link.judge("x", &[broken], &terms).unwrap();
        assert_eq!((verdict.best.name().as_str(), verdict.second), ("no compression", None));
        assert!(Goal::Link.judge("x", &[], &terms).is_none());
    }

    #[test]
    fn what_is_no_goal_is_answered_with_those_there_are() {
        for goal in Goal::ALL {
            assert_eq!(goal.name().parse::<Goal>().unwrap(), goal);
        }
        let error = "speed".parse::<Goal>().unwrap_err().to_string();
        assert!(error.contains("link, small, logs, weights or checkpoints"), "{error}");
    }
}
