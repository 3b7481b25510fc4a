//! The sections about the heap: short ones in every report, all of them on a page of its own.

pub(crate) mod chart;
pub(crate) mod difference;
pub(crate) mod facts;
pub(crate) mod gaps;
pub(crate) mod growth;
pub(crate) mod histograms;
pub(crate) mod leaks;
pub(crate) mod overview;
pub(crate) mod passing;
pub(crate) mod paths;
pub(crate) mod place;
pub(crate) mod tree;

use calor_analysis::{Growth, HeapOrder};
use calor_model::{HeapMode, Profile};

use crate::ReportFormat;
use crate::document::Section;
use crate::options::OTHER_ROWS;
use crate::report::Report;

/// Said where threads were chosen in vain.
pub(super) const OF_ALL_THREADS: &str =
    "Counts of the heap are kept by call path and not by thread: these are of all threads.";

/// Whether figures are estimates.
pub(super) fn is_sampled(profile: &Profile) -> bool {
    profile.heap.summary.is_some_and(|heap| heap.mode == HeapMode::Sampled)
}

/// The heap in a few figures and over time.
pub(super) fn overview(report: &Report<'_>) -> Vec<Section> {
    let Some(heap) = &report.answer.heap else { return Vec::new() };
    let facts = facts::section(report.answer.profile, heap);
    let facts = match report.answer.has_heap_of_all_threads() {
        true => facts.with_intro(OF_ALL_THREADS),
        false => facts,
    };
    let mut sections = vec![facts];
    sections.extend(chart::section(report.answer.profile, heap));
    sections
}

/// What stands out: what grows and what was leaked. A page for the browser has room for the rest.
pub(super) fn details(report: &Report<'_>) -> Vec<Section> {
    let Some(heap) = &report.answer.heap else { return Vec::new() };
    let rows = report.options.top.unwrap_or(OTHER_ROWS);
    let mut sections = Vec::new();
    let is_growing =
        matches!(&heap.growth, Growth::Measured { paths, .. } if paths.iter().any(|row| row.is_growing()));
    if is_growing {
        sections.push(growth::section(report.answer.profile, heap, rows));
    }
    if heap.leaks.at_end.is_some() && !heap.leaks.paths.is_empty() {
        sections.push(leaks::section(report.answer.profile, heap, rows));
    }
    if report.options.format == ReportFormat::Html {
        for (order, paths) in [(HeapOrder::Peak, &heap.peak), (HeapOrder::Temporary, &heap.temporary)] {
            if !paths.is_empty() {
                sections.push(paths::section(report.answer.profile, &heap.places, order, paths, rows));
            }
        }
        sections.extend(histograms::sections(report.answer.profile));
    }
    sections
}
