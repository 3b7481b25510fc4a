//! Rules that users write, without building anything: what to look at, a condition, a gain and words. Who reads the file is
//! the business of the command; here a definition becomes a rule like any other, or an error that says what is wrong with it.

use std::collections::BTreeMap;

use super::expression::{Expression, Kind, Problem, Scope, Value};
use super::subject::{Asked, Subject};
use super::template::Template;
use super::{About, Evidence, Facts, Finding, Fix, Gain, Need, Outcome, Rule, Topic, Unit};
use crate::Error;

/// A rule as a user wrote it.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct RuleDefinition {
    /// Its name.
    pub id: String,
    /// Raised when its verdicts change.
    pub version: u32,
    /// What it looks for, in one line without numbers.
    pub about: String,
    /// What it looks at: `function`, `line`, `scope`, `operation`, `heap place`, `wait` or `program`.
    pub for_each: String,
    /// What has to be recorded besides what it looks at.
    pub needs: Vec<String>,
    /// Rules whose findings at a related place are symptoms of this one's.
    pub suppresses: Vec<String>,
    /// Numbers that its expressions may name.
    pub params: BTreeMap<String, f64>,
    /// The condition.
    pub when: String,
    /// At least and at most so many times faster at the place: two expressions.
    pub local: Option<[String; 2]>,
    /// At least and at most this part of what the place takes would go: two expressions.
    pub removed: Option<[String; 2]>,
    /// Whether the gain is of what the place takes with all that it calls, and not by itself alone.
    pub of_total: bool,
    /// Why the gain is what it is, in words that end a sentence.
    pub reason: String,
    /// What is the matter, with figures in braces.
    pub title: String,
    /// Why that is slow.
    pub why: String,
    /// What to change.
    pub fix: String,
    /// Code before the change.
    pub before: Option<String>,
    /// Code after the change.
    pub after: Option<String>,
    /// Where more is written.
    pub doc: String,
}

/// A rule of a user.
#[derive(Clone, Debug)]
pub struct UserRule {
    definition: RuleDefinition,
    subject: Subject,
    needs: Vec<Need>,
    /// Names and numbers that are the same for all that it looks at.
    params: Vec<(String, f64)>,
    when: Expression,
    gain: [Expression; 2],
    title: Template,
    why: Template,
    fix: Template,
    before: Option<Template>,
    after: Option<Template>,
}

impl UserRule {
    /// What its file says of it.
    #[must_use]
    pub fn definition(&self) -> &RuleDefinition {
        &self.definition
    }

