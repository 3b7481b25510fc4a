//! Two moments of a heap, or the heaps of two runs, side by side: which call paths hold more and which less.

use std::cmp::Reverse;
use std::collections::HashMap;

use calor_model::{
    FrameId, FrameKind, HeapBlocks, HeapKey, HeapMode, HeapSite, HeapSnapshot, Profile, StackId,
};
use foldhash::fast::RandomState;
use indexmap::IndexMap;

use super::flow::{self, Flow};
use super::line_pairs::{Held, Lines, Node};
use super::recursion::calls_itself;
use super::{HeapGroup, HeapOrder, HeapPath, HeapPlaces, heap_paths};
use crate::ThreadChoice;
use crate::function::Units;

/// One side of a difference.
#[derive(Clone, Copy)]
pub enum HeapSide<'p> {
    /// A figure of a whole run.
    Run(&'p Profile, HeapOrder),
    /// What was held at an instant.
    Snapshot(&'p Profile, &'p HeapSnapshot),
}

impl<'p> HeapSide<'p> {
    /// The profile that it is of.
    #[must_use]
    pub fn profile(self) -> &'p Profile {
        match self {
            Self::Run(profile, _) | Self::Snapshot(profile, _) => profile,
        }
    }

    /// What places have.
    fn rows(self, places: &HeapPlaces, is_one_process: bool) -> Vec<Held> {
        match self {
            // What is not held any more has a past, too.
            Self::Run(profile, order) if is_one_process => {
                let held = |(key, site): (HeapKey, &HeapSite)| Held {
                    stack: places.of(key.stack),
                    blocks: order.blocks(site),
                    variance: order.variance(site),
                    flow: Flow::of(site),
                };
                let left_out = profile.left_out_frame();
                let rows = profile.heap.iter();
                rows.filter(|(key, _)| Some(profile.stacks.get(key.stack).frame) != left_out)
                    .map(held)
                    .collect()
            }
            Self::Run(profile, order) => heap_paths(profile, &ThreadChoice::All, order, places)
                .iter()
                .map(|HeapPath { stack, site, .. }| Held {
                    stack: *stack,
                    blocks: order.blocks(site),
                    variance: order.variance(site),
                    flow: Flow::default(),
                })
                .collect(),
            Self::Snapshot(profile, snapshot) => {
                let mut sites: HashMap<StackId, HeapSite, RandomState> = HashMap::default();
                for (key, site) in profile.heap.iter() {
                    sites.entry(key.stack).or_default().add(site);
                }
                // Blocks of one path are much alike, so that what is held has its part of the variance.
                let variance = |stack: StackId, bytes: u64| match sites.get(&stack) {
                    Some(site) if site.allocated_bytes > 0 => {
                        site.allocated_variance * bytes as f64 / site.allocated_bytes as f64
                    }
                    _ => 0.0,
                };
                let held = |(stack, blocks): (StackId, HeapBlocks)| Held {
                    stack: places.of(stack),
                    blocks,
                    variance: variance(stack, blocks.bytes),
                    flow: Flow::default(),
                };
                snapshot.iter().map(held).collect()
            }
        }
    }
}

/// What became of a call path.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum HeapMove {
    /// It was not there before.
    New,
    /// It has more bytes, or as many in more blocks.
    Grown,
    /// It has fewer bytes, or as many in fewer blocks.
    Shrunk,
    /// It is not there any more.
    Gone,
}

impl HeapMove {
    /// The word for it, on pages and in JSON.
    #[must_use]
    pub const fn word(self) -> &'static str {
        match self {
            Self::New => "new",
            Self::Grown => "grown",
            Self::Shrunk => "shrunk",
            Self::Gone => "gone",
        }
    }
}

