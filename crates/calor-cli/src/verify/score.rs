//! How often predictions were right, in all and by rule.

use std::collections::BTreeMap;

use anyhow::Result;
use calor_analysis::share_interval;
use calor_store::Verification;
use calor_wire::Envelope;
use calor_wire::verify::MeasuredGain;
use calor_wire::verify_score::{self, KeptVerification, RuleTally, Score};

use crate::store::{minute, rows};

/// What predictions are meant to reach: the gain lies in the interval four times in five.
const GOAL: f64 = 0.8;

/// Verifications of one kind.
#[derive(Clone, Copy, Default)]
struct Tally {
    n: u64,
    delivered: u64,
    less: u64,
    more: u64,
}

impl Tally {
    fn of<'v>(kept: impl Iterator<Item = &'v Verification>) -> Self {
        let mut tally = Self::default();
        for one in kept {
            tally.n += 1;
            match one.outcome.as_str() {
                "delivered" => tally.delivered += 1,
                "less" => tally.less += 1,
                "more" => tally.more += 1,
                _ => {}
            }
        }
        tally
    }

    /// Those that were decided.
    fn n_decided(self) -> u64 {
        self.delivered + self.less + self.more
    }

    fn undecided(self) -> u64 {
        self.n - self.n_decided()
    }

    /// For scripts.
    fn wire(self) -> verify_score::Tally {
        verify_score::Tally {
            verified: self.n,
            delivered: self.delivered,
            less: self.less,
            more: self.more,
            undecided: self.undecided(),
            share: self.share(),
        }
    }

    /// The part of the decided that was delivered.
    fn share(self) -> Option<f64> {
        (self.n_decided() > 0).then(|| self.delivered as f64 / self.n_decided() as f64)
    }
}

fn by_rule(kept: &[Verification]) -> BTreeMap<&str, Tally> {
    let mut rules: BTreeMap<&str, Vec<&Verification>> = BTreeMap::new();
    for one in kept {
        rules.entry(&one.rule).or_default().push(one);
    }
    rules.into_iter().map(|(rule, kept)| (rule, Tally::of(kept.into_iter()))).collect()
}

pub(super) fn text(kept: &[Verification], width: usize) -> String {
    let all = Tally::of(kept.iter());
    let Some(share) = all.share() else {
        return match all.n {
            0 => "nothing was verified yet: `calor verify FINDING 'BEFORE' 'AFTER'` measures what a change gave\n".to_owned(),
            n => format!("{n} verified, none of them decided: give `calor verify` more time with --max-time\n"),
        };
    };
    let interval = share_interval(all.delivered, all.n_decided()).map_or_else(String::new, |(low, high)| {
        format!(" (95 % interval {:.0} to {:.0} %)", low * 100.0, high * 100.0)
    });
    let mut page = format!(
        "{} of {} gains lay in the predicted interval: {:.0} %{interval}; the goal is {:.0} %\n\n",
        all.delivered,
        all.n_decided(),
        share * 100.0,
        GOAL * 100.0
    );
    let row = |(rule, tally): (&str, Tally)| {
        let share = tally.share().map_or_else(String::new, |share| format!("{:.0} %", share * 100.0));
        let counts = [tally.delivered, tally.less, tally.more, tally.undecided()].map(|n| n.to_string());
        [vec![rule.to_owned(), share], counts.to_vec()].concat()
    };
    let table: Vec<Vec<String>> = by_rule(kept).into_iter().map(row).collect();
    page += &rows(&["RULE", "RIGHT", "DELIVERED", "LESS", "MORE", "UNDECIDED"], &table, width);
    let last = kept.iter().rev().take(5).map(|one| {
        let [low, high] = one.predicted;
        vec![
            minute(one.at_unix_nanos),
            one.rule.clone(),
            format!("{low:.2}x to {high:.2}x"),
            format!("{:.2}x", one.measured),
            one.outcome.clone(),
            brief(&one.place).to_owned(),
        ]
    });
    page.push('\n');
    page + &rows(
        &["WHEN (UTC)", "RULE", "PREDICTED", "MEASURED", "OUTCOME", "WHERE"],
        &last.collect::<Vec<_>>(),
        width,
    )
}

/// A place without the folders of its file: the end is what tells it apart.
fn brief(place: &str) -> &str {
    let source = place.split(" in ").next().unwrap_or(place);
    source.rfind('/').map_or(place, |at| &place[at + 1..])
}

pub(super) fn json(kept: &[Verification]) -> Result<String> {
    let rules = by_rule(kept).into_iter().map(|(rule, tally)| RuleTally { rule, tally: tally.wire() });
    let body = Score {
        goal: GOAL,
        all: Tally::of(kept.iter()).wire(),
        rules: rules.collect(),
        verifications: kept.iter().map(row).collect(),
    };
    Ok(Envelope::unwarned(body).text_by_name()?)
}

fn row(one: &Verification) -> KeptVerification<'_> {
    KeptVerification {
        at_ns: one.at_unix_nanos,
        rule: &one.rule,
        version: one.version,
        r#where: &one.place,
        metric: &one.metric,
        predicted: one.predicted.into(),
        measured: MeasuredGain::new(one.measured, one.measured_interval),
        outcome: &one.outcome,
    }
}

#[cfg(test)]
mod tests {
    use serde_json::Value;

    use super::*;

    fn kept(outcomes: &[(&str, &str)]) -> Vec<Verification> {
        let one = |(rule, outcome): &(&str, &str)| {
            let mut one = Verification::default();
            (one.rule, one.outcome) = ((*rule).to_owned(), (*outcome).to_owned());
            one.predicted = [1.1, 1.4];
            one
        };
        outcomes.iter().map(one).collect()
    }

    #[test]
    fn the_score_is_of_what_was_decided() {
        let kept = kept(&[
            ("A", "delivered"),
            ("A", "delivered"),
            ("A", "less"),
            ("B", "delivered"),
            ("B", "undecided"),
        ]);
        let page = text(&kept, 100);
        assert!(page.starts_with("3 of 4 gains lay in the predicted interval: 75 %"), "{page}");
        let value: Value = serde_json::from_str(&json(&kept).unwrap()).unwrap();
        assert_eq!((&value["all"]["share"], &value["rules"][1]["undecided"]), (&0.75.into(), &1.into()));
        assert_eq!(value["verifications"].as_array().unwrap().len(), 5);
    }

    #[test]
    fn places_are_told_by_their_ends() {
        assert_eq!(brief("/home/me/src/load.rs:7 in a/b::load"), "load.rs:7 in a/b::load");
        assert_eq!((brief("load.rs:7 in load"), brief("load")), ("load.rs:7 in load", "load"));
    }

    #[test]
    fn without_a_decided_one_there_is_no_score() {
        assert!(text(&[], 100).starts_with("nothing was verified yet"));
        assert!(text(&kept(&[("A", "undecided")]), 100).starts_with("1 verified, none"));
        let value: Value = serde_json::from_str(&json(&[]).unwrap()).unwrap();
        assert!(value["all"]["share"].is_null());
    }
}
