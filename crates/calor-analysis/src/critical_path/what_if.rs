//! What a faster scope would give the whole run.

use std::cmp::Reverse;

use calor_model::{Profile, StackId, StringId};

use super::{CriticalPath, replay};
use crate::Error;

/// A run that ends so little later ends as early.
const UNNOTICED: f64 = 0.005;
/// What could take longer still does not matter at all.
const MOST_ROOM: f64 = 64.0;

/// A scope that shall be faster, with everything that it calls on its own thread.
#[derive(Clone, PartialEq, Debug)]
pub struct Speedup {
    /// The name of the scope.
    pub scope: String,
    /// How many times as fast it shall be; infinity takes its work away.
    pub factor: f64,
}

/// What the run would be like.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Prediction {
    /// How long it would take.
    pub wall_nanos: u64,
    /// How many times as fast the run would be.
    pub overall: f64,
}

impl Prediction {
    /// The better one of both.
    #[must_use]
    pub fn at_least(self, other: Self) -> Self {
        if other.overall > self.overall { other } else { self }
    }
}

/// What a scope would give.
#[derive(Clone, PartialEq, Debug)]
pub struct ScopeGain {
    /// The scope.
    pub name: StringId,
    /// The run if it were so many times as fast as was asked for.
    pub faster: Prediction,
    /// The run if its work took no time: no speed-up gives more.
    pub bound: Prediction,
}

impl CriticalPath {
    /// The run with some scopes faster; of scopes inside each other, the inner one gets both speed-ups.
    ///
    /// # Errors
    /// If a scope is not on the timeline, or a factor is not above 0.
    pub fn what_if(&self, profile: &Profile, speedups: &[Speedup]) -> Result<Prediction, Error> {
        let mut factors = vec![1.0; profile.stacks.len()];
        for speedup in speedups {
            if speedup.factor.is_nan() || speedup.factor <= 0.0 {
                return Err(Error::SpeedupFactor { found: speedup.factor });
            }
            let name = self.find(profile, &speedup.scope)?;
            scale(profile, name, 1.0 / speedup.factor, &mut factors);
        }
        Ok(self.predict(&factors, self.replayed(profile)))
    }

    /// What each of the scopes with the most of the path would give at a speed-up, the most first. Scopes off the path give
    /// nothing and are not among them.
    #[must_use]
    pub fn gains(&self, profile: &Profile, factor: f64, limit: usize) -> Vec<ScopeGain> {
        let baseline = self.replayed(profile);
        let on_path = self.scopes.iter().filter(|scope| scope.path_nanos > 0).take(limit);
        let mut gains: Vec<ScopeGain> = on_path
            .map(|scope| {
                let predict = |factor: f64| {
                    let mut factors = vec![1.0; profile.stacks.len()];
                    scale(profile, scope.name, 1.0 / factor, &mut factors);
                    self.predict(&factors, baseline)
                };
                let bound = predict(f64::INFINITY);
                // A replay takes a walk over all that was recorded: one that is known already is not done again.
                let faster = if factor.is_infinite() { bound } else { predict(factor) };
                // Locks that are asked for in another order can make a faster run a little longer.
                ScopeGain { name: scope.name, faster, bound: bound.at_least(faster) }
            })
            .collect();
        gains.sort_by_key(|gain| (gain.faster.wall_nanos, gain.bound.wall_nanos, Reverse(gain.name)));
        gains
    }

    /// How many times as long every call of a scope could take, with all that it calls, without the run ending later than by
    /// half a percent. Up to 64; every step of the search is a replay.
    #[must_use]
    pub fn room(&self, profile: &Profile, scope: StringId) -> f64 {
        let baseline = self.replayed(profile);
        let ends_in_time = |times: f64| {
            let mut factors = vec![1.0; profile.stacks.len()];
            scale(profile, scope, times, &mut factors);
            self.predict(&factors, baseline).overall >= 1.0 - UNNOTICED
        };
        if ends_in_time(MOST_ROOM) {
            return MOST_ROOM;
        }
        let (mut low, mut high) = (0.0, MOST_ROOM.log2());
        while high - low > 0.01 {
            let middle = 0.5 * (low + high);
            *(if ends_in_time(f64::exp2(middle)) { &mut low } else { &mut high }) = middle;
        }
        f64::exp2(low)
    }

    /// The name of a scope on the timeline: its whole name, or the last part of one where no other ends in it.
    ///
    /// # Errors
    /// If there is none of that name.
    pub fn find(&self, profile: &Profile, scope: &str) -> Result<StringId, Error> {
        let known = profile.strings.find(scope);
        let is_known = |name: &StringId| self.scopes.iter().any(|known| known.name == *name);
        known.filter(is_known).or_else(|| self.find_by_end(profile, scope)).ok_or_else(|| {
            // What starts a program is no scope that anybody makes faster.
            let is_start = |name: &&str| *name == "_start" || name.starts_with("__libc_start_");
            let names = self.scopes.iter().map(|scope| profile.strings.get(scope.name));
            let names = names.filter(|name| !is_start(name)).take(5);
            Error::UnknownScope { found: scope.to_owned(), known: names.collect::<Vec<_>>().join(", ") }
        })
    }

    /// The one scope whose last part is so called.
    fn find_by_end(&self, profile: &Profile, end: &str) -> Option<StringId> {
        let is_it = |name: &StringId| {
            let rest = profile.strings.get(*name).strip_suffix(end);
            rest.is_some_and(|rest| rest.ends_with("::") || rest.ends_with(['.', '/']))
        };
        let mut found = self.scopes.iter().map(|scope| scope.name).filter(is_it);
        found.next().filter(|_| found.next().is_none())
    }

    fn replayed(&self, profile: &Profile) -> f64 {
        replay::wall(&self.lanes, &self.units, &vec![1.0; profile.stacks.len()])
    }

    /// Both walls are of the same replay, so that what it does not know cancels out.
    fn predict(&self, factors: &[f64], baseline: f64) -> Prediction {
        let wall = replay::wall(&self.lanes, &self.units, factors);
        let overall = match (wall > 0.0, baseline > 0.0) {
            (true, _) => baseline / wall,
            // All of it is what becomes infinitely fast.
            (false, true) => f64::INFINITY,
            (false, false) => 1.0,
        };
        Prediction { wall_nanos: (self.wall_nanos as f64 / overall).round() as u64, overall }
    }
}

/// Scales the work of all call paths through a scope.
fn scale(profile: &Profile, scope: StringId, by: f64, factors: &mut [f64]) {
    let mut inside = vec![false; profile.stacks.len()];
    for (id, stack) in profile.stacks.iter() {
        let is_inside = |parent: StackId| inside[parent.index()];
        let is_scope = profile.frames.get(stack.frame).name == scope;
        if is_scope || stack.parent.is_some_and(is_inside) {
            inside[id.index()] = true;
            factors[id.index()] *= by;
        }
    }
}
