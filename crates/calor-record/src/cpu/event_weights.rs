//! How many events a sample of a counter stands for. The kernel changes the number between samples so that they come
//! at the rate asked for, and tells it with each sample; with those of its own events it tells the number up to the next
//! sample instead of the one since the last.

use foldhash::fast::RandomState;
use hashbrown::HashMap;

use crate::counters::{Counter, CounterSource};
use crate::perf::SampleRecord;

/// The events of counters, and what their last samples have told.
#[derive(Debug, Default)]
pub(crate) struct EventWeights {
    /// By the event's number: the counter's, and whether it is one of the kernel's.
    counters: HashMap<u64, (u8, bool), RandomState>,
    /// By event and thread: how many events the next sample will stand for.
    next: HashMap<(u64, i32), u64, RandomState>,
}

impl EventWeights {
    /// Samples of this event are those of a counter.
    pub(crate) fn add(&mut self, id: u64, counter: u8) {
        let is_of_kernel =
            Counter::by_number(counter).is_some_and(|counter| counter.source() == CounterSource::Software);
        self.counters.insert(id, (counter, is_of_kernel));
    }

    /// The counter that a sample is of, and how many events it stands for; `None` for a sample of something else.
    pub(crate) fn weigh(&mut self, sample: &SampleRecord<'_>) -> Option<(u8, u64)> {
        let (counter, is_of_kernel) = *self.counters.get(&sample.id)?;
        let told = sample.period.max(1);
        if !is_of_kernel {
            return Some((counter, told));
        }
        // A thread's first event of a kind is sampled at once.
        let weight = self.next.insert((sample.id, sample.tid), told).unwrap_or(1);
        Some((counter, weight))
    }

    /// A thread has ended, and another may get its number.
    pub(crate) fn ended(&mut self, tid: i32) {
        if !self.next.is_empty() {
            self.next.retain(|(_, of), _| *of != tid);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sample(id: u64, tid: i32, period: u64) -> SampleRecord<'static> {
        SampleRecord {
            id,
            address: 0,
            pid: 1,
            tid,
            time: 0,
            period,
            is_in_kernel: false,
            kernel_chain: &[],
            registers: &[],
            stack: &[],
        }
    }

    #[test]
    fn events_of_the_kernel_are_told_one_sample_early_and_those_of_the_processor_in_time() {
        let mut weights = EventWeights::default();
        let [faults, cycles] = ["page-faults", "cycles"].map(|name| Counter::number(name).expect(name));
        weights.add(7, faults);
        weights.add(8, cycles);
        let told = [(7, 1, 1), (7, 1, 40), (7, 2, 5), (7, 1, 90), (8, 1, 1_000), (8, 1, 2_000), (9, 1, 3)];
        let found = told.map(|(id, tid, period)| weights.weigh(&sample(id, tid, period)));
        let expected = [
            Some((faults, 1)),
            Some((faults, 1)),
            Some((faults, 1)),
            Some((faults, 40)),
            Some((cycles, 1_000)),
            Some((cycles, 2_000)),
            None,
        ];
        assert_eq!(found, expected);
        weights.ended(1);
        assert_eq!(weights.weigh(&sample(7, 1, 8)), Some((faults, 1)), "another thread of that number");
    }
}
