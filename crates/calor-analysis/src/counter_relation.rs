//! What follows from two counters together: a number that says more than both.

/// What a counter comes to beside another.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum CounterRelation {
    /// A part of another, and the words for that one.
    Share(f64, &'static str),
    /// So many for each of another, and the words for that.
    Each(f64, &'static str),
    /// So many in a second on processors.
    PerSecond(f64),
}

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

/// What a counter comes to, by the means of all that were counted; `None` where nothing follows. Time under a simulation is
/// no time of the program.
#[must_use]
pub fn counter_relation(
    name: &str,
    mean: impl Fn(&str) -> Option<f64>,
    is_simulated: bool,
) -> Option<CounterRelation> {
    let value = mean(name)?;
    let over = |other: &str| mean(other).filter(|other| *other > 0.0).map(|other| value / other);
    match relation(name)? {
        By::Share(other, words) => over(other).map(|share| CounterRelation::Share(share, words)),
        By::BothTimes => {
            let both = mean("user-time")? + mean("system-time")?;
            (both > 0.0).then(|| CounterRelation::Share(value / both, "of both"))
        }
        By::CpuTime if value == 0.0 => None,
        By::Each(other, words) => over(other).map(|each| CounterRelation::Each(each, words)),
        By::CpuTime => {
            let seconds = mean("task-clock").filter(|nanos| *nanos > 0.0 && !is_simulated)? / 1e9;
            Some(CounterRelation::PerSecond(value / seconds))
        }
    }
}

/// The same for programs, by names that stay; what does not follow is absent.
#[must_use]
pub fn counter_ratios(mean: impl Fn(&str) -> Option<f64>) -> Vec<(&'static str, f64)> {
    let over = |one: &str, other: &str| {
        let (one, other) = (mean(one)?, mean(other)?);
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
    use super::*;

    #[test]
    fn relations_need_both_counters() {
        let both = |name: &str| match name {
            "instructions" => Some(300.0),
            "cycles" => Some(200.0),
            "task-clock" => Some(100.0),
            _ => None,
        };
        let each = |name| counter_relation(name, both, false);
        assert_eq!(each("instructions"), Some(CounterRelation::Each(1.5, "per cycle")));
        assert_eq!(each("cycles"), Some(CounterRelation::Each(2.0, "GHz")));
        assert_eq!(counter_ratios(both), [("instructions_per_cycle", 1.5), ("ghz", 2.0)]);
        let alone = |name: &str| match name {
            "instructions" => Some(300.0),
            "cycles" => Some(0.0),
            "branch-misses" => Some(3.0),
            _ => None,
        };
        assert_eq!(counter_relation("instructions", alone, false), None);
        assert_eq!(counter_relation("branch-misses", alone, false), None);
        assert!(counter_ratios(alone).is_empty());
    }
}
