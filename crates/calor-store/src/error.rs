//! What can go wrong with a store. A message says what happened, to what, and what to do next.

use std::path::{Path, PathBuf};
use std::time::Duration;

use crate::SavedId;

/// Why a store could not be opened, read or written.
#[derive(Debug, thiserror::Error)]
#[non_exhaustive]
pub enum Error {
    /// There is no store in a folder.
    #[error(
        "there is no store yet: save a run first, with `calor record --save -- CMD` or `calor store add FILE`: {}",
        path.display()
    )]
    NoStore {
        /// The folder.
        path: PathBuf,
    },

    /// The folder of a store cannot be made or looked into.
    #[error("cannot use the folder of the store ({what}): choose another one with --store: {}", path.display())]
    Folder {
        /// The folder.
        path: PathBuf,
        /// What the system says.
        what: String,
    },

    /// The file is something else.
    #[error(
        "expected a store of Calor, found {found}; it was left as it is: choose another folder with --store: {}",
        path.display()
    )]
    NotAStore {
        /// The database file.
        path: PathBuf,
        /// What it looks like.
        found: String,
    },

    /// The store was written by a later version.
    #[error(
        "written by a newer Calor (store {found}); this one reads up to {supported}: update calor: {}",
        path.display()
    )]
    Newer {
        /// The database file.
        path: PathBuf,
        /// The version of the store.
        found: i64,
        /// The newest version that can be read.
        supported: i64,
    },

    /// The database is damaged.
    #[error(
        "the store is damaged ({what}): move the folder away and save anew; `sqlite3 FILE .recover` may save what is \
         left: {}",
        path.display()
    )]
    Damaged {
        /// The database file.
        path: PathBuf,
        /// What is wrong.
        what: String,
    },

    /// Another process held the store for too long.
    #[error("another process has been writing to the store for {waited:?}: try again when it is done: {}", path.display())]
    Busy {
        /// The database file.
        path: PathBuf,
        /// How long was waited.
        waited: Duration,
    },

    /// The disk has no room.
    #[error(
        "no room on the disk; nothing that was saved before is lost: make some, or choose a store on another disk with \
         --store: {}",
        path.display()
    )]
    Full {
        /// The database file.
        path: PathBuf,
    },

    /// The store may be read but not written.
    #[error("the store may be read but not written: ask for the permission, or choose another one with --store: {}", path.display())]
    ReadOnly {
        /// The database file.
        path: PathBuf,
    },

    /// Anything else that the database says.
    #[error("cannot {doing} ({what}); nothing that was saved before is lost: {}", path.display())]
    Database {
        /// The database file.
        path: PathBuf,
        /// What was being done.
        doing: &'static str,
        /// What SQLite says.
        what: String,
    },

    /// A text that names no run.
    #[error(
        "`{given}` names no run: expected an id, latest, latest~1, KEY=VALUE, commit:HASH, branch:NAME, name:NAME or \
         baseline:NAME"
    )]
    Selector {
        /// The text.
        given: String,
    },

    /// No run is like that.
    #[error("no saved run for `{asked}`{among}: see `calor store ls`")]
    UnknownRun {
        /// What was asked for.
        asked: String,
        /// Among how many it was looked for, in words.
        among: String,
    },

    /// Several runs are like that.
    #[error("`{asked}` is the beginning of several ids ({}): give more of it", list(candidates))]
    AmbiguousRun {
        /// What was asked for.
        asked: String,
        /// Some of those it may mean.
        candidates: Vec<SavedId>,
    },

    /// One run is wanted and several are named.
    #[error("`{asked}` is {n_runs} runs where one is wanted: name one of them ({})", list(candidates))]
    SeveralRuns {
        /// What was asked for.
        asked: String,
        /// How many it is.
        n_runs: usize,
        /// Some of them.
        candidates: Vec<SavedId>,
    },

    /// A run belongs to a baseline.
    #[error(
        "run {run} belongs to baseline `{baseline}` and was not removed: remove or set that first, with `calor baseline \
         rm {baseline}`"
    )]
    InBaseline {
        /// The run.
        run: SavedId,
        /// The baseline.
        baseline: String,
    },

    /// There is no baseline of a name.
    #[error(
        "there is no baseline `{name}`{known}: `calor baseline list` shows them, `calor baseline set {name} RUN...` makes it one"
    )]
    UnknownBaseline {
        /// The name.
        name: String,
        /// Those that there are, in words.
        known: String,
    },

    /// A name that a baseline cannot have.
    #[error(
        "`{name}` cannot be the name of a baseline: expected up to 100 letters, digits and any of . _ - / +, beginning \
         with a letter or digit"
    )]
    BaselineName {
        /// The name.
        name: String,
    },

    /// A baseline without runs.
    #[error("a baseline needs at least one run: name some, such as `latest`")]
    EmptyBaseline,

    /// A label that cannot be kept.
    #[error(
        "`{given}` is no label: expected KEY=VALUE, where KEY has letters, digits and any of . _ - / and begins with a letter"
    )]
    Label {
        /// The label.
        given: String,
    },

    /// A part of a series is longer than a block may be.
    #[error("a part of a series lasts {} s where an hour is the most: report at least once an hour", nanos / 1_000_000_000)]
    LongPart {
        /// How long it is.
        nanos: u64,
    },

    /// A part of a series is larger than all blocks may be together.
    #[error(
        "a part of a series has {bytes} bytes where all may have {most}: raise the limit, or report more often"
    )]
    LargePart {
        /// How large it is.
        bytes: u64,
        /// How large it may be.
        most: u64,
    },

    /// A profile cannot be encoded, or what was saved cannot be decoded.
    #[error(transparent)]
    Profile(#[from] calor_formats::Error),
}

