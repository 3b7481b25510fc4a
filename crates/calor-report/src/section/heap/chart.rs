//! The heap and the program's memory over time, in one picture: where they part, memory is not the heap's.

use calor_analysis::HeapAnswer;
use std::collections::BTreeSet;

use calor_model::{CounterPoint, Profile};

use super::is_sampled;
use crate::document::{Body, Chart, Section, Series};

/// `None` when there is nothing to draw a line through.
pub(crate) fn section(profile: &Profile, heap: &HeapAnswer) -> Option<Section> {
    let points = |points: &[CounterPoint]| -> Vec<(u64, u64)> {
        points.iter().map(|point| (point.at_nanos, point.value.max(0.0) as u64)).collect()
    };
    let (mut live, rss) = (points(&heap.live_points), points(&heap.rss_points));
    if live.len() < 2 {
        return None;
    }
    add_end(&mut live, profile, heap);
    let intro = match add_peak(&mut live, heap) {
        true => "Looked at from time to time, and the heap also at its peak.",
        false => "Looked at from time to time.",
    };
    let is_estimated = is_sampled(profile);
    let series = [("memory (RSS)", rss, false), ("heap", live, true)];
    let series: Vec<Series> = series
        .into_iter()
        .filter(|(_, points, _)| points.len() > 1)
        .map(|(name, points, is_filled)| Series {
            name,
            is_filled,
            is_estimated: is_estimated && is_filled,
            points,
        })
        .collect();
    Some(Section::new("heap-time", "Heap over time", Body::Chart(Chart { series })).with_intro(intro))
}

/// Puts what was held at the end behind the last look, where one process was watched and ended by itself.
fn add_end(live: &mut Vec<(u64, u64)>, profile: &Profile, heap: &HeapAnswer) {
    let processes: BTreeSet<u32> =
        profile.heap.iter().map(|(key, _)| profile.threads.get(key.thread).pid).collect();
    let end = (profile.duration_nanos(), heap.totals.sum.live_bytes());
    let is_after = live.last().is_some_and(|(last, _)| *last < end.0);
    if is_after && processes.len() == 1 && heap.leaks.not_of_the_end() == Some(0) {
        live.push(end);
    }
}

/// Puts the peak among what was held, since no look need have been at that moment; whether it is there now. Of several
/// processes the looks are at all of them and the peak is that of one, which may be less.
fn add_peak(live: &mut Vec<(u64, u64)>, heap: &HeapAnswer) -> bool {
    let (Some(at), peak) = (heap.totals.peak_at_nanos, heap.totals.peak_bytes) else { return false };
    let is_most = live.iter().all(|(_, bytes)| *bytes <= peak);
    if is_most {
        let place = live.partition_point(|(before, _)| *before <= at);
        live.insert(place, (at, peak));
    }
    is_most
}
