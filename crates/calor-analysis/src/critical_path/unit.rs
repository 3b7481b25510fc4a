//! The work of each lane between two of its points, by scope: what a run is made of when it is run again with some of it
//! faster.

use calor_model::{Profile, StackId, Track};

use super::lane::{Lane, Lanes, Role};
use super::pieces::{self, Direction, Piece};
use super::walk::{PathSegment, Stretch};

/// Work of one scope in one unit.
#[derive(Clone, Copy, Debug)]
pub(super) struct Entry {
    /// `None` for work outside any scope.
    pub(super) stack: Option<StackId>,
    pub(super) nanos: u64,
}

/// The work of all lanes. A lane with `n` points has `n + 1` units: before each point, and behind the last.
#[derive(Clone, Debug)]
pub(super) struct Units {
    entries: Vec<Entry>,
    /// Where the entries of each unit begin and end, lane after lane.
    ranges: Vec<(u32, u32)>,
    /// Where the units of each lane begin.
    first: Vec<usize>,
}

impl Units {
    /// What was done in a unit of a lane.
    pub(super) fn get(&self, lane: usize, unit: usize) -> &[Entry] {
        let (from, to) = self.ranges[self.first[lane] + unit];
        &self.entries[from as usize..to as usize]
    }
}

/// What each call path has to do with the path, by the index of its handle.
#[derive(Clone, Debug)]
pub(super) struct Sums {
    /// Time on the critical path, callees apart.
    pub(super) on_path: Vec<u64>,
    /// Time at work at all.
    pub(super) all: Vec<u64>,
    /// The smallest slack of the units it worked in.
    pub(super) slack: Vec<u64>,
    pub(super) outside_on_path: u64,
}

impl Units {
    /// One pass over all spans.
    pub(super) fn of(
        profile: &Profile,
        lanes: &Lanes,
        path: &[PathSegment],
        slack: &[Vec<u64>],
    ) -> (Self, Sums) {
        let n_stacks = profile.stacks.len();
        let mut sums = Sums {
            on_path: vec![0; n_stacks],
            all: vec![0; n_stacks],
            slack: vec![u64::MAX; n_stacks],
            outside_on_path: 0,
        };
        let mut on_lane: Vec<Vec<(u64, u64)>> = vec![Vec::new(); lanes.all.len()];
        for segment in path.iter().filter(|segment| segment.stretch == Stretch::Work) {
            on_lane[segment.lane as usize].push((segment.start_nanos, segment.end_nanos));
        }
        let mut units = Self { entries: Vec::new(), ranges: Vec::new(), first: Vec::new() };
        let mut known = vec![(u32::MAX, 0_u32); n_stacks + 1];
        for (number, lane) in lanes.all.iter().enumerate() {
            units.first.push(units.ranges.len());
            let bounds = bounds(lane, lanes);
            let base = units.ranges.len();
            units.ranges.resize(base + bounds.len(), (0, 0));
            let mut unit_cursor = Cursor { passed: 0, stretches: &bounds };
            let mut path_cursor = Cursor { passed: 0, stretches: &on_lane[number] };
            let empty = Track::default();
            let spans = &profile.timeline.track(lane.thread).unwrap_or(&empty).spans;
            pieces::for_each(spans, lane.start, lane.end, |piece, direction| {
                path_cursor.overlaps(piece, direction, |_, nanos| match piece.stack {
                    Some(stack) => add(&mut sums.on_path[stack.index()], nanos),
                    None => add(&mut sums.outside_on_path, nanos),
                });
                unit_cursor.overlaps(piece, direction, |unit, nanos| {
                    if let Some(stack) = piece.stack {
                        add(&mut sums.all[stack.index()], nanos);
                        let least = &mut sums.slack[stack.index()];
                        *least = (*least).min(slack[number][unit]);
                    }
                    units.add(base + unit, piece.stack, nanos, &mut known);
                });
            });
        }
        (units, sums)
    }

    /// Adds work to a unit. Pieces of a unit come one after the other, so its entries lie together.
    fn add(&mut self, range: usize, stack: Option<StackId>, nanos: u64, known: &mut [(u32, u32)]) {
        let place = stack.map_or(known.len() - 1, StackId::index);
        let (unit, entry) = known[place];
        if unit == range as u32 {
            add(&mut self.entries[entry as usize].nanos, nanos);
            return;
        }
        let number = self.entries.len() as u32;
        known[place] = (range as u32, number);
        self.entries.push(Entry { stack, nanos });
        let (from, to) = &mut self.ranges[range];
        if *from == *to {
            *from = number;
        }
        *to = number + 1;
    }
}

/// Times of several threads together may be more than there are nanoseconds, in a damaged file.
fn add(sum: &mut u64, nanos: u64) {
    *sum = sum.saturating_add(nanos);
}

/// From when to when a lane was at work before each of its points, and behind the last.
fn bounds(lane: &Lane, lanes: &Lanes) -> Vec<(u64, u64)> {
    let mut bounds = Vec::with_capacity(lane.points.len() + 1);
    let mut from = lane.start;
    for point in &lane.points {
        let edge = &lanes.edges[point.link as usize];
        let waited = point.role == Role::In && edge.is_wait;
        let until = if waited { edge.since } else { point.at };
        bounds.push((from.min(until), until));
        from = from.max(point.at);
    }
    bounds.push((from, lane.end.max(from)));
    // Of bounds that overlap, by clocks that differ a little, the later begins where the earlier ends.
    let mut reached = 0;
    for (from, until) in &mut bounds {
        *from = (*from).max(reached);
        *until = (*until).max(*from);
        reached = *until;
    }
    bounds
}

/// Finds which stretches a piece lies in. Pieces come along in one direction, and so do the stretches that are found.
struct Cursor<'a> {
    /// How many stretches were left behind.
    passed: usize,
    /// In order of time, without overlaps.
    stretches: &'a [(u64, u64)],
}

impl Cursor<'_> {
    fn overlaps(&mut self, piece: Piece, direction: Direction, mut take: impl FnMut(usize, u64)) {
        let n_stretches = self.stretches.len();
        let place = |passed: usize| match direction {
            Direction::Forwards => passed,
            Direction::Backwards => n_stretches - 1 - passed,
        };
        let mut passed = self.passed;
        while passed < n_stretches {
            let at = place(passed);
            let (from, until) = self.stretches[at];
            let (is_behind, is_ahead) = match direction {
                Direction::Forwards => (until <= piece.start, from >= piece.end),
                Direction::Backwards => (from >= piece.end, until <= piece.start),
            };
            if is_ahead && !is_behind {
                break;
            }
            let overlap = until.min(piece.end).saturating_sub(from.max(piece.start));
            if overlap > 0 {
                take(at, overlap);
                // The next piece may lie in it too.
                self.passed = passed;
            } else if is_behind {
                self.passed = passed + 1;
            }
            passed += 1;
        }
    }
}
