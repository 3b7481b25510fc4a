//! Events of counters brought to the call paths they happened on. Samples tell where events are, each standing for those
//! since the one before; the kernel's own count tells how many there were. What lies between samples, and what was not
//! counted while other events had the processor's counters, is given to the paths in proportion.

use std::collections::BTreeMap;

use calor_model::Warning;

use super::events::Events;
use crate::call_paths::tally::Tally;
use crate::counters::Counter;

/// Counted for less than this of the time, a counter is an estimate and says so.
const WHOLE: f64 = 0.995;

/// How far each counter is.
#[derive(Debug, Default)]
pub(crate) struct Attribution {
    /// By counter: what events that are no longer open have counted.
    before: BTreeMap<u8, u64>,
    /// By counter: what has been given to paths.
    given: BTreeMap<u8, u64>,
    /// By counter: the least share of the time in which it was counted.
    shares: BTreeMap<u8, f64>,
}

impl Attribution {
    /// Notes what events have counted that are about to be closed.
    pub(crate) fn close(&mut self, events: &Events) {
        for (number, amount, share) in events.counted() {
            let sum = self.before.entry(number).or_default();
            *sum = sum.saturating_add(amount);
            self.note_share(number, share);
        }
    }

    fn note_share(&mut self, number: u8, share: f64) {
        let least = self.shares.entry(number).or_insert(1.0);
        *least = least.min(share);
    }

    /// Makes the sums of a part what the kernel has counted since the part before.
    pub(crate) fn settle(&mut self, events: &Events, tally: &mut Tally) {
        for (number, amount, share) in events.counted() {
            let all = self.before.get(&number).copied().unwrap_or(0).saturating_add(amount);
            let given = self.given.entry(number).or_default();
            // Without a sample nobody knows where they were; the next part may.
            if tally.scale_events(number, all.saturating_sub(*given)) {
                *given = all;
            }
            self.note_share(number, share);
        }
    }

    /// What has to be said at the end.
    pub(crate) fn warnings(&self, events: &Events) -> Vec<Warning> {
        let name = |number: &u8| Counter::by_number(*number).map(|counter| counter.name().to_owned());
        let mut warnings = Vec::new();
        let shared: Vec<String> = self
            .shares
            .iter()
            .filter(|(_, share)| **share < WHOLE)
            .filter_map(|(number, _)| name(number))
            .collect();
        if !shared.is_empty() {
            let message = format!(
                "counters were counted in turns, because the processor has too few for all at once, and scaled to the \
                 whole time: {}; ask for fewer with --counters=LIST",
                shared.join(", ")
            );
            warnings.push(Warning::new("events_multiplexed", message));
        }
        for (number, amount, _) in events.counted() {
            let all = self.before.get(&number).copied().unwrap_or(0).saturating_add(amount);
            let missing = all.saturating_sub(self.given.get(&number).copied().unwrap_or(0));
            if let Some(name) = name(&number).filter(|_| missing > 0) {
                let message =
                    format!("{name} happened without any sample of them, so that no function has them");
                warnings.push(Warning::counted("events_unplaced", message, missing));
            }
        }
        warnings
    }
}
