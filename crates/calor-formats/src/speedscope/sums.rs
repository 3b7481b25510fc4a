//! Sums beside events. Calor writes both under one name: the events show when things happened, as far as they were kept,
//! and the sums hold the whole time. Read together, calls and their times are those of the events, while call paths took
//! as long as the sums say, where that is longer.

use std::collections::HashMap;

use calor_model::{
    FrameId, LabelTable, Profile, ScopeKey, ScopeStats, StackId, StackTable, ThreadId, Warning,
};

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

/// What a profile of samples tells of scopes: the self time of each call path, and in a file of ours its calls.
pub(super) struct Sums<'a> {
    name: &'a str,
    self_nanos: PathNanos,
    calls: HashMap<StackId, u64>,
}

/// Adds up the samples of a profile.
pub(super) fn read<'a>(
    profile: &mut Profile,
    one: &'a document::Profile<'_>,
    list: &Samples,
    frames: &[FrameId],
    unit: Unit,
) -> Result<Sums<'a>, Error> {
    let mut sums = Sums { name: &one.name, self_nanos: PathNanos::default(), calls: HashMap::new() };
    samples::read(profile, one, list, frames, unit, |_, stack, value, count| {
        let sum = sums.self_nanos.entry(stack).or_default();
        *sum = sum.saturating_add(value);
        if let Some(count) = count {
            let calls = sums.calls.entry(stack).or_default();
            *calls = calls.saturating_add(count);
        }
    })?;
    Ok(sums)
}

impl Sums<'_> {
    /// Adds to the scopes of a thread what the sums have more than their events. Sums of ours are exact, while each
    /// event is rounded: then theirs are the times.
    pub(super) fn fill(
        &self,
        profile: &mut Profile,
        thread: ThreadId,
        events: Vec<(StackId, u64)>,
        is_exact: bool,
    ) {
        let events = self_nanos(&profile.stacks, events.into_iter());
        let total = |values: &mut dyn Iterator<Item = u64>| values.fold(0, u64::saturating_add);
        let of_events = |stack| events.get(stack).copied().unwrap_or(0);
        let more = self.self_nanos.iter().map(|(stack, sum)| sum.saturating_sub(of_events(stack)));
        let n_told = total(&mut self.self_nanos.values().copied());
        let n_more = total(&mut more.into_iter());
        for (stack, nanos) in with_callees(&profile.stacks, &self.self_nanos) {
            // A file that tells calls lists every scope, and callers that it does not list are none.
            if !self.calls.is_empty() && !self.self_nanos.contains_key(&stack) {
                continue;
            }
            // Where the span of a callee is missing, that of its caller already holds its time.
            let stats = profile.scopes.row_mut(ScopeKey { stack, thread, labels: LabelTable::none() });
            stats.total_nanos = if is_exact { nanos } else { stats.total_nanos.max(nanos) };
        }
        let mut calls: Vec<_> = self.calls.iter().filter(|(_, calls)| **calls > 0).collect();
        calls.sort_unstable();
        for (&stack, &calls) in calls {
            let stats = profile.scopes.row_mut(ScopeKey { stack, thread, labels: LabelTable::none() });
            // Where there are events, calls and their times are those.
            if stats.timed.count == 0 {
                stats.calls = calls;
            }
        }
        let share = n_more as f64 / n_told.max(1) as f64;
        if !events.is_empty() && share > WORTH_TELLING {
            let message = format!(
                "the events of \"{}\" leave out {:.1} % of the time that the sums beside them tell: times are those of \
                 the sums, while calls, shortest, longest and the timeline are those of the events",
                self.name,
                100.0 * share
            );
            profile.warn(Warning::new("timeline_incomplete", message));
        }
    }
}

/// Says so where a file tells how long scopes took and not how often.
pub(super) fn warn_of_unknown_calls(profile: &mut Profile) {
    let is_unknown = |stats: &ScopeStats| stats.calls == 0 && stats.total_nanos > 0;
    let n_unknown = profile.scopes.iter().filter(|(_, stats)| is_unknown(stats)).count();
    if n_unknown > 0 {
        let message = "the file tells how long a call path took and not how often it was called: its calls are not known";
        profile.warn(Warning::counted("calls_unknown", message, n_unknown as u64));
    }
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
