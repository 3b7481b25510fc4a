//! What a page's columns leave out, said rather than given to callers: a caller did not do the work of what it calls, and
//! a graph that is turned around would show it as if it had. What was left out stays a row of its own, mostly with the
//! frame that its paths end with, and names that are on such paths keep how much of the whole they hold.

use std::cmp::Reverse;

use foldhash::fast::RandomState;
use indexmap::IndexMap;

use super::names::NameSums;
use super::paths::{FlamePaths, ROOT};

/// What was left out of one metric.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct FlameLeftOut {
    /// What weighs on paths that were left out.
    pub rows: Vec<FlameLeftOutRow>,
    /// The names that are on such paths and not on the part of them that is kept.
    pub names: Vec<FlameHeld>,
}

/// Paths that were left out below one path that was kept.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct FlameLeftOutRow {
    /// The path that was kept.
    pub path: u32,
    /// The thread, as one of the frames.
    pub thread: u32,
    /// The frame that they end with, where it is known.
    pub end: Option<u32>,
    /// Whether there are frames between the path and the end.
    pub has_gap: bool,
    /// How much.
    pub value: u64,
}

/// How much of a metric is on paths that hold a name.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct FlameHeld {
    /// The first frame of that name.
    pub frame: u32,
    /// What weighs on paths that hold it, each path counted once.
    pub total: u64,
    /// What weighs on paths that end with it.
    pub self_value: u64,
}

impl FlameLeftOut {
    /// Of the rows of a metric, those of paths for which `new_place` names the place of a caller. At most `max_ends`
    /// rows, the heaviest, know how they end.
    pub(crate) fn new(
        paths: &FlamePaths<'_>,
        rows: &IndexMap<(u32, u32), u64, RandomState>,
        is_kept: impl Fn(u32) -> bool,
        new_place: &[u32],
        ranks: &[u32],
        max_ends: usize,
    ) -> Self {
        let mut merged: IndexMap<(u32, u32, u32, bool), u64, RandomState> = IndexMap::default();
        for ((node, thread), value) in rows.iter().filter(|((node, _), _)| !is_kept(*node)) {
            let (caller, frame) = paths.node(*node);
            let key =
                (new_place[*node as usize], ranks[*thread as usize], ranks[frame as usize], !is_kept(caller));
            *merged.entry(key).or_default() += value;
        }
        if merged.is_empty() {
            return Self::default();
        }
        let mut ends: Vec<_> = merged.into_iter().collect();
        ends.sort_unstable_by_key(|(key, value)| (Reverse(*value), *key));
        let mut unknown: IndexMap<(u32, u32), u64, RandomState> = IndexMap::default();
        for ((path, thread, ..), value) in ends.drain(max_ends.min(ends.len())..) {
            *unknown.entry((path, thread)).or_default() += value;
        }
        let known = ends.into_iter().map(|((path, thread, end, has_gap), value)| FlameLeftOutRow {
            path,
            thread,
            end: Some(end),
            has_gap,
            value,
        });
        let unknown = unknown.into_iter().map(|((path, thread), value)| FlameLeftOutRow {
            path,
            thread,
            end: None,
            has_gap: true,
            value,
        });
        let mut left_out: Vec<_> = known.chain(unknown).collect();
        left_out.sort_unstable_by_key(|row| (row.path, row.thread, row.end, row.has_gap));
        Self { rows: left_out, names: names(paths, rows, is_kept, ranks) }
    }
}

/// The names that a search among kept paths would find too little of.
fn names(
    paths: &FlamePaths<'_>,
    rows: &IndexMap<(u32, u32), u64, RandomState>,
    is_kept: impl Fn(u32) -> bool,
    ranks: &[u32],
) -> Vec<FlameHeld> {
    let mut own = vec![0_u64; paths.len()];
    rows.iter().for_each(|((node, _), value)| own[*node as usize] += value);
    let (mut all, mut hidden) = (NameSums::new(&paths.frames), NameSums::new(&paths.frames));
    for (node, value) in (0..).zip(own).filter(|(node, value)| *node != ROOT && *value > 0) {
        all.begin();
        hidden.begin();
        all.end_with(paths.node(node).1, value);
        let mut next = node;
        let mut kept = node;
        while next != ROOT {
            let (caller, frame) = paths.node(next);
            all.add(frame, value);
            if !is_kept(next) {
                kept = caller;
            }
            next = caller;
        }
        if kept == node {
            continue;
        }
        next = kept;
        while next != ROOT {
            let (caller, frame) = paths.node(next);
            hidden.pass(frame);
            next = caller;
        }
        next = node;
        while next != kept {
            let (caller, frame) = paths.node(next);
            hidden.add(frame, value);
            next = caller;
        }
    }
    // Frames are renumbered by name, and the first of a name is the first there too.
    let mut first = vec![u32::MAX; all.first.len()];
    for (frame, name) in all.of_frames.iter().enumerate() {
        let first = &mut first[*name as usize];
        *first = (*first).min(ranks[frame]);
    }
    let held = (0..first.len()).filter(|name| hidden.total[*name] > 0);
    let mut held: Vec<_> = held
        .map(|name| FlameHeld { frame: first[name], total: all.total[name], self_value: all.own[name] })
        .collect();
    held.sort_unstable_by_key(|held| held.frame);
    held
}

