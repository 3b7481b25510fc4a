//! What matters most of a heap, on a screen of 24 lines: how much, who held it, who allocates, and where to look next.

use calor_analysis::{HeapOrder, HeapPlaces, heap_paths};
use calor_model::{Profile, Warning};

use super::{facts, paths};
use crate::document::{Body, Section};
use crate::heap_facts::HeapFacts;
use crate::heap_page::{HeapFormat, HeapOptions, with_threads};
use crate::quantity::counted;
use crate::section::not_seen;

/// Rows of who held most at the peak.
const HOLDERS: usize = 5;
/// Rows of who allocated most.
const ALLOCATORS: usize = 3;

pub(crate) fn sections(
    profile: &Profile,
    heap: &HeapFacts,
    options: &HeapOptions,
    places: &HeapPlaces,
) -> Vec<Section> {
    let mut all = vec![with_threads(facts::short(profile, heap), &options.threads)];
    for (order, rows) in [(HeapOrder::Peak, HOLDERS), (HeapOrder::Allocated, ALLOCATORS)] {
        let found = heap_paths(profile, &options.threads, order, places);
        if !found.is_empty() {
            all.push(paths::short(profile, order, &found, options.top.unwrap_or(rows)));
        }
    }
    all.extend(unseen(&profile.warnings));
    if options.format == HeapFormat::Text {
        all.push(hints());
    }
    all
}

/// What was not seen of the heap; what else was not seen is only counted.
fn unseen(warnings: &[Warning]) -> Option<Section> {
    let (of_heap, others): (Vec<Warning>, Vec<Warning>) =
        warnings.iter().cloned().partition(|warning| warning.code.starts_with("heap_"));
    if of_heap.is_empty() {
        return None;
    }
    let mut section = not_seen::of_warnings(&of_heap);
    if let (Body::Lines(lines), n @ 1..) = (&mut section.body, others.len() as u64) {
        lines.push(format!("{} of other kinds: `--all` shows them", counted(n, "warning")));
    }
    Some(section)
}

/// In one line, so that the page fits the smallest terminal.
fn hints() -> Section {
    let title = "More: --peak --allocated --leaks --temporary --growth --sizes --tree --all";
    Section::new("more", title, Body::Lines(Vec::new()))
}
