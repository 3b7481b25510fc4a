//! What a run would gain if some of it were faster, by whichever way that can be found out.

mod candidate;
mod confirmation;

use calor_model::{FrameId, Profile, SampleKind, StringId, Warning};

pub use candidate::{WhatIfCandidate, what_if_candidates};
pub use confirmation::{WhatIfAgreement, WhatIfConfirmation};

use crate::{
    AmdahlScope, Basis, CallTree, CriticalPath, Error, Prediction, Source, Speedup, TreeOptions, amdahl,
    amdahl_overall, short_name,
};

/// Scopes off the path that are asked how much slower they could be, and the longest timeline that is run so often.
const MOST_ROOMS: usize = 10;
const MOST_SPANS_FOR_ROOM: usize = 100_000;
/// Scopes for which it is worked out what they would give. Those behind them have hardly any time.
const MOST_GAINS: usize = 100;

/// How it was found out.
pub enum WhatIfMethod {
    /// The recorded run was run again.
    Replay(Box<CriticalPath>),
    /// By the share of the recorded time alone.
    Amdahl {
        /// Whose times they are.
        source: Source,
        /// How many threads the profile has.
        n_threads: usize,
    },
}

/// One scope.
pub struct WhatIfScope {
    /// Its name as recorded.
    pub name: StringId,
    /// A frame of it.
    pub frame: FrameId,
    /// Its time, children included.
    pub total_nanos: u64,
    /// Its part of what decides: of the critical path, or of the recorded time.
    pub nanos: u64,
    /// The same without what it called.
    pub self_nanos: u64,
    /// `nanos` as a fraction of the whole.
    pub share: f64,
    /// By how much its calls could take longer without the run ending later, where that is known.
    pub slack_nanos: Option<u64>,
    /// How many times as long every call could take without the run ending later; of scopes off the path that is asked of.
    pub room: Option<f64>,
    /// How many times as fast the run would be; `None` where it was not worked out.
    pub overall: Option<f64>,
    /// The same if the scope's work took no time.
    pub bound: Option<f64>,
}

/// What the scopes that were asked for would give together.
pub struct WhatIfGain {
    /// The run with them as fast as was asked.
    pub predicted: Prediction,
    /// How many times as fast the run would be if the work of these scopes took no time.
    pub bound: f64,
}

/// The warning of a recording whose timeline lacks spans.
const LOST: &str = "spans_lost";
const NOT_WALKED: &str = "the timeline lacks spans, so the answer is by the share of the recorded time, which the statistics have \
                          whole";
const INCOMPLETE: &str = "the timeline lacks spans: their time looks like none of a scope, so that gains are too small and the path \
                          may be another one; record fewer or longer scopes";

/// What a run would gain.
pub struct WhatIf<'p> {
    /// The profile of the run.
    pub profile: &'p Profile,
    /// How it was found out.
    pub method: WhatIfMethod,
    /// What is divided: the run's time, or the recorded time where there is no timeline.
    pub whole_nanos: u64,
    /// Those that would give most first.
    pub scopes: Vec<WhatIfScope>,
    /// What those that were asked for would give; `None` where none were.
    pub asked: Option<WhatIfGain>,
    /// What has to be known of it, and what the profile did not see.
    pub warnings: Vec<Warning>,
}

impl<'p> WhatIf<'p> {
    /// What the run gains from scopes that are faster all at once, and from each scope alone, `factor` times as fast.
    ///
    /// # Errors
    /// When the profile has neither a timeline nor times, or a scope is not in it.
    pub fn new(profile: &'p Profile, speedups: &[Speedup], factor: f64) -> Result<Self, Error> {
        let n_lost: u64 =
            profile.warnings.iter().filter(|warning| warning.code == LOST).filter_map(|it| it.count).sum();
        match CriticalPath::of(profile) {
            // The statistics have what the timeline lost, and one thread waits for no other.
            Ok(path) if n_lost > 0 && path.basis == Basis::OneThread => {
                let mut found = Self::by_shares(profile, speedups, factor)?;
                found.warnings.push(Warning::new("path_not_walked", NOT_WALKED));
                Ok(found)
            }
            Ok(path) => {
                let mut found = Self::replayed(profile, path, speedups, factor)?;
                if n_lost > 0 {
                    found.warnings.push(Warning::new("path_incomplete", INCOMPLETE));
                }
                Ok(found)
            }
            Err(Error::NoTimeline | Error::SeveralRuns { .. }) => Self::by_shares(profile, speedups, factor),
            Err(error) => Err(error),
        }
    }

