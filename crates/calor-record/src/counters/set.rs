//! Counters whose events are attributed to functions: a choice of those that are events.

use std::sync::OnceLock;

use super::catalogue::{Counter, CounterSource, UnknownCounter};

/// A choice of counters, small enough to be passed around.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct CounterSet {
    /// One bit each, by the counter's number.
    bits: u64,
}

/// Why a list of names is no choice.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum ChoiceError {
    /// A name stands for nothing.
    #[error("{0}")]
    Unknown(#[from] UnknownCounter),
    /// A counter is no event that happens at a place in the code.
    #[error("`{0}` is not counted by function: it is no event; those that are: {names}", names = CounterSet::all().names().join(", "))]
    NoEvent(String),
}

/// Those that say most, and that a processor can count side by side.
const USUAL: [&str; 7] = [
    "page-faults",
    "context-switches",
    "cpu-migrations",
    "cycles",
    "instructions",
    "cache-misses",
    "branch-misses",
];

impl CounterSet {
    /// What is counted unless something else is asked for.
    #[must_use]
    pub fn usual() -> Self {
        USUAL.iter().filter_map(|name| Counter::number(name)).fold(Self::default(), Self::with)
    }

    /// All that can be counted by function.
    #[must_use]
    pub fn all() -> Self {
        let is_event = |(_, counter): &(u8, Counter)| counter.is_of_functions();
        Counter::all().filter(is_event).map(|(number, _)| number).fold(Self::default(), Self::with)
    }

    /// The counters of a list such as `page-faults,cycles`.
    ///
    /// # Errors
    /// If a name is unknown, or stands for what is no event.
    pub fn parse(list: &str) -> Result<Self, ChoiceError> {
        let mut set = Self::default();
        for name in list.split(',').map(str::trim).filter(|name| !name.is_empty()) {
            let counter = Counter::named(name)?;
            let number = Counter::number(counter.name()).filter(|_| counter.is_of_functions());
            set = set.with(number.ok_or_else(|| ChoiceError::NoEvent(name.to_owned()))?);
        }
        Ok(set)
    }

    pub(crate) fn with(self, number: u8) -> Self {
        Self { bits: self.bits | 1 << number }
    }

    pub(crate) fn without(self, number: u8) -> Self {
        Self { bits: self.bits & !(1 << number) }
    }

    /// The counters with their numbers.
    pub(crate) fn iter(self) -> impl Iterator<Item = (u8, Counter)> {
        Counter::all().filter(move |(number, _)| self.bits >> number & 1 == 1)
    }

    /// Their names.
    #[must_use]
    pub fn names(self) -> Vec<String> {
        self.iter().map(|(_, counter)| counter.name().to_owned()).collect()
    }

    /// Whether there is none.
    #[must_use]
    pub fn is_empty(self) -> bool {
        self.bits == 0
    }

    /// How often a second each is sampled when threads are sampled at `rate`. Events of the processor come all the time,
    /// so a part of the rate tells enough. The kernel's come in bursts, whose parts have to be told apart: of 240,000
    /// page faults, three quarters of them in one function, the plain rate gave that function 47 to 93 %, four times
    /// the rate 74 to 76 %.
    pub(crate) fn hz(source: CounterSource, rate: u32) -> u32 {
        match source {
            CounterSource::Hardware => (rate / 4).max(1),
            CounterSource::Software => rate.saturating_mul(4).min(most_hz().max(rate)),
        }
    }
}

/// How many samples a second the system allows.
fn most_hz() -> u32 {
    static MOST: OnceLock<u32> = OnceLock::new();
    *MOST.get_or_init(|| {
        let text = std::fs::read_to_string("/proc/sys/kernel/perf_event_max_sample_rate");
        text.ok().and_then(|text| text.trim().parse().ok()).unwrap_or(u32::MAX)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_list_of_names_is_a_choice() {
        let set = CounterSet::parse("faults, cycles,").expect("both are events");
        assert_eq!(set.names(), ["page-faults", "cycles"]);
        assert!(CounterSet::parse("").expect("an empty list is none").is_empty());
        assert_eq!(CounterSet::usual().names().len(), USUAL.len());
        let without = set.without(Counter::number("cycles").expect("it is known"));
        assert_eq!(without.names(), ["page-faults"]);
    }

    #[test]
    fn what_is_no_event_is_refused_with_those_that_are() {
        for (list, word) in [("elapsed", "page-faults"), ("task-clock", "cycles"), ("r1", "no event")] {
            let error = CounterSet::parse(list).expect_err(list).to_string();
            assert!(error.contains(word), "{error}");
        }
        assert!(matches!(CounterSet::parse("cycels"), Err(ChoiceError::Unknown(_))));
    }
}
