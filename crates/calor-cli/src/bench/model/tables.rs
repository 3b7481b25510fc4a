//! What the run's profile tells beside the figures: where the time went, and who allocated.

use calor_analysis::{
    CallTree, Grouping, HotPath, Order, ThreadChoice, TreeOptions, hot_paths, scope_memory,
};
use calor_model::Profile;
use calor_report::bench::{Bench, Column, Table};
use calor_report::quantity::{bytes, count, duration};

/// How much of each list is shown.
#[derive(Clone, Copy)]
pub(super) struct Rows {
    pub(super) hot_paths: usize,
    pub(super) allocators: usize,
}

pub(super) fn add(profile: &Profile, rows: Rows, bench: &mut Bench) {
    bench.tables.push(hot(profile, rows.hot_paths));
    match allocators(profile, rows.allocators) {
        Some(table) => bench.tables.push(table),
        None => bench.warn(
            "no_allocations",
            "what scopes allocated is not available: this build has no allocator that counts",
        ),
    }
}

fn hot(profile: &Profile, most: usize) -> Table {
    let numbers = ["self", "share", "calls", "a call", "GFLOP/s", "GB/s", "allocated"].map(Column::number);
    let mut table = Table::new(
        format!("Hot paths, top {most} by self time"),
        std::iter::once(Column::text("path")).chain(numbers),
    );
    let tree = CallTree::of_scopes(profile, &TreeOptions::default());
    for path in hot_paths(&tree, Grouping::Path, Order::SelfTime, Some(most)) {
        table.rows.push(row(&tree, &path));
    }
    table
}

fn row(tree: &CallTree<'_>, path: &HotPath) -> Vec<String> {
    let none = || "-".to_owned();
    let giga = |rate: Option<f64>| rate.map_or_else(none, |rate| format!("{:.2}", rate / 1e9));
    let mut names = Vec::new();
    let mut at = path.nodes.first().copied();
    while let Some(id) = at {
        names.push(tree.name(id));
        at = tree.node(id).parent;
    }
    names.reverse();
    let calls = path.calls.unwrap_or(0);
    vec![
        names.join(" > "),
        duration(path.self_nanos as f64),
        path.share.map_or_else(none, |share| format!("{:.1} %", 100.0 * share)),
        count(calls),
        path.total_nanos.checked_div(calls).map_or_else(none, |nanos| duration(nanos as f64)),
        giga(path.flops_per_second()),
        giga(path.bytes_per_second()),
        path.stats.memory.as_ref().map_or_else(none, |memory| bytes(memory.allocated_bytes)),
    ]
}

/// `None` where no allocator counts.
fn allocators(profile: &Profile, most: usize) -> Option<Table> {
    let all = scope_memory(profile, &ThreadChoice::All);
    if all.is_empty() {
        return None;
    }
    let numbers = ["allocated", "count", "a call", "freed", "peak of a call"].map(Column::number);
    let columns = std::iter::once(Column::text("scope")).chain(numbers);
    let mut table = Table::new(format!("Allocators, top {most} by bytes"), columns);
    for entry in all.iter().take(most) {
        let memory = &entry.memory;
        table.rows.push(vec![
            profile.path_names(entry.stack).join(" > "),
            bytes(memory.allocated_bytes),
            count(memory.allocated_count),
            memory.allocated_bytes.checked_div(entry.calls).map_or_else(|| "-".to_owned(), bytes),
            bytes(memory.freed_bytes),
            bytes(memory.peak_bytes),
        ]);
    }
    table.note = Some(
        "What a scope allocated includes what scopes inside it did; of `decode` it is what candle looks at shapes in."
            .to_owned(),
    );
    Some(table)
}
