//! What grows while a program runs: for each call path, the slope of what it held from snapshot to snapshot, and whether it
//! goes on. A program that starts fills tables and caches, and all of that looks like growth for as long as it is watched.

use calor_model::{Profile, StackId};
use foldhash::fast::RandomState;
use indexmap::IndexMap;

use super::{HeapPlaces, LineFit};

/// Fewer snapshots than these leave too few for each half of the time.
pub const GROWTH_SNAPSHOTS: usize = 8;
/// A shorter time is the start of a program, and says nothing of how it goes on.
pub const GROWTH_NANOS: u64 = 3_000_000_000;
/// Growth over a shorter time may be a long start; it is told with that.
pub const GROWTH_SURE_NANOS: u64 = 30_000_000_000;
/// Snapshots that a half of the time has to have to be judged by.
const FEWEST_OF_HALF: usize = GROWTH_SNAPSHOTS / 2;
/// What grows less than so fast in the later half, as a share of its pace in the earlier one, is slowing. What fills up at
/// a pace that falls evenly to nothing has a third.
const SLOWING: f64 = 0.5;
/// What grew by less than this in all the time is a counter here and an entry there, not a place to look at.
const LEAST_BYTES: u64 = 256;

/// How the heap grew.
#[derive(Clone, PartialEq, Debug)]
pub enum Growth {
    /// There is too little to judge by.
    NotEnoughData {
        /// Snapshots there are, of one run.
        snapshots: usize,
        /// The time from the first to the last, in nanoseconds.
        span_nanos: u64,
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
        /// The paths that grew with 95 % certainty: those that still do first, and of them the one of which the most is
        /// sure.
        paths: Vec<GrowthRow>,
    },
}

/// How growth goes on.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Debug)]
pub enum GrowthTrend {
    /// In the later half of the time about as fast as in the earlier one.
    Steady,
    /// Still in the later half, but less than half as fast: caches that fill up do so.
    Slowing,
    /// Not with certainty in the later half: what is loaded at the start and then kept.
    Settled,
}

impl GrowthTrend {
    /// The word for it, on pages and in JSON.
    #[must_use]
    pub const fn word(self) -> &'static str {
        match self {
            Self::Steady => "steady",
            Self::Slowing => "slowing",
            Self::Settled => "settled",
        }
    }
}

/// How one call path grew, or the whole heap.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct GrowthRow {
    /// The path; `None` for the whole heap.
    pub stack: Option<StackId>,
    /// Bytes a second, by least squares.
    pub slope: LineFit,
    /// Whether it goes on.
    pub trend: GrowthTrend,
    /// Bytes held in the first snapshot.
    pub first_bytes: u64,
    /// Bytes held in the last snapshot.
    pub last_bytes: u64,
}

impl GrowthRow {
    /// Whether it grew with certainty, as far as the snapshots tell, and still did in their later half.
    #[must_use]
    pub fn is_growing(&self) -> bool {
        self.slope.interval[0] > 0.0 && self.trend != GrowthTrend::Settled
    }
}

/// Slopes of what places held, from the snapshots of a profile.
#[must_use]
pub fn growth(profile: &Profile, places: &HeapPlaces) -> Growth {
    let mut snapshots: Vec<_> = profile.heap.snapshots.iter().collect();
    // A program that ends lets go of what it held, and one look may fall into that.
    if let [.., before, last] = &snapshots[..]
        && last.total().bytes < before.total().bytes / 2
    {
        snapshots.pop();
    }
    let (runs, n_snapshots) = (profile.runs.len(), snapshots.len());
    let span_nanos = match &snapshots[..] {
        [first, .., last] => last.at_nanos - first.at_nanos,
        _ => 0,
    };
    let not_enough = Growth::NotEnoughData { snapshots: n_snapshots, span_nanos, runs };
    if n_snapshots < GROWTH_SNAPSHOTS || span_nanos < GROWTH_NANOS || runs > 1 {
        return not_enough;
    }
    let times: Vec<f64> = snapshots.iter().map(|snapshot| snapshot.at_nanos as f64 / 1e9).collect();
    let mut held: IndexMap<StackId, Vec<u64>, RandomState> = IndexMap::default();
    for (index, snapshot) in snapshots.iter().enumerate() {
        for (stack, blocks) in snapshot.iter() {
            let bytes = held.entry(places.of(stack)).or_insert_with(|| vec![0; n_snapshots]);
            bytes[index] = bytes[index].saturating_add(blocks.bytes);
        }
    }
    let sums: Vec<u64> = snapshots.iter().map(|snapshot| snapshot.total().bytes).collect();
    let Some(total) = row(None, &times, &sums) else { return not_enough };
    let left_out = profile.left_out_frame();
    let is_named = |stack: StackId| Some(profile.stacks.get(stack).frame) != left_out;
    let rows = held.iter().filter(|(stack, _)| is_named(**stack));
    let mut paths: Vec<GrowthRow> =
        rows.filter_map(|(stack, bytes)| row(Some(*stack), &times, bytes)).collect();
    paths.retain(|row| {
        row.slope.interval[0] > 0.0 && row.last_bytes.saturating_sub(row.first_bytes) >= LEAST_BYTES
    });
    paths.sort_by(|a, b| {
        let sure = |row: &GrowthRow| row.slope.interval[0];
        a.trend.cmp(&b.trend).then(sure(b).total_cmp(&sure(a))).then(a.stack.cmp(&b.stack))
    });
    Growth::Measured { snapshots: n_snapshots, span_nanos, total: Box::new(total), paths }
}

