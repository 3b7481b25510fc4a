//! Waiting threads beside counters: both are told by what happens when a thread leaves its processor.

use std::ffi::OsString;

use calor_model::{Profile, SampleKind};
use calor_record::counters::CounterSet;
use calor_record::{Options, Target};

use super::target::{ONE, follow, options, start};

/// What waits took, how many there were, and how many switches were counted and sampled.
fn recorded(counters: &str) -> Option<(u64, u64, [u64; 2])> {
    let options = Options {
        off_cpu: true,
        counters: CounterSet::parse(counters).expect("counters that there are"),
        ..options()
    };
    let command = ["sh", "-c", "sleep 0.2; sleep 0.1"].map(OsString::from).to_vec();
    let mut recording = start(Target::Command(command), &options)?;
    follow(&mut recording, |_| {});
    let profile: Profile = recording.take();
    if profile.warnings.iter().any(|warning| warning.code == "off_cpu_missing") {
        return None;
    }
    let waits = profile.samples.iter().filter(|(key, _)| key.kind == SampleKind::OffCpu);
    let (nanos, n) = waits.fold((0, 0), |(nanos, n), (_, weight)| (nanos + weight.nanos, n + weight.count));
    let is_switch = |name| profile.strings.get(name) == "context-switches";
    let switches = profile.events.iter().filter(|(key, _)| is_switch(key.name));
    let switches =
        switches.fold([0; 2], |[events, n], (_, weight)| [events + weight.events, n + weight.samples]);
    Some((nanos, n, switches))
}

#[test]
fn waits_are_seen_whatever_else_is_counted() {
    let _one = ONE.lock();
    for counters in ["page-faults", "context-switches", "page-faults,context-switches,cpu-migrations"] {
        let Some((nanos, n_waits, [switches, n_sampled])) = recorded(counters) else { return };
        // The two sleeps, and the shell that waits for each.
        assert!(nanos > 500_000_000 && n_waits >= 4, "{counters}: {n_waits} waits of {nanos} ns");
        if counters.contains("switches") {
            assert!(switches >= n_waits, "{counters}: {switches} switches, {n_waits} waits");
            assert_eq!(switches, n_sampled, "{counters}: every switch is seen once");
        }
    }
}
