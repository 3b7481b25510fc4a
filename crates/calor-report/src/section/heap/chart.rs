//! The heap and the program's memory over time, in one picture: where they part, memory is not the heap's.

use calor_model::CounterPoint;

use crate::document::{Body, Chart, Section, Series};
use crate::heap_facts::HeapFacts;

/// `None` when there is nothing to draw a line through.
pub(crate) fn section(heap: &HeapFacts) -> Option<Section> {
    let points = |points: &[CounterPoint]| -> Vec<(u64, u64)> {
        points.iter().map(|point| (point.at_nanos, point.value.max(0.0) as u64)).collect()
    };
    let series = [("memory (RSS)", &heap.rss_points, false), ("heap", &heap.live_points, true)];
    let series: Vec<Series> = series
        .into_iter()
        .filter(|(_, points, _)| points.len() > 1)
        .map(|(name, of, is_filled)| Series { name, is_filled, points: points(of) })
        .collect();
    let body = Body::Chart(Chart { series });
    (heap.live_points.len() > 1).then(|| Section::new("heap-time", "Heap over time", body))
}
