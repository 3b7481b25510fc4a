//! Sums by scope in the database: written with every save, filled in for runs that were saved before there were any, read for
//! a history.
//!
//! Their tables were added without a new version of the store: earlier versions of Calor neither see nor need them, and the
//! database itself removes the rows of a run that they remove. In a store that may not be written, tables of the connection
//! alone stand before those of the file.

use std::collections::{BTreeMap, HashMap, HashSet};

use calor_model::Profile;
use rusqlite::{Connection, OptionalExtension, params};

use crate::catalogue::positive;
use crate::save::number;
use crate::summary::Summary;
use crate::{Error, SavedId, SavedRun, Scope, Store, Sum, SumKind};

/// What the sums are made by; sums of an earlier rule are made anew.
const RULE: i64 = 2;
/// So many runs are filled in by one change: what is done stays done when somebody interrupts.
const AT_ONCE: usize = 50;

const DOING: &str = "add up saved runs";

/// - `sum` is in the order in which a history reads it; deleting a run finds its rows by the index.
/// - `summed` tells of which runs there are sums, since a run may have none.
pub(crate) const TABLES: &str = "
CREATE TABLE IF NOT EXISTS scope (
    number INTEGER PRIMARY KEY,
    name   TEXT NOT NULL,
    place  TEXT NOT NULL,
    UNIQUE (name, place)
) STRICT;
CREATE TABLE IF NOT EXISTS sum (
    kind  INTEGER NOT NULL,
    scope INTEGER NOT NULL,
    run   INTEGER NOT NULL REFERENCES run (number) ON DELETE CASCADE,
    calls INTEGER,
    own   INTEGER NOT NULL,
    total INTEGER NOT NULL,
    PRIMARY KEY (kind, scope, run)
) STRICT, WITHOUT ROWID;
CREATE INDEX IF NOT EXISTS sum_of_run ON sum (run);
CREATE TABLE IF NOT EXISTS summed (
    run    INTEGER PRIMARY KEY REFERENCES run (number) ON DELETE CASCADE,
    rule   INTEGER NOT NULL,
    canary INTEGER
) STRICT;
";

/// The same for a connection alone, with all that the file has.
const TEMPORARY: &str = "
CREATE TEMP TABLE scope (number INTEGER PRIMARY KEY, name TEXT, place TEXT, UNIQUE (name, place));
CREATE TEMP TABLE sum (kind INTEGER, scope INTEGER, run INTEGER, calls INTEGER, own INTEGER, total INTEGER,
    PRIMARY KEY (kind, scope, run)) WITHOUT ROWID;
CREATE TEMP TABLE summed (run INTEGER PRIMARY KEY, rule INTEGER, canary INTEGER);
";
const COPIES: &str = "
INSERT INTO temp.scope SELECT number, name, place FROM main.scope;
INSERT INTO temp.sum SELECT kind, scope, run, calls, own, total FROM main.sum;
INSERT INTO temp.summed SELECT run, rule, canary FROM main.summed;
";

/// What a scope took in some runs.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct ScopeSums {
    /// The scope.
    pub scope: Scope,
    /// In the order of the runs that were asked for; `None` where a run does not have it, or too little of it to be kept.
    pub sums: Vec<Option<Sum>>,
}

/// What came of adding up.
#[derive(Debug, Default)]
#[non_exhaustive]
pub struct SummedUp {
    /// How many profiles were read.
    pub n_read: usize,
    /// Runs of which nothing is known, and why: their profiles are damaged, or somebody removed them meanwhile.
    pub unread: Vec<(SavedId, Error)>,
}

