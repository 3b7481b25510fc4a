//! What grows while a program runs: for each call path, the slope of what it held from snapshot to snapshot.

use calor_model::{Profile, StackId};
use foldhash::fast::RandomState;
use indexmap::IndexMap;

use super::{HeapPlaces, LineFit};

/// Fewer snapshots than these make a slope of which nothing can be said.
const FEWEST: usize = 4;

/// How the heap grew.
#[derive(Clone, PartialEq, Debug)]
pub enum Growth {
    /// There is too little to judge by.
    NotEnoughData {
        /// Snapshots there are, of one run.
        snapshots: usize,
        /// Runs that were added up: those of several say nothing about one.
        runs: usize,
    },
    /// Slopes over the snapshots.
    Measured {
        /// How many snapshots.
        snapshots: usize,
        /// The time from the first to the last, in nanoseconds.
        span_nanos: u64,
        /// The whole heap.
        total: Box<GrowthRow>,
        /// The paths that grew for sure, the one of which the most is sure first.
        paths: Vec<GrowthRow>,
    },
}

/// How one call path grew, or the whole heap.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct GrowthRow {
    /// The path; `None` for the whole heap.
    pub stack: Option<StackId>,
    /// Bytes a second, by least squares.
    pub slope: LineFit,
    /// Whether it also grew for sure in the later half of the snapshots: what is loaded at the start and then kept did
    /// not. `None` where that half has too few snapshots.
    pub is_lasting: Option<bool>,
    /// Bytes held in the first snapshot.
    pub first_bytes: u64,
    /// Bytes held in the last snapshot.
    pub last_bytes: u64,
}

impl GrowthRow {
    /// Whether it grows for sure, as far as the snapshots tell, and still did in their later half.
    #[must_use]
    pub fn is_growing(&self) -> bool {
        self.slope.interval[0] > 0.0 && self.is_lasting != Some(false)
    }
}

/// Slopes of what places held, from the snapshots of a profile.
#[must_use]
pub fn growth(profile: &Profile, places: &HeapPlaces) -> Growth {
    let snapshots: Vec<_> = profile.heap.snapshots.iter().collect();
    let runs = profile.runs.len();
    let (Some(first), Some(last)) = (snapshots.first(), snapshots.last()) else {
        return Growth::NotEnoughData { snapshots: 0, runs };
    };
    let times: Vec<f64> = snapshots.iter().map(|snapshot| snapshot.at_nanos as f64 / 1e9).collect();
    let mut held: IndexMap<StackId, Vec<u64>, RandomState> = IndexMap::default();
    for (index, snapshot) in snapshots.iter().enumerate() {
        for (stack, blocks) in snapshot.iter() {
            let bytes = held.entry(places.of(stack)).or_insert_with(|| vec![0; snapshots.len()]);
            bytes[index] = bytes[index].saturating_add(blocks.bytes);
        }
    }
    let sums: Vec<u64> = snapshots.iter().map(|snapshot| snapshot.total().bytes).collect();
    let total = if snapshots.len() >= FEWEST && runs <= 1 { row(None, &times, &sums) } else { None };
    let Some(total) = total else { return Growth::NotEnoughData { snapshots: snapshots.len(), runs } };
    let left_out = profile.left_out_frame();
    let is_named = |stack: StackId| Some(profile.stacks.get(stack).frame) != left_out;
    let rows = held.iter().filter(|(stack, _)| is_named(**stack));
    let mut paths: Vec<GrowthRow> =
        rows.filter_map(|(stack, bytes)| row(Some(*stack), &times, bytes)).collect();
    paths.retain(|row| row.slope.interval[0] > 0.0);
    paths.sort_by(|a, b| {
        let sure = |row: &GrowthRow| row.slope.interval[0];
        let lasting = |row: &GrowthRow| row.is_growing();
        lasting(b).cmp(&lasting(a)).then(sure(b).total_cmp(&sure(a))).then(a.stack.cmp(&b.stack))
    });
    Growth::Measured {
        snapshots: snapshots.len(),
        span_nanos: last.at_nanos - first.at_nanos,
        total: Box::new(total),
        paths,
    }
}

