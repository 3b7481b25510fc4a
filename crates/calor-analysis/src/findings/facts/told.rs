//! What programs tell beside their times: labels and counters by name, and how near to the machine's roof a scope came by
//! the bytes and operations that it told.

use calor_model::{LabelSetId, Work};

use super::{Facts, MachineFigures, ScopeFacts};
use crate::roofline::Told;

/// A scope that is so much faster than a core can be has others at work for it.
const FASTER_THAN_ONE: f64 = 1.15;

/// How fast a scope was on a thread, and what the machine can do.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Rates {
    /// Bytes of a call: how much memory it went over at most.
    pub bytes_per_call: f64,
    /// Bytes a second; 0 where none were told.
    pub bytes_per_second: f64,
    /// That as a part of what the tier of memory delivers that holds the bytes of a call: to a core, to each of several at once,
    /// or to all, whoever was at work. Above 1 where the bytes came from a nearer one.
    pub bandwidth_share: f64,
    /// Operations a second as a part of the peak, with numbers of the size that the label `dtype` tells, 32 bits without, and of
    /// all cores where several were at work; 0 where none were told.
    pub flops_share: f64,
}

impl<'p> Facts<'p> {
    /// The value of a label.
    #[must_use]
    pub fn label(&self, labels: LabelSetId, name: &str) -> Option<&'p str> {
        let profile = self.profile();
        let name = profile.strings.find(name)?;
        let pair = profile.labels.get(labels).iter().find(|(label, _)| *label == name)?;
        Some(profile.strings.get(pair.1))
    }

    /// The counters of some work by name.
    pub fn counters<'w>(&self, work: &'w Work) -> impl Iterator<Item = (&'p str, i64)> + use<'w, 'p> {
        let profile = self.profile();
        work.counters.iter().map(|&(name, value)| (profile.strings.get(name), value))
    }

    /// The counter of some work.
    #[must_use]
    pub fn counter(&self, work: &Work, name: &str) -> Option<i64> {
        self.counters(work).find(|(known, _)| *known == name).map(|(_, value)| value)
    }

    /// How a scope stands under the machine's roof; `None` where it told neither bytes nor operations, or the machine was
    /// not measured.
    #[must_use]
    pub fn rates(&self, scope: &ScopeFacts) -> Option<Rates> {
        let machine = self.machine()?;
        let work = &scope.stats.work;
        if (work.bytes == 0 && work.flops == 0) || scope.total_nanos == 0 || scope.calls == 0 {
            return None;
        }
        let per_second = |amount: u64| amount as f64 * 1e9 / scope.total_nanos as f64;
        let bytes_per_call = work.bytes as f64 / scope.calls as f64;
        let bytes_per_second = per_second(work.bytes);
        let rows = self.profile().scopes.iter().filter(|(key, _)| key.stack == scope.stack);
        let told = Told::by(self.profile(), rows.map(|(key, _)| key.labels));
        let number = told.number.unwrap_or_default().word();
        let share = |rate: f64, alone: Option<f64>, all: Option<f64>| {
            let part = |most: Option<f64>| most.filter(|most| *most > 0.0).map(|most| rate / most);
            let of_one = part(alone).unwrap_or(0.0);
            let is_of_all = told.has_threads || of_one > FASTER_THAN_ONE;
            part(all).filter(|_| is_of_all).unwrap_or(of_one)
        };
        let alone = machine.bandwidth_of_each(bytes_per_call as u64, self.threads_at_once(scope));
        // Only of main memory is it known what all cores get.
        let is_memory = machine.bandwidth_at(bytes_per_call as u64) == memory(machine);
        Some(Rates {
            bytes_per_call,
            bytes_per_second,
            bandwidth_share: share(
                bytes_per_second,
                alone,
                machine.all_cores_bandwidth.filter(|_| is_memory && told.has_threads),
            ),
            flops_share: share(
                per_second(work.flops),
                machine.peak_flops(number),
                machine.all_cores_peak_flops(number),
            ),
        })
    }

    /// How many threads were in a scope at once, as far as its number of threads and those that the program kept busy tell.
    fn threads_at_once(&self, scope: &ScopeFacts) -> f64 {
        (scope.n_threads as f64).min(self.whole().parallelism()).max(1.0)
    }
}

fn memory(machine: &MachineFigures) -> Option<f64> {
    machine.bandwidth.last().map(|(_, rate)| *rate)
}

#[cfg(test)]
mod tests {
    use calor_model::{ScopeStats, Work};

    use crate::findings::draft::Draft;
    use crate::findings::{Facts, MachineFigures};

    #[test]
    fn labels_counters_and_rates_are_found_by_name() {
        let machine = MachineFigures {
            peak_flops: vec![("f32".to_owned(), 1e11)],
            bandwidth: vec![(1 << 20, 8e10), (1 << 30, 2e10)],
            ..MachineFigures::default()
        };
        let draft = Draft::new().seconds(1.0).scope(&["plain"], 1, 7).change(|profile| {
            let name = profile.strings.intern("hits");
            let mut work = Work { bytes: 10_000_000_000, flops: 5_000_000_000, ..Work::default() };
            work.add_counter(name, 9);
            let stack = profile.intern_named_path(&["run"], calor_model::FrameKind::Scope).unwrap();
            let (key, value) = (profile.strings.intern("n"), profile.strings.intern("64"));
            let labels = profile.labels.intern(&[(key, value)]);
            let thread = profile.intern_thread(1, 1, "main");
            let stats = ScopeStats { calls: 10, total_nanos: 1_000_000_000, work, ..ScopeStats::default() };
            profile.scopes.add(calor_model::ScopeKey { stack, thread, labels }, stats);
        });
        let profile = draft.profile();
        let facts = Facts::new(&profile, Some(&machine));
        let run = facts.scopes().iter().find(|scope| facts.name(scope.stack) == "run").unwrap();
        let plain = facts.scopes().iter().find(|scope| facts.name(scope.stack) == "plain").unwrap();
        assert_eq!(
            (facts.counter(&run.stats.work, "hits"), facts.counter(&run.stats.work, "misses")),
            (Some(9), None)
        );
        let rates = facts.rates(run).unwrap();
        assert_eq!((rates.bandwidth_share, rates.flops_share, rates.bytes_per_call), (0.5, 0.05, 1e9));
        assert_eq!(facts.rates(plain), None);
        let row = profile.scopes.iter().find(|(key, _)| key.stack == run.stack).unwrap().0;
        assert_eq!((facts.label(row.labels, "n"), facts.label(row.labels, "m")), (Some("64"), None));
    }
}
