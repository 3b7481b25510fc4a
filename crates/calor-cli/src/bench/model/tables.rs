//! What the run's profile tells beside the figures: where the time of inferences went, and who allocated in them.

use std::collections::BTreeMap;

use calor_analysis::quantity::{bytes, count, duration};
use calor_analysis::{
    CallTree, Grouping, HotPath, Order, ThreadChoice, TreeOptions, hot_paths, scope_memory,
};
use calor_model::Profile;
use calor_report::bench::{Bench, Column, Table};

/// How much of each list is shown.
#[derive(Clone, Copy)]
pub(super) struct Rows {
    pub(super) hot_paths: usize,
    pub(super) allocators: usize,
}

/// Adds the tables of the models that the page has. What is around their inferences, such as making weights, warming up and
/// checking, is in the profile and not in them.
pub(super) fn add(profile: &Profile, rows: Rows, bench: &mut Bench) {
    let inferences = Inferences {
        scopes: bench.models.iter().map(|model| format!("{} model", model.name)).collect(),
        total_nanos: bench.models.iter().map(|model| model.total_ns).sum(),
    };
    bench.tables.push(hot(profile, &inferences, rows.hot_paths));
    bench.tables.extend(layers(profile, &inferences));
    match allocators(profile, &inferences, rows.allocators) {
        Some(table) => bench.tables.push(table),
        None => bench.warn(
            "no_allocations",
            "what scopes allocated is not available: this build has no allocator that counts",
        ),
    }
}

/// The scopes that hold those of models, and what they took.
struct Inferences {
    scopes: Vec<String>,
    total_nanos: u64,
}

impl Inferences {
    fn has(&self, outermost: &str) -> bool {
        self.scopes.iter().any(|scope| scope == outermost)
    }
}

fn hot(profile: &Profile, inferences: &Inferences, most: usize) -> Table {
    let title = format!("Hot paths, top {most} by self time");
    let numbers = [("self", 0), ("share", 0), ("calls", 1), ("GFLOP/s", 3), ("GB/s", 2), ("allocated", 4)];
    let mut table = table(title, &numbers);
    let tree = CallTree::of_scopes(profile, &TreeOptions::default());
    let paths = hot_paths(&tree, Grouping::Path, Order::SelfTime, None);
    let named = paths.iter().map(|path| (names(&tree, path), path));
    let of_models = named.filter(|(names, _)| names.first().is_some_and(|name| inferences.has(name)));
    for (names, path) in of_models.take(most) {
        table.rows.push(row(&names, path, inferences.total_nanos));
    }
    table
}

/// What each layer took, by operation; `None` where layers have no scopes of their own.
fn layers(profile: &Profile, inferences: &Inferences) -> Option<Table> {
    let tree = CallTree::of_scopes(profile, &TreeOptions::default());
    // Model, phase and number of the layer: its operations, in the order in which they are met.
    let mut found: BTreeMap<(String, String, u32), Vec<(String, u64)>> = BTreeMap::new();
    let mut operations: Vec<(String, u64)> = Vec::new();
    for path in hot_paths(&tree, Grouping::Path, Order::SelfTime, None) {
        let names = names(&tree, &path);
        let [top, phase, layer, rest @ ..] = names.as_slice() else { continue };
        let number = layer.strip_prefix("layer ").and_then(|number| number.parse().ok());
        let Some(number) = number.filter(|_| inferences.has(top)) else { continue };
        let operation = rest.last().copied().unwrap_or("between").to_owned();
        let model = top.trim_end_matches(" model").to_owned();
        let row = found.entry((model, (*phase).to_owned(), number)).or_default();
        row.push((operation.clone(), path.self_nanos));
        match operations.iter_mut().find(|(name, _)| *name == operation) {
            Some((_, sum)) => *sum += path.self_nanos,
            None => operations.push((operation, path.self_nanos)),
        }
    }
    operations.sort_by_key(|(_, nanos)| std::cmp::Reverse(*nanos));
    let place = ["model", "phase", "layer"].map(Column::text);
    let numbers = ["time", "share"].into_iter().map(str::to_owned).map(Column::number);
    // On a narrow terminal the operations that take least are left out first.
    let each = operations.iter().enumerate().map(|(at, (name, _))| {
        Column::number(name.clone()).dispensable(u8::try_from(operations.len() - at).unwrap_or(u8::MAX))
    });
    let mut table = Table::new("Layers", place.into_iter().chain(numbers).chain(each));
    for ((model, phase, number), row) in &found {
        let sum: u64 = row.iter().map(|(_, nanos)| nanos).sum();
        let mut cells = vec![model.clone(), phase.clone(), number.to_string()];
        cells.push(duration(sum as f64));
        cells.push(format!("{:.1} %", 100.0 * sum as f64 / inferences.total_nanos.max(1) as f64));
        cells.extend(operations.iter().map(|(name, _)| {
            let nanos: u64 = row.iter().filter(|(of, _)| of == name).map(|(_, nanos)| nanos).sum();
            duration(nanos as f64)
        }));
        table.rows.push(cells);
    }
    table.note = Some(
        "Own time of each operation in all calls of the layer; shares are of all inferences.".to_owned(),
    );
    (!found.is_empty()).then_some(table)
}

