//! What a finding promised.

use std::ffi::OsStr;
use std::path::Path;

use anyhow::{Result, bail};
use calor_analysis::Metric;
use calor_analysis::findings::{Facts, Finding, Topic, findings};

use crate::findings::chosen::Rules;
use crate::findings::{machine, own_rules};
use crate::input;
use crate::settings::Settings;

/// More threads than this at once in the mean make time on processors another thing than time on the wall.
const PARALLEL: f64 = 1.2;
/// So does a larger part of the time in which none ran.
const IDLE: f64 = 0.05;

/// A finding with what its gain is measured by.
pub(super) struct Prediction {
    pub(super) finding: Finding,
    pub(super) metric: Metric,
}

impl Prediction {
    /// The finding that is meant by `FILE`, `FILE#RULE` or `FILE#NUMBER`.
    pub(super) fn find(given: &OsStr) -> Result<Self> {
        let (file, which) = split(given);
        let profile = input::profile(Path::new(&file))?.simplify_names();
        let machine = machine::figures(&profile);
        let facts = Facts::new(&profile, machine.as_ref());
        let own = own_rules::read(Settings::load()?.findings.rules.iter())?;
        let rules = Rules::choose(&own, &[])?;
        // Suppressed ones may be verified too: why else would one come to suppress them.
        let found = findings(&facts, rules.list(), &[]).found;
        let finding = choose(&found, which.as_deref(), &file.to_string_lossy())?.clone();
        let whole = facts.whole();
        let is_parallel =
            whole.parallelism() > PARALLEL || whole.idle_share().is_some_and(|idle| idle > IDLE);
        let topic = rules.list().iter().map(|rule| rule.about()).find(|about| about.id == finding.rule);
        let is_of_wall =
            topic.is_some_and(|about| matches!(about.topic, Topic::Waiting | Topic::Threads | Topic::Gpu));
        let metric = match finding.gain.memory {
            Some(_) => Metric::Rss,
            None if is_of_wall || is_parallel => Metric::Wall,
            None => Metric::Cpu,
        };
        Ok(Self { finding, metric })
    }

    /// The interval that was promised.
    pub(super) fn interval(&self) -> [f64; 2] {
        let gain = &self.finding.gain;
        gain.memory.map_or([gain.low, gain.high], |(low, high)| [low, high])
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

/// The file and what stands behind the last `#`, unless a file of the whole name is there.
fn split(given: &OsStr) -> (std::ffi::OsString, Option<String>) {
    let text = given.to_string_lossy();
    match text.rsplit_once('#') {
        Some((file, which)) if !Path::new(given).exists() => (file.into(), Some(which.to_owned())),
        _ => (given.to_owned(), None),
    }
}

fn choose<'f>(found: &'f [Finding], which: Option<&str>, file: &str) -> Result<&'f Finding> {
    let Some(first) = found.first() else {
        bail!("{file}: there are no findings to verify; `calor findings {file}` tells why");
    };
    let Some(which) = which.filter(|which| !which.is_empty()) else { return Ok(first) };
    if let Ok(number) = which.parse::<usize>() {
        return match number.checked_sub(1).and_then(|at| found.get(at)) {
            Some(finding) => Ok(finding),
            None => bail!("{file}: expected a number from 1 to {}, found {number}", found.len()),
        };
    }
    let of_rule = found.iter().find(|finding| finding.rule.eq_ignore_ascii_case(which));
    of_rule.map_or_else(
        || {
            let mut rules: Vec<&str> = found.iter().map(|finding| finding.rule.as_str()).collect();
            rules.dedup();
            bail!("{file}: there is no finding of {which}; there are {}", rules.join(", "))
        },
        Ok,
    )
}

#[cfg(test)]
mod tests {
    use super::*;
    use calor_analysis::findings::{About, Gain, Place, Share};

    fn finding(id: &str) -> Finding {
        let about = About { id, version: 1, topic: Topic::Cpu, title: "", needs: &[], suppresses: &[] };
        Finding::new(&about, "", Place::whole_program(), Gain::removed(Share::exact(0.5), (0.5, 1.0), ""))
    }

    #[test]
    fn a_finding_is_named_by_rule_or_number_or_is_the_first() {
        let found = ["CPU-A", "CPU-B", "CPU-B"].map(finding);
        let named = |which| {
            choose(&found, which, "x").map(|finding| finding.rule.clone()).map_err(|error| error.to_string())
        };
        assert_eq!(named(None).unwrap(), "CPU-A");
        assert_eq!(
            (named(Some("cpu-b")).unwrap(), named(Some("3")).unwrap()),
            ("CPU-B".to_owned(), "CPU-B".to_owned())
        );
        assert!(named(Some("0")).unwrap_err().contains("from 1 to 3"));
        assert!(named(Some("CPU-C")).unwrap_err().contains("there are CPU-A, CPU-B"));
        assert!(choose(&[], None, "x").unwrap_err().to_string().contains("no findings"));
    }

    #[test]
    fn what_stands_behind_the_sign_is_the_rule() {
        let told = |given: &str| {
            let (file, which) = split(OsStr::new(given));
            (file.to_string_lossy().into_owned(), which)
        };
        assert_eq!(told("a/p.calor#CPU-A"), ("a/p.calor".to_owned(), Some("CPU-A".to_owned())));
        assert_eq!(told("a/p.calor"), ("a/p.calor".to_owned(), None));
    }
}
