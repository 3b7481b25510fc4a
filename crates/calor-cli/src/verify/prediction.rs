//! What a finding promised.

use std::ffi::{OsStr, OsString};
use std::path::Path;

use anyhow::Result;
use calor_analysis::findings::{Circumstances, Finding, Findings, Topic, judge};
use calor_analysis::{HeapTotals, Metric, ThreadChoice, promised};

use crate::findings::which::Which;
use crate::findings::{machine, readable_circumstances};
use crate::input;

/// More threads than this at once in the mean make time on processors another thing than time on the wall.
const PARALLEL: f64 = 1.2;
/// So does a larger part of the time in which none ran.
const IDLE: f64 = 0.05;
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
        promised(&self.finding.gain, metric, before, self.heap_bytes)
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
