//! What blocks are of, and which of it is asked for.

use std::collections::BTreeMap;

use calor_formats::parts::Window;
use rusqlite::{OptionalExtension, Transaction, params};

use crate::catalogue::positive;
use crate::digest::Digest;
use crate::{Error, Store};

/// One stream of parts. Two are the same where all of this is.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub struct Series {
    /// Who reports.
    pub service: String,
    /// What is reported, such as `cpu` or `heap`.
    pub kind: String,
    /// What tells it from others of the service: host, process, version.
    pub labels: BTreeMap<String, String>,
}

impl Series {
    /// The same with a label more.
    #[must_use]
    pub fn label(mut self, key: &str, value: &str) -> Self {
        self.labels.insert(key.to_owned(), value.to_owned());
        self
    }

    /// Of all that it is, each text with its length before it.
    fn digest(&self) -> Digest {
        let texts = [&self.service, &self.kind].into_iter();
        let texts = texts.chain(self.labels.iter().flat_map(|(key, value)| [key, value]));
        texts.fold(Digest::of(b"series"), |digest, text| {
            digest.and(&(text.len() as u64).to_le_bytes()).and(text.as_bytes())
        })
    }
}

/// Which series are wanted: those that are like everything that is said here.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub struct SeriesFilter {
    /// Of this service.
    pub service: Option<String>,
    /// Of this kind.
    pub kind: Option<String>,
    /// With these labels.
    pub labels: Vec<(String, String)>,
    /// Without these labels: with others of the key, or none.
    pub without: Vec<(String, String)>,
}

impl SeriesFilter {
    /// Whether a series is wanted.
    #[must_use]
    pub fn wants(&self, series: &Series) -> bool {
        let has = |(key, value): &(String, String)| series.labels.get(key) == Some(value);
        self.service.as_ref().is_none_or(|service| *service == series.service)
            && self.kind.as_ref().is_none_or(|kind| *kind == series.kind)
            && self.labels.iter().all(has)
            && !self.without.iter().any(has)
    }
}

/// A series of which there are blocks.
#[derive(Clone, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct KeptSeries {
    /// The series.
    pub series: Series,
    /// From its first block to its last.
    pub window: Window,
    /// How many blocks there are.
    pub n_blocks: u64,
    /// How large they are.
    pub bytes: u64,
}

/// The number of a series, which is added where it is new.
pub(super) fn number_of(change: &Transaction<'_>, series: &Series) -> rusqlite::Result<i64> {
    let digest = series.digest().to_bytes();
    let known = "SELECT number FROM series WHERE digest = ?1";
    if let Some(number) = change.query_row(known, [&digest[..]], |row| row.get(0)).optional()? {
        return Ok(number);
    }
    change.execute(
        "INSERT INTO series (digest, service, kind) VALUES (?1, ?2, ?3)",
        params![&digest[..], series.service, series.kind],
    )?;
    let number = change.last_insert_rowid();
    let mut insert = change.prepare("INSERT INTO series_label (series, key, value) VALUES (?1, ?2, ?3)")?;
    for (key, value) in &series.labels {
        insert.execute(params![number, key, value])?;
    }
    Ok(number)
}

impl Store {
    pub(super) fn kept_series(&self, filter: &SeriesFilter) -> Result<Vec<KeptSeries>, Error> {
        let read = || -> rusqlite::Result<Vec<KeptSeries>> {
            let mut kept = Vec::new();
            let mut about = self.connection.prepare(
                "SELECT min(starts), max(ends), count(*), sum(bytes) FROM block WHERE series = ?1",
            )?;
            for (number, series) in self.wanted_series(filter)? {
                let row = about.query_row([number], |row| {
                    let n_blocks = positive(row.get(2)?);
                    if n_blocks == 0 {
                        return Ok(None);
                    }
                    let window = Window::new(positive(row.get(0)?), positive(row.get(1)?));
                    let bytes = positive(row.get(3)?);
                    Ok(Some(KeptSeries { series, window, n_blocks, bytes }))
                });
                kept.extend(row?);
            }
            Ok(kept)
        };
        read().map_err(self.wrong("list the series"))
    }

    /// The series of a filter with their numbers, in order. There are few of them beside their blocks.
    pub(super) fn wanted_series(&self, filter: &SeriesFilter) -> rusqlite::Result<Vec<(i64, Series)>> {
        if self.is_older {
            return Ok(Vec::new());
        }
        let mut statement = self.connection.prepare("SELECT number, service, kind FROM series")?;
        let found = statement.query_map([], |row| {
            let series = Series { service: row.get(1)?, kind: row.get(2)?, labels: BTreeMap::new() };
            Ok((row.get::<_, i64>(0)?, series))
        })?;
        let mut found: BTreeMap<i64, Series> = found.collect::<Result<_, _>>()?;
        let mut labels = self.connection.prepare("SELECT series, key, value FROM series_label")?;
        let mut rows = labels.query([])?;
        while let Some(row) = rows.next()? {
            if let Some(series) = found.get_mut(&row.get(0)?) {
                series.labels.insert(row.get(1)?, row.get(2)?);
            }
        }
        let mut found: Vec<_> = found.into_iter().filter(|(_, series)| filter.wants(series)).collect();
        found.sort_by(|a, b| a.1.cmp(&b.1));
        Ok(found)
    }
}
