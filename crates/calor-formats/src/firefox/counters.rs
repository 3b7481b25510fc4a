//! Counters as tracks. The format counts changes, not values, and the viewer draws only tracks that say they are of
//! memory, so all do; what the values are in truth stands in the description.

use calor_model::{CounterKey, CounterPoint, Profile};
use serde::Serialize;

use super::millis;
use super::thread::Chosen;

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
pub(super) struct Counter<'p> {
    name: &'p str,
    category: &'static str,
    description: String,
    pid: &'p str,
    main_thread_index: usize,
    samples: Samples,
}

#[derive(Serialize)]
#[serde(rename_all = "camelCase")]
struct Samples {
    length: usize,
    /// Milliseconds from the point before.
    time_deltas: Vec<f64>,
    /// The change from the point before.
    count: Vec<f64>,
}

pub(super) fn columns<'p>(profile: &'p Profile, threads: &'p [Chosen]) -> impl Iterator<Item = Counter<'p>> {
    profile.counters.iter().map(|(key, points)| counter(profile, threads, key, points))
}

fn counter<'p>(
    profile: &'p Profile,
    threads: &'p [Chosen],
    key: CounterKey,
    points: &[CounterPoint],
) -> Counter<'p> {
    let unit = match profile.strings.get(key.unit) {
        "" => "a bare number, whatever unit is shown",
        "bytes" => "bytes",
        unit => &format!("{unit}, whatever unit is shown"),
    };
    let of_thread = key.thread.map(|thread| profile.strings.get(profile.threads.get(thread).name));
    let owner = of_thread.map_or(String::new(), |name| format!("thread {name}, "));
    let main = threads.iter().position(|thread| thread.thread == key.thread).unwrap_or(0);
    let mut points: Vec<CounterPoint> =
        points.iter().filter(|point| point.value.is_finite()).copied().collect();
    points.sort_by_key(|point| point.at_nanos);
    let (mut time, mut value) = (0, 0.0);
    let mut samples = Samples { length: points.len(), time_deltas: Vec::new(), count: Vec::new() };
    for point in points {
        samples.time_deltas.push(millis(point.at_nanos - std::mem::replace(&mut time, point.at_nanos)));
        // From one end of the floats to the other is no float.
        let change = point.value - std::mem::replace(&mut value, point.value);
        samples.count.push(change.clamp(f64::MIN, f64::MAX));
    }
    Counter {
        name: profile.strings.get(key.name),
        category: "Memory",
        description: format!("{owner}{unit}"),
        pid: threads.get(main).map_or("0", |thread| &thread.pid),
        main_thread_index: main,
        samples,
    }
}