    /// The rule of a definition.
    ///
    /// # Errors
    /// When a key lacks, or has what cannot be understood.
    pub fn new(definition: RuleDefinition) -> Result<Self, Error> {
        let rule = definition.id.clone();
        let problem = |key: &'static str, what: String| Error::Rule {
            rule: rule.clone(),
            key,
            column: None,
            problem: what,
        };
        let read = |key: &'static str, found: Problem| Error::Rule {
            rule: rule.clone(),
            key,
            column: Some(found.column),
            problem: found.what,
        };
        check_id(&definition.id).map_err(|what| problem("id", what))?;
        let subject = Subject::of_word(&definition.for_each).ok_or_else(|| {
            problem(
                "for_each",
                format!("expected one of {}, found `{}`", Subject::words(), definition.for_each),
            )
        })?;
        let mut needs: Vec<Need> = subject.need().into_iter().collect();
        for word in &definition.needs {
            let need = Need::ALL.into_iter().find(|need| need.word() == word).ok_or_else(|| {
                let words = Need::ALL.map(Need::word).join(", ");
                problem("needs", format!("expected some of {words}, found `{word}`"))
            })?;
            needs.push(need);
        }
        let params: Vec<(String, f64)> =
            definition.params.iter().map(|(name, value)| (name.clone(), *value)).collect();
        let figures = subject.figures();
        if let Some((name, _)) =
            params.iter().find(|(name, _)| figures.iter().any(|(figure, _)| figure == name))
        {
            return Err(problem("params", format!("`{name}` is the name of a figure: choose another")));
        }
        let names: Vec<(&str, Kind)> = figures
            .iter()
            .copied()
            .chain(params.iter().map(|(name, _)| (name.as_str(), Kind::Number)))
            .collect();
        let scope = Scope::new(&names);
        let expression =
            |key, text: &str, kind| Expression::parse(text, kind, &scope).map_err(|found| read(key, found));
        let template = |key, text: &str| Template::parse(text, &scope).map_err(|found| read(key, found));
        let (keys, texts) = match (&definition.local, &definition.removed) {
            (Some(local), None) if subject != Subject::Heap => (["gain.local_low", "gain.local_high"], local),
            (None, Some(removed)) => (["gain.removed_low", "gain.removed_high"], removed),
            (Some(_), None) => {
                let what = "memory is not made faster: give removed_low and removed_high instead";
                return Err(problem("gain", what.to_owned()));
            }
            _ => {
                let what = "expected either local_low and local_high or removed_low and removed_high";
                return Err(problem("gain", what.to_owned()));
            }
        };
        for (key, text) in [("title", &definition.title), ("why", &definition.why), ("fix", &definition.fix)]
        {
            if text.trim().is_empty() {
                return Err(problem(key, "expected a text, found none".to_owned()));
            }
        }
        for (key, text) in keys.iter().zip(texts) {
            if text.trim().is_empty() {
                return Err(problem(key, "expected a number or an expression, found no such key".to_owned()));
            }
        }
        let gain =
            [expression(keys[0], &texts[0], Kind::Number)?, expression(keys[1], &texts[1], Kind::Number)?];
        let constants: Vec<Option<Value>> = figures
            .iter()
            .map(|_| None)
            .chain(params.iter().map(|(_, value)| Some(Value::Number(*value))))
            .collect();
        let amounts = gain.each_ref().map(|gain| gain.number(&constants));
        check_gain(amounts, definition.local.is_some())
            .map_err(|(which, what)| problem(keys[which], what))?;
        Ok(Self {
            subject,
            needs,
            when: expression("when", &definition.when, Kind::Truth)?,
            gain,
            title: template("title", &definition.title)?,
            why: template("why", &definition.why)?,
            fix: template("fix", &definition.fix)?,
            before: definition.before.as_deref().map(|text| Template::code(text, &scope)),
            after: definition.after.as_deref().map(|text| Template::code(text, &scope)),
            params,
            definition,
        })
    }

    fn finding(&self, asked: Asked) -> Option<Finding> {
        let Asked { mut values, place, share, total } = asked;
        let share = if self.definition.of_total { total } else { share };
        values.extend(self.params.iter().map(|(_, value)| Some(Value::Number(*value))));
        if !self.when.holds(&values) {
            return None;
        }
        let [low, high] = [&self.gain[0], &self.gain[1]].map(|gain| gain.number(&values));
        let bounds = (low?, high?);
        let reason = self.definition.reason.as_str();
        let gain = match (self.subject, &self.definition.local) {
            (Subject::Heap, _) => Gain::memory(share, bounds, reason),
            (_, Some(_)) => Gain::faster(share, bounds, reason),
            (_, None) => Gain::removed(share, bounds, reason),
        };
        let fix = Fix {
            text: self.fix.filled(&values),
            before: self.before.as_ref().map(|text| text.filled(&values)),
            after: self.after.as_ref().map(|text| text.filled(&values)),
        };
        let mut finding = Finding::new(&self.about(), self.title.filled(&values), place, gain)
            .because(self.why.filled(&values))
            .with(Evidence::share("share", share))
            .fixed_by(fix);
        finding.doc.clone_from(&self.definition.doc);
        for (name, value) in self.named(&values) {
            finding = finding.with(Evidence::new(name, value, unit(name)));
        }
        if self.subject == Subject::Program {
            finding = finding.by_setting();
        }
        Some(finding)
    }

    /// The figures that the condition names, but for the share.
    fn named<'s>(&'s self, values: &[Option<Value>]) -> Vec<(&'s str, f64)> {
        let figures = self.subject.figures();
        let is_named = |name: &str| name != "share" && has_word(&self.definition.when, name);
        let number = |place: usize| match values.get(place) {
            Some(Some(Value::Number(number))) => Some(*number),
            _ => None,
        };
        let named = figures.into_iter().enumerate().filter(|(_, (name, _))| is_named(name));
        named.filter_map(|(place, (name, _))| Some((name, number(place)?))).collect()
    }
}

impl Rule for UserRule {
    fn about(&self) -> About<'_> {
        About {
            id: &self.definition.id,
            version: self.definition.version,
            topic: Topic::Own,
            title: &self.definition.about,
            needs: &self.needs,
            suppresses: &[],
        }
    }

    fn judge(&self, facts: &Facts<'_>) -> Outcome {
        Outcome::of(self.subject.asked(facts).into_iter().filter_map(|asked| self.finding(asked)).collect())
    }

    fn suppresses(&self, other: &str) -> bool {
        self.definition.suppresses.iter().any(|id| id == other)
    }
}

