//! How busy each GPU of a trace was over time, from when its kernels and copies ran: the series that a recorder which looks
//! at the device would have made.

use std::collections::BTreeMap;

use calor_model::{CounterKey, CounterPoint, Profile};

/// Looks at each device, spread evenly from its first work to its last.
const LOOKS: u64 = 200;

/// When devices worked: beginnings and ends in nanoseconds, in any order.
#[derive(Default)]
pub(super) struct GpuUse {
    spans: BTreeMap<u32, Vec<(i64, i64)>>,
}

impl GpuUse {
    pub(super) fn add(&mut self, device: u32, from: i64, to: i64) {
        if to > from {
            self.spans.entry(device).or_default().push((from, to));
        }
    }

    /// Makes the series, unless the trace has one of that name.
    pub(super) fn finish(self, origin: i64, profile: &mut Profile) {
        for (device, mut spans) in self.spans {
            let name = profile.strings.intern(&format!("gpu {device} utilisation"));
            let key = CounterKey { name, unit: profile.strings.intern("%"), thread: None };
            if profile.counters.iter().any(|(known, _)| known.name == name) {
                continue;
            }
            spans.sort_unstable();
            let points = looks(&spans, origin);
            profile.counters.series_mut(key).extend(points);
        }
    }
}

/// The part of each stretch of time, in percent, in which anything ran; several streams at once count once.
fn looks(sorted: &[(i64, i64)], origin: i64) -> Vec<CounterPoint> {
    let Some(&(first, _)) = sorted.first() else { return Vec::new() };
    let last = sorted.iter().map(|span| span.1).max().unwrap_or(first);
    let length = first.abs_diff(last).div_ceil(LOOKS).max(1);
    let n = first.abs_diff(last).div_ceil(length) as usize;
    let mut busy = vec![0_u64; n];
    let mut done = first;
    for &(from, to) in sorted {
        // What an earlier one covers is not counted again.
        let mut at = from.max(done);
        while at < to {
            let look = (first.abs_diff(at) / length) as usize;
            let end = first.saturating_add_unsigned((look as u64 + 1).saturating_mul(length)).min(to);
            if let Some(busy) = busy.get_mut(look) {
                *busy += at.abs_diff(end);
            }
            at = end;
        }
        done = done.max(to);
    }
    let point = |(look, busy): (usize, u64)| CounterPoint {
        at_nanos: first.saturating_sub(origin).max(0) as u64 + look as u64 * length,
        value: 100.0 * busy as f64 / length as f64,
    };
    busy.into_iter().enumerate().map(point).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn streams_at_once_count_once_and_gaps_count_as_idle() {
        let points = looks(&[(1_000, 1_500), (1_200, 1_500), (1_300, 1_400), (2_500, 3_000)], 1_000);
        assert_eq!(points.len(), 200);
        let mean = points.iter().map(|point| point.value).sum::<f64>() / 200.0;
        assert!((mean - 50.0).abs() < 1e-9, "{mean}");
        assert_eq!((points[0].at_nanos, points[199].at_nanos), (0, 1_990));
        assert_eq!((points[0].value, points[100].value), (100.0, 0.0));
    }

    #[test]
    fn a_trace_that_tells_itself_is_believed() {
        let mut profile = Profile::default();
        let name = profile.strings.intern("gpu 0 utilisation");
        let key = CounterKey { name, unit: profile.strings.intern("%"), thread: None };
        profile.counters.series_mut(key).push(CounterPoint { at_nanos: 0, value: 7.0 });
        let mut used = GpuUse::default();
        used.add(0, 0, 100);
        used.add(1, 50, 50);
        used.finish(0, &mut profile);
        assert_eq!(profile.counters.iter().map(|(_, points)| points.len()).sum::<usize>(), 1);
    }
}
