//! What blocks add up to: profiles of a range, and sums step by step.

use calor_formats::parts::Window;
use calor_model::{Profile, Warning};
use rusqlite::{Connection, params};

use super::{HOUR_NANOS, Merged, SeriesFilter, SeriesSums, StepSum};
use crate::catalogue::positive;
use crate::save::number;
use crate::{Encoded, Error, Store, SumKind, content};

impl Store {
    pub(super) fn merged_blocks(&self, filter: &SeriesFilter, range: Window) -> Result<Merged, Error> {
        let wrong = self.wrong("read blocks");
        // All of it as it was at one moment: what is sealed meanwhile is not seen twice.
        let moment = self.connection.unchecked_transaction().map_err(&wrong)?;
        let mut merged = Merged::default();
        let mut n_unread = 0;
        for (series, _) in self.wanted_series(filter).map_err(&wrong)? {
            for (block, window) in overlapping(&moment, series, range).map_err(&wrong)? {
                let bytes = content::read(&moment, &content::BLOCK, block).map_err(&wrong)?;
                match Encoded::read(bytes) {
                    Ok(part) => merged.add(part.into_profile(), window),
                    Err(_) => n_unread += 1,
                }
            }
        }
        merged.profile.timeline.sort();
        merged.profile.counters.sort();
        if n_unread > 0 {
            let message = "blocks of the store are damaged and were left out, so all figures miss what they held; \
                           `calor store check` tells more";
            merged.profile.warn(Warning::counted("block_unread", message, n_unread));
        }
        Ok(merged)
    }

    pub(super) fn sums_of_parts(
        &self,
        filter: &SeriesFilter,
        kind: SumKind,
        range: Window,
        step_nanos: u64,
    ) -> Result<Vec<SeriesSums>, Error> {
        let column = match kind {
            SumKind::Scopes => "scopes",
            SumKind::Cpu => "cpu",
            SumKind::Wall => "wall",
            SumKind::OffCpu => "off_cpu",
            SumKind::Allocated => "allocated",
        };
        let read = || -> rusqlite::Result<Vec<SeriesSums>> {
            let wanted = self.wanted_series(filter)?;
            if wanted.is_empty() {
                return Ok(Vec::new());
            }
            let mut all = Vec::new();
            let mut statement = self.connection.prepare(&format!(
                "SELECT starts / ?4 * ?4 AS step, sum({column}), sum(ends - starts) FROM part
                 WHERE series = ?1 AND starts >= ?2 AND starts < ?3 AND {column} IS NOT NULL
                 GROUP BY step ORDER BY step"
            ))?;
            for (number_of_series, series) in wanted {
                let range = [number(range.from_unix_nanos), number(range.until_unix_nanos)];
                let step = number(step_nanos).max(1);
                let steps =
                    statement.query_map(params![number_of_series, range[0], range[1], step], |row| {
                        Ok(StepSum {
                            from_unix_nanos: positive(row.get(0)?),
                            value: positive(row.get(1)?),
                            measured_nanos: positive(row.get(2)?),
                        })
                    })?;
                let steps = steps.collect::<rusqlite::Result<Vec<_>>>()?;
                if !steps.is_empty() {
                    all.push(SeriesSums { series, steps });
                }
            }
            Ok(all)
        };
        read().map_err(self.wrong("read sums"))
    }
}

impl Merged {
    fn add(&mut self, profile: Profile, window: Window) {
        match self.n_blocks {
            0 => self.profile = profile,
            _ => self.profile.merge(&profile),
        }
        self.window = Some(self.window.map_or(window, |sum| sum.with(window)));
        self.n_blocks += 1;
    }
}

/// The blocks of a series that overlap a range, in the order of time. None begins more than two hours before it: one sealed hour,
/// and the part that began at the end of it.
fn overlapping(connection: &Connection, series: i64, range: Window) -> rusqlite::Result<Vec<(i64, Window)>> {
    let mut statement = connection.prepare(
        "SELECT number, starts, ends FROM block
         WHERE series = ?1 AND starts >= ?2 AND starts < ?3 AND (ends > ?4 OR starts >= ?4)
         ORDER BY starts, number",
    )?;
    let earliest = range.from_unix_nanos.saturating_sub(2 * HOUR_NANOS);
    let values =
        params![series, number(earliest), number(range.until_unix_nanos), number(range.from_unix_nanos)];
    let blocks = statement.query_map(values, |row| {
        Ok((row.get(0)?, Window::new(positive(row.get(1)?), positive(row.get(2)?))))
    })?;
    blocks.collect()
}
