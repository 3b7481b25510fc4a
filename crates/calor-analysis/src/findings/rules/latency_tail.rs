//! Most calls of a scope are quick, and a few take so much longer that they are much of its time: something happens to those
//! that does not happen to the others.

use calor_model::{DurationStats, Histogram};

use crate::findings::{
    About, Evidence, Facts, Finding, Fix, Gain, Need, Outcome, Rule, ScopeFacts, Topic, Unit,
};

/// The slowest hundredth has to take so many times the median.
const LEAST_RATIO: f64 = 10.0;
/// Of fewer calls the slowest hundredth is a few calls, as the first ones always are.
const LEAST_CALLS: u64 = 1_000;
/// Calls of so many times the median are the tail.
const TAIL: f64 = 5.0;
/// The part of the scope's time that the tail has to take.
const LEAST_OF_SCOPE: f64 = 0.2;
/// The part of the whole.
const LEAST_SHARE: f64 = 0.05;
/// A tail of shorter calls is the clock's and the caches'.
const LEAST_NANOS: f64 = 10_000.0;
/// Threads that had no core for as long as this part of the tail may be all there is to it.
const MOST_OFF: f64 = 0.5;
/// A thread runs at least this long, about, before another has its turn.
const TURN_NANOS: f64 = 1e6;
/// And is kept from running for longer than this when another has.
const LEAST_TURN_NANOS: f64 = 5e5;
/// So many times more slow calls than turns are not slow because of turns.
const MOST_TURNS: f64 = 2.0;
/// Calls that missed a cache may be no more than this part of the slow ones: a miss is slow by nature.
const MOST_MISSES: f64 = 0.5;
/// The part of the tail that goes: what is done in those calls may have to be done.
const REMOVED: (f64, f64) = (0.3, 1.0);

pub(super) struct LatencyTail;

const ABOUT: About<'_> = About {
    id: "CPU-LATENCY-TAIL",
    version: 1,
    topic: Topic::Cpu,
    title: "a few calls of a scope take many times as long as the others",
    needs: &[Need::Scopes],
    suppresses: &["CPU-CRITICAL-SCOPE"],
};

impl Rule for LatencyTail {
    fn about(&self) -> About<'_> {
        ABOUT
    }

    fn judge(&self, facts: &Facts<'_>) -> Outcome {
        let off = off(facts);
        let (sure, doubtful): (Vec<_>, Vec<_>) = facts
            .scopes()
            .iter()
            // What an inner scope explains is its own.
            .filter(|scope| scope.self_nanos as f64 >= 0.5 * scope.total_nanos as f64)
            .filter_map(|scope| Tail::of(&scope.stats.timed).map(|tail| (scope, tail)))
            .filter(|(scope, tail)| tail.is_long() && scope.total_share.estimate * tail.part >= LEAST_SHARE)
            .filter(|(scope, tail)| (misses(facts, scope) as f64) < MOST_MISSES * tail.n_slow as f64)
            .partition(|(scope, tail)| {
                off.is_none_or(|Off { nanos, cpu_nanos, turns }| {
                    let is_small = nanos <= MOST_OFF * tail.part * scope.total_nanos as f64;
                    // A call that waits gives its core away by itself, and may come back late each time.
                    let waits = tail.median * scope.calls as f64 > cpu_nanos;
                    let turns = if waits { turns + scope.calls as f64 } else { turns };
                    is_small || tail.slow < LEAST_TURN_NANOS || tail.n_slow as f64 >= MOST_TURNS * turns
                })
            });
        if sure.is_empty() && !doubtful.is_empty() {
            return Outcome::NotEnough {
                missing: "whether slow calls waited or had no core: the machine was busy".to_owned(),
                how: "calor record --off-cpu -- PROGRAM, on a machine with less to do".to_owned(),
            };
        }
        Outcome::of(sure.into_iter().map(|(scope, tail)| finding(facts, scope, &tail)).collect())
    }
}