/// Whether bounds that are plain numbers can be meant: parts are parts, nothing gets slower, and the lower is not above. The
/// one that cannot, and why.
fn check_gain([low, high]: [Option<f64>; 2], is_faster: bool) -> Result<(), (usize, String)> {
    for (which, amount) in [low, high].into_iter().enumerate() {
        let Some(amount) = amount else { continue };
        if is_faster && amount < 1.0 {
            return Err((which, format!("expected how many times faster, from 1, found {amount}")));
        }
        if !is_faster && !(0.0..=1.0).contains(&amount) {
            return Err((
                which,
                format!("expected a part from 0 to 1, such as 0.5 for half, found {amount}"),
            ));
        }
    }
    match (low, high) {
        (Some(low), Some(high)) if low > high => {
            Err((0, format!("expected at most the upper bound of {high}, found {low}")))
        }
        _ => Ok(()),
    }
}

fn check_id(id: &str) -> Result<(), String> {
    let is_plain = |letter: char| letter.is_ascii_uppercase() || letter.is_ascii_digit() || letter == '-';
    if id.is_empty()
        || !id.chars().all(is_plain)
        || !id.starts_with(|letter: char| letter.is_ascii_uppercase())
    {
        return Err(format!(
            "expected capital letters, digits and `-`, such as OWN-SLOW-PARSE, found `{id}`"
        ));
    }
    match super::rules::RULES.iter().any(|rule| rule.about().id == id) {
        true => Err(format!("`{id}` is a rule of Calor: choose another id")),
        false => Ok(()),
    }
}

fn has_word(text: &str, word: &str) -> bool {
    let is_inside = |letter: char| letter.is_alphanumeric() || letter == '_';
    text.match_indices(word)
        .any(|(at, _)| !text[..at].ends_with(is_inside) && !text[at + word.len()..].starts_with(is_inside))
}

