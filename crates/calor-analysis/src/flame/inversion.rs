//! A flame graph from the innermost frames outwards. A node is a set of weights that have walked up the same frames;
//! a set that is too light is not walked any further, so what is never drawn costs next to nothing.

use std::ops::Range;

use calor_model::{Profile, StackId};

use super::frames::FlameFrames;
use super::input::FlameWeight;
use super::layout::{FlameLayout, Placed};

/// A weight on its way up.
#[derive(Clone, Copy)]
struct Walker {
    /// Frames before those of the path: the thread, and what stands inside the path.
    thread: Option<u32>,
    leaf: Option<u32>,
    /// The rest of the path.
    stack: Option<StackId>,
    value: u64,
    /// Where its next frame is in the order of names.
    rank: u32,
}

impl Walker {
    fn path(&self) -> (Option<u32>, Option<u32>, Option<StackId>) {
        (self.thread, self.leaf, self.stack)
    }
}

/// A node that is placed once those before it are.
struct Waiting {
    below: Option<Placed>,
    frame: u32,
    walkers: Range<usize>,
    total: u64,
}

/// The layout of some weights, which add up to what a `u64` holds. Nodes below `least` are left out; it is at least 1.
pub(crate) fn invert<'p>(
    frames: &mut FlameFrames<'p>,
    profile: &'p Profile,
    weights: &[FlameWeight],
    is_by_thread: bool,
    least: u64,
) -> FlameLayout {
    profile.frames.iter().for_each(|(id, _)| _ = frames.code(id));
    let mut walkers: Vec<Walker> = Vec::with_capacity(weights.len());
    for weight in weights.iter().filter(|weight| weight.self_value > 0) {
        let thread = is_by_thread.then(|| frames.thread(weight.thread));
        let leaf = weight.leaf.map(|leaf| frames.leaf(leaf));
        walkers.push(Walker { thread, leaf, stack: weight.stack, value: weight.self_value, rank: 0 });
    }
    // Samples of one path at many instants walk as one.
    walkers.sort_unstable_by_key(Walker::path);
    walkers.dedup_by(|later, kept| {
        let is_same = later.path() == kept.path();
        kept.value += if is_same { later.value } else { 0 };
        is_same
    });

    let ranks = frames.ranks();
    let mut by_rank = vec![0_u32; ranks.len()];
    (0..).zip(&ranks).for_each(|(frame, rank)| by_rank[*rank as usize] = frame);
    let mut step = |walker: &mut Walker| -> Option<u32> {
        walker.thread.take().or_else(|| walker.leaf.take()).or_else(|| {
            let stack = profile.stacks.get(walker.stack?);
            walker.stack = stack.parent;
            Some(frames.code(stack.frame))
        })
    };

    let mut layout = FlameLayout::default();
    let total = walkers.iter().map(|walker| walker.value).sum();
    let mut waiting = vec![Waiting { below: None, frame: 0, walkers: 0..walkers.len(), total }];
    let mut groups: Vec<Waiting> = Vec::new();
    while let Some(next) = waiting.pop() {
        // Those that are at the end of their path go to the front of the slice and stay behind.
        let (mut own, mut n_done) = (0, 0);
        let slice = &mut walkers[next.walkers.clone()];
        for at in 0..slice.len() {
            match step(&mut slice[at]) {
                Some(frame) => slice[at].rank = ranks[frame as usize],
                None => {
                    own += slice[at].value;
                    slice.swap(at, n_done);
                    n_done += 1;
                }
            }
        }
        let placed = layout.push(next.below, next.frame, own, next.total);
        let mut start = next.walkers.start + n_done;
        slice[n_done..].sort_unstable_by_key(|walker| walker.rank);
        for same in walkers[start..next.walkers.end].chunk_by(|a, b| a.rank == b.rank) {
            let total = same.iter().map(|walker| walker.value).sum();
            if total >= least {
                let frame = by_rank[same[0].rank as usize];
                let walkers = start..start + same.len();
                groups.push(Waiting { below: Some(placed), frame, walkers, total });
            }
            start += same.len();
        }
        waiting.extend(groups.drain(..).rev());
    }
    layout
}
