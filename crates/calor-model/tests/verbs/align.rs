use std::collections::BTreeMap;

use calor_model::{AlignedNode, Alignment, HeapSite, Values, align};
use proptest::prelude::*;

use crate::content::{Totals, samples, scopes, totals};
use crate::generated::profile;

fn path(alignment: &Alignment, node: &AlignedNode) -> String {
    let name = alignment.strings.get(node.name);
    match node.parent {
        Some(parent) => format!("{};{name}", path(alignment, &alignment.nodes[parent])),
        None => name.to_owned(),
    }
}

#[test]
fn every_path_of_either_side_has_a_node() {
    let alignment = align(
        &scopes(&[("main", 1, 100), ("main;gone", 2, 40)]),
        &scopes(&[("main", 1, 90), ("main;new", 3, 50)]),
    );
    let lines: Vec<_> = alignment
        .nodes
        .iter()
        .map(|node| {
            let side = |values: &Values| values.scope.map(|s| (s.calls, s.total_nanos, s.self_nanos));
            (path(&alignment, node), side(&node.before), side(&node.after))
        })
        .collect();
    assert_eq!(
        lines,
        [
            ("main".to_owned(), Some((1, 100, 60)), Some((1, 90, 40))),
            ("main;gone".to_owned(), Some((2, 40, 40)), None),
            ("main;new".to_owned(), None, Some((3, 50, 50))),
        ]
    );
}

#[test]
fn samples_count_for_their_callers_too() {
    let alignment = align(&samples(&[("main;f", 3), ("main", 1)]), &samples(&[("main;f", 5)]));
    let weights = |values: &Values| {
        values.samples.values().map(|s| (s.own.count, s.inclusive.count)).collect::<Vec<_>>()
    };
    let sides: Vec<_> =
        alignment.nodes.iter().map(|node| (weights(&node.before), weights(&node.after))).collect();
    assert_eq!(sides, [(vec![(1, 4)], vec![(0, 5)]), (vec![(3, 3)], vec![(5, 5)])]);
}

/// The sums of one side, taken from what nodes hold themselves and from what roots hold with their callees.
fn sums(
    alignment: &Alignment,
    side: fn(&AlignedNode) -> &Values,
) -> (Totals, BTreeMap<calor_model::SampleKind, u64>) {
    let (mut self_nanos, mut heap, mut inclusive_heap) = (0, HeapSite::default(), HeapSite::default());
    let mut samples: BTreeMap<_, (u64, u64)> = BTreeMap::new();
    let mut roots = BTreeMap::new();
    for node in &alignment.nodes {
        let values = side(node);
        self_nanos += values.scope.map_or(0, |scope| scope.self_nanos);
        let site = values.heap.unwrap_or_default();
        heap.add(&site.own);
        for (kind, weight) in &values.samples {
            let sum = samples.entry(*kind).or_default();
            *sum = (sum.0 + weight.own.count, sum.1 + weight.own.nanos);
            if node.parent.is_none() {
                *roots.entry(*kind).or_default() += weight.inclusive.count;
            }
        }
        if node.parent.is_none() {
            inclusive_heap.add(&site.inclusive);
        }
    }
    assert_eq!(heap, inclusive_heap);
    let events = BTreeMap::new();
    (
        Totals {
            self_nanos,
            samples,
            events,
            heap,
            heap_at: BTreeMap::new(),
            kernel_nanos: 0,
            copied_bytes: 0,
        },
        roots,
    )
}

proptest! {
    #[test]
    fn nothing_vanishes_from_either_side(a in profile(), b in profile()) {
        let alignment = align(&a, &b);
        for (profile, side) in [(&a, (|node| &node.before) as fn(&AlignedNode) -> &Values), (&b, |node| &node.after)] {
            let expected = Totals { kernel_nanos: 0, copied_bytes: 0, events: BTreeMap::new(), heap_at: BTreeMap::new(), ..totals(profile) };
            let (own, roots) = sums(&alignment, side);
            assert_eq!(roots, own.samples.iter().map(|(kind, weight)| (*kind, weight.0)).collect());
            assert_eq!(own, expected);
        }
        prop_assert!(alignment.nodes.iter().enumerate().all(|(at, node)| node.parent.is_none_or(|parent| parent < at)));
    }

    #[test]
    fn sides_change_places_with_the_profiles(a in profile(), b in profile()) {
        let rows = |alignment: &Alignment, swapped: bool| {
            let nodes = alignment.nodes.iter().map(|node| {
                let (first, second) = if swapped { (&node.after, &node.before) } else { (&node.before, &node.after) };
                let module = node.module.map(|module| alignment.strings.get(module));
                (format!("{} {:?} {module:?}", path(alignment, node), node.kind), format!("{first:?} {second:?}"))
            });
            let mut rows: Vec<_> = nodes.collect();
            rows.sort();
            rows
        };
        assert_eq!(rows(&align(&a, &b), false), rows(&align(&b, &a), true));
    }
}
