//! A picture of statistics that carry no time: every call path is one event as long as all its calls together, its
//! callees side by side inside it. Where on the axis it stands means nothing, and the name of its thread says so.

use std::collections::BTreeMap;
use std::io::Write;

use calor_model::{FrameId, FrameTable, Profile, StackId, StackTable, StringTable, ThreadId};

use super::event_writer::{EventWriter, source};
use super::lanes::Lane;
use super::words;
use crate::{Error, Metric, Weights};

/// Where names and paths are looked up: tables of a profile, or of the weights made from it, which may have more.
#[derive(Clone, Copy)]
pub(super) struct Tables<'t> {
    pub(super) strings: &'t StringTable,
    pub(super) frames: &'t FrameTable,
    pub(super) stacks: &'t StackTable,
}

impl<'t> Tables<'t> {
    pub(super) fn of(profile: &'t Profile) -> Self {
        Self { strings: &profile.strings, frames: &profile.frames, stacks: &profile.stacks }
    }

    pub(super) fn of_weights(weights: &'t Weights<'_>) -> Self {
        Self { strings: &weights.strings, frames: &weights.frames, stacks: &weights.stacks }
    }
}

/// The call paths of one thread, each with what is told of it. A caller stands before its callees.
#[derive(Default)]
pub(super) struct Layout {
    paths: BTreeMap<StackId, Path>,
    /// What stands behind the name of the thread.
    remark: String,
}

#[derive(Clone, Copy, Default)]
struct Path {
    /// Without its callees, or 0 where only the whole is known.
    own: u64,
    /// Whether it is told of, and not just a caller.
    is_told: bool,
    /// With its callees, as far as that is known.
    whole: u64,
    /// Calls, or how often another metric was met; `None` where nobody knows.
    calls: Option<u64>,
    /// What else than scopes weighs here.
    metric: Option<Metric>,
    /// The shortest and the longest call.
    extremes: Option<(u64, u64)>,
}

/// The scopes of each thread.
pub(super) fn of_scopes(profile: &Profile) -> BTreeMap<ThreadId, Layout> {
    let mut layouts: BTreeMap<ThreadId, Layout> = BTreeMap::new();
    for (key, stats) in profile.scopes.iter() {
        let layout = layouts.entry(key.thread).or_default();
        "(totals, not in order of time)".clone_into(&mut layout.remark);
        // Rows that differ in their labels are one here.
        let path = layout.paths.entry(key.stack).or_default();
        path.whole = path.whole.saturating_add(stats.inclusive_nanos());
        let is_known = stats.calls > 0 || stats.total_nanos == 0;
        let calls = is_known.then_some(stats.calls).into_iter();
        path.calls = path.calls.into_iter().chain(calls).reduce(u64::saturating_add);
        path.is_told = true;
        if stats.timed.count > 0 {
            let (min, max) = path.extremes.unwrap_or((u64::MAX, 0));
            path.extremes = Some((min.min(stats.timed.min_nanos), max.max(stats.timed.max_nanos)));
        }
    }
    layouts
}

/// The call paths of each thread by another metric; bytes are drawn as nanoseconds.
pub(super) fn of_weights(weights: &Weights<'_>) -> BTreeMap<ThreadId, Layout> {
    let mut layouts: BTreeMap<ThreadId, Layout> = BTreeMap::new();
    let unit = if weights.metric.unit() == "bytes" { ", 1 ns is 1 byte" } else { "" };
    for row in &weights.rows {
        let Some(thread) = row.thread else { continue };
        let layout = layouts.entry(thread).or_default();
        layout.remark = format!("({}{unit}, not in order of time)", weights.metric);
        let metric = Some(weights.metric);
        let path = Path { own: row.value, calls: Some(row.count), metric, is_told: true, ..Path::default() };
        layout.paths.insert(row.stack, path);
    }
    layouts
}

/// The metric of the samples that a profile has.
pub(super) fn sample_metric(profile: &Profile) -> Option<Metric> {
    let is_sampled = |metric: &Metric| matches!(metric, Metric::Cpu | Metric::Wall | Metric::OffCpu);
    Metric::available(profile).into_iter().find(is_sampled)
}

impl Layout {
    /// Writes the thread's name with the remark, and all events.
    pub(super) fn write<W: Write>(
        mut self,
        tables: Tables<'_>,
        lane: Lane,
        name: &str,
        events: &mut EventWriter<'_, W>,
    ) -> Result<(), Error> {
        events.thread_name(lane, format!("{name} {}", self.remark).trim_start())?;
        self.add_callers(tables.stacks);
        let is_of_scopes = self.paths.values().all(|path| path.metric.is_none());
        let mut starts: BTreeMap<StackId, u64> = BTreeMap::new();
        let mut next_root = 0_u64;
        for (&stack, path) in &self.paths {
            let parent = tables.stacks.get(stack).parent;
            let next = parent.and_then(|parent| starts.get_mut(&parent)).unwrap_or(&mut next_root);
            let start = *next;
            *next = next.saturating_add(path.whole);
            // The callees begin where the caller does.
            starts.insert(stack, start);
            let frame = tables.stacks.get(stack).frame;
            let (name, kind) = (tables.frames.get(frame).name, words::word(tables.frames.get(frame).kind));
            let category = if is_of_scopes { words::TOTALS } else { words::WEIGHTS }.to_owned() + kind;
            let arguments = path.arguments(tables, frame);
            events.totals(lane, start, path.whole, tables.strings.get(name), &category, &arguments)?;
        }
        Ok(())
    }

    /// Adds the callers that have no figures of their own, and makes every caller as long as its callees.
    fn add_callers(&mut self, stacks: &StackTable) {
        let told: Vec<StackId> = self.paths.keys().copied().collect();
        for stack in told {
            let mut next = stacks.get(stack).parent;
            while let Some(caller) = next.filter(|caller| !self.paths.contains_key(caller)) {
                self.paths.insert(caller, Path::default());
                next = stacks.get(caller).parent;
            }
        }
        // Callees stand behind their callers, so from the end every path is complete when it is met.
        let mut inner: BTreeMap<StackId, u64> = BTreeMap::new();
        for (&stack, path) in self.paths.iter_mut().rev() {
            let callees = inner.remove(&stack).unwrap_or(0);
            path.whole = path.whole.max(path.own.saturating_add(callees));
            if let Some(caller) = stacks.get(stack).parent {
                let sum = inner.entry(caller).or_default();
                *sum = sum.saturating_add(path.whole);
            }
        }
    }
}

impl Path {
    fn arguments(&self, tables: Tables<'_>, frame: FrameId) -> String {
        let mut members = source(tables.strings, tables.frames.get(frame));
        if let Some(metric) = self.metric {
            members.push(format!("\"{}\":\"{metric}\"", words::METRIC));
        }
        let mut number = |key: &str, value: u64| members.push(format!("\"{key}\":{value}"));
        match (self.metric, self.calls) {
            (Some(_), count) => {
                number(words::COUNT, count.unwrap_or(0));
                number(words::OWN, self.own);
            }
            (None, Some(calls)) => number(words::CALLS, calls),
            // A caller that nothing is told of says so by no calls; one whose calls are unknown says nothing.
            (None, None) if !self.is_told => number(words::CALLS, 0),
            (None, None) => {}
        }
        if self.metric.is_none() {
            number(words::TOTAL_NANOS, self.whole);
        }
        if let Some((min, max)) = self.extremes {
            number(words::MIN_NANOS, min);
            number(words::MAX_NANOS, max);
        }
        members.join(",")
    }
}
