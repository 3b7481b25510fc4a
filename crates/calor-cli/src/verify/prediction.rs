//! What a finding promised.

use std::ffi::{OsStr, OsString};
use std::path::Path;

use anyhow::Result;
use calor_analysis::findings::{Circumstances, Finding, Findings, Topic, judge};
use calor_analysis::{HeapTotals, Metric, ThreadChoice};

use crate::findings::which::Which;
use crate::findings::{machine, readable_circumstances};
use crate::input;

/// More threads than this at once in the mean make time on processors another thing than time on the wall.
const PARALLEL: f64 = 1.2;
/// So does a larger part of the time in which none ran.
const IDLE: f64 = 0.05;
/// A process keeps at least this part of its memory, whatever is removed from its heap.
const LEAST_LEFT: f64 = 0.01;

/// A finding with what its gain is measured by.
pub(super) struct Prediction {
    pub(super) finding: Finding,
    pub(super) metric: Metric,
    /// What the heap held at its peak; `None` where it was not watched.
    heap_bytes: Option<u64>,
}

impl Prediction {
    /// The finding that is meant by `FILE`, `FILE#NUMBER`, `FILE#RULE` or `FILE#RULE@FUNCTION`.
    pub(super) fn find(given: &OsStr) -> Result<Self> {
        let (file, which) = split(given);
        let profile = input::profile(Path::new(&file))?;
        let circumstances = Circumstances { roof: machine::roof(&profile), ..readable_circumstances()? };
        let judged = judge(&profile, &circumstances);
        let finding = choose(&judged.findings, which.as_deref(), &file.to_string_lossy())?.clone();
        let whole = &judged.whole;
        let is_parallel =
            whole.parallelism() > PARALLEL || whole.idle_share().is_some_and(|idle| idle > IDLE);
        let rules = circumstances.rules();
        let topic = rules.iter().map(|rule| rule.about()).find(|about| about.id == finding.rule);
        let is_of_wall =
            topic.is_some_and(|about| matches!(about.topic, Topic::Waiting | Topic::Threads | Topic::Gpu));
        let metric = match finding.gain.memory {
            Some(_) => Metric::Rss,
            None if is_of_wall || is_parallel => Metric::Wall,
            None => Metric::Cpu,
        };
        let heap_bytes = HeapTotals::of(&profile, &ThreadChoice::All).map(|heap| heap.peak_bytes);
        Ok(Self { finding, metric, heap_bytes })
    }

    /// Whether it is about memory.
    pub(super) fn is_of_memory(&self) -> bool {
        self.finding.gain.memory.is_some()
    }

    /// The interval that was promised of what is measured, which takes so much `before` the change.
    pub(super) fn promised(&self, metric: Metric, before: Option<f64>) -> [f64; 2] {
        let gain = &self.finding.gain;
        match (gain.memory, before, self.heap_bytes) {
            (Some(factors), Some(process), Some(heap)) if metric == Metric::Rss => {
                of_process(factors, heap as f64, process)
            }
            (Some((low, high)), _, _) if metric == Metric::Rss => [low, high],
            _ => [gain.low, gain.high],
        }
    }

    /// Where it is.
    pub(super) fn place(&self) -> String {
        let place = &self.finding.place;
        match place.source() {
            Some(source) => format!("{source} in {}", place.function),
            None => place.function.clone(),
        }
    }
}

/// How many times less the process holds if its heap holds that many times less at its peak. Code, stacks and libraries stay;
/// and what was asked for and never touched is no memory of the process, so that none is saved with it.
fn of_process((low, high): (f64, f64), heap: f64, process: f64) -> [f64; 2] {
    let saved = |factor: f64| heap * (1.0 - 1.0 / factor.max(1.0));
    let untouched = (heap - process).max(0.0);
    let factor = |saved: f64| process / (process - saved).max(process * LEAST_LEFT);
    [factor((saved(low) - untouched).max(0.0)), factor(saved(high).min(process))]
}

/// The file and what stands behind its `#`. Files and functions may have that sign in their names too: the first beginning that
/// is a file is meant, or else what stands before the last sign.
fn split(given: &OsStr) -> (OsString, Option<String>) {
    let text = given.to_string_lossy();
    if Path::new(given).exists() {
        return (given.to_owned(), None);
    }
    let parts = || text.match_indices('#').map(|(at, _)| (&text[..at], &text[at + 1..]));
    let named = parts().find(|(file, _)| Path::new(file).is_file()).or_else(|| parts().next_back());
    named.map_or_else(|| (given.to_owned(), None), |(file, which)| (file.into(), Some(which.to_owned())))
}

