//! Rules of users, read from files of TOML: one `[[rule]]` each.

use std::collections::BTreeMap;
use std::path::{Path, PathBuf};

use calor_analysis::findings::{Rule, RuleDefinition, UserRule};
use serde::Deserialize;

use crate::Error;

#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct File {
    #[serde(default)]
    rule: Vec<Wire>,
}

/// A rule on the wire.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Wire {
    id: String,
    #[serde(default = "one")]
    version: u32,
    #[serde(default)]
    about: String,
    for_each: String,
    #[serde(default)]
    needs: Vec<String>,
    #[serde(default)]
    suppresses: Vec<String>,
    #[serde(default)]
    params: BTreeMap<String, f64>,
    when: String,
    #[serde(default)]
    gain: WireGain,
    title: String,
    why: String,
    fix: String,
    before: Option<String>,
    after: Option<String>,
    #[serde(default)]
    doc: String,
}

/// What a gain is of.
#[derive(Deserialize, Default, PartialEq)]
#[serde(rename_all = "lowercase")]
enum Of {
    /// What the place takes by itself.
    #[default]
    Own,
    /// That and what it calls.
    Total,
}

#[derive(Deserialize, Default)]
#[serde(deny_unknown_fields)]
struct WireGain {
    #[serde(default)]
    of: Of,
    local_low: Option<Amount>,
    local_high: Option<Amount>,
    removed_low: Option<Amount>,
    removed_high: Option<Amount>,
    #[serde(default)]
    reason: String,
}

/// A number, or an expression that gives one.
#[derive(Deserialize)]
#[serde(untagged)]
enum Amount {
    Number(f64),
    Text(String),
}

impl Amount {
    fn text(self) -> String {
        match self {
            Self::Number(number) => number.to_string(),
            Self::Text(text) => text,
        }
    }
}

fn one() -> u32 {
    1
}

/// The rules of files.
///
/// # Errors
/// When a file cannot be read, has no rules or such as cannot be, and when two rules have one id.
pub fn read_rules<'p>(paths: impl IntoIterator<Item = &'p PathBuf>) -> Result<Vec<UserRule>, Error> {
    let mut rules: Vec<UserRule> = Vec::new();
    for path in paths {
        let unreadable = |cause| Error::RulesUnreadable { path: path.clone(), cause };
        let text = std::fs::read_to_string(path).map_err(unreadable)?;
        for rule in parsed(&text, path)? {
            let id = rule.about().id.to_owned();
            if rules.iter().any(|known| known.about().id == id) {
                return Err(Error::RuleTwice { path: path.clone(), id });
            }
            rules.push(rule);
        }
    }
    Ok(rules)
}

fn parsed(text: &str, path: &Path) -> Result<Vec<UserRule>, Error> {
    let path = || path.to_owned();
    let file: File = toml::from_str(text).map_err(|cause| Error::Rules { path: path(), cause })?;
    if file.rule.is_empty() {
        return Err(Error::NoRules { path: path() });
    }
    let rule =
        |wire: Wire| UserRule::new(wire.definition()).map_err(|cause| Error::Rule { path: path(), cause });
    file.rule.into_iter().map(rule).collect()
}

impl Wire {
    fn definition(self) -> RuleDefinition {
        let pair = |low: Option<Amount>, high: Option<Amount>| match (low, high) {
            (None, None) => None,
            // What lacks is an empty expression, which is refused with its key.
            (low, high) => Some([low, high].map(|amount| amount.map(Amount::text).unwrap_or_default())),
        };
        RuleDefinition {
            id: self.id,
            version: self.version,
            about: self.about,
            for_each: self.for_each,
            needs: self.needs,
            suppresses: self.suppresses,
            params: self.params,
            when: self.when,
            local: pair(self.gain.local_low, self.gain.local_high),
            removed: pair(self.gain.removed_low, self.gain.removed_high),
            of_total: self.gain.of == Of::Total,
            reason: self.gain.reason,
            title: self.title,
            why: self.why,
            fix: self.fix,
            before: self.before,
            after: self.after,
            doc: self.doc,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const RULE: &str = r#"
[[rule]]
id = "OWN-SLOW-PARSE"
for_each = "scope"
when = "name == 'parse' && calls >= least_calls"
title = "{name} is called {calls} times"
why = "Each call opens the file."
fix = "Open it once."
params = { least_calls = 100 }
gain = { local_low = 1.2, local_high = "min(calls / 50, 4)", reason = "if it is opened once" }
"#;

    #[test]
    fn a_rule_of_a_file_is_a_rule() {
        let rules = parsed(RULE, Path::new("own.toml")).unwrap();
        let about = rules[0].about();
        assert_eq!((about.id, about.version, about.needs.len()), ("OWN-SLOW-PARSE", 1, 1));
    }

    #[test]
    fn mistakes_are_told_with_file_key_and_place() {
        for (from, to, expected) in [
            ("when =", "wehn =", &["own.toml", "wehn", "line 5"][..]),
            ("calls >=", "cals >=", &["own.toml", "`when`, column 20", "did you mean `calls`?"]),
            ("local_low = 1.2,", "", &["own.toml", "gain.local_low", "found no such key"]),
            ("local_low = 1.2", "local_low = true", &["own.toml"]),
            ("{calls} times", "{calls times", &["`title`", "has no `}`"]),
            ("[[rule]]", "[rule]", &["own.toml"]),
            ("\"scope\"", "\"scopes\"", &["`for_each`", "scope, operation"]),
        ] {
            let text = RULE.replace(from, to);
            assert_ne!(text, RULE);
            let error = parsed(&text, Path::new("own.toml")).expect_err("it is refused").whole();
            assert!(expected.iter().all(|part| error.contains(part)), "{from}: {error}");
        }
        let error = parsed("# nothing", Path::new("own.toml")).expect_err("it is refused").to_string();
        assert!(error.contains("[[rule]]"), "{error}");
    }

    #[test]
    fn no_text_makes_it_panic() {
        // Every beginning of a good file, and every single letter of it left out.
        for (at, _) in RULE.char_indices() {
            let _ = parsed(&RULE[..at], Path::new("own.toml"));
            let rest: String =
                RULE.char_indices().filter(|(place, _)| *place != at).map(|(_, letter)| letter).collect();
            let _ = parsed(&rest, Path::new("own.toml"));
        }
    }

    #[test]
    fn the_rule_of_the_page_is_one() {
        let page = include_str!("../../../docs/findings.md");
        let mut blocks = page.split("```toml\n").skip(1).filter_map(|block| block.split("```").next());
        let block = blocks.find(|block| block.contains("[[rule]]")).expect("the page shows a rule");
        let rules = parsed(block, Path::new("own.toml")).expect("it can be used as it stands");
        assert_eq!(rules[0].about().id, "OWN-MANY-QUERIES");
    }
}
