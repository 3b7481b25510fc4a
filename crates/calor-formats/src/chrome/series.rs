//! Counter events: each argument of one is a value at its time. Arguments of one counter become series of their own,
//! and what they are called depends on how many there turn out to be.

use std::borrow::Cow;
use std::collections::HashMap;

use calor_model::{CounterKey, CounterPoint, Profile};
use foldhash::fast::RandomState;

use super::event::Event;
use super::number;
use super::text::{entries, text};

/// The argument that a counter without several values has by convention.
pub(super) const ONLY_VALUE: &str = "value";

/// A counter is one of a process, with a name and, if there are several of the name, an id.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
struct Counter<'a> {
    pid: &'a str,
    name: &'a str,
    id: &'a str,
}

/// Argument and points of each series of a counter.
type Values<'a> = Vec<(Cow<'a, str>, Vec<(i64, f64)>)>;

/// How many series one counter may have; a trace with another argument in each event would never end.
const MAX_SERIES: usize = 256;

#[derive(Default)]
pub(super) struct Series<'a> {
    counters: Vec<(Counter<'a>, Values<'a>)>,
    places: HashMap<Counter<'a>, usize, RandomState>,
}

impl<'a> Series<'a> {
    /// Takes in the values of an event and says how many of them are none.
    pub(super) fn add(&mut self, event: &Event<'a>, at: i64) -> u64 {
        let counter = Counter { pid: event.pid, name: event.name, id: event.id };
        let place = *self.places.entry(counter).or_insert_with(|| {
            self.counters.push((counter, Vec::new()));
            self.counters.len() - 1
        });
        let values = &mut self.counters[place].1;
        let mut n_unusable = 0;
        for (argument, value) in entries(event.args) {
            let Some(value) = number::float(value) else {
                n_unusable += 1;
                continue;
            };
            match values.iter().position(|(known, _)| *known == argument) {
                Some(known) => values[known].1.push((at, value)),
                None if values.len() < MAX_SERIES => values.push((argument, vec![(at, value)])),
                None => n_unusable += 1,
            }
        }
        n_unusable
    }

    /// Makes the counters of the profile, with times counted from `origin`.
    pub(super) fn finish(self, origin: i64, profile: &mut Profile) {
        let mut processes: HashMap<(&str, &str), u32, RandomState> = HashMap::default();
        for (counter, _) in &self.counters {
            *processes.entry((counter.name, counter.id)).or_default() += 1;
        }
        for (counter, values) in self.counters {
            let mut name = text(counter.name).into_owned();
            if !counter.id.is_empty() {
                name = format!("{name} {}", text(counter.id));
            }
            if processes[&(counter.name, counter.id)] > 1 {
                name = format!("{name} (process {})", text(counter.pid));
            }
            let is_alone = values.len() == 1;
            for (argument, points) in values {
                let (name, unit) = match (is_alone, &*argument) {
                    (_, ONLY_VALUE) => (name.clone(), ""),
                    // One value by another name is most often its unit.
                    (true, unit) => (name.clone(), unit),
                    (false, argument) => (format!("{name} {argument}"), ""),
                };
                let key = CounterKey {
                    name: profile.strings.intern(&name),
                    unit: profile.strings.intern(unit),
                    thread: None,
                };
                let points = points.into_iter().map(|(at, value)| CounterPoint {
                    at_nanos: at.saturating_sub(origin).max(0) as u64,
                    value,
                });
                profile.counters.series_mut(key).extend(points);
            }
        }
    }
}
