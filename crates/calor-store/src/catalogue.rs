//! Finding runs in the catalogue by what is known of them.

use std::collections::HashMap;

use rusqlite::types::Value;
use rusqlite::{Row, params_from_iter};

use crate::save::number;
use crate::{Error, Machine, Revision, SavedId, SavedRun, Store, Totals};

/// Which runs are wanted: those that are like everything that is said here.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Filter {
    /// What they are called.
    pub name: Option<String>,
    /// The beginning of their commit.
    pub commit: Option<String>,
    /// The branch that was checked out.
    pub branch: Option<String>,
    /// Labels, each of which they have.
    pub labels: Vec<(String, String)>,
    /// The [fingerprint](Machine::fingerprint) of their machine.
    pub machine: Option<String>,
    /// The baseline that they belong to.
    pub baseline: Option<String>,
    /// Saved at this time or later, in nanoseconds since 1970.
    pub saved_from_unix_nanos: Option<u64>,
    /// Saved before this time, in nanoseconds since 1970.
    pub saved_before_unix_nanos: Option<u64>,
    /// Leave out so many of the newest.
    pub skip: usize,
    /// And then at most so many.
    pub limit: Option<usize>,
}

/// The columns of [`saved_run`].
const COLUMNS: &str = "run.number, run.id, run.bytes, run.saved_at, run.started_at, run.duration, run.cpu, run.name,
     run.command, run.recorders, run.commit_hash, run.branch, run.is_dirty, run.n_runs, run.n_samples, run.n_scopes,
     run.allocated_bytes, run.peak_bytes, run.n_warnings, run.machine, machine.name, machine.os, machine.kernel,
     machine.arch, machine.cpu, machine.cores, machine.memory_bytes";

impl Store {
    /// The runs that are wanted, the last saved first.
    ///
    /// # Errors
    /// When the catalogue cannot be read.
    pub fn runs(&self, filter: &Filter) -> Result<Vec<SavedRun>, Error> {
        let (conditions, values) = filter.conditions();
        let limit = filter.limit.map_or(-1, |limit| number(limit as u64));
        let rest = format!(
            "WHERE {conditions} ORDER BY run.number DESC LIMIT {limit} OFFSET {}",
            number(filter.skip as u64)
        );
        self.select(&rest, values).map_err(self.wrong("read the catalogue"))
    }

    /// How many runs there are.
    ///
    /// # Errors
    /// When the catalogue cannot be read.
    pub fn n_runs(&self) -> Result<u64, Error> {
        let counted = self.connection.query_row("SELECT count(*) FROM run", [], |row| row.get::<_, i64>(0));
        counted.map(positive).map_err(self.wrong("read the catalogue"))
    }

    /// Runs by what follows `FROM` in a query.
    pub(crate) fn select(&self, rest: &str, values: Vec<Value>) -> rusqlite::Result<Vec<SavedRun>> {
        let sql =
            format!("SELECT {COLUMNS} FROM run LEFT JOIN machine ON machine.number = run.machine {rest}");
        let mut statement = self.connection.prepare(&sql)?;
        let runs = statement.query_map(params_from_iter(values), saved_run)?;
        let mut runs: Vec<SavedRun> = runs.collect::<Result<_, _>>()?;
        self.fill_in(&mut runs)?;
        Ok(runs)
    }

