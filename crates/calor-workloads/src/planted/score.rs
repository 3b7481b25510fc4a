//! How right the findings on planted programs and their twins are. Tests and benchmarks count with this and nothing else.

use super::Case;

/// A finding that was told.
#[derive(Clone, PartialEq, Debug)]
pub struct Told {
    /// The rule's id.
    pub rule: String,
    /// The function it is about.
    pub function: String,
    /// The gain of the whole program, at least and at most.
    pub gain: (f64, f64),
}

/// What was told of a planted program and of its healthy twin, in the order in which it was told.
#[derive(Clone, Debug)]
pub struct Trial {
    /// The case.
    pub case: Case,
    /// The function with the bottleneck; none where it is the whole program's.
    pub function: Option<String>,
    /// Of the program with the bottleneck.
    pub planted: Vec<Told>,
    /// Of the one without.
    pub healthy: Vec<Told>,
}

impl Trial {
    /// The first finding that is right.
    #[must_use]
    pub fn found(&self) -> Option<&Told> {
        self.planted.iter().find(|told| self.is_right(told))
    }

    /// Whether the finding that is told first is right.
    #[must_use]
    pub fn is_first(&self) -> bool {
        self.planted.first().is_some_and(|told| self.is_right(told))
    }

    /// Whether the rule of the case finds in the healthy twin what is not there.
    #[must_use]
    pub fn is_found_in_twin(&self) -> bool {
        self.healthy.iter().any(|told| told.rule == self.case.rule)
    }

    /// Whether a finding on the planted program names its bottleneck: by a rule that is right, at its function.
    #[must_use]
    pub fn is_right(&self, told: &Told) -> bool {
        let is_rule = told.rule == self.case.rule || self.case.also_right.contains(&told.rule.as_str());
        is_rule && self.function.as_deref().is_none_or(|function| is_in(&told.function, function))
    }
}

/// Whether a name, as `app::Table::load::{closure}`, is of a function or of something within it.
fn is_in(name: &str, function: &str) -> bool {
    name.split(|c: char| !c.is_alphanumeric() && c != '_').any(|part| part == function)
}

/// How often the findings were right.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Score {
    /// Planted programs.
    pub n_planted: usize,
    /// Those whose bottleneck was found.
    pub n_found: usize,
    /// Those of which it was told first.
    pub n_first: usize,
    /// Findings that were told, of all programs.
    pub n_told: usize,
    /// Those of them that name a bottleneck which is there.
    pub n_right: usize,
    /// Healthy programs, twins and others.
    pub n_healthy: usize,
    /// Findings on these.
    pub n_false: usize,
}

impl Score {
    /// The score of trials, and of what was told of healthy programs that have no twin.
    #[must_use]
    pub fn of<'t>(trials: impl IntoIterator<Item = &'t Trial>, healthy: &[Vec<Told>]) -> Self {
        let mut score = Self::default();
        for trial in trials {
            score.n_planted += 1;
            score.n_found += usize::from(trial.found().is_some());
            score.n_first += usize::from(trial.is_first());
            score.n_right += trial.planted.iter().filter(|told| trial.is_right(told)).count();
            score.n_told += trial.planted.len();
            score.add_healthy(&trial.healthy);
        }
        healthy.iter().for_each(|told| score.add_healthy(told));
        score
    }

    fn add_healthy(&mut self, told: &[Told]) {
        self.n_healthy += 1;
        self.n_false += told.len();
        self.n_told += told.len();
    }

    /// The part of the bottlenecks that was found.
    #[must_use]
    pub fn recall(&self) -> f64 {
        part(self.n_found, self.n_planted)
    }

    /// The part of the findings that was right.
    #[must_use]
    pub fn precision(&self) -> f64 {
        part(self.n_right, self.n_told)
    }

    /// The part of the bottlenecks that was told before anything else.
    #[must_use]
    pub fn first(&self) -> f64 {
        part(self.n_first, self.n_planted)
    }

    /// False findings on a healthy program.
    #[must_use]
    pub fn false_findings(&self) -> f64 {
        part(self.n_false, self.n_healthy)
    }
}

fn part(n: usize, of: usize) -> f64 {
    n as f64 / of.max(1) as f64
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::planted::cases;

    fn told(rule: &str, function: &str) -> Told {
        Told { rule: rule.to_owned(), function: function.to_owned(), gain: (1.1, 1.5) }
    }

    fn trial(planted: &[Told], healthy: &[Told]) -> Trial {
        let case = Case { rule: "A-COPY", also_right: &["A-LOOP"], ..cases()[0] };
        let function = Some("load_row".to_owned());
        Trial { case, function, planted: planted.to_vec(), healthy: healthy.to_vec() }
    }

    #[test]
    fn a_finding_is_right_by_its_rule_and_its_function() {
        let trial = trial(&[], &[]);
        for (rule, function, expected) in [
            ("A-COPY", "app::load_row", true),
            ("A-LOOP", "<app::Table>::load_row::{closure}", true),
            ("A-COPY", "app::load_rows", false),
            ("A-LEAK", "app::load_row", false),
        ] {
            assert_eq!(trial.is_right(&told(rule, function)), expected, "{rule} {function}");
        }
    }

    #[test]
    fn a_score_counts_what_was_found_first_right_and_false() {
        let right = told("A-COPY", "app::load_row");
        let other = told("A-LEAK", "app::main");
        let trials = [
            trial(std::slice::from_ref(&right), &[]),
            trial(&[other.clone(), right.clone()], &[right]),
            trial(&[other], &[]),
        ];
        let score = Score::of(&trials, &[Vec::new()]);
        assert_eq!((score.n_planted, score.n_found, score.n_first), (3, 2, 1));
        assert_eq!((score.n_told, score.n_right, score.n_healthy, score.n_false), (5, 2, 4, 1));
        assert!((score.recall() - 2.0 / 3.0).abs() < 1e-9 && (score.precision() - 0.4).abs() < 1e-9);
        assert!((score.false_findings() - 0.25).abs() < 1e-9 && (score.first() - 1.0 / 3.0).abs() < 1e-9);
        assert!(trials[1].is_found_in_twin() && !trials[0].is_found_in_twin());
    }

    #[test]
    fn nothing_has_no_score_to_be_proud_of() {
        assert_eq!(Score::of(&[], &[]).recall(), 0.0);
    }
}
