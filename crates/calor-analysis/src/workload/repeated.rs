//! Runs whose cases are repeated until their time is over, as most of `calor bench` are. Each case is given about as long, so neither
//! what all its repetitions took nor its part of the run says how slow it is: a slower one is repeated less often. What is compared
//! is what as many calls take.

use std::collections::BTreeMap;

use calor_model::{Profile, Warning};

use crate::CPU_NANOS;

/// The label of such runs, and its value.
pub const REPEATED_BY_TIME: (&str, &str) = ("repetitions", "by time");

/// What would tell such runs apart, and what would not.
pub const SETTLED: &str = "`calor ab` does not help: it times whole commands, and these repeat each case until its time is over. \
     Several runs a side that wrote their profiles in turns do, with `calor compare --interleaved A1 A2 ... -- B1 B2 ...`.";

/// Whether all runs of a profile are such.
#[must_use]
pub fn is_repeated_by_time(profile: &Profile) -> bool {
    !profile.runs.is_empty() && profile.runs.iter().all(|run| is_repeated_label(&run.labels))
}

/// Whether the labels of a run say so.
#[must_use]
pub fn is_repeated_label(labels: &BTreeMap<String, String>) -> bool {
    let (key, value) = REPEATED_BY_TIME;
    labels.get(key).is_some_and(|label| label == value)
}

/// What the reader has to know of a comparison of such runs.
pub(crate) fn remark() -> Warning {
    Warning::new(
        "repeated_by_time",
        "cases of these runs are repeated until their time is over: what is compared is the time of as many calls as before",
    )
}

/// What the reader has to know where CPU time stands in the place of time on the wall.
pub(crate) fn cpu_remark() -> Warning {
    Warning::new(
        "by_cpu_time",
        "cases that one thread does are compared by the CPU time that these runs tell of them, all others by time on the wall",
    )
}

/// CPU time as a part of the time on the wall, of scopes by name; `None` where some calls do not tell it.
pub(crate) fn cpu_parts(profile: &Profile) -> BTreeMap<String, Option<f64>> {
    let mut sums: BTreeMap<&str, (f64, f64, bool)> = BTreeMap::new();
    for (key, stats) in profile.scopes.iter() {
        let cpu = stats.work.counters.iter().find(|(name, _)| profile.strings.get(*name) == CPU_NANOS);
        let (wall_sum, cpu_sum, is_whole) =
            sums.entry(profile.stack_name(key.stack)).or_insert((0.0, 0.0, true));
        *wall_sum += stats.inclusive_nanos() as f64;
        *cpu_sum += cpu.map_or(0.0, |(_, nanos)| *nanos as f64);
        *is_whole &= cpu.is_some_and(|(_, nanos)| *nanos > 0);
    }
    let part = |(wall, cpu, is_whole): (f64, f64, bool)| (is_whole && wall > 0.0).then(|| cpu / wall);
    sums.into_iter().map(|(name, sums)| (name.to_owned(), part(sums))).collect()
}
