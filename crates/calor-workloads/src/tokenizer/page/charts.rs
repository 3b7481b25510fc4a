//! The charts: MB/s by length, by threads, and by room in the cache.

use calor_report::bench::{Axis, Chart, ChartKind, Point, Series};

use super::tables::digits;
use crate::tokenizer::bed::Side;
use crate::tokenizer::measure::Measured;

/// Those that have at least two points to join.
pub(super) fn charts(measured: &Measured) -> Vec<Chart> {
    let lengths = measured.lengths.iter().map(|at| (at.side, at.length, at.megabytes.median));
    let threads = measured.threads.iter().map(|at| (at.side, at.threads, at.megabytes.median));
    let caches = measured.caches.iter().map(|at| (at.side, at.words, at.megabytes.median));
    let has_none = measured.caches.iter().any(|at| at.words == 0);
    let charts = [
        chart("Throughput by length of input", Axis::log("bytes").of_bytes(), lengths, None),
        chart("Throughput by threads", Axis::linear("threads"), threads, None),
        chart(
            "Throughput by room in the word cache",
            Axis::log("words"),
            caches.filter(|(_, words, _)| *words > 0),
            has_none.then(|| "No room at all has no place on this axis; it is in the table.".to_owned()),
        ),
    ];
    charts.into_iter().filter(|chart| chart.series.iter().any(|series| series.points.len() > 1)).collect()
}

fn chart(
    title: &str,
    x: Axis,
    found: impl Iterator<Item = (Side, usize, f64)>,
    note: Option<String>,
) -> Chart {
    let found: Vec<_> = found.collect();
    let series = [Side::Crate, Side::Ours].map(|side| {
        let mut points: Vec<Point> = found
            .iter()
            .filter(|(of, ..)| *of == side)
            .map(|&(_, at, rate)| Point {
                x: at as f64,
                y: rate,
                label: Some(format!("{} at {at} {}: {} MB/s", side.name(), x.label, digits(rate))),
            })
            .collect();
        points.sort_by(|a, b| a.x.total_cmp(&b.x));
        Series { name: side.name().to_owned(), points, is_front: false }
    });
    let series = series.into_iter().filter(|series| !series.points.is_empty()).collect();
    Chart { title: title.to_owned(), kind: ChartKind::Lines, x, y: Axis::linear("MB/s"), series, note }
}
