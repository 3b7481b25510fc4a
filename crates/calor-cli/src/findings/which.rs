//! Which finding is meant: by its number on the page, by its rule, or by its rule and its function.

use anyhow::{Result, bail};
use calor_analysis::findings::Finding;

/// A finding as it is named.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) enum Which {
    /// The number on the page, from 1 on.
    Number(usize),
    /// `RULE` or `RULE@FUNCTION`.
    Rule {
        /// The rule's id.
        rule: String,
        /// The function; `None` for any.
        function: Option<String>,
    },
}

impl Which {
    pub(crate) fn parse(given: &str) -> Self {
        let given = given.trim();
        match (given.parse(), given.split_once('@')) {
            (Ok(number), _) => Self::Number(number),
            (Err(_), Some((rule, function))) if !function.is_empty() => {
                Self::Rule { rule: rule.to_owned(), function: Some(function.to_owned()) }
            }
            _ => Self::Rule { rule: given.trim_end_matches('@').to_owned(), function: None },
        }
    }

    /// The findings that are meant, at least one. Those that are not told have no number.
    pub(crate) fn among<'f>(
        &self,
        told: &'f [Finding],
        not_told: &[&'f Finding],
        file: &str,
    ) -> Result<Vec<&'f Finding>> {
        let all = || told.iter().chain(not_told.iter().copied());
        match self {
            _ if all().next().is_none() => {
                bail!("{file}: there are no findings; `calor findings {file}` tells why")
            }
            Self::Number(number) => match number.checked_sub(1).and_then(|at| told.get(at)) {
                Some(finding) => Ok(vec![finding]),
                None => {
                    bail!("{file}: expected the number of a finding, 1 to {}, found {number}", told.len())
                }
            },
            Self::Rule { rule, function } => {
                let is_meant = |finding: &&Finding| {
                    finding.rule.eq_ignore_ascii_case(rule)
                        && function.as_ref().is_none_or(|function| *function == finding.place.function)
                };
                let meant: Vec<&Finding> = all().filter(is_meant).collect();
                if meant.is_empty() {
                    bail!("{file}: there is no finding of {}; there are {}", self.shown(), names(all()));
                }
                Ok(meant)
            }
        }
    }

    /// As it is given.
    pub(crate) fn shown(&self) -> String {
        match self {
            Self::Number(number) => number.to_string(),
            Self::Rule { rule, function: None } => rule.clone(),
            Self::Rule { rule, function: Some(function) } => format!("{rule}@{function}"),
        }
    }
}

fn names<'f>(findings: impl Iterator<Item = &'f Finding>) -> String {
    const MOST: usize = 5;
    let mut names: Vec<String> =
        findings.map(|finding| format!("{}@{}", finding.rule, finding.place.function)).collect();
    names.dedup();
    if names.len() > MOST {
        let n_more = names.len() - MOST;
        names.truncate(MOST);
        names.push(format!("{n_more} more"));
    }
    names.join(", ")
}

#[cfg(test)]
mod tests {
    use super::*;
    use calor_analysis::findings::{About, Gain, Place, Share, Topic};

    fn finding(id: &str, function: &str) -> Finding {
        let about = About { id, version: 1, topic: Topic::Cpu, title: "", needs: &[], suppresses: &[] };
        let place = Place { function: function.to_owned(), ..Place::default() };
        Finding::new(&about, "", place, Gain::removed(Share::exact(0.5), (0.5, 1.0), ""))
    }

    #[test]
    fn a_finding_is_named_by_number_or_rule_or_rule_and_function() {
        let told = [finding("CPU-A", "f"), finding("CPU-B", "g"), finding("CPU-B", "h")];
        let hidden = finding("CPU-C", "Vec<T>::x@y");
        let named = |given: &str| {
            let meant = Which::parse(given).among(&told, &[&hidden], "x");
            meant
                .map(|list| list.iter().map(|one| one.place.function.clone()).collect::<Vec<_>>().join(" "))
                .map_err(|error| error.to_string())
        };
        assert_eq!((named("1").unwrap(), named("3").unwrap()), ("f".to_owned(), "h".to_owned()));
        assert_eq!((named("cpu-b").unwrap(), named("CPU-B@h").unwrap()), ("g h".to_owned(), "h".to_owned()));
        assert_eq!(
            (named("CPU-C@Vec<T>::x@y").unwrap(), named("CPU-A@").unwrap()),
            ("Vec<T>::x@y".into(), "f".into())
        );
        for wrong in ["0", "4"] {
            assert!(named(wrong).unwrap_err().contains("1 to 3"), "{wrong}");
        }
        assert!(
            named("CPU-B@none").unwrap_err().contains("no finding of CPU-B@none; there are CPU-A@f, CPU-B@g")
        );
        assert!(Which::parse("1").among(&[], &[], "x").unwrap_err().to_string().contains("no findings"));
    }
}
