//! Which callers tell a row from the other rows of its list. Where there is no room for whole paths, these
//! stay: of `small model › decode › layer › gelu` and `medium model › decode › layer › gelu` the first name
//! is the one that matters, although it is the farthest from the leaf.

use std::collections::HashMap;

/// For each row, which of its callers are not shared by all rows that end in the same leaf and began alike.
#[must_use]
pub fn telling_callers(rows: &[(&[String], &str)]) -> Vec<Vec<bool>> {
    let mut beginnings = Beginnings::default();
    rows.iter().for_each(|row| beginnings.add(*row));
    rows.iter().map(|row| beginnings.telling(*row)).collect()
}

/// The beginnings of all paths, those with the same leaf together.
#[derive(Default)]
struct Beginnings<'n> {
    /// How a beginning goes on: its number and the next caller, or `None` where the leaf follows.
    next: HashMap<(usize, Option<&'n str>), usize>,
    /// The beginning without any caller, for each leaf.
    roots: HashMap<&'n str, usize>,
    /// In how many ways each beginning goes on.
    n_ways: Vec<usize>,
}

impl<'n> Beginnings<'n> {
    fn add(&mut self, (callers, leaf): (&'n [String], &'n str)) {
        let mut at = *self.roots.entry(leaf).or_insert_with(|| {
            self.n_ways.push(0);
            self.n_ways.len() - 1
        });
        for step in callers.iter().map(|caller| Some(caller.as_str())).chain([None]) {
            let n_known = self.n_ways.len();
            let next = *self.next.entry((at, step)).or_insert(n_known);
            if next == n_known {
                self.n_ways[at] += 1;
                self.n_ways.push(0);
            }
            at = next;
        }
    }

    fn telling(&self, (callers, leaf): (&'n [String], &'n str)) -> Vec<bool> {
        let mut at = self.roots[leaf];
        callers
            .iter()
            .map(|caller| {
                let is_telling = self.n_ways[at] > 1;
                at = self.next[&(at, Some(caller.as_str()))];
                is_telling
            })
            .collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn telling(paths: &[&str]) -> Vec<Vec<bool>> {
        let names = paths.iter().map(|path| path.split('/').map(str::to_owned).collect());
        let names: Vec<Vec<String>> = names.collect();
        let rows = names.iter().map(|names| {
            let (leaf, callers) = names.split_last().expect("a path has a leaf");
            (callers, leaf.as_str())
        });
        telling_callers(&rows.collect::<Vec<_>>())
    }

    #[test]
    fn callers_that_differ_between_rows_of_one_leaf_are_telling() {
        let rows = ["small/decode/layer/gelu", "medium/decode/layer/gelu", "medium/prefill/layer/gelu"];
        let expected = [[true, false, false], [true, true, false], [true, true, false]];
        assert_eq!(telling(&rows), expected);
    }

    #[test]
    fn rows_of_other_leaves_do_not_matter() {
        let rows = ["small/run/gelu", "medium/run/matmul", "load"];
        assert_eq!(telling(&rows), [vec![false, false], vec![false, false], vec![]]);
    }

    #[test]
    fn a_caller_between_is_telling_where_the_other_path_has_none() {
        let rows = ["run/gelu", "run/layer/gelu"];
        assert_eq!(telling(&rows), [vec![false], vec![false, true]]);
    }
}
