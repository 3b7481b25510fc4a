//! What to do next where an experiment did not decide: one piece of advice for all that is undecided, and other ways to the
//! same end.

use std::time::Duration;

use super::outcome::{ExperimentOutcome, ExperimentPlan, percent};
use super::{Comparison, Doubt, FEWEST_PAIRS, Middle, short};
use crate::Metric;
use crate::quantity::{counted, duration};

/// So many pairs tell most changes that people care for.
const ENOUGH: usize = 50;
/// And so many where the few that there are agree on a change many times their spread.
const PLAIN_ENOUGH: usize = 10;
/// Margins that people take.
const MARGINS: [f64; 3] = [0.03, 0.05, 0.1];
/// Whoever asked for a margin does not want one many times as wide.
const WIDER: f64 = 5.0;
/// Longer than this nobody waits.
const LONGEST: Duration = Duration::from_secs(24 * 3600);

/// Sentences, the most helpful first, of which one will do; none where all is decided.
pub(super) fn advice(outcome: &ExperimentOutcome) -> Vec<String> {
    let of = |doubt: Doubt| outcome.comparisons.iter().filter(move |found| found.doubt == Some(doubt));
    if of(Doubt::TooFewPairs).next().is_some() {
        let n = if of(Doubt::TooFewPairs).all(is_plain) { PLAIN_ENOUGH } else { ENOUGH };
        let wanted = outcome.wanted.filter(|_| n == ENOUGH);
        let wanted = wanted.unwrap_or_else(|| with_more(outcome.elapsed, outcome.round, n));
        let again = again(outcome, wanted, outcome.n_pairs.max(n));
        return vec![format!("{again}, for about {n} pairs")];
    }
    if of(Doubt::UnstableMachine).next().is_some() {
        let quiet = "end what else runs on the machine, or take another one, and try again".to_owned();
        return std::iter::once(quiet).chain(steadier(outcome)).collect();
    }
    let unclear: Vec<&Comparison> = of(Doubt::NotClear).collect();
    if unclear.is_empty() {
        return Vec::new();
    }
    if outcome.warnings.iter().any(|warning| warning.message.contains(short::WAITS)) {
        return vec![format!("{}: their time on a processor tells little", short::WAITS)];
    }
    if outcome.warnings.iter().any(|warning| warning.code == short::TOO_SHORT) {
        return vec!["let the commands do more work first: of so little, more pairs tell little".to_owned()];
    }
    // What tells the one that needs most tells the others, too.
    let needed = unclear.iter().map(|found| found.needs_pairs).collect::<Option<Vec<usize>>>();
    let more = needed.and_then(|needed| needed.into_iter().max()).and_then(|n| more(outcome, n));
    more.into_iter().chain(wider_margin(&unclear)).chain(steadier(outcome)).collect()
}

/// Whether the few pairs agree on a change: all that is possible by them lies on one side, and far from none.
fn is_plain(found: &Comparison) -> bool {
    found.change.is_some_and(|change| {
        let [low, high] = change.interval;
        let nearest = low.abs().min(high.abs());
        low * high > 0.0 && nearest > (high - low) && nearest > found.margin
    })
}

fn with_more(spent: Duration, round: Duration, n_more: usize) -> Duration {
    let time = spent.saturating_add(round.saturating_mul(u32::try_from(n_more).unwrap_or(u32::MAX)));
    // A little longer, since the rounds to come may be.
    time.saturating_mul(11) / 10
}

/// To let so many more pairs happen, unless that takes too long.
fn more(outcome: &ExperimentOutcome, n_more: usize) -> Option<String> {
    let wanted = with_more(outcome.elapsed, outcome.round, n_more.max(FEWEST_PAIRS));
    let again = again(outcome, wanted, outcome.n_pairs + n_more.max(FEWEST_PAIRS));
    let told = format!("{again}: about {} more would tell", counted(n_more as u64, "pair"));
    (wanted <= LONGEST).then_some(told)
}