fn row(stack: Option<StackId>, times: &[f64], bytes: &[u64]) -> Option<GrowthRow> {
    let points: Vec<(f64, f64)> =
        times.iter().zip(bytes).map(|(time, bytes)| (*time, *bytes as f64)).collect();
    Some(GrowthRow {
        stack,
        slope: slope(&points)?,
        trend: trend(&points)?,
        first_bytes: bytes[0],
        last_bytes: bytes[bytes.len() - 1],
    })
}

/// The slope of what grows, from when it began to: the time before is that of the program's start, and would make it look
/// slower than it is.
fn slope(points: &[(f64, f64)]) -> Option<LineFit> {
    let begun = points.iter().position(|(_, bytes)| *bytes > 0.0).unwrap_or(0);
    let since = &points[begun..];
    let is_long = match since {
        [first, .., last] => since.len() >= GROWTH_SNAPSHOTS && last.0 - first.0 >= GROWTH_NANOS as f64 / 1e9,
        _ => false,
    };
    let since = LineFit::of(since).filter(|fit| is_long && fit.interval[0] > 0.0);
    since.or_else(|| LineFit::of(points))
}

/// What the halves of the time tell of each other.
fn trend(points: &[(f64, f64)]) -> Option<GrowthTrend> {
    let middle = (points.first()?.0 + points.last()?.0) / 2.0;
    let n_earlier = points.partition_point(|(time, _)| *time < middle);
    // Snapshots are closer at the start of a recording; where the halves of its time have too few, those of their number do.
    let is_enough = n_earlier >= FEWEST_OF_HALF && points.len() - n_earlier >= FEWEST_OF_HALF;
    let (earlier, later) = points.split_at(if is_enough { n_earlier } else { points.len() / 2 });
    let (earlier, later) = (LineFit::of(earlier)?, LineFit::of(later)?);
    Some(match later.interval[0] > 0.0 {
        false => GrowthTrend::Settled,
        true if later.slope < SLOWING * earlier.slope => GrowthTrend::Slowing,
        true => GrowthTrend::Steady,
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sketch::Sketch;
    use calor_model::{HeapBlocks, HeapSnapshot};

    /// A path, and what it held at a second.
    type Held = (&'static str, fn(u64) -> u64);

    const SECOND: u64 = 1_000_000_000;

    /// A profile in which paths held so many bytes, so far apart.
    fn held(n_snapshots: u64, apart_nanos: u64, paths: &[Held]) -> Profile {
        let mut profile = paths
            .iter()
            .fold(Sketch::new(), |sketch, (name, _)| sketch.heap(&["main", name], 1, 0))
            .profile();
        let stacks: Vec<_> = profile.heap.iter().map(|(key, _)| key.stack).collect();
        for at in 0..n_snapshots {
            let mut snapshot = HeapSnapshot::new(at * apart_nanos);
            for (stack, (_, bytes)) in stacks.iter().zip(paths) {
                snapshot.add(*stack, HeapBlocks { count: 1, bytes: bytes(at) });
            }
            profile.heap.snapshots.add(snapshot);
        }
        profile
    }

    #[test]
    fn what_grows_is_told_from_what_is_large_noisy_loaded_once_or_filling_up() {
        let profile = held(
            20,
            SECOND,
            &[
                ("large", |_| 1 << 30),
                ("noisy", |t| 1000 + (t * 7919) % 500),
                ("loaded", |t| if t < 4 { 0 } else { 5000 }),
                ("leaking", |t| 100 * t + t % 2),
                ("filling", |t| 9000 - 9000 * 4 / (4 + t)),
                ("shrinking", |t| 4000 - 100 * t),
            ],
        );
        let Growth::Measured { snapshots, span_nanos, total, paths } =
            growth(&profile, &HeapPlaces::default())
        else {
            panic!("20 snapshots are enough")
        };
        assert_eq!((snapshots, span_nanos), (20, 19 * SECOND));
        let named: Vec<_> =
            paths.iter().map(|row| (profile.stack_name(row.stack.unwrap()), row.trend)).collect();
        let expected = [
            ("leaking", GrowthTrend::Steady),
            ("filling", GrowthTrend::Slowing),
            ("loaded", GrowthTrend::Settled),
        ];
        assert_eq!(named, expected);
        assert!((paths[0].slope.slope - 100.0).abs() < 0.5, "{:?}", paths[0]);
        assert_eq!((paths[0].first_bytes, paths[0].last_bytes), (0, 1901));
        assert!(!total.is_growing() || total.trend == GrowthTrend::Slowing, "{total:?}");
    }

    #[test]
    fn the_time_before_something_began_to_grow_does_not_make_it_slower() {
        let profile = held(
            20,
            SECOND,
            &[("started", |t| t.saturating_sub(6) * 1000), ("counter", |t| 8 * t), ("base", |_| 4000)],
        );
        let Growth::Measured { paths, .. } = growth(&profile, &HeapPlaces::default()) else {
            panic!("20 snapshots are enough")
        };
        assert_eq!(paths.len(), 1, "a few bytes are no growth: {paths:?}");
        let [low, high] = paths[0].slope.interval;
        assert!(low <= 1000.0 && 1000.0 <= high && high - low < 50.0, "{:?}", paths[0]);
    }

    #[test]
    fn what_is_freed_when_the_program_ends_grew_all_the_same() {
        let profile = held(20, SECOND, &[("leaking", |t| if t < 19 { 1000 * t } else { 10 })]);
        let Growth::Measured { snapshots, paths, .. } = growth(&profile, &HeapPlaces::default()) else {
            panic!("19 snapshots are enough")
        };
        assert_eq!((snapshots, paths.len()), (19, 1));
        assert_eq!((paths[0].trend, paths[0].last_bytes), (GrowthTrend::Steady, 18_000));
    }

    #[test]
    fn few_snapshots_a_short_time_and_several_runs_are_not_enough() {
        let grows: &[Held] = &[("leaking", |t| 100 * t)];
        let check = |profile: &Profile| growth(profile, &HeapPlaces::default());
        let not_enough = |snapshots, span_nanos, runs| Growth::NotEnoughData { snapshots, span_nanos, runs };
        assert_eq!(check(&held(7, SECOND, grows)), not_enough(7, 6 * SECOND, 0));
        assert_eq!(check(&held(20, SECOND / 10, grows)), not_enough(20, 19 * SECOND / 10, 0));
        assert_eq!(check(&Profile::default()), not_enough(0, 0, 0));
        let mut two = held(9, SECOND, grows);
        two.runs = vec![calor_model::Run::default(), calor_model::Run::default()];
        assert_eq!(check(&two), not_enough(9, 8 * SECOND, 2));
        let Growth::Measured { paths, .. } = check(&held(8, SECOND, grows)) else {
            panic!("8 over 7 s are enough")
        };
        assert_eq!((paths.len(), paths[0].trend), (1, GrowthTrend::Steady));
    }

    #[test]
    fn halves_are_of_time_and_not_of_snapshots_that_are_closer_at_the_start() {
        // Ten a second for two seconds in which all is loaded, then one a second.
        let times: Vec<f64> = (0..20).map(|at| f64::from(at) / 10.0).chain((2..22).map(f64::from)).collect();
        let loaded: Vec<(f64, f64)> = times.iter().map(|time| (*time, time.min(2.0) * 1e6)).collect();
        assert_eq!(trend(&loaded), Some(GrowthTrend::Settled));
        let steady: Vec<(f64, f64)> = times.iter().map(|time| (*time, time * 1e6)).collect();
        assert_eq!(trend(&steady), Some(GrowthTrend::Steady));
    }
}
