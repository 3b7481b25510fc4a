//! Runs as people name them on a command line.

use std::fmt;
use std::str::FromStr;

use rusqlite::types::Value;

use crate::{Error, Filter, SavedId, SavedRun, Store};

/// How many runs a message names.
const NAMED: usize = 4;
/// A shorter beginning of a commit may be anything.
const SHORTEST_COMMIT: usize = 4;

/// A run, or several, by what is typed:
///
/// | text | which |
/// |---|---|
/// | `latest`, `latest~2` | the last one saved, the one two saves before it |
/// | `k3f9x2a7`, `k3f` | by id, or a beginning that no other id has |
/// | `build=fast` | the last one with this label |
/// | `commit:1a2b3c4`, `1a2b3c4` | the last one of this commit |
/// | `branch:main`, `name:train` | the last one of a branch, of a program |
/// | `baseline:main` | all runs of a baseline |
///
/// Each but the last may be followed by `~N`: the one N saves before, among those that are meant.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Selector {
    what: What,
    /// How many newer ones are passed over.
    back: usize,
}

#[derive(Clone, PartialEq, Eq, Debug)]
enum What {
    Latest,
    /// An id or a commit, or the beginning of one.
    Text(String),
    Commit(String),
    Branch(String),
    Name(String),
    Label(String, String),
    Baseline(String),
}

impl FromStr for Selector {
    type Err = Error;

    fn from_str(given: &str) -> Result<Self, Error> {
        let wrong = || Error::Selector { given: given.to_owned() };
        let (text, back) = match given.rsplit_once('~') {
            Some((text, back)) => (text, back.parse().map_err(|_| wrong())?),
            None => (given, 0),
        };
        let what = match text.split_once(':') {
            Some((_, "")) => return Err(wrong()),
            Some(("commit", commit)) => What::Commit(commit.to_ascii_lowercase()),
            Some(("branch", branch)) => What::Branch(branch.to_owned()),
            Some(("name", name)) => What::Name(name.to_owned()),
            Some(("baseline", name)) if given == text => What::Baseline(name.to_owned()),
            Some(("label", label)) => of_label(label)?,
            _ if text == "latest" => What::Latest,
            _ if text.contains('=') => of_label(text)?,
            _ => {
                let lowercase = text.to_ascii_lowercase();
                if !SavedId::can_begin_with(&lowercase) && !is_commit(&lowercase) {
                    return Err(wrong());
                }
                What::Text(lowercase)
            }
        };
        Ok(Self { what, back })
    }
}

fn of_label(text: &str) -> Result<What, Error> {
    crate::check_label(text).map(|(key, value)| What::Label(key, value))
}

fn is_commit(text: &str) -> bool {
    (SHORTEST_COMMIT..=64).contains(&text.len()) && text.bytes().all(|byte| byte.is_ascii_hexdigit())
}

impl fmt::Display for Selector {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match &self.what {
            What::Latest => f.write_str("latest"),
            What::Text(text) => f.write_str(text),
            What::Commit(commit) => write!(f, "commit:{commit}"),
            What::Branch(branch) => write!(f, "branch:{branch}"),
            What::Name(name) => write!(f, "name:{name}"),
            What::Label(key, value) => write!(f, "{key}={value}"),
            What::Baseline(name) => write!(f, "baseline:{name}"),
        }?;
        if self.back > 0 { write!(f, "~{}", self.back) } else { Ok(()) }
    }
}

impl Store {
    /// The run that is meant, or the several of a baseline.
    ///
    /// # Errors
    /// When there is none, or a beginning of an id is that of several.
    pub fn find(&self, selector: &Selector) -> Result<Vec<SavedRun>, Error> {
        let filter = match &selector.what {
            What::Baseline(name) => return Ok(self.baseline(name)?.runs),
            What::Text(text) => return self.find_text(text, selector).map(|run| vec![run]),
            What::Latest => Filter::default(),
            What::Commit(commit) => Filter { commit: Some(commit.clone()), ..Filter::default() },
            What::Branch(branch) => Filter { branch: Some(branch.clone()), ..Filter::default() },
            What::Name(name) => Filter { name: Some(name.clone()), ..Filter::default() },
            What::Label(key, value) => {
                Filter { labels: vec![(key.clone(), value.clone())], ..Filter::default() }
            }
        };
        self.newest(filter, selector).map(|run| vec![run])
    }

