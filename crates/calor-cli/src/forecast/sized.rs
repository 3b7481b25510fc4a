//! Sizes as they are typed: before a file's name, in a label, and behind `--at`.

use std::path::PathBuf;

use anyhow::{Result, anyhow};
use calor_model::Profile;

/// A file, and its size where that was typed.
#[derive(PartialEq, Debug)]
pub(super) struct SizedFile {
    pub(super) size: Option<f64>,
    pub(super) path: PathBuf,
}

impl SizedFile {
    /// `n=1000:a.calor`, or a plain name; what does not begin with the name of the size is a file.
    pub(super) fn parse(given: &str, name: &str) -> Self {
        let sized = given
            .strip_prefix(name)
            .and_then(|rest| rest.strip_prefix('='))
            .and_then(|rest| rest.split_once(':'))
            .and_then(|(size, path)| Some((number(size)?, path)));
        match sized {
            Some((size, path)) => Self { size: Some(size), path: PathBuf::from(path) },
            None => Self { size: None, path: PathBuf::from(given) },
        }
    }
}

/// What is asked for: the name of the size, and which.
#[derive(Clone, PartialEq, Debug)]
pub(crate) struct Target {
    pub(super) name: String,
    pub(super) size: Size,
}

/// A size, or so many times the largest measured.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) enum Size {
    Number(f64),
    Times(f64),
}

impl Size {
    pub(super) fn at(self, largest: f64) -> f64 {
        match self {
            Self::Number(size) => size,
            Self::Times(times) => times * largest,
        }
    }
}

/// `n=4x` or `n=8192`.
pub(crate) fn target(given: &str) -> Result<Target, String> {
    let expected = || "expected the name of the size and which, such as n=4x or n=8192".to_owned();
    let (name, size) = given.split_once('=').filter(|(name, _)| !name.is_empty()).ok_or_else(expected)?;
    let times = size.strip_suffix(['x', 'X']);
    let size = match times {
        Some(times) => number(times).map(Size::Times),
        None => number(size).map(Size::Number),
    };
    Ok(Target { name: name.to_owned(), size: size.ok_or_else(expected)? })
}

/// The size that a profile's label tells; an error when the label is no number.
pub(super) fn label(profile: &Profile, name: &str) -> Result<Option<f64>> {
    let Some(text) = profile.runs.iter().find_map(|run| run.labels.get(name)) else { return Ok(None) };
    let size = number(text);
    size.map(Some).ok_or_else(|| anyhow!("the label {name}={text} is no size: expected a number above 0"))
}

fn number(text: &str) -> Option<f64> {
    text.trim().replace('_', "").parse::<f64>().ok().filter(|size| size.is_finite() && *size > 0.0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_size_stands_before_the_name_of_its_file() {
        let parsed = |given| SizedFile::parse(given, "n");
        let file = |size, path: &str| SizedFile { size, path: PathBuf::from(path) };
        assert_eq!(parsed("n=1_000:a.calor"), file(Some(1000.0), "a.calor"));
        assert_eq!(parsed("n=2:store:latest"), file(Some(2.0), "store:latest"));
        for plain in ["a.calor", "n=x:a.calor", "m=2:a.calor", "store:latest", "n=0:a"] {
            assert_eq!(parsed(plain), file(None, plain));
        }
    }

    #[test]
    fn a_target_is_a_number_or_so_many_times_the_largest() {
        let at = |given: &str| target(given).map(|target| target.size.at(100.0));
        assert_eq!((at("n=4x"), at("n=1e3")), (Ok(400.0), Ok(1000.0)));
        for wrong in ["4x", "n=", "=4x", "n=x", "n=-1", "n=0x", "n=inf"] {
            assert!(at(wrong).is_err_and(|error| error.contains("n=4x")), "{wrong}");
        }
    }
}
