//! One walk over all tables of a profile that builds another: rows go where their call paths go, rows that meet
//! add up, and what is left out is never carried. Filtering, pruning, renaming and folding are this walk with
//! different destinations, selections and names.

use std::ops::Range;

use crate::destinations::Destinations;
use crate::transfer::{Rename, Transfer};
use crate::{
    CodeKey, CodeLine, CopyKey, CounterKey, EventKey, FunctionCode, GpuDevice, GpuScopeKey, HeapKey,
    KernelKey, LabelSetId, Link, Mark, Profile, SampleKey, ScopeKey, ScopeStats, Span, StackId, ThreadId,
    scope_fold,
};

/// Which rows are kept, apart from what becomes of their call paths. The default keeps all.
#[derive(Default)]
pub(crate) struct Selection {
    /// For each thread, whether it is kept; `None` keeps all.
    pub(crate) threads: Option<Vec<bool>>,
    /// For each set of labels, whether it is kept; `None` keeps all.
    pub(crate) labels: Option<Vec<bool>>,
    /// The instants that are kept; `None` keeps all.
    pub(crate) range: Option<Range<u64>>,
    /// Whether a GPU row without a call path is left out.
    pub(crate) requires_path: bool,
    /// Whether scope statistics are left out, because the caller has others to put there.
    pub(crate) omits_scopes: bool,
    /// Whether spans are left out.
    pub(crate) omits_spans: bool,
}

impl Selection {
    pub(crate) fn keeps_thread(&self, thread: ThreadId) -> bool {
        self.threads.as_ref().is_none_or(|kept| kept[thread.index()])
    }

    fn keeps_labels(&self, labels: LabelSetId) -> bool {
        self.labels.as_ref().is_none_or(|kept| kept[labels.index()])
    }

    fn keeps_instant(&self, at_nanos: u64) -> bool {
        self.range.as_ref().is_none_or(|range| range.contains(&at_nanos))
    }
}

/// The profile that comes of sending every call path of `from` where `destinations` says.
pub(crate) fn rewrite(
    from: &Profile,
    destinations: &Destinations<'_>,
    selection: &Selection,
    rename: Option<Rename>,
) -> Profile {
    let mut into = Profile { runs: from.runs.clone(), warnings: from.warnings.clone(), ..Profile::default() };
    let mut transfer = Transfer::new(from, &mut into, &destinations.paths, rename);
    let mut walk = Walk { transfer: &mut transfer, destinations, selection };
    if !selection.omits_scopes {
        walk.scopes();
    }
    walk.timeline();
    walk.samples();
    walk.code();
    walk.events();
    walk.heap();
    walk.gpu();
    walk.counters();
    into
}

/// Carries the tables that add up row by row; shared with merging.
pub(crate) struct Walk<'w, 'a> {
    pub(crate) transfer: &'w mut Transfer<'a>,
    pub(crate) destinations: &'w Destinations<'w>,
    pub(crate) selection: &'w Selection,
}

impl Walk<'_, '_> {
    fn stack(&mut self, stack: StackId) -> Option<StackId> {
        self.destinations.of[stack.index()].map(|destination| self.transfer.stack(destination))
    }

    pub(crate) fn scopes(&mut self) {
        let selection = self.selection;
        let keeps = |key: ScopeKey| selection.keeps_thread(key.thread) && selection.keeps_labels(key.labels);
        if !self.destinations.is_unchanged() {
            let folded = scope_fold::fold(self.transfer.from, self.destinations, keeps);
            self.transfer.into.scopes.reserve(folded.len());
            for (key, mut stats) in folded {
                stats.work = self.transfer.work(&stats.work).unwrap_or(stats.work);
                let key = self.scope_key(key, key.stack);
                self.transfer.into.scopes.add(key, stats);
            }
            return;
        }
        if selection.threads.is_none() && selection.labels.is_none() {
            self.transfer.into.scopes.reserve(self.transfer.from.scopes.len());
        }
        for (key, stats) in self.transfer.from.scopes.iter().filter(|(key, _)| keeps(*key)) {
            let key = self.scope_key(key, key.stack);
            match self.transfer.work(&stats.work) {
                Some(work) => self.transfer.into.scopes.add(key, ScopeStats { work, ..stats.clone() }),
                None => self.transfer.into.scopes.row_mut(key).add(stats),
            }
        }
    }