    fn replayed(
        profile: &'p Profile,
        path: CriticalPath,
        speedups: &[Speedup],
        factor: f64,
    ) -> Result<Self, Error> {
        let asked = if speedups.is_empty() {
            None
        } else {
            let mut endless = speedups.to_vec();
            endless.iter_mut().for_each(|speedup| speedup.factor = f64::INFINITY);
            let predicted = path.what_if(profile, speedups)?;
            let bound = path.what_if(profile, &endless)?.overall;
            Some(WhatIfGain { predicted, bound: bound.max(predicted.overall) })
        };
        let gains = path.gains(profile, factor, MOST_GAINS);
        let mut scopes: Vec<WhatIfScope> = path
            .scopes
            .iter()
            .map(|scope| {
                let gain = gains.iter().find(|gain| gain.name == scope.name);
                let is_off = scope.path_nanos == 0;
                let of = |value: Option<f64>| if is_off { Some(1.0) } else { value };
                WhatIfScope {
                    name: scope.name,
                    frame: scope.frame,
                    total_nanos: scope.total_nanos,
                    nanos: scope.path_nanos,
                    self_nanos: scope.path_self_nanos,
                    share: path.share(scope.path_nanos),
                    slack_nanos: scope.slack_nanos,
                    room: None,
                    overall: of(gain.map(|gain| gain.faster.overall)),
                    bound: of(gain.map(|gain| gain.bound.overall)),
                }
            })
            .collect();
        sort(&mut scopes);
        if profile.timeline.n_spans() <= MOST_SPANS_FOR_ROOM {
            let mut off: Vec<&mut WhatIfScope> = scopes.iter_mut().filter(|scope| scope.nanos == 0).collect();
            off.sort_by_key(|scope| std::cmp::Reverse(scope.total_nanos));
            for scope in off.into_iter().take(MOST_ROOMS) {
                scope.room = Some(path.room(profile, scope.name));
            }
        }
        let mut warnings = profile.warnings.clone();
        warnings.extend(remark(&path));
        let whole_nanos = path.wall_nanos;
        Ok(Self {
            profile,
            method: WhatIfMethod::Replay(Box::new(path)),
            whole_nanos,
            scopes,
            asked,
            warnings,
        })
    }

    /// Without a timeline, or with those of several runs.
    fn by_shares(profile: &'p Profile, speedups: &[Speedup], factor: f64) -> Result<Self, Error> {
        let tree = tree_of(profile).ok_or(Error::NothingTimed)?;
        let found = amdahl(&tree);
        let asked = if speedups.is_empty() {
            None
        } else {
            let mut chosen = Vec::new();
            for speedup in speedups {
                if speedup.factor.is_nan() || speedup.factor <= 0.0 {
                    return Err(Error::SpeedupFactor { found: speedup.factor });
                }
                chosen.push((find(profile, &found, &speedup.scope)?, speedup.factor));
            }
            let overall = amdahl_overall(&tree, &chosen);
            chosen.iter_mut().for_each(|(_, factor)| *factor = f64::INFINITY);
            let bound = amdahl_overall(&tree, &chosen).max(overall);
            let wall_nanos = (tree.recorded_nanos() as f64 / overall).round() as u64;
            Some(WhatIfGain { predicted: Prediction { wall_nanos, overall }, bound })
        };
        let mut scopes: Vec<WhatIfScope> = found
            .iter()
            .map(|scope| WhatIfScope {
                name: scope.name,
                frame: scope.frame,
                total_nanos: scope.total_nanos,
                nanos: scope.total_nanos,
                self_nanos: scope.self_nanos,
                share: scope.share,
                slack_nanos: None,
                room: None,
                overall: Some(scope.overall(factor)),
                bound: Some(scope.overall(f64::INFINITY)),
            })
            .collect();
        sort(&mut scopes);
        let method = WhatIfMethod::Amdahl { source: tree.source(), n_threads: profile.threads.len() };
        let (whole_nanos, warnings) = (tree.recorded_nanos(), profile.warnings.clone());
        Ok(Self { profile, method, whole_nanos, scopes, asked, warnings })
    }

    /// The name of a scope as lists show it.
    #[must_use]
    pub fn name(&self, scope: &WhatIfScope) -> String {
        shown(self.profile, scope.frame)
    }

    /// The file and line of a scope, as far as they are known.
    #[must_use]
    pub fn location(&self, scope: &WhatIfScope) -> (Option<&'p str>, Option<u32>) {
        let frame = self.profile.frames.get(scope.frame);
        (frame.file.map(|file| self.profile.strings.get(file)), frame.line)
    }
}

