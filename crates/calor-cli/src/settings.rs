//! The sections of `calor.toml` that only the command knows: how it records and checks. A flag wins over an environment
//! variable, that over the file, that over what Calor does by itself.

use std::collections::BTreeMap;
use std::path::PathBuf;
#[cfg(target_os = "linux")]
use std::time::Duration;

use calor_analysis::gate::Budget;
#[cfg(target_os = "linux")]
use calor_record::HeapPaths;
#[cfg(target_os = "linux")]
use calor_record::counters::CounterSet;
use serde::Deserialize;

use crate::check::Undecided;
#[cfg(target_os = "linux")]
use crate::record::HeapChoice;

/// All that the file may hold.
pub(crate) type Settings = calor_project::Settings<Record, Check>;

/// One file serves all machines: what only some can do is passed over on the others.
#[cfg(not(target_os = "linux"))]
pub(crate) type Record = serde::de::IgnoredAny;

/// Settings of `calor check`, named like its flags.
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default, rename_all = "kebab-case")]
pub(crate) struct Check {
    pub(crate) baseline: Option<String>,
    /// A list of `NAME=LIMIT`, or a table.
    #[serde(deserialize_with = "budgets")]
    pub(crate) budgets: Vec<Budget>,
    /// What becomes of an open verdict.
    pub(crate) undecided: Option<Undecided>,
    pub(crate) runs: Option<usize>,
    pub(crate) warmup: Option<usize>,
    /// A part as `--margin` takes it.
    #[serde(deserialize_with = "margin")]
    pub(crate) margin: Option<f64>,
    pub(crate) metric: Option<String>,
    /// The profile that the command writes by itself, seen from the working folder.
    pub(crate) profile: Option<PathBuf>,
}

fn budgets<'de, D: serde::Deserializer<'de>>(deserializer: D) -> Result<Vec<Budget>, D::Error> {
    #[derive(Deserialize)]
    #[serde(untagged)]
    enum Given {
        List(Vec<String>),
        Table(BTreeMap<String, String>),
    }
    let read: Result<Vec<Budget>, String> = match Given::deserialize(deserializer)? {
        Given::List(list) => list.iter().map(|budget| budget.parse()).collect(),
        Given::Table(table) => table.iter().map(|(name, limit)| Budget::new(name, limit)).collect(),
    };
    read.map_err(serde::de::Error::custom)
}

fn margin<'de, D: serde::Deserializer<'de>>(deserializer: D) -> Result<Option<f64>, D::Error> {
    let text = String::deserialize(deserializer)?;
    crate::number::part(&text).map(Some).map_err(serde::de::Error::custom)
}

/// Settings of `calor record`, named like its flags.
#[cfg(target_os = "linux")]
#[derive(Clone, Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default, rename_all = "kebab-case")]
pub(crate) struct Record {
    pub(crate) rate: Option<u32>,
    /// A time as `--for` takes it.
    #[serde(rename = "for", deserialize_with = "time")]
    pub(crate) at_most: Option<Duration>,
    pub(crate) output: Option<PathBuf>,
    pub(crate) cpu: Option<bool>,
    pub(crate) off_cpu: Option<bool>,
    pub(crate) kernel: Option<bool>,
    /// A word as `--heap` takes it, or true.
    #[serde(deserialize_with = "heap")]
    pub(crate) heap: Option<HeapChoice>,
    /// A word as `--heap-paths` takes it.
    #[serde(deserialize_with = "heap_paths")]
    pub(crate) heap_paths: Option<HeapPaths>,
    /// A list as `--counters` takes it, or true.
    #[serde(deserialize_with = "counters")]
    pub(crate) counters: Option<CounterSet>,
    pub(crate) max_depth: Option<usize>,
    pub(crate) threads: Option<bool>,
    pub(crate) inlines: Option<bool>,
    pub(crate) native_only: Option<bool>,
    pub(crate) simple_names: Option<bool>,
}

