//! Whose time waited is. Every thread waits in the kernel and most get there through the C library, so figures of those say
//! nothing: the time belongs to the function of the program that waited, as in a list of waits.

use std::collections::HashMap;

use calor_model::{Profile, SampleKind, StackId};
use foldhash::fast::RandomState;
use indexmap::IndexMap;

use super::{FunctionName, RunFigures};
use crate::{WaitCause, wait_cause};

/// Where threads waited and what for, looked up once for each path.
pub(super) struct WaitSites<'p> {
    profile: &'p Profile,
    known: HashMap<StackId, WaitCause<'p>, RandomState>,
}

impl<'p> WaitSites<'p> {
    pub(super) fn new(profile: &'p Profile) -> Self {
        Self { profile, known: HashMap::default() }
    }

    /// The path to the function that waited.
    pub(super) fn site(&mut self, stack: StackId) -> StackId {
        self.cause(stack).site
    }

    fn cause(&mut self, stack: StackId) -> WaitCause<'p> {
        *self.known.entry(stack).or_insert_with(|| wait_cause(self.profile, stack))
    }

    /// What each function waited for, the longest of its waits.
    fn reasons(&mut self) -> HashMap<FunctionName, String, RandomState> {
        let mut times: IndexMap<(StackId, String), u64, RandomState> = IndexMap::default();
        for (key, weight) in self.profile.samples.iter().filter(|(key, _)| key.kind == SampleKind::OffCpu) {
            let cause = self.cause(key.stack);
            let time = times.entry((cause.site, cause.words())).or_default();
            *time = time.saturating_add(weight.nanos.max(weight.count));
        }
        let mut functions: IndexMap<(FunctionName, String), u64, RandomState> = IndexMap::default();
        for ((site, words), time) in times {
            let frame = self.profile.frames.get(self.profile.stacks.get(site).frame);
            let sum = functions.entry((FunctionName::of_frame(self.profile, &frame), words)).or_default();
            *sum = sum.saturating_add(time);
        }
        let mut list: Vec<((FunctionName, String), u64)> = functions.into_iter().collect();
        // The longest stands last, and stays.
        list.sort_by(|a, b| a.1.cmp(&b.1).then_with(|| b.0.cmp(&a.0)));
        list.into_iter().map(|(named, _)| named).collect()
    }
}

/// Tells what functions waited for, in runs whose figures are of waiting in a profile.
pub(super) fn tell_reasons(profile: &Profile, runs: &mut [RunFigures]) {
    let reasons = WaitSites::new(profile).reasons();
    for figures in runs.iter_mut().flat_map(|run| &mut run.functions) {
        figures.waits_for = reasons.get(&figures.function).cloned();
    }
}

#[cfg(test)]
mod tests {
    use super::super::Quantity;
    use super::*;
    use crate::sketch::Sketch;

    #[test]
    fn time_waited_is_of_the_function_that_waited_and_has_its_reason() {
        let profile = Sketch::new()
            .samples("a", SampleKind::OffCpu, &["main", "load", "_IO_getc", "read"], 5)
            .samples("a", SampleKind::OffCpu, &["main", "load", "nanosleep"], 2)
            .samples("b", SampleKind::OffCpu, &["main", "nap", "nanosleep"], 1)
            .samples("b", SampleKind::Cpu, &["main", "load", "read"], 9)
            .profile();
        let run = RunFigures::of_profile(&profile, Quantity::Samples(SampleKind::OffCpu));
        let found: Vec<_> = run
            .functions
            .iter()
            .map(|row| (row.function.name.as_str(), row.value, row.waits_for.as_deref()))
            .collect();
        assert_eq!(found, [("load", 7e3, Some("io: read")), ("nap", 1e3, Some("sleep: nanosleep"))]);
        let whole = RunFigures::whole_of_profile(&profile, Quantity::Samples(SampleKind::OffCpu));
        let names: Vec<&str> = whole.functions.iter().map(|row| row.function.name.as_str()).collect();
        assert_eq!((names, whole.total()), (vec!["main", "load", "nap"], 8e3));
        // On the wall, what runs in the C library is the C library's, and only what waits there is not.
        let wall = RunFigures::of_profile(&profile, Quantity::Samples(SampleKind::Wall));
        let values: Vec<_> = wall.functions.iter().map(|row| (&*row.function.name, row.value)).collect();
        assert_eq!(values, [("load", 7e3), ("read", 9e3), ("nap", 1e3)]);
    }
}
