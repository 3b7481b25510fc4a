//! What to do next where an experiment did not decide.

use std::time::Duration;

use calor_analysis::{Comparison, Doubt, Metric};
use calor_report::quantity::counted;

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
            let told = |n: usize| format!(": about {} more would tell", counted(n as u64, "pair"));
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
    use calor_analysis::{Change, Verdict};

    use super::super::outcome::Series;
    use super::super::rounds::Plan;
    use super::*;

    #[test]
    fn times_are_rounded_up_to_what_people_type() {
        let of = |seconds: u64| time(Duration::from_secs(seconds));
        assert_eq!(
            [of(1), of(61), of(90), of(91), of(3_601), of(5_401)],
            ["10s", "70s", "90s", "2m", "61m", "2h"]
        );
    }

    fn undecided(doubt: Doubt, effect: f64, interval: [f64; 2], needs_pairs: Option<usize>) -> Comparison {
        Comparison {
            variant: 1,
            verdict: Verdict::Undecided,
            doubt: Some(doubt),
            change: Some(Change { effect, interval }),
            n_pairs: 20,
            metric: Metric::Wall,
            margin: 0.02,
            smallest_detectable: None,
            needs_pairs,
            null_control: None,
        }
    }

    fn check(found: Comparison, cpu_share: f64) -> Vec<String> {
        let plan = Plan {
            metric: Metric::Wall,
            margin: 0.02,
            warmup: 0,
            max_time: Duration::from_secs(60),
            max_pairs: 1_000,
            seed: 0,
            shows_output: false,
            has_standard_output: true,
        };
        let series = |metric, value| Series { metric, values: vec![vec![value]; 2] };
        advice(&Outcome {
            plan,
            variants: Vec::new(),
            comparisons: vec![found],
            series: vec![series(Metric::Wall, 1.0), series(Metric::Cpu, cpu_share)],
            n_pairs: 20,
            elapsed: Duration::from_secs(60),
            round: Duration::from_secs(3),
            is_interrupted: false,
            warnings: Vec::new(),
            advice: Vec::new(),
        })
    }

    #[test]
    fn advice_follows_from_why_it_is_undecided() {
        let unclear = undecided(Doubt::NotClear, 0.01, [-0.01, 0.04], Some(100));
        let told = check(unclear.clone(), 0.9);
        assert_eq!(told.len(), 3, "{told:?}");
        assert_eq!(told[0], "run it again with `--max-time 7m`: about 100 pairs more would tell");
        assert!(told[1].contains("`--margin 5%`") && told[2].contains("`--metric cpu`"), "{told:?}");
        assert_eq!(check(unclear, 0.1).len(), 2, "CPU time says little of a command that waits");
        let many = undecided(Doubt::NotClear, 0.01, [-0.5, 0.5], Some(5_000));
        assert!(check(many, 0.1)[0].contains("`--max-time 5h --max-pairs 5020`"));
        let few = undecided(Doubt::TooFewPairs, 0.0, [0.0, 0.0], None);
        assert_eq!(check(few, 0.1), ["run it again with `--max-time 4m`, for about 50 pairs"]);
        let unstable = undecided(Doubt::UnstableMachine, 0.1, [0.05, 0.15], Some(9));
        assert!(check(unstable, 0.1)[0].contains("what else runs on the machine"));
    }
}
