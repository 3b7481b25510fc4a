//! Functions that go by another name now. Without this a function that was moved to another module is one that vanished and
//! one that is new, and the two largest changes of the list are none.

use std::collections::{BTreeMap, BTreeSet};

use calor_model::simplify;

use super::table::Row;

/// Only so many of the largest functions that have no partner are compared with each other by likeness.
const MOST: usize = 200;
/// How alike two functions have to be, of 1.
const ENOUGH: f64 = 0.6;
/// How alike their names have to be: all that one function calls can have the same neighbours.
const ENOUGH_NAME: f64 = 0.3;

/// Puts rows that are one function into one row.
pub(super) fn join_renamed(rows: &mut Vec<Row>) {
    let missing = |side: usize| (0..rows.len()).filter(|at| !rows[*at].is_there[side]).collect();
    let (mut vanished, mut new): (Vec<usize>, Vec<usize>) = (missing(1), missing(0));
    if vanished.is_empty() || new.is_empty() {
        return;
    }
    let mut pairs = by_plain_name(rows, &vanished, &new);
    let [former, now]: [BTreeSet<usize>; 2] =
        [pairs.iter().map(|pair| pair.0).collect(), pairs.iter().map(|pair| pair.1).collect()];
    vanished.retain(|at| !former.contains(at));
    new.retain(|at| !now.contains(at));
    pairs.extend(by_likeness(rows, vanished, new));
    for (former, now) in &pairs {
        let former = rows[*former].clone();
        rows[*now].absorb_former(former);
    }
    let gone: BTreeSet<usize> = pairs.iter().map(|pair| pair.0).collect();
    let mut at = 0;
    rows.retain(|_| {
        at += 1;
        !gone.contains(&(at - 1))
    });
}

/// Those that differ in nothing but hashes, generic arguments, numbers of closures, module or file, where that tells one from
/// all others.
fn by_plain_name(rows: &[Row], vanished: &[usize], new: &[usize]) -> Vec<(usize, usize)> {
    let mut found: BTreeMap<String, [Vec<usize>; 2]> = BTreeMap::new();
    for (side, list) in [vanished, new].into_iter().enumerate() {
        for at in list {
            found.entry(plain(&rows[*at].function.name)).or_default()[side].push(*at);
        }
    }
    found
        .into_values()
        .filter_map(|[vanished, new]| match (&vanished[..], &new[..]) {
            ([former], [now]) => Some((*former, *now)),
            _ => None,
        })
        .collect()
}

/// Those with the same neighbours and much of the same name, the most alike first.
fn by_likeness(rows: &[Row], vanished: Vec<usize>, new: Vec<usize>) -> Vec<(usize, usize)> {
    let largest = |mut list: Vec<usize>, side: usize| {
        list.retain(|at| rows[*at].total(side) > 0.0);
        list.sort_by(|a, b| rows[*b].total(side).total_cmp(&rows[*a].total(side)).then(a.cmp(b)));
        list.truncate(MOST);
        list
    };
    let (vanished, new) = (largest(vanished, 0), largest(new, 1));
    let mut candidates: Vec<(f64, usize, usize)> = Vec::new();
    for former in &vanished {
        for now in &new {
            let likeness = likeness(&rows[*former], &rows[*now]);
            if likeness >= ENOUGH {
                candidates.push((likeness, *former, *now));
            }
        }
    }
    candidates.sort_by(|a, b| b.0.total_cmp(&a.0).then((a.1, a.2).cmp(&(b.1, b.2))));
    let mut pairs: Vec<(usize, usize)> = Vec::new();
    for (_, former, now) in candidates {
        if pairs.iter().all(|pair| pair.0 != former && pair.1 != now) {
            pairs.push((former, now));
        }
    }
    pairs
}

fn likeness(former: &Row, now: &Row) -> f64 {
    let ratio = now.mean(1) / former.mean(0);
    if !(0.33..=3.0).contains(&ratio) {
        return 0.0;
    }
    let name = name_likeness(&former.function.name, &now.function.name);
    if name < ENOUGH_NAME {
        return 0.0;
    }
    let [a, b] =
        [former, now].map(|row| row.neighbours.iter().map(|name| plain(name)).collect::<BTreeSet<_>>());
    let common = a.intersection(&b).count() as f64;
    let neighbours = if a.is_empty() || b.is_empty() { 0.0 } else { common / a.union(&b).count() as f64 };
    let is_same = |a: &Option<String>, b: &Option<String>| f64::from(u8::from(a.is_some() && a == b));
    let place = is_same(&former.function.file, &now.function.file)
        .max(is_same(&former.function.module, &now.function.module));
    0.5 * neighbours + 0.4 * name + 0.1 * place
}