impl Store {
    /// Makes sure that there are sums of these runs: the profiles of those that have none are read. `done` is told after each
    /// of them. In a store that may not be written they are kept for this connection alone. One run that cannot be read does
    /// not keep the others from it.
    ///
    /// # Errors
    /// When the store cannot be read or written.
    pub fn sum_up(&mut self, runs: &[SavedRun], mut done: impl FnMut()) -> Result<SummedUp, Error> {
        let summed = self.summed().map_err(self.wrong(DOING))?;
        let missing: Vec<&SavedRun> = runs.iter().filter(|run| !summed.contains(&run.number)).collect();
        let mut summed_up = SummedUp::default();
        if missing.is_empty() {
            return Ok(summed_up);
        }
        self.make_tables().map_err(self.wrong(DOING))?;
        for runs in missing.chunks(AT_ONCE) {
            let mut summaries = Vec::with_capacity(runs.len());
            for run in runs {
                match self.profile(&run.id) {
                    Ok(profile) => summaries.push((run.number, Summary::of(&profile))),
                    Err(error @ (Error::Profile(_) | Error::Damaged { .. } | Error::UnknownRun { .. })) => {
                        summed_up.unread.push((run.id.clone(), error));
                    }
                    Err(error) => return Err(error),
                }
                done();
            }
            let wrong = self.wrong(DOING);
            let is_kept = !self.is_read_only();
            let write = |connection: &Connection| -> rusqlite::Result<()> {
                for (run, summary) in &summaries {
                    // It may have been removed meanwhile.
                    let mut is_there = connection.prepare("SELECT 1 FROM run WHERE number = ?1")?;
                    if is_there.exists([run])? {
                        summary.write(connection, *run)?;
                    }
                }
                Ok(())
            };
            match is_kept {
                true => {
                    let change = self.change(DOING)?;
                    write(&change).map_err(&wrong)?;
                    change.commit().map_err(&wrong)?;
                }
                false => write(&self.connection).map_err(&wrong)?,
            }
            summed_up.n_read += summaries.len();
        }
        Ok(summed_up)
    }

    /// What scopes took in some runs, which have to be [summed up](Store::sum_up): all scopes, or one. The one without a name
    /// is the whole program.
    ///
    /// # Errors
    /// When the store cannot be read.
    pub fn sums(
        &self,
        kind: SumKind,
        scope: Option<&Scope>,
        runs: &[SavedRun],
    ) -> Result<Vec<ScopeSums>, Error> {
        self.read_sums(kind, scope, runs).map_err(self.wrong("read a history"))
    }

    /// How long the canary took in some runs, which have to be [summed up](Store::sum_up).
    ///
    /// # Errors
    /// When the store cannot be read.
    pub fn canaries(&self, runs: &[SavedRun]) -> Result<Vec<Option<u64>>, Error> {
        let read = || -> rusqlite::Result<Vec<Option<u64>>> {
            if !self.has_tables()? {
                return Ok(vec![None; runs.len()]);
            }
            let mut one = self.connection.prepare("SELECT canary FROM summed WHERE run = ?1")?;
            let of = |run: &SavedRun| {
                let found = one.query_row([run.number], |row| row.get::<_, Option<i64>>(0)).optional()?;
                Ok(found.flatten().map(positive))
            };
            runs.iter().map(of).collect()
        };
        read().map_err(self.wrong("read a history"))
    }

