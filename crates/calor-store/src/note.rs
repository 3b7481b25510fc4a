//! What is told with a save because the profile does not know it.

use std::collections::BTreeMap;

use crate::{Error, Revision};

/// What a profile does not know of itself.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
#[non_exhaustive]
pub struct Note {
    /// What the run is called in lists; without it, the name of the program.
    pub name: Option<String>,
    /// The state of the sources. A commit that the profile knows itself wins.
    pub revision: Revision,
    /// Labels, beside those of the profile.
    pub labels: BTreeMap<String, String>,
    /// How it was recorded, such as `rate` and `heap`: runs that differ in this are hard to compare.
    pub settings: BTreeMap<String, String>,
    /// When it is saved, in nanoseconds since 1970; without it, now.
    pub saved_at_unix_nanos: Option<u64>,
}

impl Note {
    /// The same with a label more.
    #[must_use]
    pub fn label(mut self, key: &str, value: &str) -> Self {
        self.labels.insert(key.to_owned(), value.to_owned());
        self
    }
}

/// Takes `KEY=VALUE` apart.
///
/// # Errors
/// When it is none, or the key could not be asked for later.
pub fn check_label(given: &str) -> Result<(String, String), Error> {
    let wrong = || Error::Label { given: given.to_owned() };
    let (key, value) = given.split_once('=').ok_or_else(wrong)?;
    let is_letter = |letter: char| letter.is_alphanumeric() || "._-/".contains(letter);
    if !key.starts_with(char::is_alphabetic) || !key.chars().all(is_letter) || value.is_empty() {
        return Err(wrong());
    }
    Ok((key.to_owned(), value.to_owned()))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn labels_are_a_key_and_a_value() {
        let pair = |key: &str, value: &str| Some((key.to_owned(), value.to_owned()));
        for (given, expected) in [
            ("build=fast", pair("build", "fast")),
            ("a.b/c-d_e=x=y z", pair("a.b/c-d_e", "x=y z")),
            ("build", None),
            ("build=", None),
            ("=fast", None),
            ("two words=x", None),
            ("commit:a=b", None),
            ("7=x", None),
        ] {
            assert_eq!(check_label(given).ok(), expected, "{given}");
        }
    }
}
