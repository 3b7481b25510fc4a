//! What a faster function would give where nobody knows what waited for what: its share of the recorded time, by the law
//! of Amdahl. That is right for one thread; with several it is right only if all of them do the same.

use calor_model::{FrameId, StringId};
use foldhash::fast::RandomState;
use indexmap::IndexMap;

use crate::CallTree;

/// A function and its share of the recorded time.
#[derive(Clone, PartialEq, Debug)]
pub struct AmdahlScope {
    /// Its name.
    pub name: StringId,
    /// The first of its places.
    pub frame: FrameId,
    /// Time in it and in what it calls, added up over threads.
    pub total_nanos: u64,
    /// Time in itself.
    pub self_nanos: u64,
    /// Its total as a share of the recorded time.
    pub share: f64,
}

impl AmdahlScope {
    /// How many times as fast the program would be if the function were `factor` times as fast; infinity gives the bound,
    /// which is infinite itself for a function that is everything.
    #[must_use]
    pub fn overall(&self, factor: f64) -> f64 {
        1.0 / (1.0 - self.share + self.share / factor)
    }
}

/// The functions of a call tree, those with the most time first. A function inside itself counts once.
#[must_use]
pub fn amdahl(tree: &CallTree<'_>) -> Vec<AmdahlScope> {
    let profile = tree.profile();
    let recorded = tree.recorded_nanos().max(1) as f64;
    let mut scopes: IndexMap<StringId, AmdahlScope, RandomState> = IndexMap::default();
    let mut names: Vec<StringId> = Vec::new();
    for (_, node) in tree.nodes() {
        let own = node.self_nanos;
        names.clear();
        let mut at = Some(node.clone());
        while let Some(node) = at {
            let name = profile.frames.get(node.frame).name;
            if !names.contains(&name) {
                names.push(name);
                let scope = scopes.entry(name).or_insert(AmdahlScope {
                    name,
                    frame: node.frame,
                    total_nanos: 0,
                    self_nanos: 0,
                    share: 0.0,
                });
                scope.total_nanos = scope.total_nanos.saturating_add(own);
                scope.self_nanos = scope.self_nanos.saturating_add(if names.len() == 1 { own } else { 0 });
            }
            at = node.parent.map(|parent| tree.node(parent));
        }
    }
    let mut scopes: Vec<AmdahlScope> = scopes.into_values().filter(|scope| scope.total_nanos > 0).collect();
    for scope in &mut scopes {
        scope.share = (scope.total_nanos as f64 / recorded).min(1.0);
    }
    scopes.sort_by_key(|scope| std::cmp::Reverse((scope.total_nanos, scope.self_nanos)));
    scopes
}

/// How many times as fast the program would be with several functions faster: those names, each so many times. Of functions
/// inside each other, the inner one gets both speed-ups.
#[must_use]
pub fn amdahl_overall(tree: &CallTree<'_>, speedups: &[(StringId, f64)]) -> f64 {
    let profile = tree.profile();
    let (mut before, mut after) = (0.0, 0.0);
    // Callers come before their callees: what holds of them is known by then.
    let mut factors: Vec<f64> = Vec::with_capacity(tree.nodes().len());
    let mut inside: Vec<Vec<bool>> = Vec::with_capacity(tree.nodes().len());
    for (_, node) in tree.nodes() {
        let name = profile.frames.get(node.frame).name;
        let mut factor = node.parent.map_or(1.0, |parent| factors[parent.index()]);
        let mut is_inside =
            node.parent.map_or_else(|| vec![false; speedups.len()], |parent| inside[parent.index()].clone());
        for ((wanted, by), is_inside) in speedups.iter().zip(&mut is_inside) {
            if *wanted == name && !*is_inside {
                *is_inside = true;
                factor /= by;
            }
        }
        before += node.self_nanos as f64;
        after += node.self_nanos as f64 * factor;
        factors.push(factor);
        inside.push(is_inside);
    }
    if after > 0.0 { before / after } else { f64::INFINITY }
}