/// The part of pairs of letters that two names share (Dice).
fn name_likeness(a: &str, b: &str) -> f64 {
    let pairs = |name: &str| {
        let name = plain(name);
        let last = name.rsplit("::").next().unwrap_or_default().as_bytes();
        let mut pairs: Vec<[u8; 2]> = last.windows(2).map(|pair| [pair[0], pair[1]]).collect();
        pairs.sort_unstable();
        pairs
    };
    let (a, mut b) = (pairs(a), pairs(b));
    let n_all = a.len() + b.len();
    let mut n_common = 0;
    for pair in &a {
        if let Ok(at) = b.binary_search(pair) {
            b.remove(at);
            n_common += 1;
        }
    }
    if n_all == 0 { 0.0 } else { 2.0 * f64::from(n_common) / n_all as f64 }
}

/// The name without what changes from build to build.
fn plain(name: &str) -> String {
    let simple = simplify(name);
    // Python's and JavaScript's anonymous functions are named by their line.
    simple
        .rsplit_once(':')
        .filter(|(_, end)| end.parse::<u32>().is_ok())
        .map_or(&*simple, |(start, _)| start)
        .to_owned()
}

#[cfg(test)]
mod tests {
    use super::super::table;
    use super::super::{FunctionFigures, FunctionName, RunFigures};
    use super::*;

    fn run(functions: &[(&str, f64, &[&str])]) -> RunFigures {
        let figures = functions.iter().map(|(name, value, neighbours)| FunctionFigures {
            function: FunctionName { name: (*name).to_owned(), ..FunctionName::default() },
            value: *value,
            neighbours: neighbours.iter().map(|name| (*name).to_owned()).collect(),
            ..FunctionFigures::default()
        });
        RunFigures::new(figures.collect())
    }

    fn joined(
        before: &[(&str, f64, &[&str])],
        after: &[(&str, f64, &[&str])],
    ) -> Vec<(String, Option<String>)> {
        let mut rows = table::rows([&[run(before)], &[run(after)]], |run| &run.functions);
        join_renamed(&mut rows);
        rows.into_iter().map(|row| (row.function.name, row.renamed_from.map(|former| former.name))).collect()
    }

    fn row(name: &str, former: Option<&str>) -> (String, Option<String>) {
        (name.to_owned(), former.map(str::to_owned))
    }

    #[test]
    fn hashes_and_generics_make_no_new_function() {
        let found = joined(
            &[("a::run::h0123456789abcdef", 5.0, &[]), ("a::map::<u8>", 2.0, &[]), ("main", 1.0, &[])],
            &[("a::run::hfedcba9876543210", 6.0, &[]), ("a::map::<u16>", 2.0, &[]), ("main", 1.0, &[])],
        );
        let expected = [
            row("main", None),
            row("a::run::hfedcba9876543210", Some("a::run::h0123456789abcdef")),
            row("a::map::<u16>", Some("a::map::<u8>")),
        ];
        assert_eq!(found, expected);
    }

    #[test]
    fn one_with_the_same_neighbours_and_half_its_name_is_the_same_function() {
        let neighbours: &[&str] = &["main", "read", "hash"];
        let found = joined(
            &[("parse_line", 5.0, neighbours), ("sum", 4.0, &["main", "add"])],
            &[("parse_line_fast", 4.0, neighbours), ("write_all", 4.0, &["flush", "lock"])],
        );
        let expected = [row("sum", None), row("parse_line_fast", Some("parse_line")), row("write_all", None)];
        assert_eq!(found, expected);
    }

    #[test]
    fn one_of_another_name_is_another_whatever_its_neighbours_are() {
        let run = |name: &str| {
            let mut run = run(&[(name, 5.0, &["malloc"])]);
            run.functions[0].function.module = Some("libc.so.6".to_owned());
            run
        };
        let mut rows = table::rows([&[run("tcache_get")], &[run("_int_malloc")]], |run| &run.functions);
        join_renamed(&mut rows);
        assert_eq!(rows.len(), 2);
    }

    #[test]
    fn one_that_takes_ten_times_as_long_is_another() {
        let neighbours: &[&str] = &["main", "read", "hash"];
        let found = joined(&[("parse_line", 5.0, neighbours)], &[("parse_line_2", 50.0, neighbours)]);
        assert_eq!(found.len(), 2);
    }
}