/// A table whose rows begin with where they are; numbers come with how soon a narrow terminal may do without them.
fn table(title: String, numbers: &[(&str, u8)]) -> Table {
    let place = ["model", "phase", "operation"].map(Column::text);
    let numbers = numbers.iter().map(|(name, order)| Column::number(*name).dispensable(*order));
    Table::new(title, place.into_iter().chain(numbers))
}

/// Where a path leads: the model, whether it reads or writes, and the operation, with its layer where layers are told apart.
fn place(names: &[&str]) -> Vec<String> {
    let model = names.first().map_or("-", |name| name.trim_end_matches(" model"));
    let inside = names.get(2..).unwrap_or_default().iter().rev();
    let operation: Vec<&str> = match inside.len() {
        0 => vec!["(all)"],
        1 => inside.copied().collect(),
        _ => inside.copied().filter(|name| *name != "layer").collect(),
    };
    vec![model.to_owned(), (*names.get(1).unwrap_or(&"-")).to_owned(), operation.join(" of ")]
}

/// From the outermost on.
fn names<'a>(tree: &'a CallTree<'_>, path: &HotPath) -> Vec<&'a str> {
    let mut names = Vec::new();
    let mut at = path.nodes.first().copied();
    while let Some(id) = at {
        names.push(tree.name(id));
        at = tree.node(id).parent;
    }
    names.reverse();
    names
}

fn row(names: &[&str], path: &HotPath, total_nanos: u64) -> Vec<String> {
    let none = || "-".to_owned();
    let giga = |rate: Option<f64>| rate.map_or_else(none, |rate| format!("{:.2}", rate / 1e9));
    let mut row = place(names);
    row.extend([
        duration(path.self_nanos as f64),
        format!("{:.1} %", 100.0 * path.self_nanos as f64 / total_nanos.max(1) as f64),
        count(path.calls.unwrap_or(0)),
        giga(path.flops_per_second()),
        giga(path.bytes_per_second()),
        path.stats.memory.as_ref().map_or_else(none, |memory| bytes(memory.allocated_bytes)),
    ]);
    row
}

/// `None` where no allocator counts.
fn allocators(profile: &Profile, inferences: &Inferences, most: usize) -> Option<Table> {
    let mut all = scope_memory(profile, &ThreadChoice::All);
    all.retain(|entry| profile.path_names(entry.stack).first().is_some_and(|name| inferences.has(name)));
    if all.is_empty() {
        return None;
    }
    let title = format!("Allocators, top {most} by bytes");
    let numbers = [("allocated", 0), ("count", 3), ("a call", 2), ("freed", 4), ("peak", 1)];
    let mut table = table(title, &numbers);
    for entry in all.iter().take(most) {
        let memory = &entry.memory;
        let mut row = place(&profile.path_names(entry.stack));
        row.extend([
            bytes(memory.allocated_bytes),
            count(memory.allocated_count),
            memory.allocated_bytes.checked_div(entry.calls).map_or_else(|| "-".to_owned(), bytes),
            bytes(memory.freed_bytes),
            bytes(memory.peak_bytes),
        ]);
        table.rows.push(row);
    }
    table.note = Some(
        "What a scope allocated includes what scopes inside it did, and its peak is the most that a call held; of `decode` it \
         is what candle looks at shapes in."
            .to_owned(),
    );
    Some(table)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_is_told_by_model_phase_and_operation() {
        for (names, expected) in [
            (&["small model"][..], ["small", "-", "(all)"]),
            (&["small model", "decode"], ["small", "decode", "(all)"]),
            (&["small model", "decode", "head"], ["small", "decode", "head"]),
            (&["small model", "decode", "layer"], ["small", "decode", "layer"]),
            (&["small model", "decode", "layer", "qkv"], ["small", "decode", "qkv"]),
            (&["small model", "decode", "layer 1", "qkv"], ["small", "decode", "qkv of layer 1"]),
        ] {
            assert_eq!(place(names), expected);
        }
    }
}
