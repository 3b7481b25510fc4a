//! Which call paths are kept, and where the others go. A program that imports much allocates on a hundred thousand paths,
//! of which a few hundred have nearly all the bytes. Paths that matter in no respect are folded: what they did is told of
//! the nearest caller that matters, so that sums stay exact at every place that is kept.

/// No caller.
pub(super) const NONE: u32 = u32::MAX;

/// What a path did, as a part of all: the sum of its parts in each respect.
#[derive(Clone, Copy, Debug)]
pub(super) struct Entry {
    /// Its place in the tree; [`NONE`] where nothing is known of it.
    pub(super) node: u32,
    pub(super) weight: f64,
    /// Whether it stands for paths below this place, not for one that ends here.
    pub(super) is_folded: bool,
}

/// Where an entry goes.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(super) struct Target {
    pub(super) node: u32,
    /// Whether it is told as one of many small paths below the place.
    pub(super) is_folded: bool,
}

/// A tree with what its entries weigh.
#[derive(Debug)]
pub(super) struct Fold {
    parents: Vec<u32>,
    entries: Vec<Entry>,
    /// The weight of each place with all below it.
    weights: Vec<f64>,
}

impl Fold {
    /// `parents` are the callers of each place, which come before it; [`NONE`] for the outermost.
    pub(super) fn new(parents: Vec<u32>, entries: Vec<Entry>) -> Self {
        let mut weights = vec![0.0; parents.len()];
        for entry in entries.iter().filter(|entry| entry.node != NONE) {
            weights[entry.node as usize] += entry.weight;
        }
        for node in (0..parents.len()).rev() {
            if let Some(parent) = index(parents[node]) {
                weights[parent] += weights[node];
            }
        }
        Self { parents, entries, weights }
    }

    /// For each place the nearest one, itself or a caller, that weighs at least so much.
    fn kept(&self, least: f64) -> Vec<u32> {
        let mut kept = vec![NONE; self.parents.len()];
        for node in 0..self.parents.len() {
            let above = index(self.parents[node]).map_or(NONE, |parent| kept[parent]);
            kept[node] = if self.weights[node] < least { above } else { node as u32 };
        }
        kept
    }

    /// Where each entry goes if places that weigh less than `least` are not kept.
    pub(super) fn targets(&self, least: f64) -> Vec<Target> {
        let kept = self.kept(least);
        self.entries.iter().map(|entry| target(entry, &kept)).collect()
    }

    /// How many different targets there are then.
    pub(super) fn n_rows(&self, least: f64) -> usize {
        let kept = self.kept(least);
        let mut is_met = vec![[false; 2]; kept.len() + 1];
        for target in self.entries.iter().map(|entry| target(entry, &kept)) {
            is_met[index(target.node).map_or(0, |node| node + 1)][usize::from(target.is_folded)] = true;
        }
        is_met.into_iter().flatten().filter(|is_met| *is_met).count()
    }
}

fn target(entry: &Entry, kept: &[u32]) -> Target {
    let node = index(entry.node).map_or(NONE, |node| kept[node]);
    Target { node, is_folded: entry.is_folded || node != entry.node }
}

/// The smallest of the weights to keep, from `first` on, at which all trees together have at most so many targets. The one
/// that every tree has in any case does not count: a program with thousands of processes would have nothing else.
pub(super) fn least_weight<'a>(
    folds: impl Iterator<Item = &'a Fold> + Clone,
    first: f64,
    most_rows: usize,
) -> f64 {
    /// How much finer than this need not be told.
    const STEP: f64 = 1.25;
    let mut least = first;
    let n_more = |least| folds.clone().map(|fold| fold.n_rows(least).saturating_sub(1)).sum::<usize>();
    // Beyond all weights there is one target for each tree and kind.
    while least < 100.0 && n_more(least) > most_rows {
        least *= STEP;
    }
    least
}

fn index(node: u32) -> Option<usize> {
    (node != NONE).then_some(node as usize)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    /// Trees in which a caller comes before its callees, with what entries weigh: whole numbers, so that sums are exact.
    fn trees() -> impl Strategy<Value = (Vec<u32>, Vec<Entry>)> {
        let parents = proptest::collection::vec(any::<u32>(), 1..60).prop_map(|choices| {
            (0_u32..)
                .zip(choices)
                .map(|(node, choice)| (choice % (node + 1)).wrapping_sub(1))
                .collect::<Vec<_>>()
        });
        parents.prop_flat_map(|parents| {
            let n = parents.len() as u32;
            let node = prop_oneof![20 => 0..n, 1 => Just(NONE)];
            let entry = (node, 0_u32..1000, proptest::bool::weighted(0.1))
                .prop_map(|(node, weight, is_folded)| Entry { node, weight: f64::from(weight), is_folded });
            (Just(parents), proptest::collection::vec(entry, 0..80))
        })
    }

    fn is_at_or_below(parents: &[u32], mut node: u32, place: u32) -> bool {
        while node != place && node != NONE {
            node = parents[node as usize];
        }
        node == place
    }

    proptest! {
        #[test]
        fn every_kept_place_has_what_it_had_and_only_small_ones_are_folded(
            (parents, entries) in trees(),
            least in 0_u32..3000,
        ) {
            let least = f64::from(least);
            let fold = Fold::new(parents.clone(), entries.clone());
            let targets = fold.targets(least);
            prop_assert_eq!(targets.len(), entries.len());
            for (entry, target) in entries.iter().zip(&targets) {
                prop_assert!(target.node == NONE || is_at_or_below(&parents, entry.node, target.node));
                if target.node == entry.node {
                    prop_assert_eq!(target.is_folded, entry.is_folded);
                } else {
                    prop_assert!(target.is_folded);
                }
            }
            for place in 0..parents.len() as u32 {
                let below = |node: u32| is_at_or_below(&parents, node, place);
                let had: f64 = entries.iter().filter(|entry| below(entry.node)).map(|entry| entry.weight).sum();
                let pairs = entries.iter().zip(&targets);
                let has: f64 = pairs.filter(|(_, target)| below(target.node)).map(|(entry, _)| entry.weight).sum();
                prop_assert_eq!(has, if had < least { 0.0 } else { had }, "place {}", place);
            }
        }

        #[test]
        fn the_least_weight_bounds_the_rows_and_is_not_raised_without_need(
            (parents, entries) in trees(),
            most in 2_usize..40,
        ) {
            let fold = Fold::new(parents, entries);
            let least = least_weight(std::iter::once(&fold), 1e-4, most);
            prop_assert!(fold.n_rows(least) <= most + 1 || least >= 100.0);
            if fold.n_rows(1e-4) <= most + 1 {
                prop_assert_eq!(least, 1e-4);
            }
        }
    }

    #[test]
    fn many_small_processes_do_not_take_the_paths_of_a_large_one() {
        let tree = |weights: &[f64]| {
            // A caller with as many callees.
            let parents = std::iter::once(NONE).chain(weights.iter().map(|_| 0)).collect();
            let entry = |(node, weight): (u32, &f64)| Entry { node, weight: *weight, is_folded: false };
            Fold::new(parents, (1..).zip(weights).map(entry).collect())
        };
        let mut folds = vec![tree(&[0.3, 0.3, 0.1])];
        folds.extend((0..3000).map(|_| tree(&[0.0001, 0.00005, 0.00005])));
        let least = least_weight(folds.iter(), 1e-4, 500);
        assert!(least <= 0.1, "{least}");
        assert_eq!(folds[0].n_rows(least), 3);
        assert!(folds[1..].iter().all(|fold| fold.n_rows(least) == 1));
    }
}
