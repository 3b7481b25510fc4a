//! Functions by the time that threads ran in them.

use std::cmp::Reverse;

use calor_model::{Frame, FunctionKey, StackId};
use foldhash::fast::RandomState;
use indexmap::IndexMap;

use super::{Facts, Owner};
use crate::findings::Share;
use crate::system_frame::is_frame_of_language;

/// One function that was sampled while it ran.
#[derive(Clone, PartialEq, Debug)]
pub struct FunctionFacts {
    /// The path that ends in it with the most samples of its own.
    pub stack: StackId,
    /// All paths that end in it and have samples of their own, the one with the most first.
    pub stacks: Vec<StackId>,
    /// Whose it is.
    pub owner: Owner,
    /// Samples in the function itself.
    pub samples: u64,
    /// Their part of the whole.
    pub self_share: Share,
    /// Samples in it or in what it called; once, however often it calls itself.
    pub total_samples: u64,
    /// Their part of the whole.
    pub total_share: Share,
}

pub(super) fn functions(facts: &Facts<'_>) -> Vec<FunctionFacts> {
    gathered(facts, |_| false)
}

/// With inlined code of the language's own library counted for the function that it was put into.
pub(super) fn listed(facts: &Facts<'_>) -> Vec<FunctionFacts> {
    let profile = facts.profile();
    gathered(facts, |frame| frame.is_inlined && is_frame_of_language(profile, frame))
}

fn gathered(facts: &Facts<'_>, is_passed: impl Fn(Frame) -> bool) -> Vec<FunctionFacts> {
    let (cpu, profile) = (facts.cpu(), facts.profile());
    let n_stacks = profile.stacks.len();
    let mut numbers: IndexMap<FunctionKey, (), RandomState> = IndexMap::default();
    let of_frame: Vec<usize> =
        profile.frames.iter().map(|(_, frame)| numbers.insert_full(frame.function(), ()).0).collect();
    let number = |stack: StackId| of_frame[profile.stacks.get(stack).frame.index()];

    let mut totals: Vec<(u64, f64)> =
        (0..n_stacks).map(|index| cpu.own(StackId::from_index(index))).collect();
    // Callers stand before their callees, so each path meets its finished children.
    for index in (0..n_stacks).rev() {
        let (samples, nanos) = totals[index];
        if let Some(parent) = profile.stacks.get(StackId::from_index(index)).parent {
            let caller = &mut totals[parent.index()];
            *caller = (caller.0 + samples, caller.1 + nanos);
        }
    }
    let is_passed: Vec<bool> = profile.frames.iter().map(|(_, frame)| is_passed(frame)).collect();
    let mut own: Vec<(u64, f64)> = (0..n_stacks).map(|index| cpu.own(StackId::from_index(index))).collect();
    let is_counted = |stack: StackId| {
        let row = profile.stacks.get(stack);
        row.parent.is_none() || !is_passed[row.frame.index()]
    };
    // From the innermost outwards, so that what was inlined into inlined code goes all the way.
    for index in (0..n_stacks).rev().filter(|index| !is_counted(StackId::from_index(*index))) {
        let (samples, nanos) = std::mem::take(&mut own[index]);
        if let Some(caller) = profile.stacks.get(StackId::from_index(index)).parent {
            let caller = &mut own[caller.index()];
            *caller = (caller.0 + samples, caller.1 + nanos);
        }
    }
    let mut sums: Vec<Sum> = vec![Sum::default(); numbers.len()];
    let is_seen = |stack: StackId| totals[stack.index()].0 > 0 && is_counted(stack);
    for (stack, _) in profile.stacks.iter().filter(|(stack, _)| is_seen(*stack)) {
        let sum = &mut sums[number(stack)];
        let (samples, nanos) = own[stack.index()];
        if samples > 0 {
            sum.own = (sum.own.0 + samples, sum.own.1 + nanos);
            sum.stacks.push(stack);
        }
        let mut caller = profile.stacks.get(stack).parent;
        while let Some(at) = caller
            && number(at) != number(stack)
        {
            caller = profile.stacks.get(at).parent;
        }
        if caller.is_none() {
            let (samples, nanos) = totals[stack.index()];
            sum.total = (sum.total.0 + samples, sum.total.1 + nanos);
        }
    }
    let told = |mut sum: Sum| {
        sum.stacks.sort_by_key(|stack| (Reverse(own[stack.index()].0), *stack));
        let stack = *sum.stacks.first()?;
        Some(FunctionFacts {
            stack,
            owner: facts.owner(stack),
            samples: sum.own.0,
            self_share: cpu.share(sum.own.0, sum.own.1),
            total_samples: sum.total.0,
            total_share: cpu.share(sum.total.0, sum.total.1),
            stacks: sum.stacks,
        })
    };
    let mut list: Vec<FunctionFacts> = sums.into_iter().filter_map(told).collect();
    list.sort_by_key(|function| (Reverse(function.samples), function.stack));
    list
}

#[derive(Clone, Default)]
struct Sum {
    own: (u64, f64),
    total: (u64, f64),
    stacks: Vec<StackId>,
}

#[cfg(test)]
mod tests {
    use crate::findings::draft::Draft;
    use crate::findings::{Facts, Owner};

    #[test]
    fn functions_have_time_of_their_own_and_in_what_they_call_once() {
        let profile = Draft::new()
            .seconds(1.0)
            .cpu(&["app::main@src/main.rs:3", "app::walk@src/tree.rs:7"], 200)
            .cpu(&["app::main@src/main.rs:3", "app::walk@src/tree.rs:8", "app::walk@src/tree.rs:7"], 300)
            .cpu(&["app::main@src/main.rs:3", "app::walk@src/tree.rs:7", "memcmp!libc.so.6"], 500)
            .profile();
        let facts = Facts::new(&profile, None);
        let told: Vec<_> = facts
            .functions()
            .iter()
            .map(|function| {
                (facts.name(function.stack), function.owner, function.samples, function.total_samples)
            })
            .collect();
        assert_eq!(told, [("app::walk", Owner::Program, 500, 1000), ("memcmp", Owner::System, 500, 500)]);
        let walk = &facts.functions()[0];
        assert!(
            (walk.self_share.estimate - 0.5).abs() < 1e-9 && (walk.total_share.estimate - 1.0).abs() < 1e-9
        );
        assert_eq!(facts.place(walk.stack).line, Some(7));
    }

    #[test]
    fn lists_count_inlined_code_of_the_language_for_the_function_it_was_put_into() {
        let walk = ["app::main@src/main.rs:3", "app::walk@src/tree.rs:7"];
        let next = "inlined:core::iter::range::next@/rustc/1/library/core/src/iter/range.rs:9";
        let add = "inlined:core::num::wrapping_add@/rustc/1/library/core/src/num/uint.rs:2";
        let own = "inlined:app::step@src/tree.rs:30";
        let profile = Draft::new()
            .seconds(1.0)
            .cpu(&walk, 100)
            .cpu(&[walk[0], walk[1], next, add], 300)
            .cpu(&[walk[0], walk[1], own, add], 400)
            .cpu(&[walk[0], walk[1], "core::fmt::write"], 200)
            .profile();
        let facts = Facts::new(&profile, None);
        let told: Vec<_> = facts
            .listed_functions()
            .iter()
            .map(|function| {
                (facts.name(function.stack), function.owner, function.samples, function.total_samples)
            })
            .collect();
        assert_eq!(
            told,
            [
                ("app::walk", Owner::Program, 400, 1000),
                ("app::step", Owner::Program, 400, 400),
                ("core::fmt::write", Owner::System, 200, 200)
            ]
        );
    }
}
