//! How a store lies in its database. The catalogue and the profiles are apart, so that listing runs does not read past
//! their profiles. Times are nanoseconds, those since 1970 in UTC.

/// Tells a store from other databases: `Calr`, in the header of the file.
pub(crate) const APPLICATION: i64 = 0x4361_6c72;

/// The version that is written. A reader refuses a larger one.
pub(crate) const VERSION: i64 = 1;

/// The tables of version 1.
///
/// - `run.number` counts saves and is never given out twice, so `latest` is the largest.
/// - `piece` holds a whole `.calor` file, cut where a value of the database would become too large.
/// - A run that belongs to a baseline cannot be deleted.
pub(crate) const TABLES: &str = "
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
