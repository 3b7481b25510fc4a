//! The first answer after a recording: the functions with the most time, and those that waited longest.

use calor_model::{Profile, SampleKind};

use crate::{
    CallTree, Grouping, HotPath, Order, ThreadChoice, TreeOptions, Wait, hot_paths, waits, waits_by_site,
};

/// The first of each.
pub struct Hottest<'p> {
    /// The tree of the CPU samples.
    pub tree: CallTree<'p>,
    /// Functions with the most time of their own; the path of each on which most of it was spent stands first.
    pub functions: Vec<HotPath>,
    /// Functions that waited, the longest first.
    pub waits: Vec<Wait<'p>>,
}

impl<'p> Hottest<'p> {
    /// The first `n` functions and waits of a profile.
    #[must_use]
    pub fn of(profile: &'p Profile, n: usize) -> Self {
        let tree = CallTree::of_samples(profile, SampleKind::Cpu, &TreeOptions::default());
        let functions = hot_paths(&tree, Grouping::Function, Order::SelfTime, Some(n));
        let mut waits = waits_by_site(profile, &waits(profile, &ThreadChoice::default()));
        waits.truncate(n);
        Self { tree, functions, waits }
    }
}