/// A call path that differs.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct HeapChange {
    /// The path, of the later side's profile, or where it is gone, of the earlier one's.
    pub stack: StackId,
    /// How many callers all paths to that place have in common; `None` when it has all callers of the path.
    pub n_callers: Option<usize>,
    /// What became of it.
    pub moved: HeapMove,
    /// What it had before.
    pub before: HeapBlocks,
    /// What it has after.
    pub after: HeapBlocks,
    /// The variance of the difference in bytes; 0 when both sides were counted.
    pub variance: f64,
    /// Whether lines of one function are added up, because it is not known which of before is which of after.
    pub is_of_several_lines: bool,
}

/// A heap compared with another.
#[derive(Clone, PartialEq, Debug)]
pub struct HeapDifference {
    /// All that there was before.
    pub before: HeapBlocks,
    /// All that there is after.
    pub after: HeapBlocks,
    /// The variance of the difference of both, in bytes; 0 when both were counted.
    pub variance: f64,
    /// The paths that differ, the one with the largest difference in bytes first.
    pub changes: Vec<HeapChange>,
}

impl HeapChange {
    /// Bytes more than before; less than 0 for fewer.
    #[must_use]
    pub fn delta_bytes(&self) -> i128 {
        i128::from(self.after.bytes) - i128::from(self.before.bytes)
    }

    /// Where the difference truly lies, with 95 % certainty; `None` when both sides were counted.
    #[must_use]
    pub fn interval(&self) -> Option<[i128; 2]> {
        around(self.delta_bytes(), self.variance)
    }

    /// Whether there is a difference at all, with 95 % certainty.
    #[must_use]
    pub fn is_certain(&self) -> bool {
        self.interval().is_none_or(|[low, high]| low > 0 || high < 0)
    }
}

impl HeapDifference {
    /// Bytes more than before, in all.
    #[must_use]
    pub fn delta_bytes(&self) -> i128 {
        i128::from(self.after.bytes) - i128::from(self.before.bytes)
    }

    /// Where that truly lies, with 95 % certainty; `None` when both sides were counted.
    #[must_use]
    pub fn interval(&self) -> Option<[i128; 2]> {
        around(self.delta_bytes(), self.variance)
    }
}

/// Whether both sides are what one process holds, at two moments.
fn is_one_process(before: HeapSide<'_>, after: HeapSide<'_>) -> bool {
    match (before, after) {
        (HeapSide::Run(one, HeapOrder::Live), HeapSide::Run(other, HeapOrder::Live)) => {
            flow::is_one_process(one, other)
        }
        _ => false,
    }
}

/// What is not among the samples of one side may still be there: the variance that it would have if it were as on the other
/// side. It is next to nothing for large blocks, which samples do not miss.
fn unseen_variance(side: HeapSide<'_>, own: HeapBlocks, other: HeapBlocks) -> f64 {
    let summary = side.profile().heap.summary.filter(|summary| summary.mode == HeapMode::Sampled);
    match (summary.and_then(|summary| summary.sampling_bytes), other.bytes.checked_div(other.count)) {
        (Some(distance), Some(size)) if own.is_empty() && distance > 0 => {
            let chance = -(-(size as f64) / distance as f64).exp_m1();
            other.bytes as f64 * size as f64 * (1.0 - chance) / chance.max(f64::MIN_POSITIVE)
        }
        _ => 0.0,
    }
}

/// The interval around a difference. Snapshots in one profile have samples in common that are not known, so that theirs is
/// rather too wide.
fn around(delta: i128, variance: f64) -> Option<[i128; 2]> {
    // The reach of an estimate does not depend on the estimate.
    let [_, reach] = calor_model::estimate_interval(0, variance)?;
    Some([delta - i128::from(reach), delta + i128::from(reach)])
}

/// Compares two heaps by call paths. Paths are the same if their functions have the same names and kinds, in whatever file
/// they lie; the lines of the innermost function are told apart where it can be known which is which.
#[must_use]
pub fn heap_difference(before: HeapSide<'_>, after: HeapSide<'_>) -> HeapDifference {
    heap_difference_by(before, after, HeapGroup::WholePath)
}