fn list(ids: &[SavedId]) -> String {
    let ids: Vec<&str> = ids.iter().map(SavedId::as_str).collect();
    ids.join(", ")
}

impl Error {
    /// What SQLite says, in our words.
    pub(crate) fn of_database(
        path: &Path,
        doing: &'static str,
        patience: Duration,
        error: &rusqlite::Error,
    ) -> Self {
        use rusqlite::ErrorCode;
        let path = path.to_owned();
        let what = match error {
            // The message alone; what was asked of the database is of no use to a reader.
            rusqlite::Error::SqliteFailure(_, Some(message)) => message.clone(),
            error => error.to_string(),
        };
        match error.sqlite_error_code() {
            Some(ErrorCode::NotADatabase) => {
                Self::NotAStore { path, found: "a file that is no database".to_owned() }
            }
            Some(ErrorCode::DatabaseCorrupt) => Self::Damaged { path, what },
            Some(ErrorCode::DatabaseBusy | ErrorCode::DatabaseLocked) => {
                Self::Busy { path, waited: patience }
            }
            Some(ErrorCode::DiskFull) => Self::Full { path },
            Some(ErrorCode::SystemIoFailure) if is_want_of_room(error) => Self::Full { path },
            Some(ErrorCode::SystemIoFailure) => {
                let what = format!("{what}: the disk is full for this user, or broken");
                Self::Database { path, doing, what }
            }
            Some(ErrorCode::ReadOnly) => Self::ReadOnly { path },
            Some(ErrorCode::CannotOpen | ErrorCode::PermissionDenied) => Self::Folder { path, what },
            _ => Self::Database { path, doing, what },
        }
    }
}

/// Whether the file that processes share could not be made or enlarged, for which a full disk is the usual reason.
pub(crate) fn is_want_of_room(error: &rusqlite::Error) -> bool {
    use rusqlite::ffi::{SQLITE_IOERR_SHMOPEN, SQLITE_IOERR_SHMSIZE};
    let code = error.sqlite_error().map(|error| error.extended_code);
    matches!(code, Some(SQLITE_IOERR_SHMOPEN | SQLITE_IOERR_SHMSIZE))
}