    fn read_sums(
        &self,
        kind: SumKind,
        scope: Option<&Scope>,
        runs: &[SavedRun],
    ) -> rusqlite::Result<Vec<ScopeSums>> {
        if !self.has_tables()? {
            return Ok(Vec::new());
        }
        let places: HashMap<i64, usize> =
            runs.iter().enumerate().map(|(place, run)| (run.number, place)).collect();
        let (Some(first), Some(last)) = (places.keys().min(), places.keys().max()) else {
            return Ok(Vec::new());
        };
        let mut scopes = self.connection.prepare("SELECT number, name, place FROM scope")?;
        let scopes = scopes.query_map([], |row| {
            Ok((row.get::<_, i64>(0)?, Scope { name: row.get(1)?, place: row.get(2)? }))
        })?;
        let scopes: BTreeMap<i64, Scope> = scopes
            .filter(|row| row.as_ref().is_ok_and(|(_, found)| scope.is_none_or(|scope| scope == found)))
            .collect::<Result<_, _>>()?;
        let mut rows = self.connection.prepare(
            "SELECT run, calls, own, total FROM sum WHERE kind = ?1 AND scope = ?2 AND run BETWEEN ?3 AND ?4",
        )?;
        let mut found = Vec::new();
        for (number, scope) in scopes {
            let mut sums = vec![None; runs.len()];
            let mut rows = rows.query(params![kind.number(), number, first, last])?;
            while let Some(row) = rows.next()? {
                if let Some(place) = places.get(&row.get(0)?) {
                    sums[*place] = Some(Sum {
                        calls: row.get::<_, Option<i64>>(1)?.map(positive),
                        own: positive(row.get(2)?),
                        total: positive(row.get(3)?),
                    });
                }
            }
            if sums.iter().any(Option::is_some) {
                found.push(ScopeSums { scope, sums });
            }
        }
        found.sort_by(|a, b| a.scope.cmp(&b.scope));
        Ok(found)
    }

    /// Runs of which there are sums.
    fn summed(&self) -> rusqlite::Result<HashSet<i64>> {
        if !self.has_tables()? {
            return Ok(HashSet::new());
        }
        let mut statement = self.connection.prepare("SELECT run FROM summed WHERE rule = ?1")?;
        let runs = statement.query_map([RULE], |row| row.get(0))?;
        runs.collect()
    }

    fn has_tables(&self) -> rusqlite::Result<bool> {
        has_table(&self.connection, "main").and_then(|is_there| match is_there {
            true => Ok(true),
            false => has_table(&self.connection, "temp"),
        })
    }

    fn make_tables(&self) -> rusqlite::Result<()> {
        if !self.is_read_only() {
            return self.connection.execute_batch(TABLES);
        }
        if !has_table(&self.connection, "temp")? {
            let is_in_file = has_table(&self.connection, "main")?;
            self.connection.execute_batch(TEMPORARY)?;
            if is_in_file {
                self.connection.execute_batch(COPIES)?;
            }
        }
        Ok(())
    }
}

fn has_table(connection: &Connection, database: &str) -> rusqlite::Result<bool> {
    let sql = format!("SELECT 1 FROM {database}.sqlite_schema WHERE name = 'summed'");
    connection.prepare(&sql)?.exists([])
}

/// Writes the sums of a profile that is being saved.
pub(crate) fn write(connection: &Connection, run: i64, profile: &Profile) -> rusqlite::Result<()> {
    connection.execute_batch(TABLES)?;
    Summary::of(profile).write(connection, run)
}

impl Summary {
    fn write(&self, connection: &Connection, run: i64) -> rusqlite::Result<()> {
        connection.execute("DELETE FROM sum WHERE run = ?1", [run])?;
        let mut known = connection.prepare("SELECT number FROM scope WHERE name = ?1 AND place = ?2")?;
        let mut new = connection.prepare("INSERT INTO scope (name, place) VALUES (?1, ?2)")?;
        let mut insert = connection.prepare(
            "INSERT OR REPLACE INTO sum (kind, scope, run, calls, own, total) VALUES (?1, ?2, ?3, ?4, ?5, ?6)",
        )?;
        for (kind, Scope { name, place }, sum) in &self.rows {
            let found = known.query_row([name, place], |row| row.get(0)).optional()?;
            let scope: i64 = match found {
                Some(scope) => scope,
                None => new.insert([name, place])?,
            };
            let row =
                params![kind.number(), scope, run, sum.calls.map(number), number(sum.own), number(sum.total)];
            insert.execute(row)?;
        }
        connection.execute(
            "INSERT OR REPLACE INTO summed (run, rule, canary) VALUES (?1, ?2, ?3)",
            params![run, RULE, self.canary_nanos.map(number)],
        )?;
        Ok(())
    }
}
