//! How much is kept of blocks. The limits are hard: room is made before something is written, not when somebody comes to look.

use calor_formats::parts::Window;
use rusqlite::{Transaction, params};

use crate::catalogue::positive;
use crate::save::number;
use crate::{Error, Store};

/// What is kept; where nothing is said, all.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Limits {
    /// Blocks that ended by this time go, in nanoseconds since 1970.
    pub oldest_unix_nanos: Option<u64>,
    /// So many bytes of blocks stay at most. What the database needs beside them is a few hundredths more.
    pub most_bytes: Option<u64>,
    /// So many blocks stay at most.
    pub most_blocks: Option<u64>,
}

impl Limits {
    /// The same when a block of so many bytes is about to come.
    pub(super) fn with_room_for(self, bytes: u64) -> Self {
        Self {
            most_bytes: self.most_bytes.map(|most| most.saturating_sub(bytes)),
            most_blocks: self.most_blocks.map(|most| most.saturating_sub(1)),
            ..self
        }
    }

    /// How large a single block may be.
    pub(super) fn most_for_one(&self) -> Option<u64> {
        if self.most_blocks == Some(0) { Some(0) } else { self.most_bytes }
    }

    /// Whether a block of a window would go at once.
    pub(super) fn are_after(&self, window: Window) -> bool {
        self.oldest_unix_nanos.is_some_and(|oldest| window.until_unix_nanos <= oldest)
    }
}

/// What went.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Expired {
    /// How many blocks.
    pub n_blocks: u64,
    /// How large they were.
    pub bytes: u64,
}

const DOING: &str = "remove what is beyond the limits";

impl Store {
    pub(super) fn expire_blocks(&mut self, limits: &Limits) -> Result<Expired, Error> {
        let wrong = self.wrong(DOING);
        let change = self.change(DOING)?;
        let expired = expire(&change, limits).map_err(&wrong)?;
        change.commit().map_err(&wrong)?;
        if expired.n_blocks > 0 {
            self.give_room_back().map_err(&wrong)?;
        }
        Ok(expired)
    }
}

/// Removes what is beyond limits, as a part of a change.
pub(super) fn expire(change: &Transaction<'_>, limits: &Limits) -> rusqlite::Result<Expired> {
    let mut expired = Expired::default();
    if *limits == Limits::default() {
        return Ok(expired);
    }
    let room = || {
        let sql = "SELECT n_blocks, bytes FROM room";
        change.query_row(sql, [], |row| Ok((positive(row.get(0)?), positive(row.get(1)?))))
    };
    let (n_blocks, bytes) = room()?;
    let (mut blocks_left, mut bytes_left) = (n_blocks, bytes);
    let oldest = limits.oldest_unix_nanos.map(number);
    let mut last: Option<(i64, i64)> = None;
    let mut blocks = change.prepare("SELECT ends, number, bytes FROM block ORDER BY ends, number")?;
    let mut rows = blocks.query([])?;
    while let Some(row) = rows.next()? {
        let ends: i64 = row.get(0)?;
        let is_beyond = oldest.is_some_and(|oldest| ends <= oldest)
            || limits.most_bytes.is_some_and(|most| bytes_left > most)
            || limits.most_blocks.is_some_and(|most| blocks_left > most);
        if !is_beyond {
            break;
        }
        last = Some((ends, row.get(1)?));
        bytes_left -= positive(row.get(2)?);
        blocks_left -= 1;
    }
    drop(rows);
    if let Some((ends, number)) = last {
        change.execute("DELETE FROM block WHERE (ends, number) <= (?1, ?2)", params![ends, number])?;
        change.execute(
            "DELETE FROM series WHERE NOT EXISTS (SELECT 1 FROM block WHERE block.series = series.number)",
            [],
        )?;
    }
    expired.n_blocks = n_blocks - blocks_left;
    expired.bytes = bytes - bytes_left;
    Ok(expired)
}
