//! Rows of one name that are different functions: Python has a `forward` or a `<module>` in file after file. The file
//! stands behind the name where it tells rows apart, and only there.

use std::collections::{BTreeSet, HashMap};

use crate::document::Row;

/// Puts files behind the names of rows that read alike and are of different files.
pub(crate) fn tell_apart(rows: &mut [Row]) {
    let mut files: HashMap<(&[String], &str), BTreeSet<&str>> = HashMap::new();
    for row in rows.iter() {
        let known = files.entry((&row.name.callers, &row.name.leaf)).or_default();
        known.extend(row.name.file.as_deref());
    }
    let ends: Vec<Option<String>> = rows
        .iter()
        .map(|row| {
            let namesakes = &files[&(row.name.callers.as_slice(), row.name.leaf.as_str())];
            let file = row.name.file.as_deref().filter(|_| namesakes.len() > 1)?;
            Some(format!(" ({})", telling_end(file, namesakes)))
        })
        .collect();
    for (row, end) in rows.iter_mut().zip(ends) {
        if let Some(end) = end {
            row.name.leaf.push_str(&end);
            row.name.n_telling = end.len();
        }
    }
}

/// The name of a file, with as many of its folders as no other file has in common with it.
fn telling_end<'f>(file: &'f str, all: &BTreeSet<&str>) -> &'f str {
    let mut ends = file.rmatch_indices('/').map(|(at, _)| &file[at + 1..]);
    let is_telling = |end: &&str| all.iter().filter(|other| **other != file).all(|other| !is_end(other, end));
    ends.find(is_telling).unwrap_or(file)
}

/// Whether a path is, or ends in, these folders and this file.
fn is_end(path: &str, end: &str) -> bool {
    path.strip_suffix(end).is_some_and(|before| before.is_empty() || before.ends_with('/'))
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::document::Name;

    fn told_apart(rows: &[(&str, Option<&str>)]) -> Vec<String> {
        let row = |(leaf, file): &(&str, Option<&str>)| {
            Row::new(Name { file: file.map(str::to_owned), ..Name::plain(*leaf) }, Vec::new())
        };
        let mut rows: Vec<Row> = rows.iter().map(row).collect();
        tell_apart(&mut rows);
        rows.into_iter().map(|row| row.name.leaf).collect()
    }

    #[test]
    fn files_stand_behind_names_that_two_files_have() {
        let rows = [
            ("forward", Some("/app/ma.py")),
            ("forward", Some("/app/mb.py")),
            ("fit", Some("/app/ma.py")),
            ("forward", None),
        ];
        assert_eq!(told_apart(&rows), ["forward (ma.py)", "forward (mb.py)", "fit", "forward"]);
    }

    #[test]
    fn files_of_one_name_are_told_by_their_folders() {
        let rows = [
            ("<module>", Some("/lib/json/__init__.py")),
            ("<module>", Some("/lib/re/__init__.py")),
            ("<module>", Some("/app/main.py")),
            ("<module>", Some("__init__.py")),
        ];
        let expected = [
            "<module> (json/__init__.py)",
            "<module> (re/__init__.py)",
            "<module> (main.py)",
            "<module> (__init__.py)",
        ];
        assert_eq!(told_apart(&rows), expected);
    }
}
