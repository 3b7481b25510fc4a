//! A comparison at the gate, and what has to be run before it is settled: a machine that was busy with other work for a while
//! slows runs that follow each other, however many they are, so what is worse is looked at a second time. Programs that take
//! turns do so once more where it is open: that helps, as more runs at another time than the baseline's do not.

use super::verdict::{gate, is_hidden_by_machine, is_settled, worst};
use crate::comparison::Comparison;
use crate::{DifferenceInWords, Verdict};

/// Runs held against others, as a gate sees it.
#[derive(Clone, Debug)]
pub struct GatedComparison {
    /// What it came to by itself.
    pub comparison: Comparison,
    /// Whether both sides took turns.
    pub is_interleaved: bool,
    /// Whether runs that were recorded once more were not worse.
    is_refuted: bool,
}

/// What is run before a gate says what came of it.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum NextLook {
    /// The runs that are checked, as often again: they were worse.
    Again,
    /// Both sides, as many turns again: it is not sure yet.
    MoreTurns,
}

impl GatedComparison {
    /// After the first look.
    #[must_use]
    pub fn new(comparison: Comparison, is_interleaved: bool) -> Self {
        Self { comparison, is_interleaved, is_refuted: false }
    }

    /// What to run next; `None` where nothing more can be run, or need be.
    #[must_use]
    pub fn next_look(&self, can_run: bool) -> Option<NextLook> {
        let difference = &self.comparison.difference;
        match self.judged() {
            _ if !can_run || self.comparison.is_of_other_work() => None,
            Verdict::Regressed if !self.is_interleaved => Some(NextLook::Again),
            verdict => {
                let is_open = difference.n_runs[1] > 1 && !is_settled(difference, verdict);
                (self.is_interleaved && is_open).then_some(NextLook::MoreTurns)
            }
        }
    }

    /// After runs that were recorded once more: those by themselves, and all together.
    #[must_use]
    pub fn after_again(again: Comparison, all: Comparison) -> Self {
        let is_refuted = Self::new(again, false).judged() != Verdict::Regressed;
        Self { is_refuted, ..Self::new(all, false) }
    }

    fn judged(&self) -> Verdict {
        match self.comparison.is_of_other_work() {
            true => Verdict::Undecided,
            false => gate(&self.comparison.difference, self.is_interleaved),
        }
    }

    /// What the gate makes of it.
    #[must_use]
    pub fn verdict(&self) -> Verdict {
        match self.judged() {
            Verdict::Regressed if self.is_refuted => Verdict::Undecided,
            verdict => verdict,
        }
    }

    /// Whether more runs at other times would not tell, since it may have been the machine.
    pub(super) fn may_be_the_machine(&self) -> bool {
        self.comparison.difference.common.may_be_the_machine() || self.is_hidden() || self.is_refuted
    }

    /// Whether a machine that became faster may hide a program that became slower.
    fn is_hidden(&self) -> bool {
        !self.is_interleaved && is_hidden_by_machine(&self.comparison.difference)
    }

    /// What it came to, in a sentence.
    #[must_use]
    pub fn headline(&self) -> String {
        let difference = &self.comparison.difference;
        let words = self.comparison.in_words();
        let is_single = difference.n_runs.contains(&1) && difference.n_rounds.is_none();
        match self.verdict() {
            _ if self.comparison.is_of_other_work() => self.comparison.headline(),
            // More runs would tell as well, of which there is advice below.
            _ if is_single => {
                let words = DifferenceInWords { needs: None, ..words };
                format!("Undecided: {words}; one run on a side is too few to tell.")
            }
            verdict if verdict == difference.verdict => self.comparison.headline(),
            // More runs would tell whether it is better, which nobody asked for.
            Verdict::Same => {
                let words = DifferenceInWords { needs: None, ..words };
                let margin = part(difference.margin);
                let most = match worst(difference).map_or(0.0, |worst| (worst * 1e3).round() / 1e3) {
                    worst if worst > 0.0 => format!("at most {} worse", part(worst)),
                    _ => "no worse".to_owned(),
                };
                // Runs of another time had another machine: of that nobody is certain.
                let sure =
                    if self.is_interleaved { " with 95 % certainty" } else { ", as far as these runs tell" };
                format!("Not worse by more than {margin}: {words}; {most}{sure}.")
            }
            _ if self.is_refuted => {
                format!("Undecided: {words}; the first half of the runs was slower, the second was not.")
            }
            _ if self.is_hidden() => {
                let canary = difference.common.canary.map_or(0.0, |canary| -canary.effect);
                let faster = part((canary * 1e3).round() / 1e3);
                let words = DifferenceInWords { needs: None, ..words };
                format!(
                    "Undecided: {words}; the machine was {faster} faster after, and the program did not follow."
                )
            }
            _ => format!("Undecided: {words}; all functions moved alike, by more than the machine explains."),
        }
    }
}

/// A part as it is typed.
fn part(part: f64) -> String {
    format!("{}%", (part * 1e4).round() / 1e2)
}