    /// Adds what runs have any number of.
    fn fill_in(&self, runs: &mut [SavedRun]) -> rusqlite::Result<()> {
        let numbers = || runs.iter().map(|run| run.number);
        let (Some(first), Some(last)) = (numbers().min(), numbers().max()) else { return Ok(()) };
        let places: HashMap<i64, usize> = numbers().enumerate().map(|(place, run)| (run, place)).collect();
        for table in ["label", "setting"] {
            let sql = format!("SELECT run, key, value FROM {table} WHERE run BETWEEN ?1 AND ?2");
            let mut statement = self.connection.prepare(&sql)?;
            let mut rows = statement.query([first, last])?;
            while let Some(row) = rows.next()? {
                if let Some(place) = places.get(&row.get(0)?) {
                    let run = &mut runs[*place];
                    let pairs = if table == "label" { &mut run.labels } else { &mut run.settings };
                    pairs.insert(row.get(1)?, row.get(2)?);
                }
            }
        }
        let sql = "SELECT run, baseline FROM baseline_run WHERE run BETWEEN ?1 AND ?2 ORDER BY baseline";
        let mut statement = self.connection.prepare(sql)?;
        let mut rows = statement.query([first, last])?;
        while let Some(row) = rows.next()? {
            if let Some(place) = places.get(&row.get(0)?) {
                runs[*place].baselines.push(row.get(1)?);
            }
        }
        Ok(())
    }
}

impl Filter {
    fn conditions(&self) -> (String, Vec<Value>) {
        let mut conditions = vec!["true"];
        let mut values: Vec<Value> = Vec::new();
        let texts = [
            ("run.name = ?", &self.name),
            ("run.branch = ?", &self.branch),
            ("machine.fingerprint = ?", &self.machine),
            ("run.number IN (SELECT run FROM baseline_run WHERE baseline = ?)", &self.baseline),
        ];
        for (condition, text) in texts {
            if let Some(text) = text {
                conditions.push(condition);
                values.push(text.clone().into());
            }
        }
        if let Some(commit) = &self.commit {
            // All texts that begin like this, which an index finds.
            conditions.push("run.commit_hash >= ? AND run.commit_hash < ? || char(1114111)");
            values.extend([Value::from(commit.clone()), Value::from(commit.clone())]);
        }
        for (key, value) in &self.labels {
            conditions.push("run.number IN (SELECT run FROM label WHERE key = ? AND value = ?)");
            values.extend([Value::from(key.clone()), Value::from(value.clone())]);
        }
        let times = [
            ("run.saved_at >= ?", self.saved_from_unix_nanos),
            ("run.saved_at < ?", self.saved_before_unix_nanos),
        ];
        for (condition, time) in times {
            if let Some(time) = time {
                conditions.push(condition);
                values.push(number(time).into());
            }
        }
        (conditions.join(" AND "), values)
    }
}

fn saved_run(row: &Row<'_>) -> rusqlite::Result<SavedRun> {
    let amount = |column: usize| row.get::<_, Option<i64>>(column).map(|value| value.map(positive));
    let recorders: String = row.get(9)?;
    let machine = match row.get::<_, Option<i64>>(19)? {
        None => None,
        Some(_) => Some(Machine {
            name: row.get(20)?,
            os: row.get(21)?,
            kernel: row.get(22)?,
            arch: row.get(23)?,
            cpu: row.get(24)?,
            cores: row.get(25)?,
            memory_bytes: amount(26)?,
        }),
    };
    Ok(SavedRun {
        number: row.get(0)?,
        id: SavedId::from_store(row.get(1)?),
        bytes: positive(row.get(2)?),
        saved_at_unix_nanos: positive(row.get(3)?),
        started_at_unix_nanos: amount(4)?,
        name: row.get(7)?,
        command: row.get(8)?,
        recorders: recorders.split_whitespace().map(str::to_owned).collect(),
        revision: Revision { commit: row.get(10)?, branch: row.get(11)?, is_dirty: row.get(12)? },
        n_runs: positive(row.get(13)?),
        totals: Totals {
            duration_nanos: amount(5)?,
            cpu_nanos: amount(6)?,
            samples: amount(14)?,
            scopes: amount(15)?,
            allocated_bytes: amount(16)?,
            peak_bytes: amount(17)?,
            warnings: positive(row.get(18)?),
        },
        machine,
        labels: Default::default(),
        settings: Default::default(),
        baselines: Vec::new(),
    })
}

pub(crate) fn positive(value: i64) -> u64 {
    u64::try_from(value).unwrap_or(0)
}
