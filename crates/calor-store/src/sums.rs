//! Sums by scope in the database: written with every save, filled in for runs that were saved before there were any, read for
//! a history.
//!
//! In a store that may not be written, tables of the connection alone stand before those of the file.

use std::collections::{HashMap, HashSet};

use calor_model::Profile;
use rusqlite::types::Value;
use rusqlite::{Connection, OptionalExtension, params, params_from_iter};

use crate::catalogue::positive;
use crate::save::number;
use crate::summary::Summary;
use crate::{Error, SavedId, SavedRun, Scope, Store, Sum, SumKind, migration};

/// What the sums are made by; sums of an earlier rule are made anew.
const RULE: i64 = 2;
/// So many runs are filled in by one change: what is done stays done when somebody interrupts.
const AT_ONCE: usize = 50;

const DOING: &str = "add up saved runs";

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
        if self.is_read_only() {
            migration::overlay(&self.connection, Some(&migration::SUMS)).map_err(self.wrong(DOING))?;
        }
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
            let mut canaries = vec![None; runs.len()];
            let Some(wanted) = Wanted::of(runs) else { return Ok(canaries) };
            let sql = "SELECT run, canary FROM summed WHERE run BETWEEN ?1 AND ?2";
            let mut statement = self.connection.prepare(sql)?;
            let mut rows = statement.query([wanted.first, wanted.last])?;
            while let Some(row) = rows.next()? {
                if let Some(place) = wanted.places.get(&row.get(0)?) {
                    canaries[*place] = row.get::<_, Option<i64>>(1)?.map(positive);
                }
            }
            Ok(canaries)
        };
        read().map_err(self.wrong("read a history"))
    }

    /// One question for all scopes: what some of many runs have is found by the index of runs; of most of them, it is quicker to
    /// go through all sums of the kind in their order.
    fn read_sums(
        &self,
        kind: SumKind,
        scope: Option<&Scope>,
        runs: &[SavedRun],
    ) -> rusqlite::Result<Vec<ScopeSums>> {
        let Some(wanted) = Wanted::of(runs) else { return Ok(Vec::new()) };
        let mut values: Vec<Value> = vec![kind.number().into(), wanted.first.into(), wanted.last.into()];
        let (way, condition) = match scope {
            Some(scope) => {
                values.extend([Value::from(scope.name.clone()), Value::from(scope.place.clone())]);
                ("", "AND scope = (SELECT number FROM scope WHERE name = ?4 AND place = ?5)")
            }
            None if wanted.is_small_part_of(self.last_number()?) => ("INDEXED BY sum_of_run", ""),
            None => ("NOT INDEXED", ""),
        };
        let mut statement = self.connection.prepare(&format!(
            "SELECT scope, run, calls, own, total FROM sum {way}
             WHERE kind = ?1 AND run BETWEEN ?2 AND ?3 {condition}"
        ))?;
        let mut found: HashMap<i64, Vec<Option<Sum>>> = HashMap::new();
        let mut rows = statement.query(params_from_iter(values))?;
        while let Some(row) = rows.next()? {
            if let Some(place) = wanted.places.get(&row.get(1)?) {
                let sums = found.entry(row.get(0)?).or_insert_with(|| vec![None; runs.len()]);
                sums[*place] = Some(Sum {
                    calls: row.get::<_, Option<i64>>(2)?.map(positive),
                    own: positive(row.get(3)?),
                    total: positive(row.get(4)?),
                });
            }
        }
        self.named(found)
    }

    /// Sums with the scopes whose numbers they have, in the order of their names.
    fn named(&self, mut found: HashMap<i64, Vec<Option<Sum>>>) -> rusqlite::Result<Vec<ScopeSums>> {
        let numbers: Vec<String> = found.keys().map(i64::to_string).collect();
        let mut scopes = self.connection.prepare(
            "SELECT number, name, place FROM scope WHERE number IN (SELECT value FROM json_each(?1))",
        )?;
        let scopes = scopes.query_map([format!("[{}]", numbers.join(","))], |row| {
            Ok((row.get::<_, i64>(0)?, Scope { name: row.get(1)?, place: row.get(2)? }))
        })?;
        let mut named = Vec::with_capacity(found.len());
        for scope in scopes {
            let (number, scope) = scope?;
            named.extend(found.remove(&number).map(|sums| ScopeSums { scope, sums }));
        }
        named.sort_by(|a, b| a.scope.cmp(&b.scope));
        Ok(named)
    }

    /// The number of the last save.
    fn last_number(&self) -> rusqlite::Result<i64> {
        self.connection.query_row("SELECT coalesce(max(number), 0) FROM run", [], |row| row.get(0))
    }

    /// Runs of which there are sums.
    fn summed(&self) -> rusqlite::Result<HashSet<i64>> {
        let mut statement = self.connection.prepare("SELECT run FROM summed WHERE rule = ?1")?;
        let runs = statement.query_map([RULE], |row| row.get(0))?;
        runs.collect()
    }
}

/// Runs that are asked for, by their numbers.
struct Wanted {
    places: HashMap<i64, usize>,
    first: i64,
    last: i64,
}

impl Wanted {
    fn of(runs: &[SavedRun]) -> Option<Self> {
        let places: HashMap<i64, usize> =
            runs.iter().enumerate().map(|(place, run)| (run.number, place)).collect();
        let (first, last) = (*places.keys().min()?, *places.keys().max()?);
        Some(Self { places, first, last })
    }

    /// Whether the saves from the first to the last are few of all.
    fn is_small_part_of(&self, n_saves: i64) -> bool {
        (self.last - self.first + 1) * 4 < n_saves
    }
}

/// Writes the sums of a profile that is being saved.
pub(crate) fn write(connection: &Connection, run: i64, profile: &Profile) -> rusqlite::Result<()> {
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