    /// The one run that is meant.
    ///
    /// # Errors
    /// As [`Store::find`], and when it is several.
    pub fn find_one(&self, selector: &Selector) -> Result<SavedRun, Error> {
        let mut runs = self.find(selector)?;
        match runs.len() {
            1 => Ok(runs.remove(0)),
            n_runs => Err(Error::SeveralRuns {
                asked: selector.to_string(),
                n_runs,
                candidates: runs.into_iter().take(NAMED).map(|run| run.id).collect(),
            }),
        }
    }

    /// That a run is not there.
    pub(crate) fn unknown(&self, asked: &str) -> Error {
        let among = match self.n_runs() {
            Ok(0) => " in the store, which is empty".to_owned(),
            Ok(1) => " in the store of one run".to_owned(),
            Ok(many) => format!(" among {many}"),
            Err(_) => String::new(),
        };
        Error::UnknownRun { asked: asked.to_owned(), among }
    }

    fn newest(&self, filter: Filter, selector: &Selector) -> Result<SavedRun, Error> {
        let filter = Filter { skip: selector.back, limit: Some(1), ..filter };
        self.runs(&filter)?.pop().ok_or_else(|| self.unknown(&selector.to_string()))
    }

    fn find_text(&self, text: &str, selector: &Selector) -> Result<SavedRun, Error> {
        let wrong = self.wrong("read the catalogue");
        let values: Vec<Value> = vec![text.to_owned().into(), text.to_owned().into()];
        let rest = format!("WHERE run.id >= ?1 AND run.id < ?2 || '~' ORDER BY run.id LIMIT {}", NAMED + 1);
        let mut found = self.select(&rest, values).map_err(&wrong)?;
        match found.len() {
            0 if is_commit(text) => {
                self.newest(Filter { commit: Some(text.to_owned()), ..Filter::default() }, selector)
            }
            0 => Err(self.unknown(&selector.to_string())),
            1 if selector.back == 0 => Ok(found.remove(0)),
            1 => {
                let rest = "WHERE run.number < ?1 ORDER BY run.number DESC LIMIT 1 OFFSET ?2";
                let values = vec![found[0].number.into(), ((selector.back - 1) as i64).into()];
                let earlier = self.select(rest, values).map_err(&wrong)?.pop();
                earlier.ok_or_else(|| self.unknown(&selector.to_string()))
            }
            _ => Err(Error::AmbiguousRun {
                asked: text.to_owned(),
                candidates: found.into_iter().take(NAMED).map(|run| run.id).collect(),
            }),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_typed_is_shown_as_it_was_typed() {
        for text in [
            "latest",
            "latest~3",
            "k3f9x2a7",
            "k3f~1",
            "build=fast",
            "build=fast~1",
            "commit:1a2b3c4",
            "branch:feature/a",
            "name:train.py~2",
            "baseline:main",
            "1111111111111111111111111111111111111111",
        ] {
            assert_eq!(text.parse::<Selector>().unwrap().to_string(), text);
        }
        assert_eq!("K3F".parse::<Selector>().unwrap().to_string(), "k3f");
        assert_eq!("label:a=b".parse::<Selector>().unwrap().to_string(), "a=b");
    }

    #[test]
    fn what_names_no_run_is_refused() {
        for text in
            ["", "profile.calor", "latest~x", "latest~", "~1", "commit:", "baseline:main~1", "a b", "=x"]
        {
            assert!(text.parse::<Selector>().is_err(), "{text}");
        }
    }
}