/// To run it again with options that allow for so much time and so many pairs.
fn again(outcome: &ExperimentOutcome, wanted: Duration, n_pairs: usize) -> String {
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

/// A margin within which all that is possible of each lies already.
fn wider_margin(unclear: &[&Comparison]) -> Option<String> {
    let most = unclear.iter().map(|found| {
        let [low, high] = found.change?.interval;
        Some(low.abs().max(high.abs()).max(found.margin))
    });
    let most = most.collect::<Option<Vec<f64>>>()?.into_iter().fold(0.0, f64::max);
    let asked = unclear.iter().map(|found| found.margin).fold(f64::INFINITY, f64::min);
    let margin = MARGINS.into_iter().find(|margin| *margin > most && *margin <= WIDER * asked)?;
    let margin = percent(margin).replace(".0", "").replace(' ', "");
    Some(format!("where less does not matter, `--margin {margin}` would do with about as many pairs"))
}

/// Of commands that compute most of the time, CPU time tells more than the clock on the wall.
fn steadier(outcome: &ExperimentOutcome) -> Option<String> {
    let median = |metric: Metric| {
        let series = outcome.series.iter().find(|series| series.metric == metric)?;
        Middle::of(series.values.first()?).map(|middle| middle.median)
    };
    let computes = median(Metric::Cpu)? >= median(Metric::Wall)? / 2.0;
    let sentence = "wall time is disturbed by all that runs on the machine: `--metric cpu` needs fewer pairs";
    (outcome.plan.metric == Metric::Wall && computes).then(|| sentence.to_owned())
}

/// An experiment that ends before it can decide.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct TooLong {
    /// The time that about enough pairs take, after what is spent.
    pub wanted: Duration,
    /// What that means, in a sentence.
    pub message: String,
}

impl ExperimentPlan {
    /// Whether too little fits into the time, where a round takes so long and so much of the time is spent.
    #[must_use]
    pub fn too_long(&self, round: Duration, spent: Duration) -> Option<TooLong> {
        let left = self.max_time.saturating_sub(spent);
        // The first is begun in any case, and the others where they would end in time.
        let n_fit = ((left.as_secs_f64() / round.as_secs_f64()) as usize).max(1);
        if n_fit >= FEWEST_PAIRS || self.max_pairs < FEWEST_PAIRS {
            return None;
        }
        let wanted = with_more(spent, round, ENOUGH);
        let [each, given] = [round, self.max_time].map(|time| duration(time.as_nanos() as f64));
        let fit = match n_fit {
            1 if left < round => format!("more than what is left of {given}; one pair is run all the same"),
            1 => format!("so that one fits into {given}"),
            n => format!("so that {n} fit into {given}"),
        };
        let option = time(wanted);
        let message = format!(
            "a pair takes about {each}, {fit}, and fewer than {FEWEST_PAIRS} decide nothing: end it, and run it again with \
             `--max-time {option}`"
        );
        Some(TooLong { wanted, message })
    }
}

/// A time as it is typed, rounded up.
fn time(time: Duration) -> String {
    let seconds = time.as_secs_f64();
    match seconds {
        seconds if seconds <= 90.0 => format!("{:.0}s", (seconds / 10.0).ceil() * 10.0),
        seconds if seconds <= 5_400.0 => format!("{:.0}m", (seconds / 60.0).ceil()),
        seconds => format!("{:.0}h", (seconds / 3_600.0).ceil()),
    }
}