/// What a figure counts in, by how its name ends.
fn unit(name: &str) -> Unit {
    match name {
        _ if name.ends_with("bytes_per_s") => Unit::BytesPerSecond,
        _ if name.ends_with("flops_per_s") => Unit::FlopsPerSecond,
        _ if name.ends_with("_ns") || name.contains("_ns_") => Unit::Nanos,
        _ if name.ends_with("bytes") => Unit::Bytes,
        _ if name.ends_with("share") || name.ends_with("share_low") => Unit::Share,
        _ => Unit::Count,
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::findings::draft::Draft;
    use crate::findings::{Severity, findings};

    fn definition() -> RuleDefinition {
        RuleDefinition {
            id: "OWN-MANY-CALLS".to_owned(),
            version: 3,
            for_each: "scope".to_owned(),
            params: BTreeMap::from([("least_calls".to_owned(), 100.0)]),
            when: "name == 'parse' && calls >= least_calls && share > 0.1".to_owned(),
            local: Some(["1.5".to_owned(), "min(calls / 10, 4)".to_owned()]),
            reason: "if calls are made in batches".to_owned(),
            title: "{name} is called {calls} times and takes {share:%}".to_owned(),
            why: "Calls cost.".to_owned(),
            fix: "Call it once.".to_owned(),
            before: Some("for x in {1, 2} { {name}(x) }".to_owned()),
            ..RuleDefinition::default()
        }
    }

    fn judged(definition: RuleDefinition, calls: u64) -> Outcome {
        let profile = Draft::new()
            .seconds(1e-6)
            .scope(&["run"], 1, 900)
            .scope(&["run", "parse"], calls, 400)
            .scope(&["run", "write"], 5_000, 300)
            .profile();
        UserRule::new(definition).unwrap().judge(&Facts::new(&profile, None))
    }

    #[test]
    fn a_rule_of_a_user_finds_what_its_condition_says() {
        let Outcome::Findings(found) = judged(definition(), 200) else { panic!("found") };
        let [finding] = &found[..] else { panic!("one: {found:?}") };
        assert_eq!(finding.title, "parse is called 200 times and takes 40 %");
        assert_eq!(
            (finding.rule.as_str(), finding.version, finding.severity()),
            ("OWN-MANY-CALLS", 3, Some(Severity::High))
        );
        assert_eq!((finding.gain.local_low, finding.gain.local_high), (Some(1.5), Some(4.0)));
        assert_eq!(finding.fix.before.as_deref(), Some("for x in {1, 2} { parse(x) }"));
        let told: Vec<_> =
            finding.evidence.iter().map(|evidence| (evidence.metric.as_str(), evidence.value)).collect();
        assert_eq!(told, [("share", 0.4), ("calls", 200.0)]);
        assert_eq!(judged(definition(), 99), Outcome::Fine);
    }

    #[test]
    fn a_gain_may_be_of_all_that_a_place_calls() {
        let wanted = RuleDefinition { when: "name == 'run'".to_owned(), ..definition() };
        let share = |of_total| {
            let Outcome::Findings(found) = judged(RuleDefinition { of_total, ..wanted.clone() }, 200) else {
                panic!("found")
            };
            found[0].gain.share.estimate
        };
        assert!((share(false) - 0.2).abs() < 1e-9 && (share(true) - 0.9).abs() < 1e-9);
    }

    #[test]
    fn gains_that_cannot_be_meant_are_refused() {
        let bounds = |low: &str, high: &str| Some([low.to_owned(), high.to_owned()]);
        for (local, removed, part) in [
            (bounds("4", "3"), None, "`gain.local_low`: expected at most the upper bound of 3"),
            (bounds("0.5", "3"), None, "`gain.local_low`: expected how many times faster"),
            (
                bounds("", "3"),
                None,
                "`gain.local_low`: expected a number or an expression, found no such key",
            ),
            (None, bounds("20", "90"), "`gain.removed_low`: expected a part from 0 to 1"),
            (None, bounds("0.2", "least_calls"), "`gain.removed_high`: expected a part from 0 to 1"),
        ] {
            let refused = UserRule::new(RuleDefinition { local, removed, ..definition() }).unwrap_err();
            assert!(refused.to_string().contains(part), "{refused}");
        }
    }

    #[test]
    fn a_rule_of_a_user_without_its_data_says_so() {
        let rule = UserRule::new(RuleDefinition { needs: vec!["gpu".to_owned()], ..definition() }).unwrap();
        let profile = Draft::new().scope(&["run"], 1, 900).profile();
        let all = findings(&Facts::new(&profile, None), &[&rule], &[]);
        assert_eq!(all.not_enough[0].missing, "what ran on GPUs");
    }

    #[test]
    fn memory_is_removed_and_not_made_faster() {
        let heap = |local, removed| RuleDefinition {
            for_each: "heap place".to_owned(),
            when: "peak_bytes > 10".to_owned(),
            title: "{name}".to_owned(),
            local,
            removed,
            ..definition()
        };
        let bounds = || Some(["0.5".to_owned(), "1".to_owned()]);
        assert!(UserRule::new(heap(bounds(), None)).unwrap_err().to_string().contains("removed_low"));
        let rule = UserRule::new(heap(None, bounds())).unwrap();
        let site = calor_model::HeapSite { allocated_bytes: 50, peak_bytes: 50, ..Default::default() };
        let profile = Draft::new().heap(&["app::load@src/load.rs:4"], site).profile();
        let Outcome::Findings(found) = rule.judge(&Facts::new(&profile, None)) else { panic!("found") };
        assert!(found[0].gain.memory.is_some_and(|(low, _)| low > 1.9), "{:?}", found[0].gain);
    }

    #[test]
    fn mistakes_are_told_with_rule_key_and_column() {
        let told = |change: fn(&mut RuleDefinition)| {
            let mut wrong = definition();
            change(&mut wrong);
            UserRule::new(wrong).unwrap_err().to_string()
        };
        for (found, expected) in [
            (told(|it| it.id = "own rule".to_owned()), "rule `own rule`, `id`: expected capital letters"),
            (told(|it| it.id = "CPU-MEMORY-COPIES".to_owned()), "is a rule of Calor"),
            (told(|it| it.for_each = "thing".to_owned()), "`for_each`: expected one of function, line"),
            (told(|it| it.needs = vec!["gold".to_owned()]), "`needs`: expected some of cpu, waits"),
            (
                told(|it| it.when = "cals > 1".to_owned()),
                "rule `OWN-MANY-CALLS`, `when`, column 1: there is no figure `cals`",
            ),
            (told(|it| it.local = None), "`gain`: expected either"),
            (
                told(|it| it.local = Some(["1".to_owned(), "'x'".to_owned()])),
                "`gain.local_high`, column 1: expected a number",
            ),
            (told(|it| it.title = String::new()), "`title`: expected a text"),
            (told(|it| it.why = "a {b}".to_owned()), "`why`, column 3: there is no figure `b`"),
            (
                told(|it| {
                    it.params.insert("calls".to_owned(), 1.0);
                }),
                "`params`: `calls` is the name of a figure",
            ),
        ] {
            assert!(found.contains(expected), "{found}\n{expected}");
        }
    }
}
