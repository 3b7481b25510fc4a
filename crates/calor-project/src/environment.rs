//! The variables of the environment that a project depends on, read once: whoever has two projects gives each its own.

use std::ffi::OsString;
use std::path::PathBuf;

/// What the environment says of a project.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Environment {
    /// The folder of the store, from `CALOR_STORE`.
    pub store: Option<PathBuf>,
    /// The branch that a builder checked out without saying so to git.
    pub branch: Option<String>,
    /// Who is at the keyboard.
    pub user: Option<String>,
}

impl Environment {
    /// As this process has it.
    #[must_use]
    pub fn of_process() -> Self {
        Self::read(|name| std::env::var_os(name))
    }

    /// As somebody says who knows a variable by its name.
    pub fn read(variable: impl Fn(&str) -> Option<OsString>) -> Self {
        let path = |name| variable(name).filter(|value| !value.is_empty()).map(PathBuf::from);
        let first = |names: &[&str]| {
            let texts = names.iter().filter_map(|name| variable(name)?.into_string().ok());
            texts.into_iter().find(|text| !text.is_empty())
        };
        Self {
            store: path("CALOR_STORE"),
            branch: first(&["GITHUB_HEAD_REF", "GITHUB_REF_NAME", "CI_COMMIT_REF_NAME"]),
            user: first(&["USER", "LOGNAME", "USERNAME"]),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_variable_without_a_value_says_nothing() {
        let read = |known: &'static [(&str, &str)]| {
            Environment::read(|name| {
                known.iter().find(|(other, _)| *other == name).map(|(_, value)| OsString::from(value))
            })
        };
        assert_eq!(read(&[("CALOR_STORE", ""), ("USER", "")]), Environment::default());
        let found =
            read(&[("CALOR_STORE", "kept"), ("USER", ""), ("LOGNAME", "me"), ("GITHUB_REF_NAME", "x")]);
        assert_eq!(found.store, Some(PathBuf::from("kept")));
        assert_eq!((found.user.as_deref(), found.branch.as_deref()), (Some("me"), Some("x")));
    }
}
