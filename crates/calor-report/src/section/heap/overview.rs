//! What matters most of a heap, on a screen of 24 lines: how much, who held it, who allocates, and where to look next.

use calor_analysis::{HeapAnswer, HeapOrder};
use calor_model::Profile;

use super::{facts, gaps, paths};
use crate::document::{Body, Section};

use crate::heap_page::{HeapFormat, HeapOptions, with_threads};

/// Rows of who held most at the peak.
const HOLDERS: usize = 5;
/// Rows of who allocated most.
const ALLOCATORS: usize = 3;

pub(crate) fn sections(profile: &Profile, heap: &HeapAnswer, options: &HeapOptions) -> Vec<Section> {
    let mut all = vec![with_threads(facts::short(profile, heap), &options.threads)];
    // Before figures that are not all that there was.
    let is_cut = gaps::is_cut(profile);
    all.extend(gaps::section(profile).filter(|_| is_cut));
    for (order, rows) in [(HeapOrder::Peak, HOLDERS), (HeapOrder::Allocated, ALLOCATORS)] {
        let found = heap.listed(order);
        if !found.is_empty() {
            all.push(paths::short(profile, &heap.places, order, found, options.top.unwrap_or(rows)));
        }
    }
    all.extend(gaps::section(profile).filter(|_| !is_cut));
    if options.format == HeapFormat::Text {
        all.push(hints());
    }
    all
}

/// In one line, so that the page fits the smallest terminal.
fn hints() -> Section {
    let title = "More: --peak --allocated --leaks --temporary --growth --sizes --tree --all";
    Section::new("more", title, Body::Lines(Vec::new()))
}
