//! Functions of one name that are different ones: Python has a `forward` or a `<module>` in file after file. What tells them
//! apart is the end of their file's path, and only where there are several.

use std::collections::{BTreeSet, HashMap};

/// For each name and file of a list, the end of the file's path that no other file of the same name has; `None` where no
/// other file has the name, or the file is not known.
#[must_use]
pub fn telling_files<'n, K: Eq + std::hash::Hash>(names: &[(K, Option<&'n str>)]) -> Vec<Option<&'n str>> {
    let mut files: HashMap<&K, BTreeSet<&str>> = HashMap::new();
    for (name, file) in names {
        files.entry(name).or_default().extend(file);
    }
    let end = |(name, file): &(K, Option<&'n str>)| {
        let namesakes = &files[name];
        file.filter(|_| namesakes.len() > 1).map(|file| telling_end(file, namesakes))
    };
    names.iter().map(end).collect()
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

    #[test]
    fn files_stand_behind_names_that_two_files_have() {
        let names = [
            ("forward", Some("/app/ma.py")),
            ("forward", Some("/app/mb.py")),
            ("fit", Some("/app/ma.py")),
            ("forward", None),
        ];
        assert_eq!(telling_files(&names), [Some("ma.py"), Some("mb.py"), None, None]);
    }

    #[test]
    fn files_of_one_name_are_told_by_their_folders() {
        let files = ["/lib/json/__init__.py", "/lib/re/__init__.py", "/app/main.py", "__init__.py"];
        let names = files.map(|file| ("<module>", Some(file)));
        let expected = ["json/__init__.py", "re/__init__.py", "main.py", "__init__.py"];
        assert_eq!(telling_files(&names), expected.map(Some));
    }
}
