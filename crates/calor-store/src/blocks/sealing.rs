//! Sealing: all parts of an hour in one block, which has its names and call paths once.

use calor_formats::parts::Window;
use calor_model::Profile;
use rusqlite::{Transaction, params};

use super::HOUR_NANOS;
use super::appending::write_block;
use crate::catalogue::positive;
use crate::encoded::encode;
use crate::save::number;
use crate::{Encoded, Error, Store, content};

/// What came of sealing.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
#[non_exhaustive]
pub struct Sealed {
    /// How many hours of series are one block now.
    pub n_hours: u64,
    /// How many blocks they were before.
    pub n_blocks: u64,
    /// Hours that were left as they are: a block of theirs cannot be read.
    pub n_unread: u64,
}

const DOING: &str = "seal blocks";

impl Store {
    pub(super) fn seal_hours(&mut self, until_unix_nanos: u64) -> Result<Sealed, Error> {
        let wrong = self.wrong(DOING);
        let mut sealed = Sealed::default();
        if self.is_older {
            return Ok(sealed);
        }
        for (series, hour) in self.open_hours(until_unix_nanos).map_err(&wrong)? {
            let blocks = self.blocks_of_hour(series, hour).map_err(&wrong)?;
            // Others may write while this is read and encoded; only the exchange below has to be alone.
            match self.joined(&blocks)? {
                None => sealed.n_unread += 1,
                Some((window, bytes)) => {
                    let change = self.change(DOING)?;
                    if exchange(&change, series, &blocks, window, &bytes).map_err(&wrong)? {
                        change.commit().map_err(&wrong)?;
                        sealed.n_hours += 1;
                        sealed.n_blocks += blocks.len() as u64;
                    }
                }
            }
        }
        if sealed.n_hours > 0 {
            self.give_room_back().map_err(&wrong)?;
        }
        Ok(sealed)
    }

    /// Hours that ended by a time and are several blocks, by series.
    fn open_hours(&self, until_unix_nanos: u64) -> rusqlite::Result<Vec<(i64, i64)>> {
        let mut statement = self.connection.prepare(
            "SELECT series, starts / ?2 AS hour FROM block WHERE starts < ?1
             GROUP BY series, hour HAVING count(*) > 1",
        )?;
        let end = until_unix_nanos - until_unix_nanos % HOUR_NANOS;
        let hours =
            statement.query_map([number(end), number(HOUR_NANOS)], |row| Ok((row.get(0)?, row.get(1)?)))?;
        hours.collect()
    }

    fn blocks_of_hour(&self, series: i64, hour: i64) -> rusqlite::Result<Vec<(i64, Window)>> {
        let mut statement = self.connection.prepare(
            "SELECT number, starts, ends FROM block WHERE series = ?1 AND starts >= ?2 AND starts < ?3
             ORDER BY starts, number",
        )?;
        let from = hour * number(HOUR_NANOS);
        let blocks = statement.query_map([series, from, from + number(HOUR_NANOS)], |row| {
            Ok((row.get(0)?, Window::new(positive(row.get(1)?), positive(row.get(2)?))))
        })?;
        blocks.collect()
    }

    /// The sum of some blocks and its bytes; `None` where one of them cannot be read, or is gone.
    fn joined(&self, blocks: &[(i64, Window)]) -> Result<Option<(Window, Vec<u8>)>, Error> {
        let mut sum: Option<(Window, Profile)> = None;
        for (block, window) in blocks {
            let bytes = content::read(&self.connection, &content::BLOCK, *block);
            let Ok(part) = Encoded::read(bytes.map_err(self.wrong(DOING))?) else { return Ok(None) };
            sum = Some(match sum {
                None => (*window, part.into_profile()),
                Some((sum, mut profile)) => {
                    profile.merge(part.profile());
                    (sum.with(*window), profile)
                }
            });
        }
        let Some((window, mut profile)) = sum else { return Ok(None) };
        profile.timeline.sort();
        profile.counters.sort();
        Ok(Some((window, encode(&profile)?)))
    }
}

/// Puts one block in the place of some, unless somebody else sealed or removed one of them meanwhile.
fn exchange(
    change: &Transaction<'_>,
    series: i64,
    blocks: &[(i64, Window)],
    window: Window,
    bytes: &[u8],
) -> rusqlite::Result<bool> {
    let sealed = write_block(change, series, window, bytes)?;
    let mut n_removed = 0;
    for (block, _) in blocks {
        change.execute("UPDATE part SET block = ?1 WHERE block = ?2", params![sealed, block])?;
        n_removed += change.execute("DELETE FROM block WHERE number = ?1", [block])?;
    }
    Ok(n_removed == blocks.len())
}
