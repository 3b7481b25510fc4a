//! How a store lies in its database, and how one of an earlier version is brought forward: version by version, in one change,
//! when it is opened. Catalogue and profiles are apart, so that listing runs does not read past their profiles. Times are
//! nanoseconds, those since 1970 in UTC.
//!
//! A new version is a new entry of [`STEPS`] and a fixture of the version before it in `tests/fixtures/store`. Steps that were
//! released never change.

use rusqlite::{Connection, Transaction};

/// Tells a store from other databases: `Calr`, in the header of the file.
pub(crate) const APPLICATION: i64 = 0x4361_6c72;

/// The version that is written. A reader refuses a larger one.
pub(crate) const VERSION: i64 = STEPS.len() as i64;

/// What each version adds to the one before it.
const STEPS: [&[&str]; 2] = [&[RUNS], &[SCOPE, SUM, SUMMED, VERIFICATION, DISMISSAL, BLOCKS]];

/// The tables beyond version 1. Where the file may not be changed, the connection has those that are missing for itself.
const LATER: [(&str, &str); 5] = [
    ("scope", SCOPE),
    ("sum", SUM),
    ("summed", SUMMED),
    ("verification", VERIFICATION),
    ("dismissal", DISMISSAL),
];

/// The tables of sums by scope, which are filled in where they are read.
pub(crate) const SUMS: [&str; 3] = ["scope", "sum", "summed"];

/// Brings a database forward from whatever version it has, 0 being an empty one. Another process may do the same: whoever holds
/// the lock does it, and the next one finds it done.
pub(crate) fn bring_forward(change: &Transaction<'_>) -> rusqlite::Result<()> {
    let version: i64 = change.pragma_query_value(None, "user_version", |row| row.get(0))?;
    if version >= VERSION {
        return Ok(());
    }
    for step in &STEPS[usize::try_from(version).unwrap_or(0)..] {
        step.iter().try_for_each(|tables| change.execute_batch(tables))?;
    }
    change.pragma_update(None, "application_id", APPLICATION)?;
    change.pragma_update(None, "user_version", VERSION)
}

/// Lays tables over those of the file for this connection alone, with what the file has in them: those of some names, or all that
/// are missing.
pub(crate) fn overlay(connection: &Connection, names: Option<&[&str]>) -> rusqlite::Result<()> {
    // Tables of a connection cannot refer to those of the file.
    connection.pragma_update(None, "foreign_keys", false)?;
    for (name, sql) in LATER {
        let is_in_file = has_table(connection, "main", name)?;
        let is_meant = names.map_or(!is_in_file, |names| names.contains(&name));
        if is_meant && !has_table(connection, "temp", name)? {
            connection.execute_batch(&sql.replace("CREATE TABLE IF NOT EXISTS", "CREATE TEMP TABLE"))?;
            if is_in_file {
                connection.execute_batch(&format!("INSERT INTO temp.{name} SELECT * FROM main.{name}"))?;
            }
        }
    }
    Ok(())
}

fn has_table(connection: &Connection, database: &str, name: &str) -> rusqlite::Result<bool> {
    let sql = format!("SELECT 1 FROM {database}.sqlite_schema WHERE name = ?1");
    connection.prepare(&sql)?.exists([name])
}

/// Version 1.
///
/// - `run.number` counts saves and is never given out twice, so `latest` is the largest.
/// - `piece` holds a whole `.calor` file, cut where a value of the database would become too large.
/// - A run that belongs to a baseline cannot be deleted.
const RUNS: &str = "
CREATE TABLE machine (
    number       INTEGER PRIMARY KEY,
    fingerprint  TEXT NOT NULL,
    name         TEXT NOT NULL,
    os           TEXT NOT NULL,
    kernel       TEXT NOT NULL,
    arch         TEXT NOT NULL,
    cpu          TEXT NOT NULL,
    cores        INTEGER,
    memory_bytes INTEGER
) STRICT;
CREATE INDEX machine_by_fingerprint ON machine (fingerprint);

