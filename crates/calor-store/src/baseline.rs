//! Baselines: named sets of runs that others are held against. A set, since from one run nobody can tell how much runs
//! differ by themselves.

use rusqlite::{OptionalExtension, params};

use crate::catalogue::positive;
use crate::save::{now, number};
use crate::{Error, Revision, SavedId, SavedRun, Store};

/// A named set of runs.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct Baseline {
    /// Its name.
    pub name: String,
    /// When it was set, in nanoseconds since 1970.
    pub set_at_unix_nanos: u64,
    /// Who set it.
    pub set_by: Option<String>,
    /// The state of the sources when it was set.
    pub revision: Revision,
    /// Its runs, in the order in which they were named.
    pub runs: Vec<SavedRun>,
}

/// What is told when a baseline is set.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct BaselineNote {
    /// Who sets it.
    pub set_by: Option<String>,
    /// The state of the sources.
    pub revision: Revision,
    /// When, in nanoseconds since 1970; without it, now.
    pub set_at_unix_nanos: Option<u64>,
}

const DOING: &str = "change the baseline";

impl Store {
    /// Makes a baseline of some runs, in the place of the one that had the name. Says whether there was one.
    ///
    /// # Errors
    /// When the name cannot be one, a run does not exist, or there is none; the old one then stays.
    pub fn set_baseline(&mut self, name: &str, runs: &[SavedId], note: &BaselineNote) -> Result<bool, Error> {
        check_baseline_name(name)?;
        if runs.is_empty() {
            return Err(Error::EmptyBaseline);
        }
        let wrong = self.wrong(DOING);
        let change = self.change(DOING)?;
        let removed = change.execute("DELETE FROM baseline WHERE name = ?1", [name]).map_err(&wrong)?;
        let Revision { commit, branch, is_dirty } = &note.revision;
        let set_at = number(note.set_at_unix_nanos.unwrap_or_else(now));
        change
            .execute(
                "INSERT INTO baseline (name, set_at, set_by, commit_hash, branch, is_dirty)
                 VALUES (?1, ?2, ?3, ?4, ?5, ?6)",
                params![name, set_at, note.set_by, commit, branch, is_dirty],
            )
            .map_err(&wrong)?;
        for (place, id) in runs.iter().enumerate() {
            let run: Option<i64> = change
                .query_row("SELECT number FROM run WHERE id = ?1", [id.as_str()], |row| row.get(0))
                .optional()
                .map_err(&wrong)?;
            let Some(run) = run else {
                drop(change);
                return Err(self.unknown(id.as_str()));
            };
            // A run that is named twice counts once: it is one observation.
            let insert = "INSERT OR IGNORE INTO baseline_run (baseline, place, run) VALUES (?1, ?2, ?3)";
            change.execute(insert, params![name, place as i64, run]).map_err(&wrong)?;
        }
        change.commit().map_err(&wrong)?;
        Ok(removed > 0)
    }

    /// A baseline.
    ///
    /// # Errors
    /// When there is none of this name.
    pub fn baseline(&self, name: &str) -> Result<Baseline, Error> {
        let mut found = self.select_baselines("WHERE name = ?1", &[name])?;
        match found.pop() {
            Some(baseline) => Ok(baseline),
            None => Err(self.unknown_baseline(name)),
        }
    }

    /// All baselines, by name.
    ///
    /// # Errors
    /// When the catalogue cannot be read.
    pub fn baselines(&self) -> Result<Vec<Baseline>, Error> {
        self.select_baselines("ORDER BY name", &[])
    }

    /// Removes a baseline; its runs stay.
    ///
    /// # Errors
    /// When there is none of this name.
    pub fn remove_baseline(&mut self, name: &str) -> Result<(), Error> {
        let deleted = self.connection.execute("DELETE FROM baseline WHERE name = ?1", [name]);
        match deleted.map_err(self.wrong(DOING))? {
            0 => Err(self.unknown_baseline(name)),
            _ => Ok(()),
        }
    }

    fn select_baselines(&self, rest: &str, names: &[&str]) -> Result<Vec<Baseline>, Error> {
        let wrong = self.wrong("read the catalogue");
        let sql = format!("SELECT name, set_at, set_by, commit_hash, branch, is_dirty FROM baseline {rest}");
        let mut statement = self.connection.prepare(&sql).map_err(&wrong)?;
        let rows = statement.query_map(rusqlite::params_from_iter(names), |row| {
            Ok(Baseline {
                name: row.get(0)?,
                set_at_unix_nanos: positive(row.get(1)?),
                set_by: row.get(2)?,
                revision: Revision { commit: row.get(3)?, branch: row.get(4)?, is_dirty: row.get(5)? },
                runs: Vec::new(),
            })
        });
        let rows = rows.and_then(|rows| rows.collect::<rusqlite::Result<Vec<_>>>());
        let mut baselines = rows.map_err(&wrong)?;
        for baseline in &mut baselines {
            let rest = "JOIN baseline_run ON baseline_run.run = run.number WHERE baseline_run.baseline = ?1
                        ORDER BY baseline_run.place";
            baseline.runs = self.select(rest, vec![baseline.name.clone().into()]).map_err(&wrong)?;
        }
        Ok(baselines)
    }

    fn unknown_baseline(&self, name: &str) -> Error {
        let names: Vec<String> =
            self.baselines().unwrap_or_default().into_iter().map(|baseline| baseline.name).collect();
        let known = if names.is_empty() { String::new() } else { format!(", only {}", names.join(", ")) };
        Error::UnknownBaseline { name: name.to_owned(), known }
    }
}

/// Whether a name can be one of a baseline. Names are typed after `baseline:` and stand in files: no blanks, no `~`, no `:`.
///
/// # Errors
/// When it cannot.
pub fn check_baseline_name(name: &str) -> Result<(), Error> {
    let is_letter = |letter: char| letter.is_alphanumeric() || "._-/+".contains(letter);
    let is_fine =
        name.starts_with(char::is_alphanumeric) && name.chars().all(is_letter) && name.chars().count() <= 100;
    if is_fine { Ok(()) } else { Err(Error::BaselineName { name: name.to_owned() }) }
}