#[cfg(test)]
mod tests {
    use super::super::MeasuredSeries;
    use super::*;
    use crate::{Change, Verdict};

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
            same_interval: None,
            n_pairs: 20,
            metric: Metric::Wall,
            margin: 0.02,
            smallest_detectable: None,
            needs_pairs,
            null_control: None,
        }
    }

    fn check(found: Comparison, cpu_share: f64) -> Vec<String> {
        check_all(vec![found], cpu_share, None)
    }

    fn check_all(comparisons: Vec<Comparison>, cpu_share: f64, wanted: Option<u64>) -> Vec<String> {
        advice(&outcome(comparisons, cpu_share, wanted))
    }

    fn outcome(comparisons: Vec<Comparison>, cpu_share: f64, wanted: Option<u64>) -> ExperimentOutcome {
        let plan = ExperimentPlan {
            metric: Metric::Wall,
            margin: 0.02,
            warmup: 0,
            max_time: Duration::from_secs(60),
            max_pairs: 1_000,
            seed: 0,
        };
        let series = |metric, value| MeasuredSeries { metric, values: vec![vec![value]; 2] };
        ExperimentOutcome {
            plan,
            commands: Vec::new(),
            comparisons,
            series: vec![series(Metric::Wall, 1.0), series(Metric::Cpu, cpu_share)],
            n_pairs: 20,
            elapsed: Duration::from_secs(60),
            round: Duration::from_secs(3),
            is_interrupted: false,
            warnings: Vec::new(),
            wanted: wanted.map(Duration::from_secs),
            advice: Vec::new(),
        }
    }

    #[test]
    fn advice_follows_from_why_it_is_undecided() {
        let unclear = undecided(Doubt::NotClear, 0.01, [-0.01, 0.04], Some(100));
        let told = check(unclear.clone(), 0.9);
        assert_eq!(told.len(), 3, "{told:?}");
        assert_eq!(told[0], "run it again with `--max-time 7m`: about 100 pairs more would tell");
        assert!(told[1].contains("`--margin 5%`") && told[2].contains("`--metric cpu`"), "{told:?}");
        assert_eq!(check(unclear, 0.1).len(), 2, "CPU time says little of a command that waits");
        let wide = undecided(Doubt::NotClear, 0.05, [-0.03, 0.13], Some(100));
        assert_eq!(check(wide, 0.1).len(), 1, "nobody who asked for 2 % wants 20 %");
        let many = undecided(Doubt::NotClear, 0.01, [-0.5, 0.5], Some(5_000));
        assert!(check(many, 0.1)[0].contains("`--max-time 5h --max-pairs 5020`"));
        let few = undecided(Doubt::TooFewPairs, 0.0, [0.0, 0.0], None);
        assert_eq!(check(few, 0.1), ["run it again with `--max-time 4m`, for about 50 pairs"]);
        let plain = undecided(Doubt::TooFewPairs, -0.35, [-0.37, -0.33], None);
        assert!(check(plain, 0.1)[0].ends_with("for about 10 pairs"));
        let unstable = undecided(Doubt::UnstableMachine, 0.1, [0.05, 0.15], None);
        assert!(check(unstable, 0.1)[0].contains("what else runs on the machine"));
    }

    #[test]
    fn a_handful_of_pairs_does_not_say_what_it_would_find() {
        let found = Comparison {
            smallest_detectable: Some(0.001),
            ..undecided(Doubt::NotClear, 0.01, [-0.01, 0.04], Some(100))
        };
        for (n_pairs, is_told) in [(5, false), (9, false), (10, true)] {
            let outcome = ExperimentOutcome { n_pairs, ..outcome(vec![found.clone()], 0.9, None) };
            let notes = outcome.notes().join("\n");
            assert_eq!(notes.contains("find a change of 0.1 % four times in five"), is_told, "{notes}");
        }
    }

    #[test]
    fn commands_that_are_too_short_are_to_do_more_and_not_to_be_run_more() {
        let unclear = undecided(Doubt::NotClear, 0.01, [-0.01, 0.04], Some(100));
        let mut outcome = outcome(vec![unclear], 0.9, None);
        outcome.warnings.push(calor_model::Warning::new(short::TOO_SHORT, "too short"));
        assert!(matches!(&advice(&outcome)[..], [only] if only.contains("more work")));
    }

    #[test]
    fn what_was_said_to_be_enough_while_it_ran_is_said_at_the_end_too() {
        let few = undecided(Doubt::TooFewPairs, 0.0, [0.0, 0.0], None);
        let told = check_all(vec![few], 0.1, Some(1_000));
        assert_eq!(told, ["run it again with `--max-time 17m`, for about 50 pairs"]);
    }

    #[test]
    fn of_several_commands_the_one_that_needs_most_decides_what_is_advised() {
        let unclear = |high, needs| undecided(Doubt::NotClear, 0.01, [-0.01, high], needs);
        let told = check_all(vec![unclear(0.04, Some(100)), unclear(0.07, Some(300))], 0.1, None);
        assert_eq!(told.len(), 2, "{told:?}");
        assert_eq!(told[0], "run it again with `--max-time 18m`: about 300 pairs more would tell");
        assert!(told[1].contains("`--margin 10%`"), "{told:?}");
        // One that no number of pairs would tell, and one that would take weeks.
        for hopeless in [None, Some(1_000_000)] {
            let told = check_all(vec![unclear(0.04, Some(100)), unclear(0.07, hopeless)], 0.1, None);
            assert!(told.len() == 1 && told[0].contains("`--margin 10%`"), "{told:?}");
        }
        let unstable = undecided(Doubt::UnstableMachine, 0.1, [0.05, 0.15], None);
        assert_eq!(check_all(vec![unclear(0.04, Some(100)), unstable], 0.1, None).len(), 1);
    }
}
