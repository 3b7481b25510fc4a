//! Which callers tell a row from the other rows of its list. Where there is no room for whole paths, these
//! stay: of `small model › decode › layer › gelu` and `medium model › decode › layer › gelu` the first name
//! is the one that matters, although it is the farthest from the leaf.

use std::collections::HashMap;

use crate::document::{Name, Row};

/// For each row, which of its callers are not shared by all rows that end in the same leaf and began alike.
pub(crate) fn telling_callers(rows: &[Row]) -> Vec<Vec<bool>> {
    let mut beginnings = Beginnings::default();
    rows.iter().for_each(|row| beginnings.add(&row.name));
    rows.iter().map(|row| beginnings.telling(&row.name)).collect()
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
    fn add(&mut self, name: &'n Name) {
        let mut at = *self.roots.entry(&name.leaf).or_insert_with(|| {
            self.n_ways.push(0);
            self.n_ways.len() - 1
        });
        for step in name.callers.iter().map(|caller| Some(caller.as_str())).chain([None]) {
            let n_known = self.n_ways.len();
            let next = *self.next.entry((at, step)).or_insert(n_known);
            if next == n_known {
                self.n_ways[at] += 1;
                self.n_ways.push(0);
            }
            at = next;
        }
    }

    fn telling(&self, name: &'n Name) -> Vec<bool> {
        let mut at = self.roots[name.leaf.as_str()];
        name.callers
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

    fn row(path: &str) -> Row {
        let mut callers: Vec<String> = path.split('/').map(str::to_owned).collect();
        let leaf = callers.pop().expect("a path has a leaf");
        Row::new(Name { callers, leaf, ..Name::default() }, Vec::new())
    }

    #[test]
    fn callers_that_differ_between_rows_of_one_leaf_are_telling() {
        let rows =
            ["small/decode/layer/gelu", "medium/decode/layer/gelu", "medium/prefill/layer/gelu"].map(row);
        let expected = [[true, false, false], [true, true, false], [true, true, false]];
        assert_eq!(telling_callers(&rows), expected);
    }

    #[test]
    fn rows_of_other_leaves_do_not_matter() {
        let rows = ["small/run/gelu", "medium/run/matmul", "load"].map(row);
        assert_eq!(telling_callers(&rows), [vec![false, false], vec![false, false], vec![]]);
    }

    #[test]
    fn a_caller_between_is_telling_where_the_other_path_has_none() {
        let rows = ["run/gelu", "run/layer/gelu"].map(row);
        assert_eq!(telling_callers(&rows), [vec![false], vec![false, true]]);
    }
}
