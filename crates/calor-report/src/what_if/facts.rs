//! What a page about what-ifs says, by whichever way it could be found out.

use calor_analysis::short_name;
use calor_analysis::{
    Basis, CallTree, CriticalPath, Error as AnalysisError, Prediction, Source, TreeOptions, amdahl,
    amdahl_overall,
};
use calor_model::{FrameId, Profile, SampleKind, StringId, Warning};

use super::WhatIfOptions;
use crate::Error;

/// Scopes off the path that are asked how much slower they could be, and the longest timeline that is run so often.
const MOST_ROOMS: usize = 10;
const MOST_SPANS_FOR_ROOM: usize = 100_000;
/// Scopes for which it is worked out what they would give. Those behind them have hardly any time.
const MOST_GAINS: usize = 100;

/// How it was found out.
pub(super) enum Method {
    /// The recorded run was run again.
    Replay(Box<CriticalPath>),
    /// By the share of the recorded time alone.
    Amdahl { source: Source, n_threads: usize },
}

/// One scope.
pub(super) struct Scope {
    pub(super) name: StringId,
    pub(super) frame: FrameId,
    pub(super) total_nanos: u64,
    /// Its part of what decides: of the critical path, or of the recorded time.
    pub(super) nanos: u64,
    pub(super) self_nanos: u64,
    pub(super) share: f64,
    pub(super) slack_nanos: Option<u64>,
    /// How many times as long every call could take without the run ending later; of scopes off the path that is asked of.
    pub(super) room: Option<f64>,
    /// How many times as fast the run would be; `None` where it was not worked out.
    pub(super) overall: Option<f64>,
    pub(super) bound: Option<f64>,
}

/// What was asked for.
pub(super) struct Asked {
    pub(super) predicted: Prediction,
    /// How many times as fast the run would be if the work of these scopes took no time.
    pub(super) bound: f64,
}

/// The warning of a recording whose timeline lacks spans.
const LOST: &str = "spans_lost";
const NOT_WALKED: &str = "the timeline lacks spans, so the answer is by the share of the recorded time, which the statistics have \
                          whole";
const INCOMPLETE: &str = "the timeline lacks spans: their time looks like none of a scope, so that gains are too small and the path \
                          may be another one; record fewer or longer scopes";

pub(super) struct WhatIf<'p> {
    pub(super) profile: &'p Profile,
    pub(super) method: Method,
    /// What is divided: the run's time, or the recorded time where there is no timeline.
    pub(super) whole_nanos: u64,
    /// Those that would give most first.
    pub(super) scopes: Vec<Scope>,
    pub(super) asked: Option<Asked>,
    pub(super) warnings: Vec<Warning>,
}

impl<'p> WhatIf<'p> {
    pub(super) fn new(profile: &'p Profile, options: &WhatIfOptions) -> Result<Self, Error> {
        let n_lost: u64 =
            profile.warnings.iter().filter(|warning| warning.code == LOST).filter_map(|it| it.count).sum();
        match CriticalPath::of(profile) {
            // The statistics have what the timeline lost, and one thread waits for no other.
            Ok(path) if n_lost > 0 && path.basis == Basis::OneThread => {
                let mut found = Self::by_shares(profile, options)?;
                found.warnings.push(Warning::new("path_not_walked", NOT_WALKED));
                Ok(found)
            }
            Ok(path) => {
                let mut found = Self::replayed(profile, path, options)?;
                if n_lost > 0 {
                    found.warnings.push(Warning::new("path_incomplete", INCOMPLETE));
                }
                Ok(found)
            }
            Err(AnalysisError::NoTimeline | AnalysisError::SeveralRuns { .. }) => {
                Self::by_shares(profile, options)
            }
            Err(error) => Err(Error::WhatIf(error)),
        }
    }

