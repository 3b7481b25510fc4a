//! How much of a metric is on paths that hold a name. A picture that leaves light frames out cannot tell that from what
//! it shows: a name may be wide altogether and nowhere wide enough to be drawn. So it is added up over the whole profile.

use calor_model::Profile;

use super::frames::{FlameFrame, FlameFrames};
use super::input::FlameWeight;
use super::layout::FlameLayout;

/// What weighs on paths that hold a name.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct FlameName<'p> {
    /// The first of the frames of that name.
    pub frame: FlameFrame<'p>,
    /// What weighs on paths that hold it, each path counted once.
    pub total: u64,
    /// What weighs on paths that end with it.
    pub self_value: u64,
}

/// Sums by name, filled path by path.
pub(crate) struct NameSums {
    /// The number of each frame's name.
    pub(crate) of_frames: Vec<u32>,
    /// The first frame of each name.
    pub(crate) first: Vec<u32>,
    pub(crate) total: Vec<u64>,
    pub(crate) own: Vec<u64>,
    seen: Vec<u32>,
    n_paths: u32,
}

impl NameSums {
    pub(crate) fn new(frames: &FlameFrames<'_>) -> Self {
        let (of_frames, first) = frames.names();
        let n = first.len();
        Self { of_frames, first, total: vec![0; n], own: vec![0; n], seen: vec![0; n], n_paths: 0 }
    }

    /// Whether the name of a frame comes for the first time since the path began.
    fn is_new(&mut self, frame: u32) -> Option<usize> {
        let name = self.of_frames[frame as usize];
        let seen = std::mem::replace(&mut self.seen[name as usize], self.n_paths);
        (seen != self.n_paths).then_some(name as usize)
    }

    pub(crate) fn begin(&mut self) {
        self.n_paths += 1;
    }

    /// A frame that is on the path without being counted.
    pub(crate) fn pass(&mut self, frame: u32) {
        _ = self.is_new(frame);
    }

    pub(crate) fn add(&mut self, frame: u32, value: u64) {
        if let Some(name) = self.is_new(frame) {
            self.total[name] += value;
        }
    }

    pub(crate) fn end_with(&mut self, frame: u32, value: u64) {
        self.own[self.of_frames[frame as usize] as usize] += value;
    }

    fn into_names<'p>(self, frames: &[FlameFrame<'p>]) -> Vec<FlameName<'p>> {
        let sums = self.total.iter().zip(&self.own);
        let names = self.first.iter().zip(sums).filter(|(_, (total, _))| **total > 0);
        names
            .map(|(first, (total, own))| FlameName {
                frame: frames[*first as usize],
                total: *total,
                self_value: *own,
            })
            .collect()
    }
}

/// The names of all paths that something weighs on; threads are among them where trees are by thread.
pub(crate) fn of_weights<'p>(
    frames: &mut FlameFrames<'p>,
    profile: &'p Profile,
    weights: &[FlameWeight],
    is_by_thread: bool,
) -> Vec<FlameName<'p>> {
    let mut rows: Vec<_> = weights
        .iter()
        .filter(|weight| weight.self_value > 0)
        .map(|weight| {
            let thread = is_by_thread.then(|| frames.thread(weight.thread));
            (thread, weight.leaf.map(|leaf| frames.leaf(leaf)), weight.stack, weight.self_value)
        })
        .collect();
    // Samples of one path at many instants are walked as one.
    rows.sort_unstable_by_key(|row| (row.0, row.1, row.2));
    rows.dedup_by(|later, kept| {
        let is_same = (later.0, later.1, later.2) == (kept.0, kept.1, kept.2);
        kept.3 += if is_same { later.3 } else { 0 };
        is_same
    });
    let codes: Vec<u32> = profile.frames.iter().map(|(id, _)| frames.code(id)).collect();
    let mut sums = NameSums::new(frames);
    for (thread, leaf, stack, value) in rows {
        sums.begin();
        let end = leaf.or_else(|| stack.map(|stack| codes[profile.stacks.get(stack).frame.index()]));
        if let Some(end) = end {
            sums.end_with(end, value);
        }
        thread.into_iter().chain(leaf).for_each(|frame| sums.add(frame, value));
        let mut next = stack;
        while let Some(stack) = next {
            let row = profile.stacks.get(stack);
            sums.add(codes[row.frame.index()], value);
            next = row.parent;
        }
    }
    sums.into_names(&frames.as_vec())
}

/// The same for a layout that nothing was left out of, whose frames are `frames`. Innermost frames are at the depth
/// `end_depth` where the layout is inverted.
pub(crate) fn of_layout<'p>(
    frames: &[FlameFrame<'p>],
    layout: &FlameLayout,
    is_shown: impl Fn(usize) -> bool,
    end_depth: Option<u32>,
) -> Vec<FlameName<'p>> {
    let (of_frames, first) = FlameFrame::names(frames.iter());
    let mut sums = vec![(0_u64, 0_u64); first.len()];
    // Up to where the node of a name reaches that others of it may be inside of.
    let mut until = vec![0_u32; first.len()];
    for node in (1..layout.frame.len()).filter(|node| is_shown(*node)) {
        let name = of_frames[layout.frame[node] as usize] as usize;
        match end_depth {
            Some(depth) if depth == layout.depth[node] => sums[name].1 += layout.total[node],
            Some(_) => {}
            None => sums[name].1 += layout.own[node],
        }
        if node as u32 >= until[name] {
            until[name] = layout.end[node];
            sums[name].0 += layout.total[node];
        }
    }
    let names = first.into_iter().zip(sums).filter(|(_, (total, _))| *total > 0);
    names
        .map(|(first, (total, self_value))| FlameName { frame: frames[first as usize], total, self_value })
        .collect()
}
