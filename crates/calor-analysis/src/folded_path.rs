//! The hot list of a program that calls itself: paths that differ in nothing but how deep a recursion was are one
//! entry. Sampled by depth, a recursive function would fill a page with rows that each say little.

use std::cmp::Reverse;

use calor_model::Profile;
use foldhash::fast::RandomState;
use hashbrown::HashMap;

use crate::totals::first;
use crate::{CallNode, CallTree, HotPath, NodeId, Order, Totals};

/// Which entry each path belongs to, and what the entries add up to. Profiles have millions of paths and few
/// recursions, so nothing is kept of a path but a number, and not even that where nothing calls itself.
#[derive(Clone, Debug)]
pub(crate) struct Folded {
    /// The entry of each node; empty when every node is one.
    entries: Vec<u32>,
    sums: Vec<Sum>,
}

/// What entries are sorted by.
#[derive(Clone, Copy, Debug, Default)]
struct Sum {
    count: u64,
    total_nanos: u64,
    self_nanos: u64,
    is_listed: bool,
}

impl Sum {
    fn add(&mut self, node: &CallNode, is_outermost: bool) {
        self.count = self.count.saturating_add(node.calls).saturating_add(node.samples);
        self.self_nanos = self.self_nanos.saturating_add(node.self_nanos);
        if is_outermost {
            self.total_nanos = self.total_nanos.saturating_add(node.inclusive_nanos);
        }
        self.is_listed |= Totals::of(node).is_listed();
    }

    fn key(&self, order: Order) -> Reverse<(u64, u64)> {
        Reverse(match order {
            Order::Total => (self.total_nanos, self.self_nanos),
            Order::SelfTime => (self.self_nanos, self.total_nanos),
            Order::Calls => (self.count, self.self_nanos),
        })
    }
}

/// The first `limit` entries of the hot list, or all, with direct recursion folded, and how many there are. What is
/// listed at all is as in [`hot_paths`](crate::hot_paths).
#[must_use]
pub fn folded_paths(tree: &CallTree<'_>, order: Order, limit: Option<usize>) -> (Vec<HotPath>, usize) {
    let folded = tree.folded();
    let listed = folded.sums.iter().enumerate().filter(|(_, sum)| sum.is_listed);
    let keys: Vec<_> = listed.map(|(entry, sum)| (sum.key(order), entry)).collect();
    let n_all = keys.len();
    let chosen: Vec<usize> =
        first(keys, limit.unwrap_or(usize::MAX)).into_iter().map(|(_, entry)| entry).collect();
    let nodes = folded.nodes_of(&chosen);
    (nodes.into_iter().map(|nodes| hot_path(tree, folded, nodes)).collect(), n_all)
}

fn hot_path(tree: &CallTree<'_>, folded: &Folded, mut nodes: Vec<NodeId>) -> HotPath {
    let left_out = tree.profile().left_out_frame();
    nodes.retain(|id| Some(tree.node(*id).frame) != left_out);
    let mut totals = Totals::default();
    for id in &nodes {
        let node = tree.node(*id);
        let is_inside = node.parent.is_some_and(|caller| folded.entry(caller) == folded.entry(*id));
        totals.add(&node, !is_inside);
    }
    nodes.sort_unstable_by_key(|id| (Reverse(tree.node(*id).self_nanos), *id));
    HotPath::new(tree, nodes, totals)
}

impl Folded {
    pub(crate) fn new(tree: &CallTree<'_>) -> Self {
        let entries = entries(tree);
        let left_out = tree.profile().left_out_frame();
        let n_entries = match entries.iter().max() {
            Some(last) => *last as usize + 1,
            None => tree.len(),
        };
        let mut folded = Self { entries, sums: vec![Sum::default(); n_entries] };
        for (id, node) in tree.nodes().filter(|(_, node)| Some(node.frame) != left_out) {
            let entry = folded.entry(id);
            let is_inside = node.parent.is_some_and(|caller| folded.entry(caller) == entry);
            folded.sums[entry].add(&node, !is_inside);
        }
        folded
    }

    /// The self times of all entries that are listed.
    pub(crate) fn self_nanos(&self) -> impl Iterator<Item = u64> {
        self.sums.iter().filter(|sum| sum.is_listed).map(|sum| sum.self_nanos)
    }

    fn entry(&self, id: NodeId) -> usize {
        self.entries.get(id.index()).map_or(id.index(), |entry| *entry as usize)
    }

