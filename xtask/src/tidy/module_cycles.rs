//! In the crates listed here the modules below `lib.rs` use each other in one direction only: what drives others knows
//! them, and none of them knows it. So each can be read, tested and one day taken out without the rest.

use std::collections::{BTreeMap, BTreeSet};

use super::Problem;
use crate::repository::{File, Repository};

/// Crates without such a cycle. One that has been freed of its cycles is added, and none is taken away.
const LAYERED: &[&str] =
    &["calor-cpython", "calor-gpu", "calor-paths", "calor-record", "calor-symbols", "calor-workloads"];

/// Where one module uses another for the first time.
type Uses<'a> = BTreeMap<&'a str, BTreeMap<String, (&'a str, usize)>>;

pub(super) fn check(repository: &Repository, problems: &mut Vec<Problem>) {
    for name in LAYERED {
        let source = format!("crates/{name}/src/");
        let uses = uses(repository, &source);
        for (&module, used) in &uses {
            for (other, &(path, line)) in used {
                // Each cycle is told once: where its first module by name uses the next.
                let Some(way) = way_back(&uses, other, module) else { continue };
                if way[..way.len() - 1].iter().all(|between| *between > module) {
                    let what = format!(
                        "the modules {module} -> {} of {name} use each other: move what both need below them, or \
                         call from above",
                        way.join(" -> ")
                    );
                    problems.push(Problem::new(path, line, what));
                }
            }
        }
    }
}

/// The modules from one to another that uses it in the end; both of them are in it, the second as the last.
fn way_back<'a>(uses: &'a Uses<'_>, from: &'a str, to: &'a str) -> Option<Vec<&'a str>> {
    let mut met = BTreeSet::new();
    let mut ways = vec![vec![from]];
    while let Some(way) = ways.pop() {
        let last = *way.last()?;
        if last == to {
            return Some(way);
        }
        if met.insert(last) {
            let next = uses.get(last).into_iter().flat_map(BTreeMap::keys);
            ways.extend(next.map(|next| [way.as_slice(), &[next.as_str()]].concat()));
        }
    }
    None
}

fn uses<'a>(repository: &'a Repository, source: &str) -> Uses<'a> {
    let files = || repository.files.iter().filter(|file| file.path.starts_with(source));
    let modules: BTreeSet<&str> = files().filter_map(|file| module_of(&file.path, source)).collect();
    let root = repository.file(&format!("{source}lib.rs"));
    let shown = root.map(shown_at_the_root).unwrap_or_default();
    let mut uses = Uses::new();
    for file in files() {
        let Some(module) = module_of(&file.path, source) else { continue };
        for (line, name) in names_after_crate(file) {
            let other =
                if modules.contains(name) { name } else { shown.get(name).copied().unwrap_or(module) };
            if other != module {
                uses.entry(module).or_default().entry(other.to_owned()).or_insert((&file.path, line));
            }
        }
    }
    uses
}

/// The module right below `lib.rs` that a file belongs to.
fn module_of<'a>(path: &'a str, source: &str) -> Option<&'a str> {
    let rest = path.strip_prefix(source)?;
    let first = rest.split('/').next()?;
    (!matches!(first, "lib.rs" | "main.rs")).then(|| first.trim_end_matches(".rs"))
}

/// The names that `lib.rs` shows at the root, with the modules they come from.
fn shown_at_the_root(file: &File) -> BTreeMap<&str, &str> {
    let mut shown = BTreeMap::new();
    for exported in file.text.split("pub use ").skip(1) {
        let exported = exported.split(';').next().unwrap_or_default();
        let Some((module, names)) = exported.split_once("::") else { continue };
        shown.extend(words(names).map(|name| (name, module)));
    }
    shown
}

/// What stands behind `crate::` in product code, with its line.
fn names_after_crate(file: &File) -> impl Iterator<Item = (usize, &str)> {
    const PREFIX: &str = "crate::";
    let tests = file.first_test_line();
    file.text.match_indices(PREFIX).flat_map(move |(at, _)| {
        let line = file.text[..at].matches('\n').count() + 1;
        let rest = &file.text[at + PREFIX.len()..];
        let group = if rest.starts_with('{') { rest.split(';').next().unwrap_or_default() } else { "" };
        let names = if group.is_empty() { words(rest).take(1) } else { words(group).take(usize::MAX) };
        names.filter(move |_| line < tests).map(move |name| (line, name))
    })
}

fn words(text: &str) -> impl Iterator<Item = &str> {
    text.split(|c: char| c != '_' && !c.is_alphanumeric()).filter(|word| !word.is_empty())
}

#[cfg(test)]
mod tests {
    use super::super::check_rule;
    use super::*;

    #[track_caller]
    fn check_modules(files: &[(&str, &str)], expect: &[&str]) {
        let path = |name: &str| format!("crates/calor-record/src/{name}");
        let files: Vec<(String, &str)> = files.iter().map(|(name, text)| (path(name), *text)).collect();
        let files: Vec<(&str, &str)> = files.iter().map(|(path, text)| (path.as_str(), *text)).collect();
        check_rule(check, &files, expect);
    }

    #[test]
    fn modules_may_use_each_other_in_one_direction() {
        check_modules(&[("hall.rs", "use crate::room::Chair;"), ("room/mod.rs", "use super::wall;")], &[]);
    }

    #[test]
    fn two_modules_that_use_each_other_are_named_once() {
        let files =
            [("hall.rs", "use crate::room::Chair;"), ("room/table.rs", "//! A table.\nuse crate::hall;")];
        let expect = "crates/calor-record/src/hall.rs:1: the modules hall -> room -> hall of calor-record";
        check_modules(&files, &[expect]);
    }

    #[test]
    fn a_longer_way_round_is_a_cycle_too_and_so_is_one_by_names_of_the_root() {
        let files = [
            ("lib.rs", "pub use door::{\n    Door,\n    Key,\n};"),
            ("door.rs", "use crate::{hall, lock::Lock};"),
            ("hall.rs", "fn room() -> crate::room::Room {}"),
            ("room.rs", "use crate::Key;"),
            ("lock.rs", ""),
        ];
        check_modules(
            &files,
            &["crates/calor-record/src/door.rs:1: the modules door -> hall -> room -> door"],
        );
    }

    #[test]
    fn what_tests_use_is_free() {
        let room = "//! A room.\n#[cfg(test)]\nmod tests {\n    use crate::hall;\n}";
        check_modules(&[("hall.rs", "use crate::room;"), ("room.rs", room)], &[]);
    }
}