/// The same of the [places](HeapPlaces) that call paths are added up in. Lines and functions are the same if their names
/// are, and those of Python, and of files that are compiled by themselves, if the files are called the same.
#[must_use]
pub fn heap_difference_by(before: HeapSide<'_>, after: HeapSide<'_>, group: HeapGroup) -> HeapDifference {
    let places = [before, after].map(|side| HeapPlaces::new(side.profile(), group));
    let (before, after) = ((before, &places[0]), (after, &places[1]));
    let mut tree = Tree { group, nodes: IndexMap::default() };
    let is_one_process = is_one_process(before.0, after.0);
    tree.take(before.0.rows(before.1, is_one_process), before.0.profile(), |node| &mut node.before);
    tree.take(after.0.rows(after.1, is_one_process), after.0.profile(), |node| &mut node.after);
    let is_one_run = is_one_process || std::ptr::eq(before.0.profile(), after.0.profile());
    let mut found = HeapDifference {
        before: HeapBlocks::default(),
        after: HeapBlocks::default(),
        variance: 0.0,
        changes: Vec::new(),
    };
    for pair in tree.nodes.into_values().flat_map(|node| node.pairs(is_one_run)) {
        let [was, is] =
            [pair.before, pair.after].map(|held| held.map(|held| held.blocks).unwrap_or_default());
        let variance = if is_one_process {
            let flow = |held: Option<Held>| held.map(|held| held.flow).unwrap_or_default();
            flow(pair.before).variance_until(flow(pair.after))
        } else {
            let variances = [pair.before, pair.after].into_iter().flatten().map(|held| held.variance);
            variances.sum::<f64>() + unseen_variance(before.0, was, is) + unseen_variance(after.0, is, was)
        };
        found.before.add(was);
        found.after.add(is);
        found.variance += variance;
        let moved = match (was.is_empty(), is.is_empty()) {
            (true, false) => HeapMove::New,
            (false, true) => HeapMove::Gone,
            _ if (is.bytes, is.count) > (was.bytes, was.count) => HeapMove::Grown,
            _ if (is.bytes, is.count) < (was.bytes, was.count) => HeapMove::Shrunk,
            _ => continue,
        };
        let (shown, places) =
            if moved == HeapMove::Gone { (pair.before, before.1) } else { (pair.after, after.1) };
        if let Some(Held { stack, .. }) = shown {
            let is_of_several_lines = pair.is_of_several_lines;
            found.changes.push(HeapChange {
                stack,
                n_callers: places.n_callers(stack),
                moved,
                before: was,
                after: is,
                variance,
                is_of_several_lines,
            });
        }
    }
    found.changes.sort_by_key(|change| Reverse(change.delta_bytes().unsigned_abs()));
    found
}

/// A function below its caller, by place.
type NodeKey = (Option<usize>, String, FrameKind);

struct Tree {
    group: HeapGroup,
    nodes: IndexMap<NodeKey, Node, RandomState>,
}

impl Tree {
    fn take(&mut self, rows: Vec<Held>, profile: &Profile, of: fn(&mut Node) -> &mut Lines) {
        let mut nodes: Vec<Option<usize>> = vec![None; profile.stacks.len()];
        let units = Units::of(profile);
        for held in rows {
            let place = match self.group {
                HeapGroup::WholePath | HeapGroup::Path => self.place(profile, held.stack, &mut nodes),
                HeapGroup::Line | HeapGroup::Function => self.place_of_all(profile, &units, held.stack),
            };
            let line = profile.frames.get(profile.stacks.get(held.stack).frame).line;
            let line = line.filter(|_| self.group != HeapGroup::Function);
            of(&mut self.nodes[place]).add(line, held);
        }
    }

