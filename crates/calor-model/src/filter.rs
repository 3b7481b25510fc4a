//! Keeping a part of a profile: a stretch of time, some threads, what carries a label, what happened in a function
//! or in a context.

use std::ops::Range;

use crate::destinations::Destinations;
use crate::rewrite::{Selection, rewrite};
use crate::{FrameKind, LabelTable, Pattern, Profile, ScopeKey, StackId};

/// What to keep: everything that meets all conditions. By default there is none.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Filter {
    range: Option<Range<u64>>,
    threads: Vec<ThreadChoice>,
    labels: Vec<(String, String)>,
    function: Option<(Pattern, FunctionMode)>,
    context: Option<String>,
}

#[derive(Clone, PartialEq, Debug)]
enum ThreadChoice {
    Tid(u64),
    Name(Pattern),
}

/// What is kept of a call path that holds the wanted function.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum FunctionMode {
    /// The whole path, callers included.
    #[default]
    WholeStack,
    /// The path from the function inwards, which becomes a root. Of several calls on a path the outermost counts.
    FromFunction,
}

impl Filter {
    /// Keeps everything yet.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Keeps what happened at or after `range.start` and before `range.end`, in nanoseconds from the start of the
    /// run. Spans that cross an edge are cut there.
    #[must_use]
    pub fn time_range(mut self, range: Range<u64>) -> Self {
        self.range = Some(range);
        self
    }

    /// Keeps the thread with this number, beside others that are asked for.
    #[must_use]
    pub fn thread_tid(mut self, tid: u64) -> Self {
        self.threads.push(ThreadChoice::Tid(tid));
        self
    }

    /// Keeps threads whose name fits, beside others that are asked for.
    #[must_use]
    pub fn thread_name(mut self, name: impl Into<Pattern>) -> Self {
        self.threads.push(ThreadChoice::Name(name.into()));
        self
    }

    /// Keeps what carries this label; of several labels that are asked for it has to carry all.
    #[must_use]
    pub fn label(mut self, key: &str, value: &str) -> Self {
        self.labels.push((key.to_owned(), value.to_owned()));
        self
    }

    /// Keeps call paths that hold a frame whose name fits.
    #[must_use]
    pub fn function(mut self, name: impl Into<Pattern>, mode: FunctionMode) -> Self {
        self.function = Some((name.into(), mode));
        self
    }

    /// Keeps what happened inside the context of exactly this name, which becomes the root.
    #[must_use]
    pub fn context(mut self, name: &str) -> Self {
        self.context = Some(name.to_owned());
        self
    }
}

impl Profile {
    /// The part of the profile that meets all conditions of `filter`. Runs, warnings, devices and the summary and
    /// histograms of the heap stay those of the whole recording; new warnings say where the part is not exactly what was asked for:
    ///
    /// - Scope statistics carry no time. With a time range they are computed anew from the spans of the timeline;
    ///   without a timeline, or together with a label, which spans do not carry, they stay those of the whole run.
    /// - Heap, GPU rows and samples without a time stay those of the whole run.
    /// - Spans carry no labels, kernels, copies and snapshots of the heap neither labels nor threads, and what scopes had GPUs do no
    ///   threads: asked for those, they are left out.
    /// - Marks and counters obey the time range and the threads alone, counters of the whole process the time.
    #[must_use]
    pub fn filter(&self, filter: &Filter) -> Self {
        let selection = self.selection(filter);
        let takes_scopes_from_timeline = selection.omits_scopes;
        let destinations = self.filtered_paths(filter);
        let mut kept = rewrite(self, &destinations, &selection, None);
        if takes_scopes_from_timeline {
            kept.take_scopes_from_timeline();
        }
        for warning in self.filter_warnings(&selection) {
            kept.warn(warning);
        }
        kept
    }

    fn selection(&self, filter: &Filter) -> Selection {
        let keeps_thread = |name: &str, tid: u64| {
            filter.threads.iter().any(|choice| match choice {
                ThreadChoice::Tid(wanted) => *wanted == tid,
                ThreadChoice::Name(pattern) => pattern.matches(name),
            })
        };
        let carries = |set: &[_], key: &str, value: &str| {
            set.iter().any(|&(k, v)| self.strings.get(k) == key && self.strings.get(v) == value)
        };
        Selection {
            threads: (!filter.threads.is_empty()).then(|| {
                let threads = self.threads.iter();
                threads.map(|(_, thread)| keeps_thread(self.strings.get(thread.name), thread.tid)).collect()
            }),
            labels: (!filter.labels.is_empty()).then(|| {
                let sets = self.labels.iter();
                sets.map(|(_, set)| filter.labels.iter().all(|(key, value)| carries(set, key, value)))
                    .collect()
            }),
            range: filter.range.clone(),
            requires_path: filter.function.is_some() || filter.context.is_some(),
            omits_scopes: filter.range.is_some() && filter.labels.is_empty() && self.timeline.n_spans() > 0,
            omits_spans: false,
        }
    }

    fn filtered_paths(&self, filter: &Filter) -> Destinations<'_> {
        if filter.function.is_none() && filter.context.is_none() {
            return Destinations::unchanged(self);
        }
        // Each frame is looked at once, however many paths hold it.
        let name = |id| self.strings.get(id);
        let is_context: Vec<bool> = match &filter.context {
            Some(context) => {
                let frames = self.frames.iter();
                frames
                    .map(|(_, frame)| frame.kind == FrameKind::Context && name(frame.name) == context)
                    .collect()
            }
            None => vec![true; self.frames.len()],
        };
        let (is_function, mode): (Vec<bool>, _) = match &filter.function {
            Some((pattern, mode)) => {
                (self.frames.iter().map(|(_, frame)| pattern.matches(name(frame.name))).collect(), *mode)
            }
            None => (vec![true; self.frames.len()], FunctionMode::WholeStack),
        };

        // For each path: whether it is inside the context, inside the function, and what it becomes, if only as
        // the caller of paths that are kept.
        let mut states: Vec<(bool, bool, Option<StackId>)> = Vec::with_capacity(self.stacks.len());
        Destinations::moved(self, |paths, _, stack, _| {
            let caller = stack.parent.map_or((false, false, None), |parent| states[parent.index()]);
            let in_context = caller.0 || is_context[stack.frame.index()];
            let in_function = caller.1 || (in_context && is_function[stack.frame.index()]);
            let is_carried = in_context && (in_function || mode == FunctionMode::WholeStack);
            let path = is_carried.then(|| paths.intern(caller.2, stack.frame));
            states.push((in_context, in_function, path));
            path.filter(|_| in_function)
        })
    }

    fn take_scopes_from_timeline(&mut self) {
        for (thread, track) in self.timeline.iter() {
            for span in &track.spans {
                let key = ScopeKey { stack: span.stack, thread, labels: LabelTable::none() };
                let row = self.scopes.row_mut(key);
                row.calls += 1;
                row.timed.record(span.duration_nanos);
                row.total_nanos = row.total_nanos.saturating_add(span.duration_nanos);
            }
        }
    }
}