CREATE TABLE run (
    number          INTEGER PRIMARY KEY AUTOINCREMENT,
    id              TEXT NOT NULL UNIQUE,
    digest          BLOB NOT NULL UNIQUE,
    bytes           INTEGER NOT NULL,
    saved_at        INTEGER NOT NULL,
    started_at      INTEGER,
    duration        INTEGER,
    cpu             INTEGER,
    name            TEXT NOT NULL,
    command         TEXT,
    recorders       TEXT NOT NULL,
    commit_hash     TEXT,
    branch          TEXT,
    is_dirty        INTEGER,
    machine         INTEGER REFERENCES machine (number),
    n_runs          INTEGER NOT NULL,
    n_samples       INTEGER,
    n_scopes        INTEGER,
    allocated_bytes INTEGER,
    peak_bytes      INTEGER,
    n_warnings      INTEGER NOT NULL
) STRICT;
CREATE INDEX run_by_commit ON run (commit_hash);
CREATE INDEX run_by_name ON run (name);

CREATE TABLE piece (
    run    INTEGER NOT NULL REFERENCES run (number) ON DELETE CASCADE,
    place  INTEGER NOT NULL,
    bytes  BLOB NOT NULL,
    PRIMARY KEY (run, place)
) STRICT;

CREATE TABLE label (
    run   INTEGER NOT NULL REFERENCES run (number) ON DELETE CASCADE,
    key   TEXT NOT NULL,
    value TEXT NOT NULL,
    PRIMARY KEY (run, key)
) STRICT, WITHOUT ROWID;
CREATE INDEX label_by_value ON label (key, value, run);

CREATE TABLE setting (
    run   INTEGER NOT NULL REFERENCES run (number) ON DELETE CASCADE,
    key   TEXT NOT NULL,
    value TEXT NOT NULL,
    PRIMARY KEY (run, key)
) STRICT, WITHOUT ROWID;

CREATE TABLE baseline (
    name        TEXT PRIMARY KEY,
    set_at      INTEGER NOT NULL,
    set_by      TEXT,
    commit_hash TEXT,
    branch      TEXT,
    is_dirty    INTEGER
) STRICT, WITHOUT ROWID;

CREATE TABLE baseline_run (
    baseline TEXT NOT NULL REFERENCES baseline (name) ON DELETE CASCADE,
    place    INTEGER NOT NULL,
    run      INTEGER NOT NULL REFERENCES run (number) ON DELETE RESTRICT,
    PRIMARY KEY (baseline, place),
    UNIQUE (baseline, run)
) STRICT, WITHOUT ROWID;
CREATE INDEX baseline_of_run ON baseline_run (run);
";

/// Version 2, sums by scope. Stores of version 1 may have this table and the four below, each of which was once made when it was
/// first needed.
const SCOPE: &str = "
CREATE TABLE IF NOT EXISTS scope (
    number INTEGER PRIMARY KEY,
    name   TEXT NOT NULL,
    place  TEXT NOT NULL,
    UNIQUE (name, place)
) STRICT;
";

/// In the order in which the history of one scope is read; what some runs have, and the rows of one that is deleted, are found by
/// the index.
const SUM: &str = "
CREATE TABLE IF NOT EXISTS sum (
    kind  INTEGER NOT NULL,
    scope INTEGER NOT NULL,
    run   INTEGER NOT NULL REFERENCES run (number) ON DELETE CASCADE,
    calls INTEGER,
    own   INTEGER NOT NULL,
    total INTEGER NOT NULL,
    PRIMARY KEY (kind, scope, run)
) STRICT, WITHOUT ROWID;
CREATE INDEX IF NOT EXISTS sum_of_run ON sum (run);
";

/// Says of which runs there are sums, since a run may have none.
const SUMMED: &str = "
CREATE TABLE IF NOT EXISTS summed (
    run    INTEGER PRIMARY KEY REFERENCES run (number) ON DELETE CASCADE,
    rule   INTEGER NOT NULL,
    canary INTEGER
) STRICT;
";

