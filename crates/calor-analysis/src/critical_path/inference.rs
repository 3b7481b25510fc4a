//! Links where nobody told any: a thread that had no scope open is taken to have waited for the scope of another thread
//! that ended last meanwhile, and a thread that began later to have been started by the one that was there first. That
//! is how programs of phases look; whoever waits inside a scope cannot be recognised so.

use calor_model::{LinkKind, Profile};

use super::lane::{Edge, Lanes};
use super::pieces;

/// Shorter stretches without a scope are no waits: 10 µs, and a ten-thousandth of the run.
const SHORTEST_GAP_NANOS: u64 = 10_000;
const SHORTEST_GAP_SHARE: u64 = 10_000;

/// Adds what can be inferred to lanes without any link.
pub(super) fn add_links(lanes: &mut Lanes, profile: &Profile) {
    let first =
        lanes.all.iter().enumerate().min_by_key(|(_, lane)| lane.start).map_or(0, |(at, _)| at as u32);
    // The thread that was there first started the others, so it was still there then, with or without a scope.
    let last_start = lanes.all.iter().map(|lane| lane.start).max().unwrap_or(0);
    let end = &mut lanes.all[first as usize].end;
    *end = (*end).max(last_start);
    let shortest = SHORTEST_GAP_NANOS.max((lanes.end - lanes.begin) / SHORTEST_GAP_SHARE);
    let (gaps, mut ends) = gaps_and_ends(lanes, profile, shortest);
    ends.sort_unstable();
    for gap in gaps {
        // The last end of another lane in the gap.
        let until = ends.partition_point(|(at, _)| *at <= gap.until);
        let mut earlier = ends[..until].iter().rev().take_while(|(at, _)| *at > gap.since);
        if let Some(&(at, from)) = earlier.find(|(_, lane)| *lane != gap.lane) {
            lanes.edges.push(inferred(LinkKind::Other, (from, at), (gap.lane, gap.since, gap.until)));
        }
    }
    for lane in (0..lanes.all.len() as u32).filter(|lane| *lane != first) {
        let start = lanes.all[lane as usize].start;
        lanes.edges.push(inferred(LinkKind::Spawn, (first, start), (lane, start, start)));
    }
    lanes.place_points();
}

/// A stretch of a lane without an open scope.
struct Gap {
    lane: u32,
    since: u64,
    until: u64,
}

/// The stretches without a scope, and where those with one end. Scopes that follow each other closely are one stretch.
fn gaps_and_ends(lanes: &Lanes, profile: &Profile, shortest: u64) -> (Vec<Gap>, Vec<(u64, u32)>) {
    let (mut gaps, mut ends) = (Vec::new(), Vec::new());
    for (number, lane) in lanes.all.iter().enumerate() {
        let Some(track) = profile.timeline.track(lane.thread) else { continue };
        let number = number as u32;
        pieces::for_each(&track.spans, lane.start, lane.end, |piece, _| {
            if piece.stack.is_none() && piece.end - piece.start >= shortest {
                ends.push((piece.start, number));
                gaps.push(Gap { lane: number, since: piece.start, until: piece.end });
            }
        });
        ends.push((lane.end, number));
    }
    (gaps, ends)
}

fn inferred(kind: LinkKind, (from, from_at): (u32, u64), (to, since, to_at): (u32, u64, u64)) -> Edge {
    Edge { kind, object: 0, from, from_at, to, since, to_at, held: 0, is_wait: true, round: None }
}
