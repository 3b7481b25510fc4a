//! Which work a run could not have ended without, and what a change there would give.
//!
//! Several threads work at once, so the time of a scope says little about what the run would gain if it were faster. The
//! **critical path** is walked backwards from the end: on a thread as long as that thread was at work, and where it had
//! waited for another, over to the one that it had waited for. The path is as long as the run; a scope's part of it is
//! what its speed bears on. Scopes off the path have **slack**. A [`what_if`](CriticalPath::what_if) runs the
//! recorded work again with some of it faster and everything else as it was, waits included, so that another path takes
//! over where it would.

mod amdahl;
mod inference;
mod lane;
mod pieces;
mod replay;
mod scope;
mod slack;
mod unit;
mod walk;
mod what_if;

#[cfg(test)]
mod generated;
#[cfg(test)]
mod tests;

use calor_model::{LinkKind, Profile, StackId};

use crate::Error;

pub use amdahl::{AmdahlScope, amdahl, amdahl_overall};
pub use scope::PathScope;
pub use walk::{PathSegment, Stretch};
pub use what_if::{Prediction, ScopeGain, Speedup};

use lane::Lanes;
use scope::Scopes;
use unit::Units;

/// From where it is known which thread waited for which.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Basis {
    /// There is one thread: nothing had to be waited for.
    OneThread,
    /// The program told, through the SDK's links.
    Told,
    /// Nobody told: a thread without an open scope is taken to have waited for the scope of another that ended last.
    Inferred,
}

/// Waits of one kind, on the path or not.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Waits {
    /// The kind.
    pub kind: LinkKind,
    /// How often a thread waited.
    pub count: u64,
    /// For how long, added up over threads.
    pub nanos: u64,
}

/// The critical path of a run.
#[derive(Clone, Debug)]
pub struct CriticalPath {
    /// From the first moment of the timeline to its last.
    pub wall_nanos: u64,
    /// From where it is known which thread waited for which.
    pub basis: Basis,
    /// Threads on the timeline.
    pub n_threads: usize,
    /// The path, earliest first, without a gap.
    pub segments: Vec<PathSegment>,
    /// What scopes have to do with it: those with the most of the path first, those off it by their time.
    pub scopes: Vec<PathScope>,
    /// Time of the path at which its thread was in no scope.
    pub outside_nanos: u64,
    /// Time of the path between a moment at which something was made available and the one at which the other thread
    /// went on: threads that start, or wake up.
    pub handover_nanos: u64,
    /// What threads waited for, most first.
    pub waits: Vec<Waits>,
    lanes: Lanes,
    units: Units,
    /// Time of the path in each call path itself, by the index of its handle.
    own: Vec<u64>,
    /// The same with everything called from there.
    inclusive: Vec<u64>,
}

impl CriticalPath {
    /// The critical path through the timeline of one run.
    ///
    /// # Errors
    /// If the profile has no timeline, or those of several runs, whose times do not belong together.
    pub fn of(profile: &Profile) -> Result<Self, Error> {
        if profile.timeline.n_spans() == 0 {
            return Err(Error::NoTimeline);
        }
        if profile.runs.len() > 1 {
            return Err(Error::SeveralRuns { found: profile.runs.len() });
        }
        let mut lanes = Lanes::of(profile);
        let basis = match (lanes.all.len(), profile.timeline.links.is_empty()) {
            (1, _) => Basis::OneThread,
            (_, false) => Basis::Told,
            (_, true) => {
                inference::add_links(&mut lanes, profile);
                Basis::Inferred
            }
        };
        let segments = walk::backwards(&lanes);
        let slack = slack::of_units(&lanes);
        let (units, sums) = Units::of(profile, &lanes, &segments, &slack);
        let handover_nanos = segments
            .iter()
            .filter(|segment| matches!(segment.stretch, Stretch::Handover(_)))
            .map(PathSegment::nanos)
            .sum();
        let nobody = segments.iter().filter(|segment| segment.stretch == Stretch::Nobody);
        let outside_nanos = nobody.map(PathSegment::nanos).fold(sums.outside_on_path, u64::saturating_add);
        let inclusive = scope::with_callees(profile, &sums.on_path);
        let scopes = Scopes::of(profile, &sums).sorted();
        Ok(Self {
            wall_nanos: lanes.end - lanes.begin,
            basis,
            n_threads: lanes.all.len(),
            segments,
            scopes,
            outside_nanos,
            handover_nanos,
            waits: lanes.waits(),
            lanes,
            units,
            own: sums.on_path,
            inclusive,
        })
    }

    /// How long the path is. It is as long as the run, or something about the timeline is wrong.
    #[must_use]
    pub fn nanos(&self) -> u64 {
        self.segments.iter().map(PathSegment::nanos).sum()
    }

    /// Which share of the path a call path has, with everything called from there.
    #[must_use]
    pub fn share_of(&self, stack: StackId) -> f64 {
        self.share(self.inclusive.get(stack.index()).copied().unwrap_or(0))
    }

    /// Which share of the path a call path itself has, without what is called from there.
    #[must_use]
    pub fn self_share_of(&self, stack: StackId) -> f64 {
        self.share(self.own.get(stack.index()).copied().unwrap_or(0))
    }

    /// A time as a share of the path.
    #[must_use]
    pub fn share(&self, nanos: u64) -> f64 {
        if self.wall_nanos == 0 { 0.0 } else { nanos as f64 / self.wall_nanos as f64 }
    }
}