    /// The node of a path, which is made with its callers where it is new.
    fn place(&mut self, profile: &Profile, stack: StackId, places: &mut [Option<usize>]) -> usize {
        // Paths can be deeper than the machine's own stack: no recursion.
        let mut missing = Vec::new();
        let mut at = Some(stack);
        let mut caller = None;
        while let Some(path) = at {
            caller = places[path.index()];
            if caller.is_some() {
                break;
            }
            missing.push(path);
            at = profile.stacks.get(path).parent;
        }
        while let Some(path) = missing.pop() {
            if self.group == HeapGroup::Path && calls_itself(profile, path) {
                places[path.index()] = caller;
                continue;
            }
            let frame = profile.frames.get(profile.stacks.get(path).frame);
            let key = (caller, profile.strings.get(frame.name).to_owned(), frame.kind);
            let entry = self.nodes.entry(key);
            caller = Some(entry.index());
            entry.or_default();
            places[path.index()] = caller;
        }
        caller.expect("a path is either known or among the missing")
    }

    /// The node of the function that a path ends in, whoever called it.
    fn place_of_all(&mut self, profile: &Profile, units: &Units, stack: StackId) -> usize {
        let own = profile.stacks.get(stack);
        let name = |frame: FrameId| {
            let frame = profile.frames.get(frame);
            let file = frame.file.filter(|_| frame.kind == FrameKind::Python).or_else(|| units.unit(&frame));
            let file = file.map_or("", |file| profile.strings.get(file));
            // Folders differ from machine to machine.
            let file = file.rsplit('/').next().unwrap_or_default();
            format!("{}\0{file}", profile.strings.get(frame.name))
        };
        let kind = profile.frames.get(own.frame).kind;
        let mut key = name(own.frame);
        if let (FrameKind::Synthetic, Some(caller)) = (kind, own.parent) {
            key = format!("{key}\0{}", name(profile.stacks.get(caller).frame));
        }
        let entry = self.nodes.entry((None, key, kind));
        let place = entry.index();
        entry.or_default();
        place
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sketch::Sketch;
    use calor_model::HeapSummary;

    #[test]
    fn paths_are_new_grown_shrunk_and_gone_whatever_their_handles() {
        let before = Sketch::new()
            .heap(&["main", "cache"], 100, 40)
            .heap(&["main", "load"], 80, 0)
            .heap(&["main", "old"], 30, 0)
            .heap(&["main", "same"], 9, 0)
            .profile();
        let after = Sketch::new()
            .heap(&["main", "same"], 9, 0)
            .heap(&["main", "new"], 500, 0)
            .heap(&["main", "load"], 70, 0)
            .heap(&["main", "cache"], 300, 40)
            .profile();
        let live = HeapOrder::Live;
        let found = heap_difference(HeapSide::Run(&before, live), HeapSide::Run(&after, live));
        let rows: Vec<_> = found
            .changes
            .iter()
            .map(|change| {
                let profile = if change.moved == HeapMove::Gone { &before } else { &after };
                (profile.stack_name(change.stack), change.moved, change.delta_bytes())
            })
            .collect();
        let expected = [
            ("new", HeapMove::New, 500),
            ("cache", HeapMove::Grown, 200),
            ("old", HeapMove::Gone, -30),
            ("load", HeapMove::Shrunk, -10),
        ];
        assert_eq!(rows, expected);
        assert_eq!((found.before.bytes, found.after.bytes), (179, 839));
    }

    #[test]
    fn what_samples_cannot_tell_from_no_change_is_not_certain() {
        let side = |bytes, variance| {
            let mut profile = Sketch::new().heap(&["main", "load"], bytes, 0).profile();
            let (key, site) = profile.heap.iter().map(|(key, site)| (key, *site)).next().unwrap();
            profile.heap = Default::default();
            let site = HeapSite { samples: 9, allocated_variance: variance, live_variance: variance, ..site };
            profile.heap.add(key, &site);
            profile
        };
        let exact = side(1000, 0.0);
        for (after, is_certain, interval) in [
            (side(1300, 0.0), true, None),
            (side(1300, 10_000.0), true, Some([104, 496])),
            (side(1300, 40_000.0), false, Some([-92, 692])),
        ] {
            let sides = [&exact, &after].map(|profile| HeapSide::Run(profile, HeapOrder::Live));
            let found = heap_difference(sides[0], sides[1]);
            assert_eq!((found.changes[0].is_certain(), found.changes[0].interval()), (is_certain, interval));
            assert_eq!(found.interval(), interval);
        }
    }

    #[test]
    fn what_samples_may_have_missed_is_not_certainly_gone() {
        let mut sampled = Sketch::new().heap(&["main", "other"], 10, 0).profile();
        sampled.heap.summary = Some(HeapSummary {
            sampling_bytes: Some(512 << 10),
            ..HeapSummary::new(HeapMode::Sampled, 10, None)
        });
        for (bytes, is_certain) in [(4096, false), (1 << 20, false), (8 << 20, true)] {
            // One block, of which samples see the larger ones.
            let exact = Sketch::new().heap(&["main", "load"], bytes, 0).profile();
            let sides = [&exact, &sampled].map(|profile| HeapSide::Run(profile, HeapOrder::Live));
            let found = heap_difference(sides[0], sides[1]);
            let gone = found.changes.iter().find(|change| change.moved == HeapMove::Gone).unwrap();
            assert_eq!(gone.is_certain(), is_certain, "{bytes}: {gone:?}");
        }
    }

    #[test]
    fn a_snapshot_is_compared_with_another_of_the_same_run() {
        let mut profile =
            Sketch::new().heap(&["main", "load"], 80, 0).heap(&["main", "keep"], 5, 0).profile();
        let stacks: Vec<_> = profile.heap.iter().map(|(key, _)| key.stack).collect();
        for (at_nanos, load) in [(10, 50), (20, 80)] {
            let mut snapshot = HeapSnapshot::new(at_nanos);
            snapshot.add(stacks[0], HeapBlocks { count: load / 10, bytes: load });
            snapshot.add(stacks[1], HeapBlocks { count: 1, bytes: 5 });
            profile.heap.snapshots.add(snapshot);
        }
        let [first, last] = [0, 1].map(|at| {
            HeapSide::Snapshot(&profile, profile.heap.snapshots.iter().nth(at).expect("there are two"))
        });
        let found = heap_difference(first, last);
        assert_eq!(found.changes.len(), 1);
        let change = found.changes[0];
        assert_eq!((change.stack, change.delta_bytes(), change.after.count), (stacks[0], 30, 8));
        assert_eq!(heap_difference_by(last, first, HeapGroup::Path).changes[0].moved, HeapMove::Shrunk);
    }

    #[test]
    fn lines_are_compared_whoever_called_them_and_paths_however_deep_a_recursion_was() {
        let side = |paths: &[&[&str]]| {
            paths.iter().fold(Sketch::new(), |sketch, path| sketch.heap(path, 10, 0)).profile()
        };
        let before = side(&[&["main", "walk", "make"], &["main", "walk", "walk", "make"]]);
        let deeper = side(&[&["main", "walk", "walk", "walk", "make"], &["main", "walk", "make"]]);
        let elsewhere = side(&[&["main", "run", "make"], &["main", "make"]]);
        let n_changes = |after: &Profile, group| {
            let sides = [&before, after].map(|profile| HeapSide::Run(profile, HeapOrder::Live));
            heap_difference_by(sides[0], sides[1], group).changes.len()
        };
        assert_eq!(n_changes(&deeper, HeapGroup::WholePath), 2);
        assert_eq!(n_changes(&deeper, HeapGroup::Path), 0);
        assert_eq!(n_changes(&elsewhere, HeapGroup::Path), 3);
        assert_eq!(n_changes(&elsewhere, HeapGroup::Line), 0);
        assert_eq!(n_changes(&elsewhere, HeapGroup::Function), 0);
    }
}
