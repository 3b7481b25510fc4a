//! Adding rows of scopes up into the nodes of a tree. One pass for each thread over the paths that thread touched,
//! callees before callers; every lookup is an index into a vector.

use calor_model::{ScopeKey, ScopeStats, ThreadId};

use crate::counting_sort::by_place;
use crate::work_rate::has_counts;
use crate::{CallNode, Correction, NodeId};

/// What one thread recorded.
#[derive(Clone, Copy, Debug)]
pub(crate) struct ThreadFigures {
    pub(crate) thread: ThreadId,
    /// Time of its outermost scopes.
    pub(crate) recorded_nanos: u64,
    /// Calls of its scopes.
    pub(crate) calls: u64,
}

/// What one thread knows of one node while its rows are added up.
#[derive(Clone, Copy, Default)]
struct Part {
    has_row: bool,
    calls: u64,
    timed_calls: u64,
    inclusive_nanos: u64,
    allocated: Option<(u64, u64)>,
    children: Children,
}

/// Sums over a node's direct children.
#[derive(Clone, Copy, Default)]
struct Children {
    timed_calls: u64,
    inclusive_nanos: u64,
    removed_nanos: u64,
    allocated: (u64, u64),
}

/// Fills in the figures of scopes and returns those of each thread. `rows` are sorted by path.
pub(crate) fn scopes(
    nodes: &mut [CallNode],
    rows: &[(ScopeKey, &ScopeStats)],
    n_threads: usize,
    correction: Option<Correction>,
) -> Vec<ThreadFigures> {
    let by_path = assign_rows(nodes, rows);
    let by_thread = by_place(&by_path, n_threads, |(_, row)| rows[*row].0.thread.index());
    let mut parts = vec![Part::default(); nodes.len()];
    let mut touched: Vec<NodeId> = Vec::new();
    let mut is_touched = vec![false; nodes.len()];
    let mut threads = Vec::new();
    for group in by_thread.chunk_by(|a, b| rows[a.1].0.thread == rows[b.1].0.thread) {
        let mut calls = 0_u64;
        for &(node, row) in group {
            let stats = rows[row].1;
            let part = &mut parts[node.index()];
            part.has_row = true;
            calls = calls.saturating_add(stats.calls);
            part.calls = part.calls.saturating_add(stats.calls);
            part.timed_calls = part.timed_calls.saturating_add(stats.timed.count);
            part.inclusive_nanos = part.inclusive_nanos.saturating_add(stats.inclusive_nanos());
            if let Some(memory) = &stats.memory {
                let sum = part.allocated.get_or_insert_default();
                *sum = add_pairs(*sum, (memory.allocated_bytes, memory.allocated_count));
            }
            let mut next = Some(node);
            while let Some(node) = next
                && !is_touched[node.index()]
            {
                is_touched[node.index()] = true;
                touched.push(node);
                next = nodes[node.index()].parent;
            }
        }
        // Callees have larger numbers than their callers, so each node meets its finished children.
        touched.sort_unstable_by(|a, b| b.cmp(a));
        let mut outermost = Children::default();
        for node in touched.drain(..) {
            is_touched[node.index()] = false;
            let part = std::mem::take(&mut parts[node.index()]);
            let closed = close(&mut nodes[node.index()], part, correction);
            match nodes[node.index()].parent {
                Some(caller) => parts[caller.index()].children.add(closed),
                None => outermost.add(closed),
            }
        }
        let recorded_nanos = outermost.inclusive_nanos.saturating_sub(outermost.removed_nanos);
        threads.push(ThreadFigures { thread: rows[group[0].1].0.thread, recorded_nanos, calls });
    }
    estimates(nodes);
    threads
}

