//! Figures of paths with what they call: for readers who ask where a request spends its time, and not which code is slow. Such
//! figures overlap, so they do not add up to the whole.

use calor_model::{Profile, StackId};

use super::profile_figures::{FunctionNumbers, Sum};

/// What each path took with the paths below it; nothing where its function is on the way to it already, for that has it.
pub(super) fn with_callees(profile: &Profile, numbers: &FunctionNumbers, mut sums: Vec<Sum>) -> Vec<Sum> {
    // Callers come before what they call.
    let parents: Vec<Option<StackId>> = profile.stacks.iter().map(|(_, stack)| stack.parent).collect();
    for (at, parent) in parents.iter().enumerate().rev() {
        if let Some(parent) = parent {
            let below = Sum { calls: None, ..sums[at] };
            sums[parent.index()].add(below);
        }
    }
    let mut children: Vec<Vec<usize>> = vec![Vec::new(); parents.len()];
    let mut number_of_path = Vec::with_capacity(parents.len());
    let mut waiting = Vec::new();
    for (id, stack) in profile.stacks.iter() {
        number_of_path.push(numbers.of(stack.frame));
        match stack.parent {
            Some(parent) => children[parent.index()].push(id.index()),
            None => waiting.push((id.index(), true)),
        }
    }
    // How often each function is on the way: one look tells whether it is, however deep a path is.
    let mut n_entered = vec![0_u32; numbers.names.len()];
    while let Some((at, is_entered)) = waiting.pop() {
        let n_above = &mut n_entered[number_of_path[at]];
        if !is_entered {
            *n_above -= 1;
            continue;
        }
        if *n_above > 0 {
            sums[at] = Sum { value: 0.0, samples: None, ..sums[at] };
        }
        *n_above += 1;
        waiting.push((at, false));
        waiting.extend(children[at].iter().map(|child| (*child, true)));
    }
    sums
}
