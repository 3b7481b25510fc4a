//! Sums beside events. Calor writes both under one name: the events show when things happened, as far as they were kept,
//! and the sums hold the whole time. Read together, calls and their times are those of the events, and what the sums
//! have more goes to the call paths it belongs to, without calls.

use calor_model::{FrameId, LabelTable, Profile, ScopeKey, ThreadId, Warning};

use super::document::{self, Samples};
use super::reader::Unit;
use super::samples;
use crate::Error;
use crate::coverage::{PathNanos, self_nanos};

/// Less than this share more than the events is what rounding leaves.
const WORTH_TELLING: f64 = 0.001;

/// Adds to the scopes of a thread what a profile of samples, which are their self times, has more than their events.
pub(super) fn fill(
    profile: &mut Profile,
    one: &document::Profile<'_>,
    list: &Samples,
    frames: &[FrameId],
    unit: Unit,
    thread: ThreadId,
) -> Result<(), Error> {
    let mut sums = PathNanos::default();
    samples::read(profile, one, list, frames, unit, |_, stack, value| {
        let sum = sums.entry(stack).or_default();
        *sum = sum.saturating_add(value);
    })?;
    let of_thread = profile.scopes.iter().filter(|(key, _)| key.thread == thread);
    let events = self_nanos(&profile.stacks, of_thread.map(|(key, stats)| (key.stack, stats.total_nanos)));
    let mut more: Vec<(_, u64)> = sums
        .iter()
        .map(|(stack, sum)| (*stack, sum.saturating_sub(events.get(stack).copied().unwrap_or(0))))
        .filter(|(_, more)| *more > 0)
        .collect();
    more.sort_unstable();
    let total = |values: &mut dyn Iterator<Item = u64>| values.fold(0, u64::saturating_add);
    let (n_told, n_more) =
        (total(&mut sums.values().copied()), total(&mut more.iter().map(|(_, nanos)| *nanos)));
    for (stack, nanos) in more {
        // The time of a path is part of that of all its callers.
        let mut at = Some(stack);
        while let Some(stack) = at {
            let stats = profile.scopes.row_mut(ScopeKey { stack, thread, labels: LabelTable::none() });
            stats.total_nanos = stats.total_nanos.saturating_add(nanos);
            at = profile.stacks.get(stack).parent;
        }
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
