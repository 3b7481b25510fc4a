//! How much is kept. Runs of baselines stay whatever the bounds say: others are held against them.

use rusqlite::OptionalExtension;
use rusqlite::types::Value;

use crate::save::number;
use crate::{Error, SavedId, SavedRun, Store};

/// Which runs go: those to which everything applies that is said here.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Bounds {
    /// Saved before this time, in nanoseconds since 1970.
    pub saved_before_unix_nanos: Option<u64>,
    /// Not among so many of the last saved.
    pub keep: Option<usize>,
}

/// What was removed.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Removed {
    /// How many runs.
    pub n_runs: usize,
    /// How large their profiles were.
    pub bytes: u64,
}

const DOING: &str = "remove runs";

impl Store {
    /// The runs that bounds would remove, the oldest first; none where no bound is given.
    ///
    /// # Errors
    /// When the catalogue cannot be read.
    pub fn beyond(&self, bounds: &Bounds) -> Result<Vec<SavedRun>, Error> {
        if *bounds == Bounds::default() {
            return Ok(Vec::new());
        }
        let mut conditions = String::from("run.number NOT IN (SELECT run FROM baseline_run)");
        let mut values: Vec<Value> = Vec::new();
        if let Some(time) = bounds.saved_before_unix_nanos {
            conditions += " AND run.saved_at < ?";
            values.push(number(time).into());
        }
        if let Some(keep) = bounds.keep {
            conditions += " AND run.number NOT IN (SELECT number FROM run ORDER BY number DESC LIMIT ?)";
            values.push(number(keep as u64).into());
        }
        let rest = format!("WHERE {conditions} ORDER BY run.number");
        self.select(&rest, values).map_err(self.wrong("read the catalogue"))
    }

    /// Whether all of some runs could be removed.
    ///
    /// # Errors
    /// When one belongs to a baseline.
    pub fn check_removal(&self, runs: &[SavedId]) -> Result<(), Error> {
        for baseline in self.baselines()? {
            if let Some(run) = runs.iter().find(|id| baseline.runs.iter().any(|run| run.id == **id)) {
                return Err(Error::InBaseline { run: run.clone(), baseline: baseline.name });
            }
        }
        Ok(())
    }

    /// Removes runs and gives their room back to the disk. All of them go, or none.
    ///
    /// # Errors
    /// When one does not exist or belongs to a baseline.
    pub fn remove(&mut self, runs: &[SavedId]) -> Result<Removed, Error> {
        let wrong = self.wrong(DOING);
        let mut removed = Removed::default();
        let change = self.change(DOING)?;
        for id in runs {
            let found = change.query_row(
                "SELECT run.bytes, baseline_run.baseline FROM run LEFT JOIN baseline_run ON baseline_run.run = run.number
                 WHERE run.id = ?1",
                [id.as_str()],
                |row| Ok((row.get::<_, i64>(0)?, row.get::<_, Option<String>>(1)?)),
            );
            match found.optional().map_err(&wrong)? {
                Some((bytes, None)) => {
                    change.execute("DELETE FROM run WHERE id = ?1", [id.as_str()]).map_err(&wrong)?;
                    removed.n_runs += 1;
                    removed.bytes += crate::catalogue::positive(bytes);
                }
                Some((_, Some(baseline))) => {
                    return Err(Error::InBaseline { run: id.clone(), baseline });
                }
                None => {
                    drop(change);
                    return Err(self.unknown(id.as_str()));
                }
            }
        }
        change.commit().map_err(&wrong)?;
        self.give_room_back().map_err(&wrong)?;
        Ok(removed)
    }

    pub(crate) fn give_room_back(&self) -> rusqlite::Result<()> {
        // Each row of the answer stands for a page.
        let mut vacuum = self.connection.prepare("PRAGMA incremental_vacuum")?;
        let mut rows = vacuum.query([])?;
        while rows.next()?.is_some() {}
        // Another process that reads just now keeps the log; it goes with the last one that closes.
        self.connection.query_row("PRAGMA wal_checkpoint(TRUNCATE)", [], |_| Ok(()))
    }
}
