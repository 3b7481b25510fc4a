//! Flame graphs of a heap: what has to be known about those, and not about samples.

use calor_formats::Metric;
use calor_report::flame::FlameInput;

/// What is told of every profile, and does not come from sampling.
const OF_ALL: [&str; 9] = [
    "cut_off",
    "interrupted",
    "image_unreadable",
    "images_unreadable",
    "paths_condensed",
    "recording_cut_off",
    "scopes_left_out",
    "symbols_missing",
    "threads_merged",
];

/// Frames of a heap that are narrower, in pixels, are left out: deep paths of few bytes make a picture high and say nothing.
pub(super) const MIN_WIDTH: f64 = 0.5;

/// Whether a metric is one of the heap.
pub(super) fn is_metric(metric: Metric) -> bool {
    matches!(metric, Metric::Allocated | Metric::Live | Metric::Peak | Metric::Temporary)
}

/// Whether what is drawn first is of the heap.
pub(super) fn is_of_heap(input: &FlameInput) -> bool {
    let shown = input.metrics.first().map(|metric| metric.id.as_str());
    Metric::ALL.into_iter().any(|metric| is_metric(metric) && Some(metric.word()) == shown)
}

/// Whether a warning of that code matters to a heap.
pub(super) fn is_about_heap(code: &str) -> bool {
    code.starts_with("heap_") || code.starts_with("names_") || OF_ALL.contains(&code)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lost_samples_are_no_matter_of_the_heap() {
        for (code, is_about) in [
            ("heap_untracked", true),
            ("symbols_missing", true),
            ("samples_lost", false),
            ("python_gone", false),
        ] {
            assert_eq!(is_about_heap(code), is_about, "{code}");
        }
    }
}
