//! Sizes as they are typed: before a file's name, in a label, and behind `--at`.

use std::path::{Path, PathBuf};

use anyhow::{Result, anyhow, bail};
use calor_analysis::SizedRun;
use calor_model::{Profile, Warning};

use crate::ab::parsed_size;

/// A file, and its size where that was typed.
#[derive(PartialEq, Debug)]
pub(super) struct SizedFile {
    pub(super) size: Option<f64>,
    pub(super) path: PathBuf,
}

impl SizedFile {
    /// `n=1000:a.calor`, or a plain name; what does not begin with the name of the size is a file.
    pub(super) fn parse(given: &str, name: &str) -> Result<Self> {
        let plain = || Self { size: None, path: PathBuf::from(given) };
        let sized = given
            .strip_prefix(name)
            .and_then(|rest| rest.strip_prefix('='))
            .and_then(|rest| rest.split_once(':'));
        let Some((size, path)) = sized else {
            if let Some(other) = other_name(given) {
                bail!(
                    "the size before the file is called `{other}`, and --at asks for `{name}`: call both the same"
                );
            }
            return Ok(plain());
        };
        match number(size) {
            Some(size) => Ok(Self { size: Some(size), path: PathBuf::from(path) }),
            None if Path::new(given).exists() => Ok(plain()),
            None => Err(anyhow!(
                "expected a size above 0 before the file, such as {name}=1000:{path} or {name}=4k:{path}, found `{size}`"
            )),
        }
    }
}

/// The name in `m=2:a.calor`, where that is no file.
fn other_name(given: &str) -> Option<&str> {
    let (name, rest) = given.split_once('=')?;
    let (size, _) = rest.split_once(':')?;
    let is_name = !name.is_empty() && name.chars().all(|it| it.is_alphanumeric() || it == '_');
    (is_name && number(size).is_some() && !Path::new(given).exists()).then_some(name)
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
    let expected = || "expected the name of the size and which, such as n=4x, n=8192 or n=8k".to_owned();
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

/// What has to be known of a size that is smaller than all that were measured.
pub(super) fn below(name: &str, at: f64, runs: &[SizedRun]) -> Option<Warning> {
    let smallest = runs.iter().map(|run| run.size).reduce(f64::min).filter(|smallest| at < *smallest)?;
    let message = format!(
        "{name}={at} is below all sizes that were measured, of which {smallest} is the smallest: what does not grow with the size \
         is not known well from larger ones"
    );
    Some(Warning::new("below_measured", message))
}

/// A number above 0, or one with a letter for its scale as `calor ab --sizes` takes it.
fn number(text: &str) -> Option<f64> {
    let text = text.trim().replace('_', "");
    let plain = text.parse::<f64>().ok().filter(|size| size.is_finite() && *size > 0.0);
    plain.or_else(|| parsed_size(&text).ok())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_size_stands_before_the_name_of_its_file() {
        let parsed = |given| SizedFile::parse(given, "n").expect("its size is one");
        let file = |size, path: &str| SizedFile { size, path: PathBuf::from(path) };
        assert_eq!(parsed("n=1_000:a.calor"), file(Some(1000.0), "a.calor"));
        assert_eq!(parsed("n=2:store:latest"), file(Some(2.0), "store:latest"));
        assert_eq!(parsed("n=4k:a.calor"), file(Some(4096.0), "a.calor"));
        for plain in ["a.calor", "n=x", "m=x:a.calor", "store:latest"] {
            assert_eq!(parsed(plain), file(None, plain));
        }
        let other = SizedFile::parse("m=2:a.calor", "n").expect_err("another name").to_string();
        assert!(other.contains("called `m`") && other.contains("asks for `n`"), "{other}");
        for wrong in ["n=abc:a.calor", "n=0:a", "n=:a"] {
            let error = SizedFile::parse(wrong, "n").expect_err(wrong).to_string();
            assert!(error.contains("such as n=1000:a"), "{error}");
        }
    }

    #[test]
    fn a_size_below_all_others_is_told() {
        let runs = [10.0, 20.0].map(|size| SizedRun::new(size, &Profile::default()));
        assert_eq!(below("n", 10.0, &runs), None);
        assert!(
            below("n", 9.0, &runs).is_some_and(|told| told.message.contains("of which 10 is the smallest"))
        );
    }

    #[test]
    fn a_target_is_a_number_or_so_many_times_the_largest() {
        let at = |given: &str| target(given).map(|target| target.size.at(100.0));
        assert_eq!((at("n=4x"), at("n=1e3"), at("n=8k")), (Ok(400.0), Ok(1000.0), Ok(8192.0)));
        for wrong in ["4x", "n=", "=4x", "n=x", "n=-1", "n=0x", "n=inf"] {
            assert!(at(wrong).is_err_and(|error| error.contains("n=4x")), "{wrong}");
        }
    }
}
