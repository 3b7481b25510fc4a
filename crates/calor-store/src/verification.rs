//! Predictions that were put to the test: what a finding promised, and what a change gave. From them follows how far
//! predictions can be trusted.

use rusqlite::params;

use crate::Store;
use crate::catalogue::positive;
use crate::error::Error;
use crate::save::{now, number};

const DOING: &str = "keep what was measured";

/// A prediction and what came of it. Gains are ratios: 1.2 is 1.2 times faster, or 1.2 times less memory.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct Verification {
    /// When it was measured, in nanoseconds since 1970; 0: now.
    pub at_unix_nanos: u64,
    /// The rule of the finding.
    pub rule: String,
    /// Its version.
    pub version: u32,
    /// Where the finding is: `src/load.rs:7 in load`.
    pub place: String,
    /// What was measured, such as `cpu`.
    pub metric: String,
    /// What was predicted: at least and at most.
    pub predicted: [f64; 2],
    /// What was measured.
    pub measured: f64,
    /// Where that truly lies with 95 % certainty.
    pub measured_interval: [f64; 2],
    /// The word for what it came to: `delivered`, `less`, `more`, `undecided`.
    pub outcome: String,
}

impl Store {
    /// Keeps a verification.
    ///
    /// # Errors
    /// When the store cannot be written.
    pub fn add_verification(&mut self, verification: &Verification) -> Result<(), Error> {
        let wrong = self.wrong(DOING);
        let change = self.change(DOING)?;
        let Verification { at_unix_nanos, rule, version, place, metric, measured, outcome, .. } =
            verification;
        let at = number(if *at_unix_nanos == 0 { now() } else { *at_unix_nanos });
        let ([low, high], [from, to]) = (verification.predicted, verification.measured_interval);
        change
            .execute(
                "INSERT INTO verification (at, rule, version, place, metric, predicted_low, predicted_high, measured,
                     measured_low, measured_high, outcome)
                 VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11)",
                params![at, rule, version, place, metric, low, high, measured, from, to, outcome],
            )
            .map_err(&wrong)?;
        change.commit().map_err(&wrong)
    }

    /// All verifications, the oldest first.
    ///
    /// # Errors
    /// When the store cannot be read.
    pub fn verifications(&self) -> Result<Vec<Verification>, Error> {
        let wrong = self.wrong("read what was measured");
        let sql =
            "SELECT at, rule, version, place, metric, predicted_low, predicted_high, measured, measured_low,
                       measured_high, outcome
                   FROM verification ORDER BY at, number";
        let mut statement = self.connection.prepare(sql).map_err(&wrong)?;
        let rows = statement.query_map([], |row| {
            Ok(Verification {
                at_unix_nanos: positive(row.get(0)?),
                rule: row.get(1)?,
                version: row.get(2)?,
                place: row.get(3)?,
                metric: row.get(4)?,
                predicted: [row.get(5)?, row.get(6)?],
                measured: row.get(7)?,
                measured_interval: [row.get(8)?, row.get(9)?],
                outcome: row.get(10)?,
            })
        });
        rows.and_then(|rows| rows.collect()).map_err(&wrong)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_kept_is_read_again_in_order_of_time() {
        let folder = tempfile::tempdir().expect("a temporary folder can be made");
        let mut store = Store::create(folder.path()).unwrap();
        assert_eq!(store.verifications().unwrap(), []);
        let verification = |at_unix_nanos, outcome: &str| Verification {
            at_unix_nanos,
            rule: "CPU-MEMORY-COPIES".to_owned(),
            version: 1,
            place: "src/load.rs:7 in load".to_owned(),
            metric: "cpu".to_owned(),
            predicted: [1.1, 1.5],
            measured: 1.25,
            measured_interval: [1.2, 1.3],
            outcome: outcome.to_owned(),
        };
        let (late, early) = (verification(20, "delivered"), verification(10, "less"));
        store.add_verification(&late).unwrap();
        store.add_verification(&early).unwrap();
        store.add_verification(&Verification { at_unix_nanos: 0, ..early.clone() }).unwrap();
        drop(store);
        let found = Store::open(folder.path()).unwrap().verifications().unwrap();
        assert_eq!(found[..2], [early, late]);
        assert!(found[2].at_unix_nanos > 20);
    }
}
