//! Whether everything that was saved is still as it was.

use crate::digest::Digest;
use crate::{Error, Filter, Store};

impl Store {
    /// Looks at every page of the database and at every byte of every profile. Says what is wrong, in sentences; nothing
    /// where all is well.
    ///
    /// # Errors
    /// When not even that can be found out.
    pub fn check(&self) -> Result<Vec<String>, Error> {
        let wrong = self.wrong("check the store");
        let mut problems = self.column("PRAGMA integrity_check").map_err(&wrong)?;
        problems.retain(|line| line != "ok");
        for table in self.column("PRAGMA foreign_key_check").map_err(&wrong)? {
            problems.push(format!("a row of table {table} refers to one that is gone"));
        }
        let sql = "SELECT digest FROM run WHERE id = ?1";
        for run in self.runs(&Filter::default())? {
            let digest: Vec<u8> =
                self.connection.query_row(sql, [run.id.as_str()], |row| row.get(0)).map_err(&wrong)?;
            match self.bytes(&run.id) {
                Ok(bytes) if Some(Digest::of(&bytes)) != Digest::from_bytes(&digest) => {
                    problems.push(format!("the profile of run {} is not what was saved", run.id));
                }
                Ok(_) => {}
                Err(error) => problems.push(error.to_string()),
            }
        }
        Ok(problems)
    }

    fn column(&self, sql: &str) -> rusqlite::Result<Vec<String>> {
        let mut statement = self.connection.prepare(sql)?;
        let rows = statement.query_map([], |row| row.get(0))?;
        rows.collect()
    }
}
