//! What follows from two counters together, in words.

use calor_analysis::quantity::{percent, rate};
use calor_analysis::{CounterRelation, counter_relation};

use super::outcome::{Outcome, Source};

/// The words beside a counter; `None` where nothing follows.
pub(super) fn beside(outcome: &Outcome, name: &str) -> Option<String> {
    let is_simulated = outcome.rows.iter().any(|row| row.source == Source::Simulated);
    Some(match counter_relation(name, |name| outcome.mean(name), is_simulated)? {
        CounterRelation::Share(share, words) => format!("{} {words}", percent(share)),
        CounterRelation::Each(each, words) => format!("{each:.2} {words}"),
        CounterRelation::PerSecond(per_second) => rate(per_second),
    })
}

#[cfg(test)]
mod tests {
    use calor_record::counters::Unit;

    use super::super::outcome::Row;
    use super::*;
    use calor_analysis::Spread;

    fn outcome(values: &[(&str, f64)]) -> Outcome {
        let row = |(name, value): &(&str, f64)| Row {
            name: (*name).to_owned(),
            source: Source::Hardware,
            unit: Unit::Count,
            spread: Spread::of(&[*value]),
            counted_share: 1.0,
        };
        Outcome {
            command: String::new(),
            runs: 1,
            warmup: 0,
            rows: values.iter().map(row).collect(),
            simulation: None,
            absences: Vec::new(),
            warnings: Vec::new(),
            exit_code: 0,
        }
    }

    #[test]
    fn relations_need_both_counters() {
        let both = outcome(&[("instructions", 300.0), ("cycles", 200.0), ("task-clock", 100.0)]);
        assert_eq!(beside(&both, "instructions").as_deref(), Some("1.50 per cycle"));
        assert_eq!(beside(&both, "cycles").as_deref(), Some("2.00 GHz"));
        let alone = outcome(&[("instructions", 300.0), ("cycles", 0.0), ("branch-misses", 3.0)]);
        assert_eq!((beside(&alone, "instructions"), beside(&alone, "branch-misses")), (None, None));
    }

    #[test]
    fn shares_and_rates_have_units() {
        let found = outcome(&[
            ("branches", 1_000.0),
            ("branch-misses", 25.0),
            ("task-clock", 1e9),
            ("page-faults", 1_234_000.0),
        ]);
        assert_eq!(beside(&found, "branch-misses").as_deref(), Some("2.5 % of branches"));
        assert_eq!(beside(&found, "page-faults").as_deref(), Some("1.23 M/s"));
    }
}
