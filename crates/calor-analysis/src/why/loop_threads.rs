//! Which threads run the functions that hot loops are in. Threads that share out one pass over the data run copies of one
//! loop, or of several that the compiler made of it; a thread that goes over its data twice runs both.

use std::collections::{BTreeMap, BTreeSet};

use calor_model::{Profile, StringId};

use super::WhyLoop;
use super::part::Chosen;

/// Threads by the functions whose code they run.
pub(super) struct LoopThreads {
    by_function: BTreeMap<StringId, BTreeSet<usize>>,
}

impl LoopThreads {
    /// Those of the functions whose code was recorded.
    pub(super) fn of(profile: &Profile, chosen: &Chosen) -> Self {
        let mut by_function: BTreeMap<StringId, BTreeSet<usize>> =
            profile.code.iter().map(|(key, _)| (key.name, BTreeSet::new())).collect();
        for (stack, thread) in chosen.stacks_by_thread(profile) {
            // What was inlined stands below the function whose code it is.
            let mut at = Some(stack);
            while let Some(path) = at {
                let row = profile.stacks.get(path);
                if let Some(threads) = by_function.get_mut(&profile.frames.get(row.frame).name) {
                    threads.insert(thread.index());
                    break;
                }
                at = row.parent;
            }
        }
        Self { by_function }
    }

    /// The threads that run a function.
    pub(super) fn of_function(&self, name: StringId) -> Vec<usize> {
        self.by_function.get(&name).into_iter().flatten().copied().collect()
    }
}

/// What the loops that data goes through come to, one after the other. Loops that no thread runs together with another are
/// parts of one pass, which threads share out: of those the thread with most of it counts. Where threads are not known, all do.
pub(super) fn of_one_share(passes: &[&WhyLoop], of: impl Fn(&WhyLoop) -> f64) -> f64 {
    let sum = |is_wanted: &dyn Fn(&WhyLoop) -> bool| -> f64 {
        passes.iter().filter(|it| is_wanted(it)).map(|it| of(it)).sum()
    };
    if passes.iter().any(|it| it.threads.is_empty()) {
        return sum(&|_| true);
    }
    let threads = passes.iter().flat_map(|it| &it.threads);
    threads.map(|thread| sum(&|it| it.threads.contains(thread))).fold(0.0, f64::max)
}
