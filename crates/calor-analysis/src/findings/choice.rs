//! Which findings are told. Advice that gives next to nothing, that nobody can follow, or that is a symptom of another
//! finding costs its reader time; and of what is left, few are read.

use super::need::Met;
use super::{Facts, Finding, Need, Outcome, Rule, Suppressed, SuppressedBy, Suppression, causes};

/// A place that takes less of the whole is left alone.
pub const LEAST_SHARE: f64 = 0.02;
/// So many findings are shown.
pub const MOST_SHOWN: usize = 5;

/// Findings on one profile.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Findings {
    /// What was found, that with the most sure gain first. [`MOST_SHOWN`] of them are for showing.
    pub found: Vec<Finding>,
    /// Rules that looked and found nothing worth telling.
    pub fine: Vec<String>,
    /// Rules that could not look.
    pub not_enough: Vec<NotEnough>,
    /// What was found and is not told.
    pub suppressed: Vec<Suppressed>,
}

/// A rule that could not look.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct NotEnough {
    /// The rule's id.
    pub rule: String,
    /// What is missing.
    pub missing: String,
    /// How to record it.
    pub how: String,
}

/// Asks rules about a profile and chooses what is told.
#[must_use]
pub(crate) fn findings(facts: &Facts<'_>, rules: &[&dyn Rule], suppressions: &[Suppression]) -> Findings {
    let mut all = Findings::default();
    // Places that are as fast as the machine lets them be.
    let mut limits: Vec<Finding> = Vec::new();
    for rule in rules {
        let id = rule.about().id.to_owned();
        match outcome(facts, *rule) {
            Outcome::Findings(found) => {
                let (of_limits, found): (Vec<_>, Vec<_>) =
                    found.into_iter().partition(|finding| finding.is_limit);
                limits.extend(of_limits);
                let worth: Vec<Finding> = found.into_iter().filter(is_worth_telling).collect();
                if worth.is_empty() {
                    all.fine.push(id);
                }
                all.found.extend(worth);
            }
            Outcome::Fine => all.fine.push(id),
            Outcome::NotEnough { missing, how } => all.not_enough.push(NotEnough { rule: id, missing, how }),
        }
    }
    all.found.sort_by(|a, b| {
        let key = |finding: &Finding| (finding.gain.least(), finding.gain.most());
        let ((a_low, a_high), (b_low, b_high)) = (key(a), key(b));
        b_low.total_cmp(&a_low).then(b_high.total_cmp(&a_high)).then_with(|| a.rule.cmp(&b.rule))
    });
    by_users(&mut all, suppressions);
    let found = std::mem::take(&mut all.found);
    let causes = causes::of(&found, &limits, rules);
    for (finding, cause) in found.into_iter().zip(causes) {
        match cause {
            Some(rule) => all.suppressed.push(Suppressed { finding, by: SuppressedBy::Rule(rule) }),
            None => all.found.push(finding),
        }
    }
    all
}

/// What a rule says, if it can say anything.
fn outcome(facts: &Facts<'_>, rule: &dyn Rule) -> Outcome {
    let met: Vec<Met> = rule.about().needs.iter().map(|need: &Need| need.met(facts)).collect();
    if met.contains(&Met::Irrelevant) {
        return Outcome::Fine;
    }
    let unmet = met.into_iter().find_map(|met| match met {
        Met::No { missing, how } => Some(Outcome::NotEnough { missing, how }),
        _ => None,
    });
    unmet.unwrap_or_else(|| rule.judge(facts))
}

fn is_worth_telling(finding: &Finding) -> bool {
    let is_followed = finding.place.is_programs || finding.is_knob;
    finding.severity().is_some() && finding.gain.share.estimate >= LEAST_SHARE && is_followed
}