/// The first one, or the one that is named. Of those that are not told a name alone can be meant: numbers are those of the
/// page.
fn choose<'f>(found: &'f Findings, which: Option<&str>, file: &str) -> Result<&'f Finding> {
    let which = Which::parse(which.filter(|which| !which.is_empty()).unwrap_or("1"));
    let not_told: Vec<&Finding> = match which {
        Which::Number(_) => Vec::new(),
        Which::Rule { .. } => found.suppressed.iter().map(|one| &one.finding).collect(),
    };
    Ok(which.among(&found.found, &not_told, file)?[0])
}

#[cfg(test)]
mod tests {
    use super::*;
    use calor_analysis::findings::{About, Gain, Place, Share, Suppressed, SuppressedBy};

    fn finding(id: &str) -> Finding {
        let about = About { id, version: 1, topic: Topic::Cpu, title: "", needs: &[], suppresses: &[] };
        Finding::new(&about, "", Place::whole_program(), Gain::removed(Share::exact(0.5), (0.5, 1.0), ""))
    }

    #[test]
    fn numbers_are_those_of_the_page_and_a_suppressed_finding_is_named_by_its_rule() {
        let by = SuppressedBy::User("known".to_owned());
        let found = Findings {
            found: vec![finding("CPU-B"), finding("CPU-C")],
            suppressed: vec![Suppressed { finding: finding("CPU-A"), by }],
            ..Findings::default()
        };
        let named = |which| choose(&found, which, "x").map(|finding| finding.rule.as_str()).ok();
        assert_eq!((named(None), named(Some("2")), named(Some("3"))), (Some("CPU-B"), Some("CPU-C"), None));
        assert_eq!((named(Some("cpu-a")), named(Some("CPU-D"))), (Some("CPU-A"), None));
        let none = choose(&Findings::default(), None, "x").unwrap_err().to_string();
        assert!(none.contains("no findings"), "{none}");
    }

    #[test]
    fn less_heap_is_not_as_much_less_memory_of_the_process() {
        let rounded = |factors: [f64; 2]| factors.map(|factor| (factor * 100.0).round() / 100.0);
        // A heap of 100 that becomes 50 to 25 in a process of 150, 50 of which stay.
        assert_eq!(rounded(of_process((2.0, 4.0), 100.0, 150.0)), [1.5, 2.0]);
        // Of a heap of 100 the process holds 80: at least 30 of the 50 were touched.
        assert_eq!(rounded(of_process((2.0, 4.0), 100.0, 80.0)), [1.6, 16.0]);
        // A process that holds nearly nothing promises nothing for sure.
        assert_eq!(rounded(of_process((2.0, 4.0), 100.0, 10.0))[0], 1.0);
        assert_eq!(of_process((1.0, f64::INFINITY), 100.0, 100.0), [1.0, 1.0 / LEAST_LEFT]);
    }

    #[test]
    fn a_prediction_is_of_what_is_measured() {
        let mut finding = finding("HEAP-A");
        finding.gain = Gain::memory(Share::exact(0.5), (1.0, 1.0), "");
        let prediction = Prediction { finding, metric: Metric::Rss, heap_bytes: Some(100) };
        assert_eq!(prediction.promised(Metric::Rss, Some(200.0)), [200.0 / 150.0; 2]);
        assert_eq!(prediction.promised(Metric::Rss, None), [2.0; 2]);
        assert_eq!(prediction.promised(Metric::Cpu, Some(7.0)), [1.0; 2]);
    }

    #[test]
    fn what_stands_behind_the_sign_is_the_rule() {
        let told = |given: &str| {
            let (file, which) = split(OsStr::new(given));
            (file.to_string_lossy().into_owned(), which)
        };
        assert_eq!(told("a/p.calor#CPU-A"), ("a/p.calor".to_owned(), Some("CPU-A".to_owned())));
        assert_eq!(told("a#b/p.calor#2"), ("a#b/p.calor".to_owned(), Some("2".to_owned())));
        assert_eq!(told("a/p.calor"), ("a/p.calor".to_owned(), None));
        let file = tempfile::NamedTempFile::new().expect("a temporary file can be made");
        let path = file.path().display();
        assert_eq!(told(&format!("{path}#CPU-A@f#g")), (path.to_string(), Some("CPU-A@f#g".to_owned())));
        assert_eq!(told(&path.to_string()), (path.to_string(), None));
    }
}
