//! What is to be tried, and what a recording of the program says it would give.

use calor_model::Profile;

use crate::{CallTree, CriticalPath, Error, ScopeGain, Speedup, TreeOptions, amdahl_overall};

/// Scopes that are tried where none are named.
const MOST: usize = 3;
/// Scopes that are weighed for that: those with the most of the path.
const MOST_WEIGHED: usize = 30;
/// A scope with more of the path than this is the program.
const WHOLE: f64 = 0.97;

/// A speed-up that is to be tried.
#[derive(Clone, PartialEq, Debug)]
pub struct WhatIfCandidate {
    /// The scope.
    pub scope: String,
    /// How many times as fast it shall be.
    pub factor: f64,
    /// How many times as fast the recording says the run would be; `None` without one.
    pub predicted: Option<f64>,
}

/// Those that were asked for, or the ones that the recording expects most of.
///
/// # Errors
/// When none is named and there is no recording, or it has no critical path, or a named scope is not on it.
pub fn what_if_candidates(
    profile: Option<&Profile>,
    asked: &[Speedup],
    factor: f64,
    top: Option<usize>,
) -> Result<Vec<WhatIfCandidate>, Error> {
    let Some(profile) = profile else {
        if asked.is_empty() {
            return Err(Error::NothingToTry);
        }
        return Ok(asked.iter().map(|speedup| WhatIfCandidate::of(speedup, None)).collect());
    };
    let path = CriticalPath::of(profile);
    if !asked.is_empty() {
        let predicted = |speedup: &Speedup| match &path {
            Ok(path) => path.what_if(profile, std::slice::from_ref(speedup)).map(|found| Some(found.overall)),
            Err(_) => Ok(by_share(profile, speedup)),
        };
        return asked.iter().map(|speedup| Ok(WhatIfCandidate::of(speedup, predicted(speedup)?))).collect();
    }
    let path = path?;
    let mut gains = path.gains(profile, factor, MOST_WEIGHED);
    // What is the whole program is as much faster as it is made, whatever that is.
    let share =
        |name| path.scopes.iter().find(|scope| scope.name == name).map_or(0, |scope| scope.path_nanos);
    let is_part = |name| (share(name) as f64) < WHOLE * path.wall_nanos as f64;
    if gains.iter().any(|gain| is_part(gain.name)) {
        gains.retain(|gain| is_part(gain.name));
    }
    gains.truncate(top.unwrap_or(MOST));
    if gains.is_empty() {
        return Err(Error::NothingOnPath);
    }
    let candidate = |gain: &ScopeGain| {
        let scope = profile.strings.get(gain.name).to_owned();
        WhatIfCandidate { scope, factor, predicted: Some(gain.faster.overall) }
    };
    Ok(gains.iter().map(candidate).collect())
}

impl WhatIfCandidate {
    fn of(speedup: &Speedup, predicted: Option<f64>) -> Self {
        Self { scope: speedup.scope.clone(), factor: speedup.factor, predicted }
    }
}

/// By the share of the recorded time, where there is no timeline.
fn by_share(profile: &Profile, speedup: &Speedup) -> Option<f64> {
    let name = profile.strings.find(&speedup.scope)?;
    let tree = CallTree::of_scopes(profile, &TreeOptions::default());
    (tree.recorded_nanos() > 0).then(|| amdahl_overall(&tree, &[(name, speedup.factor)]))
}