/// Tells each node its rows and adds what needs no self time; returns the node of each row.
fn assign_rows(nodes: &mut [CallNode], rows: &[(ScopeKey, &ScopeStats)]) -> Vec<(NodeId, usize)> {
    let mut node_of_row = Vec::with_capacity(rows.len());
    let mut index = 0;
    for (row, (key, stats)) in rows.iter().enumerate() {
        while nodes[index].stack != key.stack {
            index += 1;
        }
        let node = &mut nodes[index];
        if node.rows.is_empty() {
            node.rows.start = row;
        }
        node.rows.end = row + 1;
        node.calls = node.calls.saturating_add(stats.calls);
        node.timed_calls = node.timed_calls.saturating_add(stats.timed.count);
        node.open_calls = node.open_calls.saturating_add(stats.open_calls);
        node.inclusive_variance += stats.total_variance;
        node.is_estimated |= stats.is_estimated();
        node.measured_nanos = node.measured_nanos.saturating_add(stats.inclusive_nanos());
        node.has_counts |= has_counts(&stats.work);
        node.has_future |= stats.future.is_some();
        // As many nodes as stacks at most, and stacks are numbered by u32.
        node_of_row.push((NodeId(index as u32), row));
    }
    node_of_row
}

/// Adds a thread's part to its node and says what the caller has to know of it.
fn close(node: &mut CallNode, part: Part, correction: Option<Correction>) -> Children {
    let Part { has_row, calls, children, .. } = part;
    let inclusive = if has_row { part.inclusive_nanos } else { children.inclusive_nanos };
    let measured = inclusive.saturating_sub(children.inclusive_nanos);
    let cost = correction.map_or(0, |correction| {
        // Calls that were not timed cost next to nothing outside their scope.
        correction.inside_nanos(calls).saturating_add(correction.outside_nanos(children.timed_calls))
    });
    let removed_here = cost.min(measured);
    let removed = children.removed_nanos.saturating_add(removed_here);
    node.self_nanos = node.self_nanos.saturating_add(measured - removed_here);
    node.corrected_nanos = node.corrected_nanos.saturating_add(removed_here);
    node.inclusive_nanos = node.inclusive_nanos.saturating_add(inclusive.saturating_sub(removed));
    node.clamped_nanos =
        node.clamped_nanos.saturating_add(children.inclusive_nanos.saturating_sub(inclusive));
    let allocated = part.allocated.unwrap_or(children.allocated);
    if part.allocated.is_some() {
        let bytes = node.self_allocated_bytes.get_or_insert_default();
        *bytes = bytes.saturating_add(allocated.0.saturating_sub(children.allocated.0));
        let count = node.self_allocated_count.get_or_insert_default();
        *count = count.saturating_add(allocated.1.saturating_sub(children.allocated.1));
    }
    // A node without a row passes on what its children would have told their next recorded caller.
    let timed_calls = if has_row { part.timed_calls } else { children.timed_calls };
    Children { timed_calls, inclusive_nanos: inclusive, removed_nanos: removed, allocated }
}

/// Marks self times that rest on an estimated child, and the times of paths that have nothing but children.
fn estimates(nodes: &mut [CallNode]) {
    for index in (0..nodes.len()).rev() {
        let node = &mut nodes[index];
        if node.rows.is_empty() {
            node.inclusive_variance = std::mem::take(&mut node.self_variance);
            node.is_estimated = std::mem::take(&mut node.is_self_estimated);
        } else {
            node.self_variance += node.inclusive_variance;
            node.is_self_estimated |= node.is_estimated;
        }
        let (variance, is_estimated, parent) = (node.inclusive_variance, node.is_estimated, node.parent);
        if let Some(parent) = parent {
            nodes[parent.index()].self_variance += variance;
            nodes[parent.index()].is_self_estimated |= is_estimated;
        }
    }
}

impl Children {
    fn add(&mut self, other: Self) {
        self.timed_calls = self.timed_calls.saturating_add(other.timed_calls);
        self.inclusive_nanos = self.inclusive_nanos.saturating_add(other.inclusive_nanos);
        self.removed_nanos = self.removed_nanos.saturating_add(other.removed_nanos);
        self.allocated = add_pairs(self.allocated, other.allocated);
    }
}

fn add_pairs(a: (u64, u64), b: (u64, u64)) -> (u64, u64) {
    (a.0.saturating_add(b.0), a.1.saturating_add(b.1))
}
