//! Sums beside events. Calor writes both under one name: the events show when things happened, as far as they were kept,
//! and the sums hold the whole time. Read together, calls and their times are those of the events, while call paths took
//! as long as the sums say, where that is longer.

use std::collections::HashMap;

use calor_model::{FrameId, LabelTable, Profile, ScopeKey, StackId, StackTable, ThreadId, Warning};

use super::document::{self, Samples};
use super::reader::Unit;
use super::samples;
use crate::Error;
use crate::coverage::{PathNanos, self_nanos};

/// Less than this share more than the events is what rounding leaves.
const WORTH_TELLING: f64 = 0.001;

/// The times that the events of each thread tell, gathered at once: a file may have as many threads as rows.
pub(super) fn of_events(profile: &Profile) -> HashMap<ThreadId, Vec<(StackId, u64)>> {
    let mut of_threads: HashMap<_, Vec<_>> = HashMap::new();
    for (key, stats) in profile.scopes.iter() {
        of_threads.entry(key.thread).or_default().push((key.stack, stats.total_nanos));
    }
    of_threads
}

/// Adds to the scopes of a thread what a profile of samples, which are their self times, has more than their events.
pub(super) fn fill(
    profile: &mut Profile,
    one: &document::Profile<'_>,
    list: &Samples,
    frames: &[FrameId],
    unit: Unit,
    thread: ThreadId,
    events: Vec<(StackId, u64)>,
) -> Result<(), Error> {
    let mut sums = PathNanos::default();
    samples::read(profile, one, list, frames, unit, |_, stack, value| {
        let sum = sums.entry(stack).or_default();
        *sum = sum.saturating_add(value);
    })?;
    let events = self_nanos(&profile.stacks, events.into_iter());
    let total = |values: &mut dyn Iterator<Item = u64>| values.fold(0, u64::saturating_add);
    let more = sums.iter().map(|(stack, sum)| sum.saturating_sub(events.get(stack).copied().unwrap_or(0)));
    let (n_told, n_more) = (total(&mut sums.values().copied()), total(&mut more.into_iter()));
    for (stack, nanos) in with_callees(&profile.stacks, &sums) {
        // Where the span of a callee is missing, that of its caller already holds its time.
        let stats = profile.scopes.row_mut(ScopeKey { stack, thread, labels: LabelTable::none() });
        stats.total_nanos = stats.total_nanos.max(nanos);
    }
    let share = n_more as f64 / n_told.max(1) as f64;
    if !events.is_empty() && share > WORTH_TELLING {
        let message = format!(
            "the events of \"{}\" leave out {:.1} % of the time that the sums beside them tell: times are those of the \
             sums, while calls, shortest, longest and the timeline are those of the events",
            one.name,
            100.0 * share
        );
        profile.warn(Warning::new("timeline_incomplete", message));
    }
    Ok(())
}

/// Self times as times with callees, sorted by path.
fn with_callees(stacks: &StackTable, sums: &PathNanos) -> Vec<(StackId, u64)> {
    let mut whole = PathNanos::default();
    for (&stack, &nanos) in sums.iter().filter(|(_, nanos)| **nanos > 0) {
        let mut at = Some(stack);
        while let Some(stack) = at {
            let sum = whole.entry(stack).or_default();
            *sum = sum.saturating_add(nanos);
            at = stacks.get(stack).parent;
        }
    }
    let mut whole: Vec<_> = whole.into_iter().collect();
    whole.sort_unstable();
    whole
}
