//! The profile from the inside out: what took the time, and who called it.

use crate::destinations::Destinations;
use crate::rewrite::{Selection, rewrite};
use crate::self_time::clamped;
use crate::transfer::Transfer;
use crate::{Profile, ScopeKey, ScopeMemory, ScopeStats, StackId, StackTable};

impl Profile {
    /// The same figures on reversed call paths: a root is a function that did something itself, its children are
    /// its callers, and so on outwards. Drawn as a flame graph this is the bottom-up view; the children of a root
    /// are the table of its callers.
    ///
    /// - Scopes count with their self time, in every row from the function itself to its outermost caller, so that
    ///   a row is again the sum of its children. `calls` and `timed` are those of the function at the root of
    ///   the path, as called that way. Memory is likewise what the function allocated itself.
    /// - Samples, heap and GPU figures belong to the innermost frame already, and stand at the end of their path.
    /// - Spans cannot be turned around and are left out.
    ///
    /// A path of depth d becomes d rows: [fold recursion](Profile::fold_recursion) first where it is deep.
    #[must_use]
    pub fn invert(&self) -> Self {
        let is_used = stacks_with_rows(self);
        let reverse = |paths: &mut StackTable, id: StackId| paths.intern_path(self.stacks.frames(id));
        let destinations = Destinations::moved(self, |paths, id, _, _| {
            is_used[id.index()].then(|| reverse(paths, id)).flatten()
        });
        let selection = Selection { omits_scopes: true, omits_spans: true, ..Selection::default() };
        let mut inverted = rewrite(self, &destinations, &selection, None);
        self.invert_scopes(&mut inverted);
        inverted
    }

    fn invert_scopes(&self, inverted: &mut Self) {
        let mut transfer = Transfer::new(self, inverted, &self.stacks, None);
        for ((key, stats), own) in self.scopes.iter().zip(self.scope_self_figures()) {
            let thread = transfer.thread(key.thread);
            let labels = transfer.labels(key.labels);
            let own = ScopeStats {
                total_nanos: clamped(own.nanos),
                open_nanos: 0,
                memory: stats.memory.map(|memory| ScopeMemory {
                    allocated_bytes: clamped(own.allocated_bytes),
                    allocated_count: clamped(own.allocated_count),
                    freed_bytes: clamped(own.freed_bytes),
                    freed_count: clamped(own.freed_count),
                    peak_bytes: memory.peak_bytes,
                }),
                work: transfer.work(&stats.work).unwrap_or_else(|| stats.work.clone()),
                ..stats.clone()
            };
            let mut path = None;
            for frame in self.stacks.frames(key.stack) {
                let frame = transfer.frame(frame);
                let stack = transfer.into.stacks.intern(path, frame);
                transfer.into.scopes.row_mut(ScopeKey { stack, thread, labels }).add(&own);
                path = Some(stack);
            }
        }
    }
}

/// Which paths something other than scopes was recorded on.
fn stacks_with_rows(profile: &Profile) -> Vec<bool> {
    let mut is_used = vec![false; profile.stacks.len()];
    let samples = profile.samples.iter().map(|(key, _)| key.stack);
    let events = profile.events.iter().map(|(key, _)| key.stack);
    let heap = profile.heap.iter().map(|(key, _)| key.stack);
    let snapshots =
        profile.heap.snapshots.iter().flat_map(|snapshot| snapshot.iter().map(|(stack, _)| stack));
    let kernels = profile.gpu.kernels.keys().filter_map(|key| key.launched_from);
    let copies = profile.gpu.copies.keys().filter_map(|key| key.launched_from);
    let all = samples.chain(events).chain(heap).chain(snapshots).chain(kernels).chain(copies);
    all.for_each(|stack| is_used[stack.index()] = true);
    is_used
}
