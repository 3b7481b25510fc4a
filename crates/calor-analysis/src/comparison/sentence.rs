//! A comparison in a sentence, and what became of each function in a word: the same wherever it is shown.

use super::{CompareMetric, Comparison};
use crate::quantity::{signed_percent, times};
use crate::workload::Unlike;
use crate::{Circumstance, CommonCause, DifferenceInWords, FunctionDifference, Presence, Verdict};

impl Comparison {
    /// The verdict in one sentence, with effect and interval.
    #[must_use]
    pub fn headline(&self) -> String {
        if let Some(unlike) = &self.unlike {
            return self.without_verdict(unlike);
        }
        let word = match self.difference.verdict {
            Verdict::Regressed => "Regressed",
            Verdict::Improved => "Improved",
            Verdict::Same => "Same",
            Verdict::Undecided => "Undecided",
        };
        format!("{word}: {}.", self.in_words())
    }

    /// The same of sides that did different work, of which none is the other's regression.
    fn without_verdict(&self, unlike: &Unlike) -> String {
        let ratio = times(self.difference.after / self.difference.before);
        let what = self.measured();
        match unlike {
            Unlike::Models([before, after]) => {
                format!("Different models, so no verdict: {after} has {ratio} the {what} of {before}.")
            }
            Unlike::Lengths([before, after]) => {
                // Sides may have other numbers of inferences as well, so this is of all of them.
                format!(
                    "Different work, so no verdict: {after}, against {before} before; all of them together took {ratio} the {what}."
                )
            }
        }
    }

    /// What stands in it behind the verdict, part by part.
    #[must_use]
    pub fn in_words(&self) -> DifferenceInWords {
        let mut words = self.difference.in_words(self.measured());
        if self.difference.common.cause == CommonCause::Build && self.may_be_the_command() {
            let moved = signed_percent(self.difference.common.change.effect);
            words.moved =
                Some(format!("the build or the command moved everything by {moved}, the machine did not"));
        }
        words
    }

    /// What was compared: a difference knows kinds of figures, and not what they are of.
    fn measured(&self) -> &str {
        match &self.metric {
            CompareMetric::Events(name) => name,
            CompareMetric::Scopes => "time in scopes",
            CompareMetric::OffCpu => "time waited",
            _ => self.difference.metric.name(),
        }
    }

    /// Whether the sides were given different things to do: then it need not be the build that moved everything.
    #[must_use]
    pub fn may_be_the_command(&self) -> bool {
        let is_work = |what: &Circumstance| matches!(what, Circumstance::Command | Circumstance::Label(_));
        self.mismatches.iter().any(|mismatch| is_work(&mismatch.what))
    }

    /// What else changed beyond doubt, where what was compared leaves it open; `None` where nothing did.
    #[must_use]
    pub fn decided_elsewhere(&self) -> Option<String> {
        if self.difference.verdict != Verdict::Undecided || self.is_of_other_work() {
            return None;
        }
        let others = self.others.iter();
        let others = others.map(|(metric, found)| (metric.total_name(), found.verdict, found.change));
        let wholes = self.wholes.iter().filter_map(|whole| Some((whole.of, whole.judged?)));
        let wholes = wholes.map(|(of, found)| (of.name().to_owned(), found.verdict, found.change));
        let changed = others.chain(wholes).filter(|(_, verdict, _)| verdict.is_change());
        let changed: Vec<String> = changed
            .filter_map(|(name, verdict, change)| Some(format!("{name} {verdict}, {}", change?)))
            .collect();
        (!changed.is_empty()).then(|| format!("Decided all the same: {}.", changed.join("; ")))
    }

    /// What became of a function, as a word of a table.
    #[must_use]
    pub fn word_of(&self, function: &FunctionDifference) -> &'static str {
        match (function.verdict, function.suspected, &function.presence) {
            (Verdict::Regressed, ..) => "regressed",
            (Verdict::Improved, ..) => "improved",
            // A sample or two are there or not by chance.
            (_, _, Presence::New) if self.is_change(function) => "new",
            (_, _, Presence::Vanished) if self.is_change(function) => "vanished",
            (_, Some(suspected), _) if suspected.is_change() => "suspected",
            (_, Some(Verdict::Same), _) | (Verdict::Same, ..) => "same",
            _ => "undecided",
        }
    }
}
