//! Call paths without the depth of recursions: a function that calls itself stands there once, as in the lists of time.

use std::collections::HashMap;

use calor_model::{FunctionKey, Profile, StackId};
use foldhash::fast::RandomState;

/// A number for each call path. Those that differ in lines, or in how often a function called itself, have the same.
pub(super) fn folded_paths(profile: &Profile) -> Vec<u32> {
    let mut known: HashMap<(Option<u32>, FunctionKey), u32, RandomState> = HashMap::default();
    let mut numbers: Vec<u32> = Vec::with_capacity(profile.stacks.len());
    // Callers come before callees.
    for (id, stack) in profile.stacks.iter() {
        let caller = stack.parent.map(|parent| numbers[parent.index()]);
        let next = known.len() as u32;
        numbers.push(match caller {
            Some(caller) if calls_itself(profile, id) => caller,
            _ => *known.entry((caller, function(profile, id))).or_insert(next),
        });
    }
    numbers
}

/// How many of the nearest callers two paths have in common, and `most` at most; calls of itself are one.
pub(super) fn callers_in_common(profile: &Profile, one: StackId, other: StackId, most: usize) -> usize {
    let (one, other) = (callers(profile, one), callers(profile, other));
    one.zip(other).take(most).take_while(|(one, other)| one == other).count()
}

/// The functions that led to the last one of a path, the nearest first.
fn callers(profile: &Profile, stack: StackId) -> impl Iterator<Item = FunctionKey> {
    let outwards = std::iter::successors(Some(stack), |path| profile.stacks.get(*path).parent);
    outwards.filter(|path| !calls_itself(profile, *path)).skip(1).map(|path| function(profile, path))
}

/// Whether the last function of a path is called by itself.
pub(super) fn calls_itself(profile: &Profile, stack: StackId) -> bool {
    let caller = profile.stacks.get(stack).parent;
    caller.is_some_and(|caller| function(profile, caller) == function(profile, stack))
}

fn function(profile: &Profile, stack: StackId) -> FunctionKey {
    profile.frames.get(profile.stacks.get(stack).frame).function()
}
