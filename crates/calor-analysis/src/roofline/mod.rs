//! Where scopes stand under the roofs of a machine: how fast they computed and moved bytes, how fast that could be at most,
//! and which of the two limits them.

mod answer;
mod point;
mod roof;
mod told;

use std::cmp::Reverse;

pub(crate) use answer::ABOVE_ROOF;
pub use answer::RooflineAnswer;
pub use point::{Bound, RooflinePoint};
pub use roof::{MachineRoof, RoofCores, RoofNumber, RoofPeak, RoofTier};

pub(crate) use point::Worked;
#[cfg(test)]
pub(crate) use roof::tests::roof as tests_roof;
pub use told::CPU_NANOS;
pub(crate) use told::{Told, cpu_nanos};

use crate::{CallTree, NodeId};

/// Scopes that told no work and took the longest: so many are named.
const N_UNTOLD: usize = 3;

/// The scopes of a profile under the roofs of a machine.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Roofline {
    /// The size of numbers that the roofs are of.
    pub number: RoofNumber,
    /// Those that told what they worked on, the one with the most time first.
    pub points: Vec<RooflinePoint>,
    /// Of all others, neither inside nor around one that told its work, those with the most self time.
    pub untold: Vec<NodeId>,
    /// How many call paths the profile has.
    pub n_paths: usize,
}

/// Puts the scopes of a tree under the roofs of a machine. `number` is the size of the numbers of scopes
/// whose label `dtype` does not tell it.
#[must_use]
pub fn roofline(tree: &CallTree<'_>, roof: &MachineRoof, number: RoofNumber) -> Roofline {
    let mut points: Vec<RooflinePoint> =
        tree.nodes().filter_map(|(id, _)| RooflinePoint::new(tree, id, roof, number)).collect();
    points.sort_unstable_by_key(|point| (Reverse(tree.node(point.node).inclusive_nanos), point.node));
    Roofline { number, untold: untold(tree, &points), points, n_paths: tree.len() }
}

fn untold(tree: &CallTree<'_>, points: &[RooflinePoint]) -> Vec<NodeId> {
    // Callers have smaller numbers than their callees, so one pass goes down and one goes up.
    let mut is_told = vec![false; tree.len()];
    points.iter().for_each(|point| is_told[point.node.index()] = true);
    let parents: Vec<Option<NodeId>> = tree.nodes().map(|(_, node)| node.parent).collect();
    let (mut is_inside, mut is_around) = (is_told.clone(), is_told);
    for at in 0..parents.len() {
        if let Some(parent) = parents[at] {
            is_inside[at] |= is_inside[parent.index()];
        }
    }
    for at in (0..parents.len()).rev() {
        if let Some(parent) = parents[at] {
            is_around[parent.index()] |= is_around[at];
        }
    }
    let mut untold: Vec<NodeId> = tree
        .nodes()
        .filter(|(id, node)| !is_inside[id.index()] && !is_around[id.index()] && node.self_nanos > 0)
        .map(|(id, _)| id)
        .collect();
    untold.sort_unstable_by_key(|id| (Reverse(tree.node(*id).self_nanos), *id));
    untold.truncate(N_UNTOLD);
    untold
}

#[cfg(test)]
mod tests {
    use calor_model::{ScopeStats, Work};

    use super::*;
    use crate::TreeOptions;
    use crate::sketch::Sketch;

    #[test]
    fn scopes_that_told_their_work_come_first_by_time_and_the_rest_is_named() {
        let told = |nanos: u64| ScopeStats {
            calls: 1,
            total_nanos: nanos,
            work: Work { flops: 1_000, ..Work::default() },
            ..ScopeStats::default()
        };
        let profile = Sketch::new()
            .scope("a", &["step"], 1, 1_000)
            .row("a", &["step", "short"], told(100))
            .row("a", &["step", "long"], told(700))
            .scope("a", &["step", "long", "inner"], 1, 600)
            .scope("a", &["step", "other"], 1, 150)
            .scope("a", &["load"], 1, 50)
            .profile();
        let tree = CallTree::of_scopes(&profile, &TreeOptions::default());
        let found = roofline(&tree, &roof::tests::roof(), RoofNumber::F32);
        let names =
            |nodes: &mut dyn Iterator<Item = NodeId>| nodes.map(|id| tree.name(id)).collect::<Vec<_>>();
        assert_eq!(names(&mut found.points.iter().map(|point| point.node)), ["long", "short"]);
        assert_eq!(names(&mut found.untold.iter().copied()), ["other", "load"]);
        assert_eq!(found.n_paths, 6);
    }

    #[test]
    fn without_scopes_there_is_nothing() {
        let profile = Sketch::new().profile();
        let tree = CallTree::of_scopes(&profile, &TreeOptions::default());
        assert_eq!(roofline(&tree, &MachineRoof::default(), RoofNumber::F64).points, []);
    }
}