/// Version 2, predictions that were put to the test.
const VERIFICATION: &str = "
CREATE TABLE IF NOT EXISTS verification (
    number         INTEGER PRIMARY KEY,
    at             INTEGER NOT NULL,
    rule           TEXT NOT NULL,
    version        INTEGER NOT NULL,
    place          TEXT NOT NULL,
    metric         TEXT NOT NULL,
    predicted_low  REAL NOT NULL,
    predicted_high REAL NOT NULL,
    measured       REAL NOT NULL,
    measured_low   REAL NOT NULL,
    measured_high  REAL NOT NULL,
    outcome        TEXT NOT NULL
) STRICT;
";

/// Version 2, findings that somebody waved off.
const DISMISSAL: &str = "
CREATE TABLE IF NOT EXISTS dismissal (
    rule     TEXT NOT NULL,
    function TEXT NOT NULL,
    severity TEXT NOT NULL,
    reason   TEXT NOT NULL,
    at       INTEGER NOT NULL,
    PRIMARY KEY (rule, function)
) STRICT, WITHOUT ROWID;
";

/// Version 2, blocks of series.
///
/// - `series.digest` is that of service, kind and labels, which are unique together.
/// - `block_piece` holds a whole `.calor` file, as `piece` does. A block is one part, or all parts of an hour once that is sealed.
/// - `part` remembers what was appended also when it is in a sealed block, so that appending it again changes nothing; and it
///   keeps what the part adds to sums by time.
/// - `room` has one row: what all blocks take, kept by triggers.
const BLOCKS: &str = "
CREATE TABLE series (
    number  INTEGER PRIMARY KEY,
    digest  BLOB NOT NULL UNIQUE,
    service TEXT NOT NULL,
    kind    TEXT NOT NULL
) STRICT;

CREATE TABLE series_label (
    series INTEGER NOT NULL REFERENCES series (number) ON DELETE CASCADE,
    key    TEXT NOT NULL,
    value  TEXT NOT NULL,
    PRIMARY KEY (series, key)
) STRICT, WITHOUT ROWID;

CREATE TABLE block (
    number INTEGER PRIMARY KEY AUTOINCREMENT,
    series INTEGER NOT NULL REFERENCES series (number),
    starts INTEGER NOT NULL,
    ends   INTEGER NOT NULL,
    bytes  INTEGER NOT NULL
) STRICT;
CREATE INDEX block_of_series ON block (series, starts, ends, bytes);
CREATE INDEX block_by_end ON block (ends);

CREATE TABLE block_piece (
    block INTEGER NOT NULL REFERENCES block (number) ON DELETE CASCADE,
    place INTEGER NOT NULL,
    bytes BLOB NOT NULL,
    PRIMARY KEY (block, place)
) STRICT;

CREATE TABLE part (
    series    INTEGER NOT NULL,
    starts    INTEGER NOT NULL,
    ends      INTEGER NOT NULL,
    digest    BLOB NOT NULL,
    block     INTEGER NOT NULL REFERENCES block (number) ON DELETE CASCADE,
    scopes    INTEGER,
    cpu       INTEGER,
    wall      INTEGER,
    off_cpu   INTEGER,
    allocated INTEGER,
    PRIMARY KEY (series, starts, ends, digest)
) STRICT, WITHOUT ROWID;
CREATE INDEX part_of_block ON part (block);

CREATE TABLE room (
    only     INTEGER PRIMARY KEY CHECK (only = 1),
    n_blocks INTEGER NOT NULL,
    bytes    INTEGER NOT NULL
) STRICT;
INSERT INTO room VALUES (1, 0, 0);
CREATE TRIGGER block_comes AFTER INSERT ON block BEGIN
    UPDATE room SET n_blocks = n_blocks + 1, bytes = bytes + new.bytes;
END;
CREATE TRIGGER block_goes AFTER DELETE ON block BEGIN
    UPDATE room SET n_blocks = n_blocks - 1, bytes = bytes - old.bytes;
END;
";
