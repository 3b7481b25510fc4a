//! What to do next where an experiment did not decide.

use std::time::Duration;

use calor_analysis::{Comparison, Doubt, Metric};
use calor_report::quantity::count;

use super::middle::Middle;
use super::outcome::{Outcome, percent};
use super::rounds::FEWEST_PAIRS;

/// So many pairs tell most changes that people care for.
const ENOUGH: usize = 50;
/// Margins that people take.
const MARGINS: [f64; 4] = [0.03, 0.05, 0.1, 0.2];

/// Sentences, the most helpful first; none where all is decided.
pub(super) fn advice(outcome: &Outcome) -> Vec<String> {
    let mut sentences: Vec<String> = Vec::new();
    for found in &outcome.comparisons {
        for sentence in of_one(outcome, found) {
            if !sentences.contains(&sentence) {
                sentences.push(sentence);
            }
        }
    }
    sentences
}

fn of_one(outcome: &Outcome, found: &Comparison) -> Vec<String> {
    match found.doubt {
        None => Vec::new(),
        Some(Doubt::TooFewPairs) => vec![more(outcome, ENOUGH) + &format!(", for about {ENOUGH} pairs")],
        Some(Doubt::NotClear) => {
            let told = |n: usize| format!(": about {} pairs more would tell", count(n as u64));
            let more = found.needs_pairs.map(|n| more(outcome, n.max(FEWEST_PAIRS)) + &told(n));
            more.into_iter().chain(wider_margin(found)).chain(steadier(outcome)).collect()
        }
        Some(Doubt::UnstableMachine) => {
            let quiet = "end what else runs on the machine, or take another one, and try again".to_owned();
            std::iter::once(quiet).chain(steadier(outcome)).collect()
        }
    }
}

/// Options that let so many more pairs happen.
fn more(outcome: &Outcome, n_more: usize) -> String {
    let n_pairs = outcome.n_pairs + n_more;
    let wanted = outcome.elapsed + outcome.round.saturating_mul(u32::try_from(n_more).unwrap_or(u32::MAX));
    // A little longer, since the rounds to come may be.
    let wanted = wanted.saturating_mul(11) / 10;
    let mut options = Vec::new();
    if wanted > outcome.plan.max_time {
        options.push(format!("--max-time {}", time(wanted)));
    }
    if n_pairs > outcome.plan.max_pairs {
        options.push(format!("--max-pairs {n_pairs}"));
    }
    match options.is_empty() {
        true => "run it again, to its end".to_owned(),
        false => format!("run it again with `{}`", options.join(" ")),
    }
}

/// A margin within which all that is possible lies already.
fn wider_margin(found: &Comparison) -> Option<String> {
    let [low, high] = found.change?.interval;
    let most = low.abs().max(high.abs());
    let margin = MARGINS.into_iter().find(|margin| *margin > most && *margin > found.margin)?;
    let margin = percent(margin).replace(".0", "").replace(' ', "");
    Some(format!("where less does not matter, `--margin {margin}` would do with about as many pairs"))
}

/// Of commands that compute most of the time, CPU time tells more than the clock on the wall.
fn steadier(outcome: &Outcome) -> Option<String> {
    let median = |metric: Metric| {
        let series = outcome.series.iter().find(|series| series.metric == metric)?;
        Middle::of(series.values.first()?).map(|middle| middle.median)
    };
    let computes = median(Metric::Cpu)? >= median(Metric::Wall)? / 2.0;
    let sentence = "wall time is disturbed by all that runs on the machine: `--metric cpu` needs fewer pairs";
    (outcome.plan.metric == Metric::Wall && computes).then(|| sentence.to_owned())
}

/// A time as it is typed, rounded up.
pub(super) fn time(time: Duration) -> String {
    let seconds = time.as_secs_f64();
    match seconds {
        seconds if seconds <= 90.0 => format!("{:.0}s", (seconds / 10.0).ceil() * 10.0),
        seconds if seconds <= 5_400.0 => format!("{:.0}m", (seconds / 60.0).ceil()),
        seconds => format!("{:.0}h", (seconds / 3_600.0).ceil()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn times_are_rounded_up_to_what_people_type() {
        let of = |seconds: u64| time(Duration::from_secs(seconds));
        assert_eq!(
            [of(1), of(61), of(90), of(91), of(3_601), of(5_401)],
            ["10s", "70s", "90s", "2m", "61m", "2h"]
        );
    }
}
