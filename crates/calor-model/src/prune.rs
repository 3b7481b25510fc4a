//! Leaving out what is too small or too deep to matter, without losing any of it from the totals.

use crate::Profile;
use crate::destinations::Destinations;
use crate::respects::{largest_shares, respects};
use crate::rewrite::{Selection, rewrite};

/// What to leave out; by default nothing.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub struct Prune {
    min_share: f64,
    max_depth: Option<usize>,
}

impl Prune {
    /// Leaves out nothing yet.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Leaves out call paths that hold less than this share (0 to 1) of the profile, children included. A path
    /// stays if it reaches the share in any one respect: time of scopes, samples of a kind, bytes allocated,
    /// held at the peak, not freed or soon freed, or time on GPUs.
    #[must_use]
    pub fn min_share(mut self, share: f64) -> Self {
        self.min_share = share;
        self
    }

    /// Leaves out call paths of more than `depth` frames; a root has one.
    #[must_use]
    pub fn max_depth(mut self, depth: usize) -> Self {
        self.max_depth = Some(depth);
        self
    }
}

impl Profile {
    /// The same profile without small or deep call paths. What was recorded there is folded into the caller, where
    /// it counts as the caller's own: every total stays what it was. Calls and single durations of a path that
    /// was left out are not kept, nor are its spans. Roots stay, however small, as they have no caller.
    ///
    /// A caller without a row of its own gets one, with no calls, to hold what its callees took.
    #[must_use]
    pub fn prune(&self, prune: &Prune) -> Self {
        let shares = if prune.min_share > 0.0 { largest_shares(self, &respects(self)) } else { Vec::new() };
        let mut depths: Vec<usize> = Vec::with_capacity(self.stacks.len());
        let destinations = Destinations::folded(self, false, |paths, id, stack, caller| {
            let depth = stack.parent.map_or(1, |parent| depths[parent.index()] + 1);
            depths.push(depth);
            let is_small = shares.get(id.index()).is_some_and(|&share| share < prune.min_share);
            let is_deep = prune.max_depth.is_some_and(|max| depth > max);
            match caller {
                Some(caller) if is_small || is_deep => Some(caller),
                caller => Some(paths.intern(caller, stack.frame)),
            }
        });
        rewrite(self, &destinations, &Selection::default(), None)
    }

    /// The same profile without strings, places, call paths, threads and labels that no row speaks of.
    #[must_use]
    pub fn compact(&self) -> Self {
        rewrite(self, &Destinations::unchanged(self), &Selection::default(), None)
    }
}