fn row(stack: Option<StackId>, times: &[f64], bytes: &[u64]) -> Option<GrowthRow> {
    let points: Vec<(f64, f64)> =
        times.iter().zip(bytes).map(|(time, bytes)| (*time, *bytes as f64)).collect();
    let later = &points[points.len() / 2..];
    let is_lasting =
        (later.len() >= FEWEST).then(|| LineFit::of(later)).flatten().map(|slope| slope.interval[0] > 0.0);
    Some(GrowthRow {
        stack,
        slope: LineFit::of(&points)?,
        is_lasting,
        first_bytes: bytes[0],
        last_bytes: bytes[bytes.len() - 1],
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sketch::Sketch;
    use calor_model::{HeapBlocks, HeapSnapshot};

    /// A path, and what it held at a second.
    type Held = (&'static str, fn(u64) -> u64);

    /// A profile in which paths held so many bytes, a second apart.
    fn held(n_snapshots: u64, paths: &[Held]) -> Profile {
        let mut profile = paths
            .iter()
            .fold(Sketch::new(), |sketch, (name, _)| sketch.heap(&["main", name], 1, 0))
            .profile();
        let stacks: Vec<_> = profile.heap.iter().map(|(key, _)| key.stack).collect();
        for second in 0..n_snapshots {
            let mut snapshot = HeapSnapshot::new(second * 1_000_000_000);
            for (stack, (_, bytes)) in stacks.iter().zip(paths) {
                snapshot.add(*stack, HeapBlocks { count: 1, bytes: bytes(second) });
            }
            profile.heap.snapshots.add(snapshot);
        }
        profile
    }

    #[test]
    fn what_grows_is_told_from_what_is_large_noisy_or_loaded_once() {
        let profile = held(
            20,
            &[
                ("large", |_| 1 << 30),
                ("noisy", |t| 1000 + (t * 7919) % 500),
                ("loaded", |t| if t < 4 { 0 } else { 5000 }),
                ("leaking", |t| 100 * t + t % 2),
                ("shrinking", |t| 4000 - 100 * t),
            ],
        );
        let Growth::Measured { snapshots, span_nanos, total, paths } =
            growth(&profile, &HeapPlaces::default())
        else {
            panic!("20 snapshots are enough")
        };
        assert_eq!((snapshots, span_nanos), (20, 19_000_000_000));
        let named: Vec<_> =
            paths.iter().map(|row| (profile.stack_name(row.stack.unwrap()), row.is_growing())).collect();
        assert_eq!(named, [("leaking", true), ("loaded", false)]);
        assert!((paths[0].slope.slope - 100.0).abs() < 0.5, "{:?}", paths[0]);
        assert_eq!((paths[0].first_bytes, paths[0].last_bytes), (0, 1901));
        assert!(!total.is_growing());
    }

    #[test]
    fn few_snapshots_and_several_runs_are_not_enough() {
        let grows: &[Held] = &[("leaking", |t| 100 * t)];
        assert_eq!(
            growth(&held(3, grows), &HeapPlaces::default()),
            Growth::NotEnoughData { snapshots: 3, runs: 0 }
        );
        assert_eq!(
            growth(&Profile::default(), &HeapPlaces::default()),
            Growth::NotEnoughData { snapshots: 0, runs: 0 }
        );
        let mut two = held(9, grows);
        two.runs = vec![calor_model::Run::default(), calor_model::Run::default()];
        assert_eq!(growth(&two, &HeapPlaces::default()), Growth::NotEnoughData { snapshots: 9, runs: 2 });
        let Growth::Measured { paths, .. } = growth(&held(4, grows), &HeapPlaces::default()) else {
            panic!("4 are enough")
        };
        assert_eq!((paths.len(), paths[0].is_lasting), (1, None));
    }
}