#[cfg(test)]
mod tests {
    use std::collections::{BTreeMap, BTreeSet};

    use calor_model::{FrameKind, Profile};
    use proptest::prelude::*;

    use crate::{FlameColumns, FlameInput, FlameMetric, FlameUnit, FlameWeight};

    proptest! {
        #[test]
        fn what_was_left_out_is_what_paths_say_that_are_counted_one_by_one(
            paths in prop::collection::vec((prop::collection::vec(0_usize..5, 1..7), 0_usize..3, 1_u64..1000), 1..60),
            max_paths in 1_usize..80,
        ) {
            let names = ["f", "g", "h", "i", "j"];
            let mut profile = Profile::default();
            let mut weights = Vec::new();
            for (path, thread, value) in &paths {
                let path: Vec<&str> = path.iter().map(|name| names[*name]).collect();
                let stack = profile.intern_named_path(&path, FrameKind::Native).unwrap();
                let thread = profile.intern_thread(1, 0, ["x", "y", "z"][*thread]);
                weights.push(FlameWeight::new(stack, Some(thread), *value));
            }
            let metric = FlameMetric { id: "x".into(), name: "X".into(), unit: FlameUnit::Count, weights };
            let input = FlameInput { title: String::new(), metrics: vec![metric] };
            let columns = FlameColumns::new(&profile, &input, max_paths);
            let column = &columns.metrics[0];
            let name = |frame: u32| columns.frames[frame as usize].name;
            let mut kept = vec![Vec::<&str>::new()];
            for path in 1..columns.frame.len() {
                let mut caller = kept[columns.parent[path] as usize].clone();
                caller.push(name(columns.frame[path]));
                kept.push(caller);
            }
            prop_assert!(kept.len() <= max_paths.max(1));

            // Path, thread, and for what was left out the end and whether it is the next frame.
            let mut expected = BTreeMap::<_, u64>::new();
            let mut held = BTreeMap::<&str, (u64, u64, bool)>::new();
            for (path, thread, value) in &paths {
                let path: Vec<&str> = path.iter().map(|name| names[*name]).collect();
                let n_kept = (0..=path.len()).rev().find(|n| kept.iter().any(|kept| *kept == path[..*n])).unwrap();
                let end = (n_kept < path.len()).then(|| (path[path.len() - 1], n_kept + 1 < path.len()));
                *expected.entry((path[..n_kept].to_vec(), ["x", "y", "z"][*thread], end)).or_default() += value;
                for name in path.iter().copied().collect::<BTreeSet<_>>() {
                    let sums = held.entry(name).or_default();
                    sums.0 += value;
                    sums.1 += if path.ends_with(&[name]) { *value } else { 0 };
                    sums.2 |= !path[..n_kept].contains(&name);
                }
            }
            let shown = (0..column.path.len())
                .map(|row| ((kept[column.path[row] as usize].clone(), name(column.thread[row]), None), column.self_value[row]));
            let shown: BTreeMap<_, _> = shown.collect();
            let is_shown = |key: &(Vec<&str>, &str, Option<(&str, bool)>)| key.2.is_none();
            prop_assert_eq!(&shown, &expected.iter().filter(|(key, _)| is_shown(key)).map(|(key, value)| (key.clone(), *value)).collect());
            expected.retain(|key, _| !is_shown(key));
            // Rows that know their end are right; the others add up to the rest of their path.
            let mut unknown = BTreeMap::<_, u64>::new();
            let rows = &column.left_out.rows;
            for row in rows {
                let (path, thread) = (kept[row.path as usize].clone(), name(row.thread));
                match row.end {
                    Some(end) => {
                        let key = (path, thread, Some((name(end), row.has_gap)));
                        prop_assert_eq!(expected.remove(&key), Some(row.value));
                    }
                    None => *unknown.entry((path, thread)).or_default() += row.value,
                }
            }
            let mut rest = BTreeMap::<_, u64>::new();
            expected.into_iter().for_each(|((path, thread, _), value)| *rest.entry((path, thread)).or_default() += value);
            prop_assert_eq!(unknown, rest);

            let expected: Vec<_> =
                held.iter().filter(|(_, sums)| sums.2).map(|(name, sums)| (*name, sums.0, sums.1)).collect();
            let names = &column.left_out.names;
            let names: Vec<_> = names.iter().map(|held| (name(held.frame), held.total, held.self_value)).collect();
            prop_assert_eq!(names, expected);
        }
    }
}
