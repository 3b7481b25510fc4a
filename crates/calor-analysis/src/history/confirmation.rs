//! Both sides of a change run again, in turns, before anybody is accused: a history is of runs on different days, and a
//! machine has better and worse ones.

use crate::{Change, Comparison, RunChange, Verdict};

/// Both sides of a change, run again in turns.
#[derive(Clone, Debug)]
pub struct HistoryConfirmation {
    /// What was run as the side before, and as the side after.
    pub sides: [String; 2],
    /// What that came to.
    pub verdict: Verdict,
    /// By how much the side after differs from the side before.
    pub change: Option<Change>,
    /// How often each was run.
    pub n_pairs: usize,
    /// The verdict for people.
    pub sentence: String,
    /// Whether the change is there, as a sentence.
    pub conclusion: String,
}

impl HistoryConfirmation {
    /// What the turns came to for a change of the whole program, or of a scope of it.
    #[must_use]
    pub fn new(change: &RunChange, found: &Comparison, scope: Option<&str>, sides: [String; 2]) -> Self {
        Self {
            conclusion: conclusion(change, found, scope),
            sentence: found.to_string(),
            verdict: found.verdict,
            change: found.change,
            n_pairs: found.n_pairs,
            sides,
        }
    }
}

/// Whether the change is there.
fn conclusion(change: &RunChange, found: &Comparison, scope: Option<&str>) -> String {
    let is_same_way = match found.verdict {
        Verdict::Regressed => Some(change.change.effect > 0.0),
        Verdict::Improved => Some(change.change.effect < 0.0),
        Verdict::Same => Some(false),
        Verdict::Undecided => None,
    };
    let whole = match scope {
        Some(scope) => format!(" What was run again is the whole program, of which {scope} is a part."),
        None => String::new(),
    };
    match is_same_way {
        Some(true) => "Confirmed: the change is there when both sides take turns.".to_owned(),
        Some(false) => format!(
            "Not confirmed: when both sides take turns, that change is not there; it was the machine, or what the program was \
             given.{whole}"
        ),
        None => format!(
            "Not confirmed yet: the sides could not be told apart; --max-time 5m gives it longer.{whole}"
        ),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{ChangeCause, Metric};

    #[test]
    fn a_change_is_confirmed_by_one_of_the_same_way_alone() {
        let change = |effect: f64| RunChange {
            at: 1,
            before: 0,
            change: Change { effect, interval: [effect, effect] },
            levels: [1.0, 1.0 + effect],
            p_value: 0.001,
            cause: ChangeCause::Unknown,
        };
        let found = |verdict: Verdict| Comparison {
            variant: 1,
            verdict,
            doubt: None,
            change: None,
            same_interval: None,
            n_pairs: 10,
            metric: Metric::Cpu,
            margin: 0.02,
            smallest_detectable: None,
            needs_pairs: None,
            null_control: None,
        };
        for (effect, verdict, expected) in [
            (0.1, Verdict::Regressed, "Confirmed"),
            (-0.1, Verdict::Improved, "Confirmed"),
            (0.1, Verdict::Improved, "Not confirmed: "),
            (0.1, Verdict::Same, "Not confirmed: "),
            (0.1, Verdict::Undecided, "Not confirmed yet"),
        ] {
            let text = conclusion(&change(effect), &found(verdict), None);
            assert!(text.starts_with(expected), "{text}");
        }
        let text = conclusion(&change(0.1), &found(Verdict::Same), Some("parse"));
        assert!(text.contains("of which parse is a part"), "{text}");
    }
}
