//! What each scope, by its name, has to do with the critical path. Scopes of one name on different call paths are one:
//! whoever makes one faster changes its code, wherever it is called from.

use std::cmp::Reverse;

use calor_model::{FrameId, Profile, StringId};
use foldhash::fast::RandomState;
use indexmap::IndexMap;

use super::unit::Sums;

/// A scope and the critical path. Times are of work: what its threads waited for others is not in them.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct PathScope {
    /// Its name.
    pub name: StringId,
    /// Where it is; the first of its places, where there are several of one name.
    pub frame: FrameId,
    /// Time at work in it and what it calls, added up over threads.
    pub total_nanos: u64,
    /// How much of that is on the path.
    pub path_nanos: u64,
    /// How much of the path is in the scope itself, without what it calls.
    pub path_self_nanos: u64,
    /// How much longer it could have taken in all without the run ending later; 0 on the path, `None` without time.
    pub slack_nanos: Option<u64>,
}

/// The sums of scopes by name.
pub(super) struct Scopes(IndexMap<StringId, PathScope, RandomState>);

impl Scopes {
    pub(super) fn of(profile: &Profile, sums: &Sums) -> Self {
        let mut scopes: IndexMap<StringId, PathScope, RandomState> = IndexMap::default();
        let mut names: Vec<StringId> = Vec::new();
        for (id, stack) in profile.stacks.iter() {
            let index = id.index();
            if sums.all[index] == 0 && sums.on_path[index] == 0 {
                continue;
            }
            names.clear();
            for frame in profile.stacks.frames(id) {
                let name = profile.frames.get(frame).name;
                // A scope inside itself counts once.
                if names.contains(&name) {
                    continue;
                }
                names.push(name);
                let scope = scopes.entry(name).or_insert(PathScope {
                    name,
                    frame,
                    total_nanos: 0,
                    path_nanos: 0,
                    path_self_nanos: 0,
                    slack_nanos: None,
                });
                scope.frame = scope.frame.min(frame);
                scope.total_nanos = scope.total_nanos.saturating_add(sums.all[index]);
                scope.path_nanos = scope.path_nanos.saturating_add(sums.on_path[index]);
                if sums.all[index] > 0 {
                    let least = scope.slack_nanos.unwrap_or(u64::MAX).min(sums.slack[index]);
                    scope.slack_nanos = Some(least);
                }
            }
            let own = profile.frames.get(stack.frame).name;
            if let Some(scope) = scopes.get_mut(&own) {
                scope.path_self_nanos = scope.path_self_nanos.saturating_add(sums.on_path[index]);
            }
        }
        for scope in scopes.values_mut().filter(|scope| scope.path_nanos > 0) {
            scope.slack_nanos = Some(0);
        }
        Self(scopes)
    }

    pub(super) fn sorted(self) -> Vec<PathScope> {
        let mut scopes: Vec<PathScope> = self.0.into_values().collect();
        scopes.sort_by_key(|scope| {
            let sizes = (scope.path_nanos, scope.path_self_nanos, scope.total_nanos);
            (Reverse(sizes), scope.name)
        });
        scopes
    }
}

/// The sums of call paths with those of everything called from there. Callers come before callees.
pub(super) fn with_callees(profile: &Profile, own: &[u64]) -> Vec<u64> {
    let mut inclusive = own.to_vec();
    let parents: Vec<_> = profile.stacks.iter().map(|(_, stack)| stack.parent).collect();
    for (index, parent) in parents.into_iter().enumerate().rev() {
        if let Some(parent) = parent {
            inclusive[parent.index()] = inclusive[parent.index()].saturating_add(inclusive[index]);
        }
    }
    inclusive
}