fn sort(scopes: &mut [WhatIfScope]) {
    let key = |scope: &WhatIfScope| (scope.overall.unwrap_or(1.0), scope.self_nanos, scope.total_nanos);
    scopes.sort_by(|a, b| key(b).partial_cmp(&key(a)).unwrap_or(std::cmp::Ordering::Equal));
}

fn tree_of(profile: &Profile) -> Option<CallTree<'_>> {
    let options = TreeOptions::default();
    let scopes = CallTree::of_scopes(profile, &options);
    if scopes.recorded_nanos() > 0 {
        return Some(scopes);
    }
    [SampleKind::Cpu, SampleKind::Wall]
        .into_iter()
        .map(|kind| CallTree::of_samples(profile, kind, &options))
        .find(|tree| tree.recorded_nanos() > 0)
}

/// The function that is meant: by its whole name, as lists show it, or by its last part where no other has that.
fn find(profile: &Profile, scopes: &[AmdahlScope], wanted: &str) -> Result<StringId, Error> {
    let is_meant = |scope: &&AmdahlScope| {
        profile.strings.get(scope.name) == wanted || shown(profile, scope.frame) == wanted
    };
    let last = |name: &str| name.rsplit("::").next().unwrap_or(name).to_owned();
    let ends_so = |scope: &&AmdahlScope| last(&shown(profile, scope.frame)) == wanted;
    let by_end = || {
        let mut names: Vec<StringId> = scopes.iter().filter(ends_so).map(|scope| scope.name).collect();
        names.sort_unstable();
        names.dedup();
        <[StringId; 1]>::try_from(names).ok().map(|[name]| name)
    };
    scopes.iter().find(is_meant).map(|scope| scope.name).or_else(by_end).ok_or_else(|| {
        // What ends in the same word, or has it in its name, is what was meant more likely than what is largest.
        let unlike = |name: &str| match name.rsplit("::").next().unwrap_or(name) {
            last if last.eq_ignore_ascii_case(wanted) => 0,
            _ if name.to_lowercase().contains(&wanted.to_lowercase()) => 1,
            _ => 2,
        };
        let mut known: Vec<String> = scopes.iter().map(|scope| shown(profile, scope.frame)).collect();
        // What starts a program is nothing that anybody makes faster.
        known.retain(|name| name != "_start" && !name.starts_with("__libc_start_"));
        known.sort_by_key(|name| unlike(name));
        known.truncate(5);
        let known = known.join(", ");
        Error::UnknownFunction { found: wanted.to_owned(), known }
    })
}

fn shown(profile: &Profile, frame: FrameId) -> String {
    let frame = profile.frames.get(frame);
    short_name(frame.kind, profile.strings.get(frame.name)).into_owned()
}

/// What has to be known of how the path was found.
fn remark(path: &CriticalPath) -> Option<Warning> {
    match path.basis {
        Basis::Inferred => Some(Warning::new(
            "waits_inferred",
            "the program did not tell which thread waited for which: a thread without an open scope is taken to have waited \
             for the scope of another that ended last; use calor::sync or calor::link to tell",
        )),
        Basis::OneThread | Basis::Told => None,
    }
}

#[cfg(test)]
mod tests {
    use calor_model::{FrameKind, LabelTable, SampleKey, SampleWeight};

    use super::*;

    #[test]
    fn a_function_is_found_by_the_last_part_of_its_name_where_no_other_has_that() {
        let mut profile = Profile::default();
        let thread = profile.intern_thread(1, 1, "main");
        for last in ["copies::pick", "copies::save", "other::save"] {
            let path = ["_start", "__libc_start_main_impl", "copies::main", last];
            let stack = profile.intern_named_path(&path, FrameKind::Native).expect("it has frames");
            let key = SampleKey {
                stack,
                thread,
                kind: SampleKind::Cpu,
                labels: LabelTable::none(),
                at_nanos: None,
            };
            profile.samples.add(key, SampleWeight { count: 10, nanos: 1_000 });
        }
        let tree = tree_of(&profile).expect("there are samples");
        let scopes = amdahl(&tree);
        let found = |wanted| find(&profile, &scopes, wanted).map(|name| profile.strings.get(name));
        assert_eq!(found("pick").ok(), Some("copies::pick"));
        assert_eq!(found("other::save").ok(), Some("other::save"));
        // Two are called so, and what starts the program is no suggestion.
        let told = found("save").expect_err("there are two").to_string();
        assert!(told.contains("copies::save, other::save") && !told.contains("start"), "{told}");
    }
}