/// How many calls of a scope did not find in a cache what they looked for, as it counts them: those are slow, and are what
/// the cache is for. Whether it has too many of them is another rule's matter.
fn misses(facts: &Facts<'_>, scope: &ScopeFacts) -> u64 {
    let counters = facts.counters(&scope.stats.work).filter(|(name, _)| name.ends_with("misses"));
    counters.map(|(_, count)| u64::try_from(count).unwrap_or(0)).sum()
}

/// The slow calls of a scope.
struct Tail {
    median: f64,
    slow: f64,
    /// The part of the time that calls of several times the median take.
    part: f64,
    /// How many such calls there are.
    n_slow: u64,
}

impl Tail {
    fn of(timed: &DurationStats) -> Option<Self> {
        if timed.count < LEAST_CALLS {
            return None;
        }
        let (median, slow) = (timed.quantile_nanos(0.5)?, timed.quantile_nanos(0.99)?);
        // The histogram counts in sixteenths of a nanosecond.
        let middle = |bucket: u32| {
            let (low, high) = Histogram::bounds(bucket);
            (low as f64 + high as f64) / 32.0
        };
        let (mut all, mut beyond, mut n_slow) = (0.0, 0.0, 0);
        for &(bucket, count) in timed.histogram().buckets() {
            let (each, nanos) = (middle(bucket), middle(bucket) * count as f64);
            all += nanos;
            if each > TAIL * median {
                beyond += nanos;
                n_slow += count;
            }
        }
        Some(Self { median, slow, part: beyond / f64::max(all, 1.0), n_slow })
    }

    fn is_long(&self) -> bool {
        self.slow >= LEAST_RATIO * self.median && self.slow >= LEAST_NANOS && self.part >= LEAST_OF_SCOPE
    }
}

/// Time in which threads had no core.
#[derive(Clone, Copy)]
struct Off {
    /// How long, although they could have run, as far as that is known: the time inside scopes less the time on processors
    /// and what was waited.
    nanos: f64,
    /// The time on processors.
    cpu_nanos: f64,
    /// How many turns of others that can have been at most, in calls each of which was kept from running once.
    turns: f64,
}

fn off(facts: &Facts<'_>) -> Option<Off> {
    let summary = facts.summary();
    let (inside, cpu) = (summary.recorded_nanos?, summary.cpu_nanos?);
    let waited = summary.blocked_nanos.unwrap_or(0);
    let nanos = inside.saturating_sub(cpu).saturating_sub(waited) as f64;
    Some(Off { nanos, cpu_nanos: cpu as f64, turns: cpu as f64 / TURN_NANOS })
}

fn finding(facts: &Facts<'_>, scope: &ScopeFacts, tail: &Tail) -> Finding {
    let place = facts.place(scope.stack);
    let ratio = tail.slow / tail.median.max(1.0);
    let share = scope.total_share.scaled(tail.part);
    let title = format!(
        "one call in a hundred of `{}` takes {ratio:.0} times the median, and such calls {:.0} % of its time",
        place.function,
        100.0 * tail.part
    );
    let gain = Gain::removed(
        share,
        REMOVED,
        "if 30 % to all of what only the slow calls do goes, or is done elsewhere",
    );
    Finding::new(&ABOUT, title, place, gain)
        .because(
            "The usual call is quick, so the scope's own work is not what takes the time. Slow calls meet something that the \
             others do not: a buffer that grows, a cache that is filled, a lock, a write that has to reach the disk.",
        )
        .with(Evidence::new("slowest hundredth against median", ratio, Unit::Ratio).against(LEAST_RATIO))
        .with(Evidence::new("median", tail.median, Unit::Nanos))
        .with(Evidence::new("slowest hundredth", tail.slow, Unit::Nanos).against(LEAST_NANOS))
        .with(Evidence::new("part of the scope's time in slow calls", tail.part, Unit::Share).against(LEAST_OF_SCOPE))
        .with(Evidence::share("share of the time in slow calls", share).against(LEAST_SHARE))
        .fixed_by(
            Fix::new(
                "Put a scope around each part of the call to see which one is slow now and then. Do that part ahead, in small \
                 portions, or on another thread.",
            )
            .with_code(
                "fn insert(&mut self, row: Row) {\n    if self.rows.len() == self.limit { self.flush() }\n    self.rows.push(row);\n}",
                "fn insert(&mut self, row: Row) {\n    if self.rows.len() == self.limit {\n        self.writer.send(take(&mut self.rows));   // \
                 flushes on its own thread\n    }\n    self.rows.push(row);\n}",
            ),
        )
}

