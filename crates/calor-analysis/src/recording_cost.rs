//! What recording cost the program: as the recorder measured it, or as it follows from the cost of one scope.

use crate::{CallTree, Correction};

/// The recorder's cost.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct RecordingCost {
    /// CPU time that recording took, all runs together; `None` unless every run measured it.
    pub cpu_nanos: Option<u64>,
    /// Calls of the tree that were timed.
    pub timed_calls: u64,
    /// What the timed calls of the tree cost by the measured cost of one scope; `None` when that is not known.
    pub scopes_nanos: Option<u64>,
    /// The most memory that recording held in a run.
    pub memory_bytes: Option<u64>,
}

impl RecordingCost {
    /// The cost of recording a tree's profile; `correction` is what one scope costs, where known.
    #[must_use]
    pub fn new(tree: &CallTree<'_>, correction: Option<Correction>) -> Self {
        let runs = &tree.profile().runs;
        // Calls that were not timed cost next to nothing.
        let timed = tree.nodes().fold(0_u64, |sum, (_, node)| sum.saturating_add(node.timed_calls));
        let cpu = runs.iter().map(|run| run.cost.own_cpu_nanos);
        Self {
            cpu_nanos: cpu.reduce(|a, b| Some(a?.saturating_add(b?))).flatten(),
            timed_calls: timed,
            scopes_nanos: correction.filter(|_| !tree.is_empty()).map(|cost| cost.whole_nanos(timed)),
            memory_bytes: runs.iter().filter_map(|run| run.cost.memory_bytes).max(),
        }
    }

    /// The estimate that stands in for a CPU time that was not measured.
    #[must_use]
    pub fn estimated_nanos(&self) -> Option<u64> {
        self.scopes_nanos.filter(|_| self.cpu_nanos.is_none())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::TreeOptions;
    use crate::sketch::Sketch;
    use calor_model::{Cost, Run};

    fn cost(own_cpu_nanos: Option<u64>) -> RecordingCost {
        let cost = Cost { own_cpu_nanos, per_scope_picos: Some(20_000), ..Cost::default() };
        let profile = Sketch::new()
            .run(Run { cost, ..Run::default() })
            .scope("main", &["run"], 100, 10_000)
            .estimated_scope("main", &["tick"], 1_000, 9_000, 1.0)
            .profile();
        let tree = CallTree::of_scopes(&profile, &TreeOptions::default());
        RecordingCost::new(&tree, Correction::of(&profile))
    }

    #[test]
    fn what_was_not_measured_is_estimated_from_the_timed_calls() {
        // 100 calls and one in ten of 1,000, 20 ns each.
        assert_eq!(cost(None).estimated_nanos(), Some(4_000));
        assert_eq!(cost(Some(7_000)).estimated_nanos(), None);
        assert_eq!((cost(Some(7_000)).cpu_nanos, cost(None).timed_calls), (Some(7_000), 200));
    }
}
