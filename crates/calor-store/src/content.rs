//! The bytes of a saved profile: a whole `.calor` file, cut into pieces since a value of SQLite has an end.

use calor_formats::native;
use calor_model::Profile;
use rusqlite::{Transaction, params};

use crate::{Error, SavedId, Store};

/// Far below what a value can hold, so that no more than this is copied at a time.
const PIECE_BYTES: usize = 16 << 20;

/// Stores the bytes of a run.
pub(crate) fn write(change: &Transaction<'_>, run: i64, bytes: &[u8]) -> rusqlite::Result<()> {
    let mut insert = change.prepare("INSERT INTO piece (run, place, bytes) VALUES (?1, ?2, ?3)")?;
    for (place, piece) in bytes.chunks(PIECE_BYTES).enumerate() {
        insert.execute(params![run, place as i64, piece])?;
    }
    Ok(())
}

impl Store {
    /// A saved profile.
    ///
    /// # Errors
    /// When there is no such run, or its bytes are damaged.
    pub fn profile(&self, id: &SavedId) -> Result<Profile, Error> {
        Ok(native::read(&self.bytes(id)?)?)
    }

    /// A saved profile as the `.calor` file it is.
    ///
    /// # Errors
    /// When there is no such run, or some of its bytes are missing.
    pub fn bytes(&self, id: &SavedId) -> Result<Vec<u8>, Error> {
        let wrong = self.wrong("read a saved profile");
        let find = "SELECT number, bytes FROM run WHERE id = ?1";
        let found = self
            .connection
            .query_row(find, [id.as_str()], |row| Ok((row.get::<_, i64>(0)?, row.get::<_, i64>(1)?)));
        let (run, n_bytes) = match found {
            Err(rusqlite::Error::QueryReturnedNoRows) => return Err(self.unknown(id.as_str())),
            found => found.map_err(&wrong)?,
        };
        let n_bytes = usize::try_from(n_bytes).unwrap_or(0);
        let mut bytes = Vec::new();
        let mut pieces = self
            .connection
            .prepare("SELECT bytes FROM piece WHERE run = ?1 ORDER BY place")
            .map_err(&wrong)?;
        let mut rows = pieces.query([run]).map_err(&wrong)?;
        while let Some(row) = rows.next().map_err(&wrong)? {
            let piece = row.get_ref(0).map_err(&wrong)?;
            bytes.extend_from_slice(piece.as_blob().map_err(|error| self.damaged(error.to_string()))?);
        }
        if bytes.len() != n_bytes {
            let what = format!("run {id} has {} bytes where {n_bytes} were saved", bytes.len());
            return Err(self.damaged(what));
        }
        Ok(bytes)
    }
}
