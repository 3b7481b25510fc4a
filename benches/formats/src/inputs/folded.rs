//! Folded stacks: different call paths with the names and depths of a native program.

use std::collections::HashSet;
use std::fmt::Write;

use super::numbers::Numbers;

const N_FUNCTIONS: u64 = 2_000;

/// 100,000 different call paths.
pub(super) fn stacks() -> String {
    let mut paths = HashSet::new();
    lines(4, |path| {
        paths.insert(path.to_vec());
        paths.len() <= 100_000
    })
}

/// As many call paths as have 100,000 frames together in a flame graph, those that paths share counted once.
pub(super) fn frames() -> String {
    let mut frames = HashSet::new();
    lines(5, |path| {
        let n_before = frames.len();
        (1..=path.len()).for_each(|depth| _ = frames.insert(path[..depth].to_vec()));
        n_before < 100_000
    })
}

/// Lines of different paths for as long as `is_wanted` says.
fn lines(seed: u64, mut is_wanted: impl FnMut(&[u64]) -> bool) -> String {
    let mut numbers = Numbers(seed);
    let (mut text, mut seen) = (String::new(), HashSet::new());
    loop {
        let depth = 8 + numbers.below(28);
        let path = numbers.path(depth, N_FUNCTIONS, 1);
        if !seen.insert(path.clone()) {
            continue;
        }
        if !is_wanted(&path) {
            return text;
        }
        for (level, function) in path.iter().enumerate() {
            let separator = if level == 0 { "" } else { ";" };
            let _ = write!(text, "{separator}module_{}::function_{function}", function % 23);
        }
        let _ = writeln!(text, " {}", 1 + numbers.below(100));
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn there_are_a_hundred_thousand_different_stacks() {
        let text = stacks();
        let paths: HashSet<_> = text.lines().filter_map(|line| line.rsplit_once(' ')).collect();
        assert_eq!((text.lines().count(), paths.len()), (100_000, 100_000));
    }
}
