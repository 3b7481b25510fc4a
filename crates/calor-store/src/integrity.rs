//! Whether everything that was saved is still as it was.

use crate::digest::Digest;
use crate::{Encoded, Error, Filter, Store, content};

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
        for table in self.column("PRAGMA main.foreign_key_check").map_err(&wrong)? {
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
        self.check_blocks(&mut problems).map_err(&wrong)?;
        Ok(problems)
    }

    fn check_blocks(&self, problems: &mut Vec<String>) -> rusqlite::Result<()> {
        if self.is_older {
            return Ok(());
        }
        let mut blocks = self.connection.prepare("SELECT number, bytes FROM block ORDER BY number")?;
        let mut rows = blocks.query([])?;
        while let Some(row) = rows.next()? {
            let (block, n_bytes): (i64, i64) = (row.get(0)?, row.get(1)?);
            let bytes = content::read(&self.connection, &content::BLOCK, block)?;
            if bytes.len() as i64 != n_bytes {
                problems.push(format!("block {block} has {} bytes where {n_bytes} were kept", bytes.len()));
            } else if let Err(error) = Encoded::read(bytes) {
                problems.push(format!("block {block} cannot be read: {error}"));
            }
        }
        Ok(())
    }

    fn column(&self, sql: &str) -> rusqlite::Result<Vec<String>> {
        let mut statement = self.connection.prepare(sql)?;
        let rows = statement.query_map([], |row| row.get(0))?;
        rows.collect()
    }
}
