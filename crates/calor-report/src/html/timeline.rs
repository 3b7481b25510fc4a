//! When scopes ran: the spans of each thread as columns for the page's script. Of more spans than a page can hold the
//! longest are kept, and the page says so.

use std::cmp::Reverse;
use std::collections::HashMap;

use calor_analysis::quantity::{count, duration};
use calor_model::{Profile, Span, StackId, ThreadId, Track};
use serde::Serialize;

use crate::carried::Longest;
use crate::section::thread_name;
use crate::text::printable::{cut_back, printable};

/// At most so many spans and so many bytes of them are on a page.
const MOST_SPANS: usize = 30_000;
const MOST_BYTES: usize = 420_000;
/// At most so many marks of a thread.
const MOST_MARKS: usize = 500;
/// Names longer than this many columns are cut.
const LONGEST_NAME: usize = 200;
/// More calls inside each other than this are drawn where there is room.
const MOST_LANES: usize = 64;

/// The timeline of a page.
pub(super) struct Timeline {
    /// What the reader has to know about it.
    pub(super) intro: String,
    /// Columns as JSON that can stand inside a script element.
    pub(super) data: String,
}

#[derive(Serialize)]
struct Data {
    names: Vec<String>,
    tracks: Vec<Columns>,
}

/// The spans of a thread in order of time, and its marks. A start is told by its distance from the one before.
#[derive(Serialize, Default)]
struct Columns {
    thread: String,
    start: Vec<u64>,
    duration: Vec<u64>,
    lane: Vec<usize>,
    name: Vec<usize>,
    mark: Vec<u64>,
    mark_name: Vec<usize>,
}

impl Timeline {
    /// `None` when no spans were recorded.
    pub(super) fn of(profile: &Profile) -> Option<Self> {
        let n_all = profile.timeline.n_spans();
        let mut keep = n_all.min(MOST_SPANS);
        loop {
            let mut longest = Longest::of(profile.timeline.iter().flat_map(|(_, track)| &track.spans), keep);
            let shortest = longest.threshold_nanos;
            let data = json(&data(profile, &mut longest)).filter(|_| n_all > 0)?;
            if data.len() <= MOST_BYTES || keep < 100 {
                return Some(Self { intro: intro(n_all, keep, shortest), data });
            }
            keep = keep * 9 / 10 * MOST_BYTES / data.len();
        }
    }
}

fn intro(n_all: usize, n_kept: usize, shortest: u64) -> String {
    let all = count(n_all as u64);
    if n_kept == n_all {
        return format!("All {all} spans that were recorded.");
    }
    format!(
        "The {} longest of {all} spans, those from {} on; shorter ones are in the profile, not on this page.",
        count(n_kept as u64),
        duration(shortest as f64)
    )
}

fn data(profile: &Profile, longest: &mut Longest) -> Data {
    let mut names = Names::default();
    let mut tracks: Vec<(Option<u64>, Columns)> = profile
        .timeline
        .iter()
        .map(|(thread, track)| {
            let begins = track.spans.iter().map(|span| span.start_nanos).min();
            (begins, columns(profile, thread, track, longest, &mut names))
        })
        .filter(|(_, columns)| !columns.start.is_empty())
        .collect();
    tracks.sort_by_key(|(begins, _)| *begins);
    Data { tracks: tracks.into_iter().map(|(_, columns)| columns).collect(), names: names.order }
}

fn columns(
    profile: &Profile,
    thread: ThreadId,
    track: &Track,
    longest: &mut Longest,
    names: &mut Names,
) -> Columns {
    let mut columns = Columns { thread: shown(&thread_name(profile, thread)), ..Columns::default() };
    // Threads are asked in the order of the walk that chose the longest; within one, ties may go either way.
    let mut spans: Vec<&Span> = track.spans.iter().collect();
    spans.sort_by_key(|span| (span.start_nanos, Reverse(span.duration_nanos)));
    let (mut lanes, mut before) = (Lanes::default(), 0);
    for span in spans {
        // Lanes are given before spans are left out, so that what is kept stays where it was called.
        let lane = lanes.of(span);
        if longest.keeps(span) {
            columns.start.push(span.start_nanos - before);
            before = span.start_nanos;
            columns.duration.push(span.duration_nanos);
            columns.lane.push(lane);
            columns.name.push(names.of_stack(profile, span.stack));
        }
    }
    for mark in track.marks.iter().take(MOST_MARKS) {
        columns.mark.push(mark.at_nanos);
        columns.mark_name.push(names.of(profile.strings.get(mark.name)));
    }
    columns
}

/// Which line of its thread a span is drawn on: below everything that has not ended.
#[derive(Default)]
struct Lanes {
    ends: Vec<u64>,
}

impl Lanes {
    fn of(&mut self, span: &Span) -> usize {
        let is_free = |end: &u64| *end <= span.start_nanos;
        let below = self.ends.iter().rposition(|end| !is_free(end)).map_or(0, |busy| busy + 1);
        // Futures overlap without end; from some depth on any free line will do.
        let lane = match below {
            MOST_LANES.. => self.ends.iter().position(is_free).unwrap_or(MOST_LANES - 1),
            _ => below,
        };
        if lane == self.ends.len() {
            self.ends.push(0);
        }
        self.ends[lane] = span.start_nanos.saturating_add(span.duration_nanos);
        lane
    }
}

/// Names by the order of their first use.
#[derive(Default)]
struct Names {
    order: Vec<String>,
    places: HashMap<String, usize>,
    of_stacks: HashMap<StackId, usize>,
}

impl Names {
    fn of(&mut self, name: &str) -> usize {
        let n_known = self.order.len();
        let place = *self.places.entry(shown(name)).or_insert(n_known);
        if place == n_known {
            self.order.push(shown(name));
        }
        place
    }

    fn of_stack(&mut self, profile: &Profile, stack: StackId) -> usize {
        if let Some(place) = self.of_stacks.get(&stack) {
            return *place;
        }
        let place = self.of(profile.stack_name(stack));
        self.of_stacks.insert(stack, place);
        place
    }
}

fn shown(name: &str) -> String {
    cut_back(&printable(name), LONGEST_NAME)
}

fn json(data: &Data) -> Option<String> {
    // Inside texts only, so the meaning stays the same; `</script>` and `<!--` cannot appear.
    Some(serde_json::to_string(data).ok()?.replace('<', "\\u003c"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn lanes(spans: &[(u64, u64)]) -> Vec<usize> {
        let mut lanes = Lanes::default();
        let stack = StackId::from_index(0);
        let span = |(start_nanos, duration_nanos)| Span { start_nanos, duration_nanos, stack };
        spans.iter().map(|bounds| lanes.of(&span(*bounds))).collect()
    }

    #[test]
    fn calls_are_drawn_below_their_callers_and_never_over_each_other() {
        assert_eq!(lanes(&[(0, 100), (10, 20), (15, 5), (30, 10), (200, 5)]), [0, 1, 2, 1, 0]);
        assert_eq!(lanes(&[(0, 10), (5, 10), (12, 8)]), [0, 1, 2]);
    }

    #[test]
    fn futures_that_overlap_without_end_stay_within_the_lanes() {
        let chain: Vec<(u64, u64)> = (0..1_000).map(|number| (number * 5, 9)).collect();
        assert!(lanes(&chain).into_iter().all(|lane| lane < MOST_LANES));
    }
}
