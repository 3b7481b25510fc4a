//! The bytes of saved profiles and of blocks: whole `.calor` files, cut into pieces since a value of SQLite has an end.

use calor_formats::native;
use calor_model::Profile;
use rusqlite::{Connection, OptionalExtension, params};

use crate::{Error, SavedId, Store};

/// Far below what a value can hold, so that no more than this is copied at a time.
const PIECE_BYTES: usize = 16 << 20;

/// Where pieces of one kind of owner lie.
pub(crate) struct Pieces {
    table: &'static str,
    owner: &'static str,
}

/// Those of runs.
pub(crate) const RUN: Pieces = Pieces { table: "piece", owner: "run" };
/// Those of blocks.
pub(crate) const BLOCK: Pieces = Pieces { table: "block_piece", owner: "block" };

/// Stores the bytes of an owner.
pub(crate) fn write(
    connection: &Connection,
    Pieces { table, owner }: &Pieces,
    number: i64,
    bytes: &[u8],
) -> rusqlite::Result<()> {
    let sql = format!("INSERT INTO {table} ({owner}, place, bytes) VALUES (?1, ?2, ?3)");
    let mut insert = connection.prepare(&sql)?;
    for (place, piece) in bytes.chunks(PIECE_BYTES).enumerate() {
        insert.execute(params![number, place as i64, piece])?;
    }
    Ok(())
}

/// All bytes of an owner that are there.
pub(crate) fn read(
    connection: &Connection,
    Pieces { table, owner }: &Pieces,
    number: i64,
) -> rusqlite::Result<Vec<u8>> {
    let mut bytes = Vec::new();
    let sql = format!("SELECT bytes FROM {table} WHERE {owner} = ?1 ORDER BY place");
    let mut pieces = connection.prepare(&sql)?;
    let mut rows = pieces.query([number])?;
    while let Some(row) = rows.next()? {
        bytes.extend_from_slice(row.get_ref(0)?.as_blob()?);
    }
    Ok(bytes)
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
            .query_row(find, [id.as_str()], |row| Ok((row.get(0)?, row.get::<_, i64>(1)?)))
            .optional();
        let Some((run, n_bytes)) = found.map_err(&wrong)? else { return Err(self.unknown(id.as_str())) };
        let n_bytes = usize::try_from(n_bytes).unwrap_or(0);
        let bytes = read(&self.connection, &RUN, run).map_err(&wrong)?;
        if bytes.len() != n_bytes {
            let what = format!("run {id} has {} bytes where {n_bytes} were saved", bytes.len());
            return Err(self.damaged(what));
        }
        Ok(bytes)
    }
}
