//! Folding recursion: a function that calls itself, directly or through others, becomes one node.

use crate::destinations::Destinations;
use crate::rewrite::{Selection, rewrite};
use crate::{FrameId, Profile};

impl Profile {
    /// The same profile in which no function stands on a path twice: a call of a function that is already on the
    /// path counts at its outermost occurrence, and what it called hangs there. The path `a;b;a;b;c` becomes
    /// `a;b;c`.
    ///
    /// - Self time, samples, heap and GPU figures move with their rows and add up to what they were.
    /// - Calls add up, and so do the durations of the calls in [`timed`](crate::ScopeStats::timed), each call on
    ///   its own. `total_nanos` counts a call inside a call of the same node once.
    /// - Of the timeline, spans inside a span of the same node are left out.
    #[must_use]
    pub fn fold_recursion(&self) -> Self {
        let function = |id: FrameId| self.frames.get(id).function();
        let destinations = Destinations::folded(self, true, |paths, _, stack, caller| {
            let wanted = function(stack.frame);
            // The folded path holds a function once, so the first match is the only one.
            let mut outer = caller;
            while let Some(path) = outer {
                let row = paths.get(path);
                if function(row.frame) == wanted {
                    return Some(path);
                }
                outer = row.parent;
            }
            Some(paths.intern(caller, stack.frame))
        });
        rewrite(self, &destinations, &Selection::default(), None)
    }
}
