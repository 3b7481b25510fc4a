//! What is not to be told, as it is given: `ID=REASON` on a command line, a table or a list in the settings.

use calor_analysis::findings::Suppression;
use serde::Deserialize;

/// `ID=REASON`, as command lines have it.
///
/// # Errors
/// When the rule or the reason is missing; the text says what was expected.
pub fn suppression(given: &str) -> Result<Suppression, String> {
    let (rule, reason) = given.split_once('=').unwrap_or((given, ""));
    of(rule, None, reason)
}

fn of(rule: &str, function: Option<String>, reason: &str) -> Result<Suppression, String> {
    let (rule, reason) = (rule.trim(), reason.trim());
    if rule.is_empty() || reason.is_empty() {
        return Err(format!(
            "expected a rule and the reason, such as CPU-MEMORY-COPIES='copied once, at the start', found `{rule}={reason}`"
        ));
    }
    Ok(Suppression { function, reason: reason.to_owned(), ..Suppression::of(rule) })
}

/// Reads `suppress` of the settings: a table of ids and reasons, or a list of tables with `rule`, `function` and `reason`.
pub(crate) fn settings<'de, D: serde::Deserializer<'de>>(
    deserializer: D,
) -> Result<Vec<Suppression>, D::Error> {
    #[derive(Deserialize)]
    #[serde(deny_unknown_fields)]
    struct One {
        rule: String,
        function: Option<String>,
        reason: String,
    }
    #[derive(Deserialize)]
    #[serde(untagged)]
    enum Given {
        Table(std::collections::BTreeMap<String, String>),
        List(Vec<One>),
    }
    let read: Result<Vec<Suppression>, String> = match Given::deserialize(deserializer)? {
        Given::Table(table) => table.iter().map(|(rule, reason)| of(rule, None, reason)).collect(),
        Given::List(list) => list.into_iter().map(|one| of(&one.rule, one.function, &one.reason)).collect(),
    };
    read.map_err(serde::de::Error::custom)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_suppression_has_a_rule_and_a_reason() {
        let found = suppression("CPU-A=it is = fine").unwrap();
        assert_eq!(
            (found.rule.as_str(), found.reason.as_str(), found.function),
            ("CPU-A", "it is = fine", None)
        );
        for wrong in ["CPU-A", "CPU-A=", "=x", ""] {
            assert!(suppression(wrong).unwrap_err().contains("and the reason"), "{wrong}");
        }
    }
}