#[cfg(test)]
mod tests {
    use calor_model::ScopeStats;

    use super::*;
    use crate::findings::draft::Draft;

    /// A scope of so many calls, of which one in fifty takes `slow` nanoseconds and the others `quick`.
    fn draft(calls: u64, quick: u64, slow: u64, whole: f64) -> Draft {
        let mut stats = ScopeStats { calls, ..ScopeStats::default() };
        for call in 0..calls {
            stats.timed.record(if call % 50 == 0 { slow } else { quick });
        }
        stats.total_nanos = stats.timed.total_nanos;
        let seconds = stats.total_nanos as f64 / 1e9 / whole;
        Draft::new().seconds(seconds).scope_row("main", &["insert"], &[], stats)
    }

    fn judged(calls: u64, slow: u64, whole: f64) -> Outcome {
        LatencyTail.judge(&Facts::new(&draft(calls, 2_000, slow, whole).profile(), None))
    }

    #[test]
    fn few_calls_that_take_much_of_the_time_are_found() {
        let Outcome::Findings(found) = judged(10_000, 200_000, 0.8) else { panic!("found") };
        assert!(
            found[0].title.contains("takes 100 times the median, and such calls 67 %"),
            "{}",
            found[0].title
        );
        assert!(found[0].gain.low > 1.15 && found[0].gain.high < 2.3, "{:?}", found[0].gain);
    }

    #[test]
    fn short_tails_few_calls_and_small_scopes_are_fine() {
        assert_eq!(judged(10_000, 19_000, 0.8), Outcome::Fine);
        assert_eq!(judged(950, 200_000, 0.8), Outcome::Fine);
        assert_eq!(judged(10_000, 200_000, 0.07), Outcome::Fine);
        // 100 times the median, and 17 % of the time.
        assert_eq!(judged(10_000, 20_100, 0.8), Outcome::Fine);
    }

    #[test]
    fn calls_that_missed_a_cache_are_slow_by_nature() {
        let judged = |misses: i64| {
            let draft = draft(10_000, 2_000, 200_000, 0.8).change(|profile| {
                let name = profile.strings.intern("misses");
                let key = profile.scopes.iter().next().expect("one scope").0;
                profile.scopes.row_mut(key).work.counters.push((name, misses));
            });
            LatencyTail.judge(&Facts::new(&draft.profile(), None))
        };
        // 200 calls are slow.
        assert_eq!(judged(101), Outcome::Fine);
        assert!(matches!(judged(99), Outcome::Findings(_)));
    }

    #[test]
    fn a_busy_machine_is_not_enough_unless_slow_calls_are_more_than_turns() {
        let judged = |quick: u64, slow: u64, cpu_millis: u64| {
            let draft = draft(2_000, quick, slow, 1.0);
            let draft = draft.change(|profile| profile.runs[0].cpu_nanos = Some(cpu_millis * 1_000_000));
            LatencyTail.judge(&Facts::new(&draft.profile(), None))
        };
        // 392 ms of usual calls and 320 ms of 40 slow ones.
        assert!(matches!(judged(200_000, 8_000_000, 400), Outcome::NotEnough { .. }));
        assert!(matches!(judged(200_000, 8_000_000, 700), Outcome::Findings(_)), "it had its core");
        assert!(
            matches!(judged(20_000, 450_000, 20), Outcome::Findings(_)),
            "others would have run for longer"
        );
        assert!(matches!(judged(2_000, 200_000, 5), Outcome::Findings(_)), "40 slow calls are no 5 turns");
        let waits = judged(300_000, 4_500_000, 10);
        assert!(
            matches!(waits, Outcome::NotEnough { .. }),
            "each of 2000 calls waits and may come back late"
        );
    }
}