    fn scope_key(&mut self, key: ScopeKey, destination: StackId) -> ScopeKey {
        ScopeKey {
            stack: self.transfer.stack(destination),
            thread: self.transfer.thread(key.thread),
            labels: self.transfer.labels(key.labels),
        }
    }

    pub(crate) fn timeline(&mut self) {
        let selection = self.selection;
        // Spans have no labels, so a selection of labels can claim none of them.
        let has_spans = self.selection.labels.is_none() && !self.selection.omits_spans;
        for (thread, track) in self.transfer.from.timeline.iter() {
            if !self.selection.keeps_thread(thread) {
                continue;
            }
            let mut spans = Vec::new();
            for span in track.spans.iter().filter(|_| has_spans) {
                let inside = match &self.selection.range {
                    Some(range) => clip(span, range),
                    None => Some(*span),
                };
                if !self.destinations.is_inner(span.stack)
                    && let Some(inside) = inside
                    && let Some(stack) = self.stack(span.stack)
                {
                    spans.push(Span { stack, ..inside });
                }
            }
            let mut marks = Vec::new();
            for mark in track.marks.iter().filter(|mark| selection.keeps_instant(mark.at_nanos)) {
                let name = self.transfer.string(mark.name);
                marks.push(Mark { name, details: self.transfer.string_pairs(&mark.details), ..*mark });
            }
            if !spans.is_empty() || !marks.is_empty() {
                let thread = self.transfer.thread(thread);
                let into = self.transfer.into.timeline.track_mut(thread);
                into.spans.append(&mut spans);
                into.marks.append(&mut marks);
            }
        }
        // A link has no labels, and with one of its threads gone it says nothing.
        let has_links = selection.labels.is_none();
        for link in self.transfer.from.timeline.links.iter().filter(|_| has_links) {
            if selection.keeps_thread(link.from)
                && selection.keeps_thread(link.to)
                && selection.keeps_instant(link.to_nanos)
            {
                let (from, to) = (self.transfer.thread(link.from), self.transfer.thread(link.to));
                self.transfer.into.timeline.links.push(Link { from, to, ..*link });
            }
        }
    }

    pub(crate) fn samples(&mut self) {
        for (key, weight) in self.transfer.from.samples.iter() {
            if self.selection.keeps_thread(key.thread)
                && self.selection.keeps_labels(key.labels)
                && key.at_nanos.is_none_or(|at_nanos| self.selection.keeps_instant(at_nanos))
                && let Some(stack) = self.stack(key.stack)
            {
                let thread = self.transfer.thread(key.thread);
                let labels = self.transfer.labels(key.labels);
                self.transfer.into.samples.add(SampleKey { stack, thread, labels, ..key }, weight);
            }
        }
    }

    /// Code carries neither paths nor threads: all of it goes along, under the names that its frames get.
    pub(crate) fn code(&mut self) {
        for (key, code) in self.transfer.from.code.iter() {
            let carried = CodeKey {
                name: self.transfer.function_name(key.name),
                module: key.module.map(|module| self.transfer.string(module)),
                build: self.transfer.string(key.build),
                ..key
            };
            let line = |line: &CodeLine| CodeLine {
                function: line.function.map(|name| self.transfer.function_name(name)),
                file: line.file.map(|file| self.transfer.string(file)),
                ..*line
            };
            let lines = code.lines.iter().map(line).collect();
            let into = &mut *self.transfer.into;
            into.code.add(carried, FunctionCode { lines, ..code.clone() }, &into.strings);
        }
    }

    pub(crate) fn events(&mut self) {
        for (key, weight) in self.transfer.from.events.iter() {
            if self.selection.keeps_thread(key.thread)
                && self.selection.keeps_labels(key.labels)
                && let Some(stack) = self.stack(key.stack)
            {
                let name = self.transfer.string(key.name);
                let thread = self.transfer.thread(key.thread);
                let labels = self.transfer.labels(key.labels);
                self.transfer.into.events.add(EventKey { name, stack, thread, labels }, weight);
            }
        }
    }

