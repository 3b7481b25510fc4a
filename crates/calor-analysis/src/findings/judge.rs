//! The one judgement: every page, command and API that names findings asks here, so that all of them say the same of a
//! profile. What differs between them is said in [`Circumstances`].

use std::borrow::Cow;

use calor_model::{Frame, FrameKind, Profile, simplify};

use super::idle_time::without_idle_time;
use super::rules::RULES;
use super::{
    Basis, Facts, Findings, MachineFigures, Rule, Suppression, UserRule, Whole, findings, with_calling_lines,
};
use crate::MachineRoof;

/// Asking all rules about more call paths than this takes longer than making a report.
const MOST_PATHS_OF_REPORT: usize = 200_000;

/// What a judgement needs besides the profile.
#[derive(Clone, Debug, Default)]
pub struct Circumstances {
    /// What the machine of the profile can reach; `None` where nobody measured it.
    pub roof: Option<MachineRoof>,
    /// Rules that users wrote, asked besides those of Calor.
    pub own_rules: Vec<UserRule>,
    /// The ids of the only rules that are asked; empty for all.
    pub only: Vec<String>,
    /// Findings that users do not want to read.
    pub suppressions: Vec<Suppression>,
    /// Whether the process recorded itself. It may have waited for its user meanwhile, at a prompt or in a notebook, and
    /// that is no time that anybody could save: gains are of the time in which it worked.
    pub is_of_itself: bool,
    /// Profiles with more call paths are not judged; `None` for no bound.
    pub most_paths: Option<usize>,
}

/// What rules say of a profile.
#[derive(Clone, PartialEq, Debug)]
pub struct Judgement {
    /// What was found, and what was not.
    pub findings: Findings,
    /// The time that gains are of.
    pub whole: Whole,
    /// Whether it is not known how long the program waited, so that gains are of the time in which it ran.
    pub is_without_waits: bool,
}

impl Circumstances {
    /// The same for a report, which leaves the findings of very large profiles to the page of their own.
    #[must_use]
    pub fn of_report(self) -> Self {
        Self { most_paths: Some(MOST_PATHS_OF_REPORT), ..self }
    }

    /// The rules that are asked.
    #[must_use]
    pub fn rules(&self) -> Vec<&dyn Rule> {
        let all = RULES.iter().copied().chain(self.own_rules.iter().map(|rule| rule as &dyn Rule));
        let is_asked = |rule: &&dyn Rule| {
            let id = rule.about().id;
            self.only.is_empty() || self.only.iter().any(|only| only.eq_ignore_ascii_case(id))
        };
        all.filter(is_asked).collect()
    }
}

/// Asks the rules about a profile.
#[must_use]
pub fn judge(profile: &Profile, circumstances: &Circumstances) -> Judgement {
    if circumstances.most_paths.is_some_and(|most| profile.stacks.len() > most) {
        let whole = Facts::new(profile, None).whole().clone();
        return Judgement { findings: Findings::default(), whole, is_without_waits: false };
    }
    let profile = simply_named(profile);
    let profile = if circumstances.is_of_itself { without_idle_time(&profile) } else { profile };
    let profile = with_calling_lines(&profile);
    let machine = circumstances.roof.as_ref().map(MachineFigures::from);
    let facts = Facts::new(&profile, machine.as_ref());
    let whole = facts.whole().clone();
    // Scopes are timed by the clock, waits and all.
    let is_without_waits = whole.basis == Basis::Running && facts.cpu().samples > 0;
    let findings = findings(&facts, &circumstances.rules(), &circumstances.suppressions);
    Judgement { findings, whole, is_without_waits }
}

/// The profile with short names, by which findings are also suppressed.
fn simply_named(profile: &Profile) -> Cow<'_, Profile> {
    let is_simple = |frame: Frame| {
        let name = profile.strings.get(frame.name);
        !matches!(frame.kind, FrameKind::Native | FrameKind::Gpu) || simplify(name) == name
    };
    let is_named_so = profile.frames.iter().all(|(_, frame)| is_simple(frame));
    if is_named_so { Cow::Borrowed(profile) } else { Cow::Owned(profile.simplify_names()) }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::findings::RuleDefinition;
    use crate::findings::draft::Draft;

    fn parsing() -> Profile {
        Draft::new().seconds(1e-6).scope(&["run"], 1, 900).scope(&["run", "parse"], 200, 400).profile()
    }

    fn own_rule() -> UserRule {
        UserRule::new(RuleDefinition {
            id: "OWN-PARSE".to_owned(),
            version: 1,
            for_each: "scope".to_owned(),
            when: "name == 'parse'".to_owned(),
            local: Some(["2".to_owned(), "3".to_owned()]),
            title: "{name} is slow".to_owned(),
            why: "It parses.".to_owned(),
            fix: "Do not.".to_owned(),
            ..RuleDefinition::default()
        })
        .expect("the rule is one")
    }

    #[test]
    fn rules_of_users_are_asked_and_their_findings_can_be_suppressed() {
        let circumstances = Circumstances { own_rules: vec![own_rule()], ..Circumstances::default() };
        let ids = |circumstances: &Circumstances| {
            let found = judge(&parsing(), circumstances).findings.found;
            found.into_iter().map(|finding| finding.rule).collect::<Vec<_>>()
        };
        assert_eq!(ids(&circumstances), ["OWN-PARSE"]);
        let suppressions = vec![Suppression::of("OWN-PARSE")];
        assert!(ids(&Circumstances { suppressions, ..circumstances.clone() }).is_empty());
        let only = vec!["own-parse".to_owned()];
        let narrowed = Circumstances { only, ..circumstances };
        assert_eq!((narrowed.rules().len(), ids(&narrowed).len()), (1, 1));
    }

    #[test]
    fn a_report_judges_no_profile_that_takes_longer_than_the_report() {
        let circumstances = Circumstances { own_rules: vec![own_rule()], ..Circumstances::default() };
        assert_eq!(judge(&parsing(), &circumstances.clone().of_report()).findings.found.len(), 1);
        let small = Circumstances { most_paths: Some(1), ..circumstances };
        assert_eq!(judge(&parsing(), &small).findings, Findings::default());
    }
}