#[cfg(target_os = "linux")]
fn time<'de, D: serde::Deserializer<'de>>(deserializer: D) -> Result<Option<Duration>, D::Error> {
    let text = String::deserialize(deserializer)?;
    crate::record::duration(&text).map(Some).map_err(serde::de::Error::custom)
}

#[cfg(target_os = "linux")]
fn counters<'de, D: serde::Deserializer<'de>>(deserializer: D) -> Result<Option<CounterSet>, D::Error> {
    crate::record::counters(&word(deserializer)?).map(Some).map_err(serde::de::Error::custom)
}

#[cfg(target_os = "linux")]
fn heap<'de, D: serde::Deserializer<'de>>(deserializer: D) -> Result<Option<HeapChoice>, D::Error> {
    crate::record::heap_choice(&word(deserializer)?).map(Some).map_err(serde::de::Error::custom)
}

#[cfg(target_os = "linux")]
fn heap_paths<'de, D: serde::Deserializer<'de>>(deserializer: D) -> Result<Option<HeapPaths>, D::Error> {
    let text = String::deserialize(deserializer)?;
    crate::record::heap_paths(&text).map(Some).map_err(serde::de::Error::custom)
}

/// A word, or a truth as one.
#[cfg(target_os = "linux")]
fn word<'de, D: serde::Deserializer<'de>>(deserializer: D) -> Result<String, D::Error> {
    #[derive(Deserialize)]
    #[serde(untagged)]
    enum Given {
        Truth(bool),
        Word(String),
    }
    Ok(match Given::deserialize(deserializer)? {
        Given::Truth(is_wanted) => is_wanted.to_string(),
        Given::Word(word) => word,
    })
}

#[cfg(test)]
mod tests {
    use std::path::Path;

    use super::*;

    #[test]
    fn budgets_are_a_list_or_a_table_and_wrong_ones_are_told_with_examples() {
        let path = Path::new("calor.toml");
        let list = "[check]\nbaseline = 'main'\nundecided = 'fail'\nmargin = '3%'\nbudgets = ['a=5ms', 'peak=1MB']\n";
        let list = Settings::parse(list, path).unwrap().check;
        assert_eq!((list.baseline.as_deref(), list.undecided), (Some("main"), Some(Undecided::Fail)));
        assert_eq!(list.margin, Some(0.03));
        let table = Settings::parse("[check.budgets]\na = '5ms'\npeak = '1MB'\n", path).unwrap().check;
        assert_eq!(list.budgets, table.budgets);
        for (text, named) in [
            ("[check]\nbudgets = ['a']\n", "attention=50ms"),
            ("[check.budgets]\na = '5parsecs'\n", "attention=50ms"),
            ("[check]\nundecided = 'maybe'\n", "maybe"),
            ("[check]\nbasline = 'main'\n", "basline"),
            ("[check]\nmargin = '2'\n", "2%"),
        ] {
            let error = Settings::parse(text, path).unwrap_err().whole();
            assert!(error.contains(named) && error.contains("calor.toml"), "{error}");
        }
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn settings_are_named_like_flags_and_wrong_ones_are_named() {
        let settings =
            Settings::parse("[record]\nrate = 99\noff-cpu = true\nfor = '2m'\n", Path::new("calor.toml"))
                .unwrap();
        assert_eq!(settings.record.at_most, Some(Duration::from_secs(120)));
        assert_eq!((settings.record.rate, settings.record.off_cpu), (Some(99), Some(true)));
        for (text, named) in [
            ("[record]\nrat = 99\n", "rat"),
            ("[recrod]\n", "recrod"),
            ("[record]\nrate = 'x'\n", "rate"),
            ("[record]\nfor = 'long'\n", "30s"),
            ("[record]\ncounters = 'cycels'\n", "cycels"),
        ] {
            let error = Settings::parse(text, Path::new("calor.toml")).unwrap_err().whole();
            assert!(error.contains(named) && error.contains("calor.toml"), "{error}");
        }
    }
}
