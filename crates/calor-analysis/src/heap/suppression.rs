//! Leaks that are known and meant to be: lines of a file, as sanitizers have them, so that one that is there already
//! can be used as it is.

use calor_model::{Profile, StackId};

use crate::Error;

/// Patterns for call paths whose leaks are not listed. A line is `leak:PATTERN`, and what stands behind `#` is a
/// remark. A pattern is found anywhere in the name of a function, of its module or of its source file, of any frame of
/// a path; `*` stands for any text, `^` at its beginning and `$` at its end for those of the name.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Suppressions {
    patterns: Vec<String>,
}

impl Suppressions {
    /// Reads the lines of a file.
    ///
    /// # Errors
    /// When a line is neither a remark nor `leak:PATTERN`.
    pub fn parse(text: &str) -> Result<Self, Error> {
        let mut patterns = Vec::new();
        for (index, line) in text.lines().enumerate() {
            let line = line.trim();
            if line.is_empty() || line.starts_with('#') {
                continue;
            }
            match line.split_once(':') {
                Some(("leak", pattern)) if !pattern.trim().is_empty() => {
                    patterns.push(pattern.trim().to_owned());
                }
                _ => return Err(Error::Suppression { line: index + 1, found: line.to_owned() }),
            }
        }
        Ok(Self { patterns })
    }

    /// The patterns, in the order of their lines.
    #[must_use]
    pub fn patterns(&self) -> &[String] {
        &self.patterns
    }

    /// For each call path the first pattern that fits it, by its place among them.
    pub(super) fn by_path(&self, profile: &Profile) -> Vec<Option<usize>> {
        if self.patterns.is_empty() {
            return vec![None; profile.stacks.len()];
        }
        // Each frame is looked at once, however many paths hold it.
        let of_frame: Vec<Option<usize>> = profile
            .frames
            .iter()
            .map(|(_, frame)| {
                let names = [Some(frame.name), frame.module, frame.file];
                let fits = |pattern: &String| {
                    names.iter().flatten().any(|name| fits(pattern, profile.strings.get(*name)))
                };
                self.patterns.iter().position(fits)
            })
            .collect();
        let mut of_path: Vec<Option<usize>> = Vec::with_capacity(profile.stacks.len());
        for (_, stack) in profile.stacks.iter() {
            let caller: Option<usize> = stack.parent.and_then(|parent: StackId| of_path[parent.index()]);
            let own = of_frame[stack.frame.index()];
            of_path.push(match (caller, own) {
                (Some(caller), Some(own)) => Some(caller.min(own)),
                (caller, own) => caller.or(own),
            });
        }
        of_path
    }
}

/// Whether a pattern fits a name.
fn fits(pattern: &str, name: &str) -> bool {
    let (pattern, is_at_start) = pattern.strip_prefix('^').map_or((pattern, false), |rest| (rest, true));
    let (pattern, is_at_end) = pattern.strip_suffix('$').map_or((pattern, false), |rest| (rest, true));
    let parts: Vec<&str> = pattern.split('*').collect();
    let (first, last) = (parts[0], parts[parts.len() - 1]);
    if parts.len() == 1 {
        return match (is_at_start, is_at_end) {
            (true, true) => name == first,
            (true, false) => name.starts_with(first),
            (false, true) => name.ends_with(first),
            (false, false) => name.contains(first),
        };
    }
    let mut rest = name;
    if is_at_start {
        let Some(after) = rest.strip_prefix(first) else { return false };
        rest = after;
    }
    if is_at_end {
        let Some(before) = rest.strip_suffix(last) else { return false };
        rest = before;
    }
    let between = &parts[usize::from(is_at_start)..parts.len() - usize::from(is_at_end)];
    between.iter().all(|part| match rest.find(part) {
        Some(at) => {
            rest = &rest[at + part.len()..];
            true
        }
        None => false,
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_pattern_is_found_anywhere_unless_it_is_tied_to_an_end() {
        for (pattern, name, expected) in [
            ("cache", "my_cache_fill", true),
            ("cache*fill", "my_cache_do_fill_it", true),
            ("fill*cache", "my_cache_fill", false),
            ("^cache", "my_cache", false),
            ("^my_*", "my_cache", true),
            ("cache$", "my_cache", true),
            ("cache$", "my_cache_fill", false),
            ("^my*fill$", "my_cache_fill", true),
            ("^my*fill$", "my_cache_fill2", false),
            ("^ab*ba$", "aba", false),
            ("^exactly$", "exactly", true),
            ("*", "", true),
            ("libfontconfig", "/usr/lib/libfontconfig.so.1", true),
        ] {
            assert_eq!(fits(pattern, name), expected, "{pattern:?} on {name:?}");
        }
    }

    #[test]
    fn a_file_has_remarks_and_patterns_and_everything_else_is_refused_with_its_line() {
        let read = Suppressions::parse("# known\n\nleak:init_once\r\n  leak: lib*.so \n").unwrap();
        assert_eq!(read.patterns(), ["init_once", "lib*.so"]);
        for (text, line) in [("leak:a\nrace:b", 2), ("leak:", 1), ("init_once", 1)] {
            let error = Suppressions::parse(text).unwrap_err().to_string();
            assert!(error.contains(&format!("line {line}")) && error.contains("leak:"), "{error}");
        }
    }
}
