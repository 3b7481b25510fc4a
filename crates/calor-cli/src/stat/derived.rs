//! What follows from two counters together: a number that says more than both.

use super::outcome::{Outcome, Source};

/// What a counter's value is divided by.
enum By {
    /// Another counter: a rate of its events, in words.
    Share(&'static str, &'static str),
    /// Another counter: so many for each of it.
    Each(&'static str, &'static str),
    /// The time it took on processors.
    CpuTime,
    /// User and system time together: neither is told as exactly as the clock of the task.
    BothTimes,
}

/// What the row of a counter shows beside its value.
fn relation(name: &str) -> Option<By> {
    Some(match name {
        "task-clock" => By::Each("elapsed", "CPUs used"),
        "instructions" => By::Each("cycles", "per cycle"),
        "cycles" => By::Each("task-clock", "GHz"),
        "branch-misses" => By::Share("branches", "of branches"),
        "cache-misses" => By::Share("cache-references", "of references"),
        "L1-dcache-load-misses" => By::Share("L1-dcache-loads", "of loads"),
        "L1-dcache-store-misses" => By::Share("L1-dcache-stores", "of stores"),
        "LLC-load-misses" => By::Share("LLC-loads", "of loads"),
        "dTLB-load-misses" => By::Share("dTLB-loads", "of loads"),
        "L1-icache-load-misses" => By::Share("instructions", "of instructions"),
        "stalled-cycles-frontend" | "stalled-cycles-backend" => By::Share("cycles", "of cycles"),
        "user-time" | "system-time" => By::BothTimes,
        "page-faults" | "context-switches" | "cpu-migrations" | "branches" | "cache-references" => {
            By::CpuTime
        }
        _ => return None,
    })
}

/// The words beside a counter; `None` where nothing follows.
pub(super) fn beside(outcome: &Outcome, name: &str) -> Option<String> {
    let value = outcome.mean(name)?;
    let over = |other: &str| outcome.mean(other).filter(|other| *other > 0.0).map(|other| value / other);
    let share = |share: f64, words: &str| format!("{} {words}", calor_analysis::quantity::percent(share));
    match relation(name)? {
        By::Share(other, words) => over(other).map(|part| share(part, words)),
        By::BothTimes => {
            let both = outcome.mean("user-time")? + outcome.mean("system-time")?;
            (both > 0.0).then(|| share(value / both, "of both"))
        }
        By::CpuTime if value == 0.0 => None,
        By::Each(other, words) => over(other).map(|each| format!("{each:.2} {words}")),
        By::CpuTime => {
            // Time under a simulation is no time of the program.
            let is_simulated = outcome.rows.iter().any(|row| row.source == Source::Simulated);
            let seconds = outcome.mean("task-clock").filter(|nanos| *nanos > 0.0 && !is_simulated)? / 1e9;
            Some(calor_analysis::quantity::rate(value / seconds))
        }
    }
}

/// The same for scripts, by names that stay; what does not follow is absent.
pub(super) fn all(outcome: &Outcome) -> Vec<(&'static str, f64)> {
    let over = |one: &str, other: &str| {
        let (one, other) = (outcome.mean(one)?, outcome.mean(other)?);
        (other > 0.0).then(|| one / other)
    };
    let found = [
        ("cpus_used", over("task-clock", "elapsed")),
        ("instructions_per_cycle", over("instructions", "cycles")),
        ("ghz", over("cycles", "task-clock")),
        ("branch_miss_share", over("branch-misses", "branches")),
        ("cache_miss_share", over("cache-misses", "cache-references")),
        ("l1_dcache_load_miss_share", over("L1-dcache-load-misses", "L1-dcache-loads")),
        ("page_faults_per_s", over("page-faults", "task-clock").map(|per_nano| per_nano * 1e9)),
    ];
    found.into_iter().filter_map(|(name, value)| Some((name, value?))).collect()
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
        assert_eq!(all(&both), [("instructions_per_cycle", 1.5), ("ghz", 2.0)]);
        let alone = outcome(&[("instructions", 300.0), ("cycles", 0.0), ("branch-misses", 3.0)]);
        assert_eq!((beside(&alone, "instructions"), beside(&alone, "branch-misses")), (None, None));
        assert!(all(&alone).is_empty());
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