    fn heap(&mut self) {
        self.transfer.into.heap.summary = self.transfer.from.heap.summary;
        for (key, site) in self.transfer.from.heap.iter() {
            if self.selection.keeps_thread(key.thread)
                && self.selection.keeps_labels(key.labels)
                && let Some(stack) = self.stack(key.stack)
            {
                let thread = self.transfer.thread(key.thread);
                let labels = self.transfer.labels(key.labels);
                self.transfer.into.heap.add(HeapKey { stack, thread, labels }, site);
            }
        }
        self.transfer.into.heap.histograms = self.transfer.from.heap.histograms.clone();
        // Snapshots have neither threads nor labels, so a selection of those can claim none of them.
        let selection = self.selection;
        if selection.threads.is_none() && selection.labels.is_none() {
            let mut heap = std::mem::take(&mut self.transfer.into.heap);
            let is_kept = |at_nanos| selection.keeps_instant(at_nanos);
            heap.absorb_snapshots(&self.transfer.from.heap, is_kept, |stack| self.stack(stack));
            self.transfer.into.heap = heap;
        }
    }

    pub(crate) fn gpu(&mut self) {
        let from = self.transfer.from;
        for device in &from.gpu.devices {
            let device = GpuDevice { name: self.transfer.string(device.name), ..*device };
            let into = &mut *self.transfer.into;
            if !into.gpu.devices.contains(&device) {
                let order =
                    |device: &GpuDevice| (device.index, into.strings.get(device.name), device.memory_bytes);
                let at = into.gpu.devices.partition_point(|known| order(known) < order(&device));
                into.gpu.devices.insert(at, device);
            }
        }
        if self.selection.threads.is_some() {
            return;
        }
        // Kernels and copies have no labels, so a selection of those can claim none of them; scopes have some.
        let has_launches = self.selection.labels.is_none();
        for (key, durations) in from.gpu.kernels.iter().filter(|_| has_launches) {
            if let Some(launched_from) = self.launch(key.launched_from) {
                let name = self.transfer.string(key.name);
                self.transfer.into.gpu.add_kernel(KernelKey { name, launched_from, ..*key }, durations);
            }
        }
        for (key, copies) in from.gpu.copies.iter().filter(|_| has_launches) {
            if let Some(launched_from) = self.launch(key.launched_from) {
                self.transfer.into.gpu.add_copies(CopyKey { launched_from, ..*key }, copies);
            }
        }
        // What a scope inside another had GPUs do is part of what the other had them do.
        let scopes = from.gpu.scopes.iter().filter(|(key, _)| !self.destinations.is_inner(key.stack));
        for (key, work) in scopes.filter(|_| !self.selection.omits_scopes) {
            if self.selection.keeps_labels(key.labels)
                && let Some(stack) = self.stack(key.stack)
            {
                let labels = self.transfer.labels(key.labels);
                self.transfer.into.gpu.add_scope(GpuScopeKey { stack, labels }, *work);
            }
        }
    }

    /// Where the launching path goes; the outer `None` leaves the row out.
    fn launch(&mut self, launched_from: Option<StackId>) -> Option<Option<StackId>> {
        match launched_from {
            Some(stack) => self.stack(stack).map(Some),
            None => (!self.selection.requires_path).then_some(None),
        }
    }

    pub(crate) fn counters(&mut self) {
        let selection = self.selection;
        for (key, points) in self.transfer.from.counters.iter() {
            if key.thread.is_some_and(|thread| !self.selection.keeps_thread(thread)) {
                continue;
            }
            let mut kept = points.iter().filter(|point| selection.keeps_instant(point.at_nanos)).peekable();
            if kept.peek().is_none() {
                continue;
            }
            let key = CounterKey {
                name: self.transfer.string(key.name),
                unit: self.transfer.string(key.unit),
                thread: key.thread.map(|thread| self.transfer.thread(thread)),
            };
            self.transfer.into.counters.series_mut(key).extend(kept);
        }
    }
}

/// The part of a span that lies in a range; a span without a length lies where it begins.
pub(crate) fn clip(span: &Span, range: &Range<u64>) -> Option<Span> {
    let start_nanos = span.start_nanos.max(range.start);
    let end_nanos = span.start_nanos.saturating_add(span.duration_nanos).min(range.end);
    let is_inside =
        start_nanos < end_nanos || (span.duration_nanos == 0 && range.contains(&span.start_nanos));
    is_inside.then(|| Span { start_nanos, duration_nanos: end_nanos - start_nanos, ..*span })
}