fn by_users(all: &mut Findings, suppressions: &[Suppression]) {
    let found = std::mem::take(&mut all.found);
    for finding in found {
        match suppressions.iter().find(|suppression| suppression.covers(&finding)) {
            Some(suppression) => {
                let by = SuppressedBy::User(suppression.reason.clone());
                all.suppressed.push(Suppressed { finding, by });
            }
            None => all.found.push(finding),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::findings::draft::Draft;
    use crate::findings::{About, Gain, Place, Severity, Share, Topic};

    /// A rule that finds what it is told.
    struct Told {
        id: &'static str,
        needs: &'static [Need],
        suppresses: &'static [&'static str],
        found: &'static [(&'static str, f64)],
    }

    impl Rule for Told {
        fn about(&self) -> About<'_> {
            let (needs, suppresses) = (self.needs, self.suppresses);
            About { id: self.id, version: 1, topic: Topic::Cpu, title: "", needs, suppresses }
        }

        fn judge(&self, _: &Facts<'_>) -> Outcome {
            let finding = |&(function, share): &(&str, f64)| {
                let is_programs = !function.starts_with("lib");
                let path = function.split('/').map(str::to_owned).collect();
                let place = Place { function: function.to_owned(), path, is_programs, ..Place::default() };
                Finding::new(&self.about(), "", place, Gain::removed(Share::exact(share), (1.0, 1.0), ""))
            };
            Outcome::of(self.found.iter().map(finding).collect())
        }
    }

    fn told(id: &'static str, found: &'static [(&'static str, f64)]) -> Told {
        Told { id, needs: &[], suppresses: &[], found }
    }

    fn judged(rules: &[Told], suppressions: &[Suppression]) -> Findings {
        let profile = Draft::new().profile();
        let rules: Vec<&dyn Rule> = rules.iter().map(|rule| rule as &dyn Rule).collect();
        findings(&Facts::new(&profile, None), &rules, suppressions)
    }

    fn ids(found: &[Finding]) -> Vec<(&str, &str)> {
        found.iter().map(|finding| (finding.rule.as_str(), finding.place.function.as_str())).collect()
    }

    #[test]
    fn what_gives_little_or_is_nobodys_is_fine() {
        let all = judged(
            &[told("SMALL", &[("main", 0.015)]), told("THEIRS", &[("lib", 0.5)]), told("NONE", &[])],
            &[],
        );
        assert_eq!((all.found.len(), all.fine), (0, ["SMALL", "THEIRS", "NONE"].map(str::to_owned).to_vec()));
    }

    #[test]
    fn the_largest_sure_gain_comes_first() {
        let all = judged(&[told("A", &[("x", 0.1), ("y", 0.3)]), told("B", &[("z", 0.2)])], &[]);
        assert_eq!(ids(&all.found), [("A", "y"), ("B", "z"), ("A", "x")]);
    }

    #[test]
    fn a_cause_takes_out_its_symptoms_on_the_same_path_alone() {
        let cause = Told { suppresses: &["SYMPTOM"], ..told("CAUSE", &[("run/load", 0.16)]) };
        let symptom = told("SYMPTOM", &[("run/load/copy", 0.3), ("run/save", 0.2)]);
        let all = judged(&[cause, symptom], &[]);
        assert_eq!(ids(&all.found), [("SYMPTOM", "run/save"), ("CAUSE", "run/load")]);
        assert_eq!(all.suppressed[0].by, SuppressedBy::Rule("CAUSE".to_owned()));
        assert!(all.fine.is_empty());
    }

    #[test]
    fn a_limit_is_not_told_and_takes_out_what_it_leaves_no_room_for() {
        struct Limit;
        impl Rule for Limit {
            fn about(&self) -> About<'_> {
                About {
                    id: "LIMIT",
                    version: 1,
                    topic: Topic::Cpu,
                    title: "",
                    needs: &[],
                    suppresses: &["SLOW"],
                }
            }

            fn judge(&self, _: &Facts<'_>) -> Outcome {
                let place =
                    Place { function: "x".to_owned(), path: vec!["x".to_owned()], ..Place::default() };
                let gain = Gain::removed(Share::exact(0.0), (0.0, 0.0), "");
                Outcome::of(vec![Finding::new(&self.about(), "", place, gain).as_limit()])
            }
        }
        let profile = Draft::new().profile();
        let slow = told("SLOW", &[("x", 0.3), ("y", 0.3)]);
        let all = findings(&Facts::new(&profile, None), &[&Limit, &slow], &[]);
        assert_eq!((ids(&all.found), all.fine), (vec![("SLOW", "y")], vec!["LIMIT".to_owned()]));
        assert_eq!(all.suppressed[0].by, SuppressedBy::Rule("LIMIT".to_owned()));
    }

    #[test]
    fn of_two_that_are_each_others_causes_the_larger_stays() {
        let one = Told { suppresses: &["B"], ..told("A", &[("x", 0.2)]) };
        let other = Told { suppresses: &["A"], ..told("B", &[("x", 0.3)]) };
        assert_eq!(ids(&judged(&[one, other], &[]).found), [("B", "x")]);
    }

    #[test]
    fn of_three_that_are_causes_in_a_circle_the_largest_stays() {
        let one = Told { suppresses: &["B"], ..told("A", &[("x", 0.3)]) };
        let two = Told { suppresses: &["C"], ..told("B", &[("x", 0.2)]) };
        let three = Told { suppresses: &["A"], ..told("C", &[("x", 0.4)]) };
        let all = judged(&[one, two, three], &[]);
        assert_eq!((ids(&all.found), all.suppressed.len()), (vec![("C", "x")], 2));
    }

    #[test]
    fn a_small_cause_elsewhere_on_the_path_does_not_hide_a_large_finding() {
        let cause = |share| {
            let found: &'static [(&str, f64)] =
                if share { &[("run/load", 0.21)] } else { &[("run/load", 0.19)] };
            Told { suppresses: &["SYMPTOM"], ..told("CAUSE", found) }
        };
        let symptom = || told("SYMPTOM", &[("run", 0.4)]);
        assert_eq!(ids(&judged(&[cause(true), symptom()], &[]).found), [("CAUSE", "run/load")]);
        let both = judged(&[cause(false), symptom()], &[]);
        assert_eq!(ids(&both.found), [("SYMPTOM", "run"), ("CAUSE", "run/load")]);
        // In one function the smaller may well be why: what calls cost is not what the loop around them costs.
        let same = Told { suppresses: &["SYMPTOM"], ..told("CAUSE", &[("run", 0.05)]) };
        assert_eq!(ids(&judged(&[same, symptom()], &[]).found), [("CAUSE", "run")]);
    }

    #[test]
    fn a_symptom_of_a_symptom_is_one() {
        let one = Told { suppresses: &["B"], ..told("A", &[("x", 0.2)]) };
        let two = Told { suppresses: &["C"], ..told("B", &[("x", 0.3)]) };
        assert_eq!(ids(&judged(&[one, two, told("C", &[("x", 0.4)])], &[]).found), [("A", "x")]);
    }

    #[test]
    fn users_suppress_a_rule_everywhere_or_in_a_function_and_then_it_suppresses_nothing() {
        let rules = || {
            [Told { suppresses: &["B"], ..told("A", &[("x", 0.2), ("y", 0.2)]) }, told("B", &[("x", 0.1)])]
        };
        let user = |function: Option<&str>| Suppression {
            function: function.map(str::to_owned),
            reason: "known".to_owned(),
            ..Suppression::of("A")
        };
        assert_eq!(ids(&judged(&rules(), &[user(None)]).found), [("B", "x")]);
        let all = judged(&rules(), &[user(Some("y"))]);
        assert_eq!(ids(&all.found), [("A", "x")]);
        assert_eq!(all.suppressed[0].by, SuppressedBy::User("known".to_owned()));
        assert_eq!(all.suppressed[1].by, SuppressedBy::Rule("A".to_owned()));
    }

    #[test]
    fn what_became_more_severe_than_what_was_suppressed_is_told_again() {
        let known = |up_to| Suppression { up_to: Some(up_to), ..Suppression::of("A") };
        let rules = || [told("A", &[("x", 0.2)])];
        assert_eq!(judged(&rules(), &[known(Severity::High)]).suppressed.len(), 1);
        assert_eq!(ids(&judged(&rules(), &[known(Severity::Medium)]).found), [("A", "x")]);
    }

    #[test]
    fn a_rule_without_its_data_is_not_fine_and_says_how_to_record_it() {
        let all = judged(&[Told { needs: &[Need::Heap], ..told("A", &[("x", 0.2)]) }], &[]);
        assert!(all.fine.is_empty() && all.found.is_empty());
        assert_eq!(all.not_enough[0].missing, "the heap");
        assert_eq!(all.not_enough[0].how, "calor record --heap -- PROGRAM");
    }

    #[test]
    fn a_rule_about_python_is_fine_where_there_is_none() {
        let profile = Draft::new().cpu(&["app::main@src/main.rs:1"], 200).profile();
        let rule = Told { needs: &[Need::CpuSamples, Need::Python], ..told("A", &[("x", 0.2)]) };
        let all = findings(&Facts::new(&profile, None), &[&rule], &[]);
        assert_eq!(all.fine, ["A"]);
        let few = Draft::new().cpu(&["app::main@src/main.rs:1"], 20).profile();
        let all = findings(&Facts::new(&few, None), &[&rule], &[]);
        assert!(all.not_enough[0].missing.contains("20, and 100 are needed"), "{:?}", all.not_enough);
    }
}
