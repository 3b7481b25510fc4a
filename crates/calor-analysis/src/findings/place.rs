//! Where a finding is: a function with its file and line, and the call path that leads there.

/// A place in the program that somebody can go to and change.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Place {
    /// The function; `(whole program)` where the finding is about all of it.
    pub function: String,
    /// Its source file, where known.
    pub file: Option<String>,
    /// The line in that file.
    pub line: Option<u32>,
    /// The functions that lead there, outermost first, itself last; empty for the whole program.
    pub path: Vec<String>,
    /// Whether it is the program's own code, not a library's or the system's.
    pub is_programs: bool,
}

impl Place {
    /// The function name of findings that are about the program as a whole.
    pub const WHOLE_PROGRAM: &'static str = "(whole program)";

    /// All of the program: for what is changed by a setting and not at a line.
    #[must_use]
    pub fn whole_program() -> Self {
        Self { function: Self::WHOLE_PROGRAM.to_owned(), is_programs: true, ..Self::default() }
    }

    /// `file:line`, or what is known of it.
    #[must_use]
    pub fn source(&self) -> Option<String> {
        let file = self.file.as_deref()?;
        Some(self.line.map_or_else(|| file.to_owned(), |line| format!("{file}:{line}")))
    }

    /// Whether it is the same function.
    #[must_use]
    pub fn is_same(&self, other: &Self) -> bool {
        self.function == other.function && self.file == other.file
    }

    /// Whether a cause here may be the cause of a symptom there: it is the same function, one lies on the path to the other,
    /// or one is about the whole program.
    #[must_use]
    pub fn is_related(&self, other: &Self) -> bool {
        self.is_same(other) || self.path.starts_with(&other.path) || other.path.starts_with(&self.path)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(path: &[&str]) -> Place {
        Place {
            function: path[path.len() - 1].to_owned(),
            path: path.iter().map(|name| (*name).to_owned()).collect(),
            ..Place::default()
        }
    }

    #[test]
    fn places_of_one_path_or_one_function_are_related() {
        let (caller, callee) = (at(&["main", "run"]), at(&["main", "run", "parse"]));
        assert!(caller.is_related(&callee) && callee.is_related(&caller));
        assert!(callee.is_related(&at(&["test", "parse"])));
        assert!(!callee.is_related(&at(&["main", "run", "write"])));
        assert!(callee.is_related(&Place::whole_program()));
        let elsewhere = Place { file: Some("other.py".to_owned()), ..at(&["test", "parse"]) };
        assert!(!callee.is_related(&elsewhere));
    }

    #[test]
    fn a_source_is_told_as_far_as_it_is_known() {
        let known = Place { file: Some("a.py".to_owned()), line: Some(3), ..at(&["f"]) };
        assert_eq!(known.source().as_deref(), Some("a.py:3"));
        assert_eq!(Place { line: None, ..known }.source().as_deref(), Some("a.py"));
        assert_eq!(at(&["f"]).source(), None);
    }
}