    /// The nodes of some entries, outermost first.
    fn nodes_of(&self, chosen: &[usize]) -> Vec<Vec<NodeId>> {
        if self.entries.is_empty() {
            return chosen.iter().map(|entry| vec![NodeId(*entry as u32)]).collect();
        }
        let places: HashMap<usize, usize, RandomState> =
            chosen.iter().enumerate().map(|(place, entry)| (*entry, place)).collect();
        let mut nodes = vec![Vec::new(); chosen.len()];
        for (index, entry) in self.entries.iter().enumerate() {
            if let Some(place) = places.get(&(*entry as usize)) {
                nodes[*place].push(NodeId(index as u32));
            }
        }
        nodes
    }
}

/// The entry of each node, numbered by their first nodes; empty when no function calls itself.
fn entries(tree: &CallTree<'_>) -> Vec<u32> {
    let functions = functions(tree.profile());
    let function = |id: NodeId| functions[tree.place(id).1.index()];
    let ids = || (0..tree.len()).map(|index| NodeId(index as u32));
    let calls_itself = |id: NodeId| tree.place(id).0.filter(|caller| function(*caller) == function(id));
    if !ids().any(|id| calls_itself(id).is_some()) {
        return Vec::new();
    }
    // Below a recursion, and only there, different paths become one: those of its levels.
    let mut outermost: Vec<u32> = Vec::with_capacity(tree.len());
    let mut is_recursive = vec![false; tree.len()];
    for id in ids() {
        match calls_itself(id) {
            Some(caller) => {
                let first = outermost[caller.index()];
                is_recursive[first as usize] = true;
                outermost.push(first);
            }
            None => outermost.push(id.index() as u32),
        }
    }
    let mut is_below = vec![false; tree.len()];
    let mut entries: Vec<u32> = Vec::with_capacity(tree.len());
    let mut known: HashMap<(u32, u32), u32, RandomState> = HashMap::default();
    let mut n_entries = 0;
    for id in ids() {
        let caller = tree.place(id).0;
        is_below[id.index()] = caller.is_some_and(|caller| {
            is_below[caller.index()] || is_recursive[outermost[caller.index()] as usize]
        });
        let entry = match (calls_itself(id), caller) {
            (Some(caller), _) => entries[caller.index()],
            (None, Some(caller)) if is_below[id.index()] => {
                *known.entry((entries[caller.index()], function(id))).or_insert(n_entries)
            }
            _ => n_entries,
        };
        n_entries += u32::from(entry == n_entries);
        entries.push(entry);
    }
    entries
}

/// A number for the function of each frame: not the line, which differs inside one.
fn functions(profile: &Profile) -> Vec<u32> {
    let mut known: HashMap<_, u32, RandomState> = HashMap::default();
    let numbers = profile.frames.iter().map(|(_, frame)| {
        let next = known.len() as u32;
        *known.entry((frame.name, frame.kind, frame.module, frame.file)).or_insert(next)
    });
    numbers.collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::TreeOptions;
    use crate::sketch::Sketch;
    use calor_model::SampleKind;

    #[test]
    fn paths_that_differ_in_the_depth_of_a_recursion_alone_are_one() {
        let profile = Sketch::new()
            .samples("main", SampleKind::Cpu, &["main", "fib"], 1)
            .samples("main", SampleKind::Cpu, &["main", "fib", "fib"], 2)
            .samples("main", SampleKind::Cpu, &["main", "fib", "fib", "fib"], 4)
            .samples("main", SampleKind::Cpu, &["main", "fib", "fib", "add"], 8)
            .samples("main", SampleKind::Cpu, &["main", "fib", "add"], 16)
            .samples("main", SampleKind::Cpu, &["main", "run", "fib"], 32)
            .profile();
        let tree = CallTree::of_samples(&profile, SampleKind::Cpu, &TreeOptions::default());
        let (list, n_all) = folded_paths(&tree, Order::SelfTime, None);
        let per_sample = tree.recorded_nanos() / 63;
        let rows: Vec<_> = list
            .iter()
            .map(|entry| {
                let path = profile.path_names(tree.node(entry.nodes[0]).stack).join(" ");
                (path, entry.nodes.len(), entry.samples, entry.total_nanos / per_sample)
            })
            .collect();
        let expected = [
            ("main run fib".to_owned(), 1, Some(32), 32),
            ("main fib add".to_owned(), 2, Some(24), 24),
            ("main fib fib fib".to_owned(), 3, Some(7), 31),
        ];
        assert_eq!((&rows[..], n_all), (&expected[..], 3));
        let (first, n_all) = folded_paths(&tree, Order::Total, Some(1));
        assert_eq!((first.len(), first[0].samples, n_all), (1, Some(32), 3));
    }
}
