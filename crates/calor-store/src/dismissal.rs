//! Findings that somebody looked at and waved off: they are remembered, so that nobody has to read them again. One that
//! became more severe than it was then is another matter.

use rusqlite::params;

use crate::Store;
use crate::catalogue::positive;
use crate::error::Error;
use crate::save::{now, number};

const DOING: &str = "remember what was dismissed";

/// A finding that is not to be told again.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct Dismissal {
    /// The rule of the finding.
    pub rule: String,
    /// The function it is at.
    pub function: String,
    /// The word for how severe it was: `high`.
    pub severity: String,
    /// Why.
    pub reason: String,
    /// When, in nanoseconds since 1970; 0: now.
    pub at_unix_nanos: u64,
}

impl Store {
    /// Remembers a dismissal; an earlier one of the same rule and function is replaced.
    ///
    /// # Errors
    /// When the store cannot be written.
    pub fn dismiss(&mut self, dismissal: &Dismissal) -> Result<(), Error> {
        let wrong = self.wrong(DOING);
        let change = self.change(DOING)?;
        let Dismissal { rule, function, severity, reason, at_unix_nanos } = dismissal;
        let at = number(if *at_unix_nanos == 0 { now() } else { *at_unix_nanos });
        change
            .execute(
                "INSERT OR REPLACE INTO dismissal (rule, function, severity, reason, at) VALUES (?1, ?2, ?3, ?4, ?5)",
                params![rule, function, severity, reason, at],
            )
            .map_err(&wrong)?;
        change.commit().map_err(&wrong)
    }

    /// Forgets dismissals of a rule, at one function or at all; how many there were.
    ///
    /// # Errors
    /// When the store cannot be written.
    pub fn undismiss(&mut self, rule: &str, function: Option<&str>) -> Result<usize, Error> {
        const DOING: &str = "forget what was dismissed";
        let wrong = self.wrong(DOING);
        let change = self.change(DOING)?;
        let n_forgotten = change
            .execute(
                "DELETE FROM dismissal WHERE rule = ?1 COLLATE NOCASE AND (?2 IS NULL OR function = ?2)",
                params![rule, function],
            )
            .map_err(&wrong)?;
        change.commit().map_err(&wrong)?;
        Ok(n_forgotten)
    }

    /// All dismissals, by rule and function.
    ///
    /// # Errors
    /// When the store cannot be read.
    pub fn dismissals(&self) -> Result<Vec<Dismissal>, Error> {
        let wrong = self.wrong("read what was dismissed");
        let sql = "SELECT rule, function, severity, reason, at FROM dismissal ORDER BY rule, function";
        let mut statement = self.connection.prepare(sql).map_err(&wrong)?;
        let rows = statement.query_map([], |row| {
            Ok(Dismissal {
                rule: row.get(0)?,
                function: row.get(1)?,
                severity: row.get(2)?,
                reason: row.get(3)?,
                at_unix_nanos: positive(row.get(4)?),
            })
        });
        rows.and_then(|rows| rows.collect()).map_err(&wrong)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_was_dismissed_is_remembered_once_until_it_is_forgotten() {
        let folder = tempfile::tempdir().expect("a temporary folder can be made");
        let mut store = Store::create(folder.path()).unwrap();
        assert_eq!(store.dismissals().unwrap(), []);
        let dismissal = |function: &str, reason: &str| Dismissal {
            rule: "CPU-MEMORY-COPIES".to_owned(),
            function: function.to_owned(),
            severity: "low".to_owned(),
            reason: reason.to_owned(),
            at_unix_nanos: 7,
        };
        for (function, reason) in [("load", "first"), ("save", "known"), ("load", "second")] {
            store.dismiss(&dismissal(function, reason)).unwrap();
        }
        drop(store);
        let mut store = Store::open(folder.path()).unwrap();
        assert_eq!(store.dismissals().unwrap(), [dismissal("load", "second"), dismissal("save", "known")]);
        assert_eq!(store.undismiss("cpu-memory-copies", Some("load")).unwrap(), 1);
        assert_eq!(store.undismiss("CPU-MEMORY-COPIES", Some("load")).unwrap(), 0);
        assert_eq!(store.dismissals().unwrap(), [dismissal("save", "known")]);
        store.dismiss(&Dismissal { at_unix_nanos: 0, ..dismissal("load", "x") }).unwrap();
        assert!(store.dismissals().unwrap()[0].at_unix_nanos > 7);
        assert_eq!(store.undismiss("CPU-MEMORY-COPIES", None).unwrap(), 2);
    }
}