    fn replayed(profile: &'p Profile, path: CriticalPath, options: &WhatIfOptions) -> Result<Self, Error> {
        let asked = if options.speedups.is_empty() {
            None
        } else {
            let mut endless = options.speedups.clone();
            endless.iter_mut().for_each(|speedup| speedup.factor = f64::INFINITY);
            let predicted = path.what_if(profile, &options.speedups).map_err(Error::WhatIf)?;
            let bound = path.what_if(profile, &endless).map_err(Error::WhatIf)?.overall;
            Some(Asked { predicted, bound: bound.max(predicted.overall) })
        };
        let gains = path.gains(profile, options.factor, MOST_GAINS);
        let mut scopes: Vec<Scope> = path
            .scopes
            .iter()
            .map(|scope| {
                let gain = gains.iter().find(|gain| gain.name == scope.name);
                let is_off = scope.path_nanos == 0;
                let of = |value: Option<f64>| if is_off { Some(1.0) } else { value };
                Scope {
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
            let mut off: Vec<&mut Scope> = scopes.iter_mut().filter(|scope| scope.nanos == 0).collect();
            off.sort_by_key(|scope| std::cmp::Reverse(scope.total_nanos));
            for scope in off.into_iter().take(MOST_ROOMS) {
                scope.room = Some(path.room(profile, scope.name));
            }
        }
        let mut warnings = profile.warnings.clone();
        warnings.extend(remark(&path));
        let whole_nanos = path.wall_nanos;
        Ok(Self { profile, method: Method::Replay(Box::new(path)), whole_nanos, scopes, asked, warnings })
    }

    /// Without a timeline, or with those of several runs.
    fn by_shares(profile: &'p Profile, options: &WhatIfOptions) -> Result<Self, Error> {
        let tree = tree_of(profile).ok_or(Error::NothingTimed)?;
        let found = amdahl(&tree);
        let asked = if options.speedups.is_empty() {
            None
        } else {
            let mut speedups = Vec::new();
            for speedup in &options.speedups {
                if speedup.factor.is_nan() || speedup.factor <= 0.0 {
                    return Err(Error::WhatIf(AnalysisError::SpeedupFactor { found: speedup.factor }));
                }
                speedups.push((find(profile, &found, &speedup.scope)?, speedup.factor));
            }
            let overall = amdahl_overall(&tree, &speedups);
            speedups.iter_mut().for_each(|(_, factor)| *factor = f64::INFINITY);
            let bound = amdahl_overall(&tree, &speedups).max(overall);
            let wall_nanos = (tree.recorded_nanos() as f64 / overall).round() as u64;
            Some(Asked { predicted: Prediction { wall_nanos, overall }, bound })
        };
        let mut scopes: Vec<Scope> = found
            .iter()
            .map(|scope| Scope {
                name: scope.name,
                frame: scope.frame,
                total_nanos: scope.total_nanos,
                nanos: scope.total_nanos,
                self_nanos: scope.self_nanos,
                share: scope.share,
                slack_nanos: None,
                room: None,
                overall: Some(scope.overall(options.factor)),
                bound: Some(scope.overall(f64::INFINITY)),
            })
            .collect();
        sort(&mut scopes);
        let method = Method::Amdahl { source: tree.source(), n_threads: profile.threads.len() };
        let (whole_nanos, warnings) = (tree.recorded_nanos(), profile.warnings.clone());
        Ok(Self { profile, method, whole_nanos, scopes, asked, warnings })
    }

    /// The name of a scope as lists show it.
    pub(super) fn name(&self, scope: &Scope) -> String {
        shown(self.profile, scope.frame)
    }
}

fn sort(scopes: &mut [Scope]) {
    let key = |scope: &Scope| (scope.overall.unwrap_or(1.0), scope.self_nanos, scope.total_nanos);
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
fn find(profile: &Profile, scopes: &[calor_analysis::AmdahlScope], wanted: &str) -> Result<StringId, Error> {
    let is_meant = |scope: &&calor_analysis::AmdahlScope| {
        profile.strings.get(scope.name) == wanted || shown(profile, scope.frame) == wanted
    };
    let last = |name: &str| name.rsplit("::").next().unwrap_or(name).to_owned();
    let ends_so = |scope: &&calor_analysis::AmdahlScope| last(&shown(profile, scope.frame)) == wanted;
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

/// A place in the source, as `file:line`.
pub(super) fn place(profile: &Profile, frame: FrameId) -> (Option<&str>, Option<u32>) {
    let frame = profile.frames.get(frame);
    (frame.file.map(|file| profile.strings.get(file)), frame.line)
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
