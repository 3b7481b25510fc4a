//! The open store: one connection to its database. SQLite keeps the promises about crashes and several processes; this
//! file asks it to (a log that is written ahead and synced with every commit), and makes sure that the database is ours.

use std::fs;
use std::path::{Path, PathBuf};
use std::time::{Duration, Instant};

use rusqlite::{Connection, ErrorCode, OpenFlags, Transaction, TransactionBehavior};

use crate::error::is_want_of_room;
use crate::journal::Journal;
use crate::place::{DATABASE, FOLDER};
use crate::{Error, migration};

/// How long a writer waits for the one before it: a save takes milliseconds, one of a huge profile on a slow disk seconds.
const PATIENCE: Duration = Duration::from_secs(30);
/// Between two tries where SQLite does not wait by itself.
const PAUSE: Duration = Duration::from_millis(10);

/// A folder of saved runs, open.
#[derive(Debug)]
pub struct Store {
    pub(crate) connection: Connection,
    folder: PathBuf,
    database: PathBuf,
    patience: Duration,
    journal: Journal,
    /// Whether it is read only because the disk has no room for more.
    is_without_room: bool,
    /// Whether it is of an earlier version and could not be brought forward: it is read as if it had been.
    pub(crate) is_older: bool,
}

impl Store {
    /// Opens the store in a folder, and makes folder and store where they are missing. A new folder gets a `.gitignore`,
    /// so that nobody commits it by accident.
    ///
    /// # Errors
    /// When the folder cannot be made or written to, or holds a database that is not ours, damaged, or of a later version.
    pub fn create(folder: &Path) -> Result<Self, Error> {
        let failed = |error: std::io::Error| folder_error(folder, &error);
        let is_new = !folder.exists();
        fs::create_dir_all(folder).map_err(failed)?;
        let ignored = folder.join(".gitignore");
        // A folder that was there before may hold other things than the store.
        if (is_new || folder.ends_with(FOLDER)) && !ignored.exists() {
            fs::write(&ignored, "*\n").map_err(failed)?;
        }
        Self::create_by(folder, Journal::of(folder))
    }

    fn create_by(folder: &Path, journal: Journal) -> Result<Self, Error> {
        let flags = OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_CREATE;
        let store = Self::connect(folder, flags, journal)?;
        if store.is_blank()? {
            store.initialise()?;
        }
        store.ready()
    }

    /// Opens the store in a folder; for reading alone where it may not be written.
    ///
    /// # Errors
    /// When there is none, or the database is not ours, damaged, or of a later version.
    pub fn open(folder: &Path) -> Result<Self, Error> {
        let database = folder.join(DATABASE);
        if folder.is_file() {
            let what = "expected a folder, found a file".to_owned();
            return Err(Error::Folder { path: folder.to_owned(), what });
        }
        if let Err(error) = fs::metadata(&database) {
            return Err(match error.kind() {
                std::io::ErrorKind::NotFound => Error::NoStore { path: folder.to_owned() },
                _ => folder_error(folder, &error),
            });
        }
        let store = Self::connect(folder, OpenFlags::SQLITE_OPEN_READ_WRITE, Journal::of(folder))?;
        // The log beside the database has to be made even for reading. Where that is not allowed, and there is no log
        // that would tell of more, the file is all there is and does not change.
        let store = match store.pragma("user_version") {
            Err(error) if is_refused(&error) && !has_log(&database) => {
                Self { is_without_room: is_want_of_room(&error), ..store.unchanging()? }
            }
            _ => store,
        };
        if store.is_blank()? {
            return Err(Error::NoStore { path: folder.to_owned() });
        }
        store.ready()
    }

    /// A store that nothing is written for and that ends with this value: for a server that was told to keep nothing, and for
    /// tests of whoever uses a store.
    ///
    /// # Errors
    /// When there is no memory for it.
    pub fn in_memory() -> Result<Self, Error> {
        let database = PathBuf::from(":memory:");
        let opened = Connection::open_in_memory();
        let wrong = |error| Error::of_database(&database, "make the store", PATIENCE, &error);
        let store = Self {
            connection: opened.map_err(wrong)?,
            folder: PathBuf::new(),
            database,
            patience: PATIENCE,
            journal: Journal::Ahead,
            is_without_room: false,
            is_older: false,
        };
        store.initialise()?;
        store.ready()
    }

    /// The folder it is in; none of one in memory.
    #[must_use]
    pub fn folder(&self) -> &Path {
        &self.folder
    }

    /// Whether it may be read but not written.
    #[must_use]
    pub fn is_read_only(&self) -> bool {
        self.is_older || self.connection.is_readonly("main").unwrap_or(true)
    }

    /// Waits so long for other writers, instead of half a minute.
    ///
    /// # Errors
    /// When the database refuses.
    pub fn set_patience(&mut self, patience: Duration) -> Result<(), Error> {
        self.patience = patience;
        self.connection.busy_timeout(patience).map_err(self.wrong("open the store"))
    }

    /// Whether it lies on a file system that other machines may write to. Changes are whole there as well, as long as the file
    /// system has locks that work, but readers and writers wait for each other.
    #[must_use]
    pub fn is_on_network(&self) -> bool {
        self.journal == Journal::Rollback
    }

    /// How much room it takes on the disk.
    #[must_use]
    pub fn disk_bytes(&self) -> u64 {
        let size = |path: &Path| fs::metadata(path).map_or(0, |about| about.len());
        size(&self.database) + LOGS.iter().map(|ending| size(&beside(&self.database, ending))).sum::<u64>()
    }

    /// An error of the database, in our words.
    pub(crate) fn wrong(&self, doing: &'static str) -> impl Fn(rusqlite::Error) -> Error + use<> {
        let (path, patience, is_without_room) = (self.database.clone(), self.patience, self.is_without_room);
        move |error| match Error::of_database(&path, doing, patience, &error) {
            Error::ReadOnly { path } if is_without_room => Error::Full { path },
            error => error,
        }
    }

    /// Something is missing in the database that it cannot be without.
    pub(crate) fn damaged(&self, what: impl Into<String>) -> Error {
        Error::Damaged { path: self.database.clone(), what: what.into() }
    }

    /// A change, which happens as a whole or not at all. Others that write wait for its end, or it for theirs.
    pub(crate) fn change(&mut self, doing: &'static str) -> Result<Transaction<'_>, Error> {
        let wrong = self.wrong(doing);
        if self.is_older {
            let path = self.database.clone();
            return Err(if self.is_without_room { Error::Full { path } } else { Error::ReadOnly { path } });
        }
        self.connection.transaction_with_behavior(TransactionBehavior::Immediate).map_err(wrong)
    }

    fn connect(folder: &Path, flags: OpenFlags, journal: Journal) -> Result<Self, Error> {
        let database = folder.join(DATABASE);
        let opened = Connection::open_with_flags(&database, flags | OpenFlags::SQLITE_OPEN_NO_MUTEX);
        let wrong = |error| Error::of_database(&database, "open the store", PATIENCE, &error);
        let connection = opened.map_err(wrong)?;
        connection.busy_timeout(PATIENCE).map_err(wrong)?;
        if journal == Journal::Rollback {
            leave_log(&connection);
        }
        Ok(Self {
            connection,
            folder: folder.to_owned(),
            database,
            patience: PATIENCE,
            journal,
            is_without_room: false,
            is_older: false,
        })
    }

    /// The same store, read as a file that nobody changes.
    fn unchanging(self) -> Result<Self, Error> {
        let wrong = self.wrong("open the store");
        let path = self.database.to_string_lossy();
        let escaped = path.replace('%', "%25").replace('?', "%3f").replace('#', "%23");
        let flags = OpenFlags::SQLITE_OPEN_READ_ONLY | OpenFlags::SQLITE_OPEN_URI;
        let uri = format!("file:{escaped}?immutable=1");
        let connection =
            Connection::open_with_flags(uri, flags | OpenFlags::SQLITE_OPEN_NO_MUTEX).map_err(wrong)?;
        Ok(Self { connection, ..self })
    }

    /// Whether the database is empty, as one is that was just made. One that is not ours is an error.
    fn is_blank(&self) -> Result<bool, Error> {
        let wrong = self.wrong("open the store");
        // In this order: another process that makes the store meanwhile adds tables and its mark at once, and so a database
        // that had tables has the mark, too, if it is ours.
        let count = "SELECT count(*) FROM sqlite_schema";
        let n_tables: i64 = self.connection.query_row(count, [], |row| row.get(0)).map_err(&wrong)?;
        let application = self.pragma("application_id").map_err(&wrong)?;
        match application {
            migration::APPLICATION => Ok(false),
            0 if n_tables == 0 => Ok(true),
            _ => Err(Error::NotAStore {
                path: self.database.clone(),
                found: "an SQLite database of another program".to_owned(),
            }),
        }
    }

    fn initialise(&self) -> Result<(), Error> {
        const DOING: &str = "make the store";
        let wrong = self.wrong(DOING);
        // So that room of removed runs can be given back; it has to be said before anything is in the file.
        self.connection.pragma_update(None, "auto_vacuum", "INCREMENTAL").map_err(&wrong)?;
        self.choose_journal()?;
        let change = Transaction::new_unchecked(&self.connection, TransactionBehavior::Immediate);
        let change = change.map_err(&wrong)?;
        // Another process may have been quicker.
        if self.is_blank()? {
            migration::bring_forward(&change).map_err(&wrong)?;
        }
        change.commit().map_err(&wrong)
    }

    /// Readers and the one writer do not wait for each other where there is a log. SQLite does not wait when it changes to that.
    fn choose_journal(&self) -> Result<(), Error> {
        let begin = Instant::now();
        loop {
            let choose = format!("PRAGMA journal_mode = {}", self.journal.word());
            let mode = self.connection.query_row(&choose, [], |_| Ok(()));
            match mode {
                Err(error)
                    if error.sqlite_error_code() == Some(ErrorCode::DatabaseBusy)
                        && begin.elapsed() < self.patience =>
                {
                    std::thread::sleep(PAUSE);
                }
                // A file system that cannot do it keeps the old way, which is slower and as safe.
                done => return done.map_err(self.wrong("make the store")),
            }
        }
    }

    /// Checks the version and brings an earlier one forward, and asks for what each connection has to be asked anew.
    fn ready(mut self) -> Result<Self, Error> {
        let wrong = self.wrong("open the store");
        if self.version()? < migration::VERSION {
            self.bring_forward().map_err(&wrong)?;
            // Another process may be of a later version yet.
            self.version()?;
        }
        self.connection.pragma_update(None, "foreign_keys", !self.is_older).map_err(&wrong)?;
        self.connection.pragma_update(None, "synchronous", "FULL").map_err(&wrong)?;
        Ok(self)
    }

    /// The version of the database, which is one that can be read.
    fn version(&self) -> Result<i64, Error> {
        let version = self.pragma("user_version").map_err(self.wrong("open the store"))?;
        if version > migration::VERSION {
            let (path, supported) = (self.database.clone(), migration::VERSION);
            return Err(Error::Newer { path, found: version, supported });
        }
        if version < 1 {
            return Err(self.damaged(format!("version {version}, which does not exist")));
        }
        Ok(version)
    }

    fn bring_forward(&mut self) -> rusqlite::Result<()> {
        let forward = || -> rusqlite::Result<()> {
            let change = Transaction::new_unchecked(&self.connection, TransactionBehavior::Immediate)?;
            migration::bring_forward(&change)?;
            change.commit()
        };
        match forward() {
            Err(error) if is_refused(&error) => {
                self.is_older = true;
                self.is_without_room |=
                    is_want_of_room(&error) || error.sqlite_error_code() == Some(ErrorCode::DiskFull);
                migration::overlay(&self.connection, None)
            }
            done => done,
        }
    }

    fn pragma(&self, name: &str) -> rusqlite::Result<i64> {
        self.connection.pragma_query_value(None, name, |row| row.get(0))
    }
}

/// A store that was made on a disk of the machine, and has its log from there, can do without. Alone in the database, SQLite
/// needs no shared memory for that. Where it is refused, because somebody else reads or it may not be written, all stays as it
/// is until the next time.
fn leave_log(connection: &Connection) {
    let ask = |what: &str| connection.query_row(what, [], |row| row.get::<_, String>(0));
    if ask("PRAGMA locking_mode = EXCLUSIVE").is_ok() {
        let _ = ask("PRAGMA journal_mode = DELETE");
        let _ = ask("PRAGMA locking_mode = NORMAL");
        // The lock is given back by the next one who reads.
        let _ = connection.query_row("SELECT count(*) FROM sqlite_schema", [], |_| Ok(()));
    }
}

/// Whether the database could be opened but not used, for want of a permission or of room.
fn is_refused(error: &rusqlite::Error) -> bool {
    is_want_of_room(error)
        || matches!(
            error.sqlite_error_code(),
            Some(
                ErrorCode::CannotOpen
                    | ErrorCode::ReadOnly
                    | ErrorCode::PermissionDenied
                    | ErrorCode::DiskFull
            )
        )
}

/// What SQLite writes beside a database: ahead, or what was there before, by which a change that broke off is taken back.
const LOGS: [&str; 2] = ["-wal", "-journal"];

/// Whether the file of the database alone may not be what was saved.
fn has_log(database: &Path) -> bool {
    let is_filled = |ending: &&str| fs::metadata(beside(database, ending)).is_ok_and(|about| about.len() > 0);
    LOGS.iter().any(is_filled)
}

fn beside(database: &Path, ending: &str) -> PathBuf {
    let mut name = database.as_os_str().to_owned();
    name.push(ending);
    name.into()
}

fn folder_error(folder: &Path, error: &std::io::Error) -> Error {
    Error::Folder { path: folder.to_owned(), what: error.to_string() }
}

#[cfg(all(test, unix))]
mod tests {
    use super::*;
    use crate::{Filter, Note};

    fn mode(store: &Store) -> String {
        store.connection.query_row("PRAGMA journal_mode", [], |row| row.get(0)).expect("there is a mode")
    }

    #[test]
    fn a_store_that_nobody_changes_is_added_up_for_the_connection_alone() {
        let folder = tempfile::tempdir().expect("a temporary folder can be made");
        let mut store = Store::create_by(folder.path(), Journal::Rollback).expect("a store can be made");
        store.save(&calor_model::Profile::default(), &Note::default()).expect("a run can be saved");
        store.connection.execute_batch("DELETE FROM summed").expect("sums can be forgotten");
        for has_tables in [true, false] {
            if !has_tables {
                let drop = "DROP TABLE sum; DROP TABLE summed; DROP TABLE scope; PRAGMA user_version = 1;";
                store.connection.execute_batch(drop).expect("tables can be dropped");
            }
            let flags = OpenFlags::SQLITE_OPEN_READ_WRITE;
            let same =
                Store::connect(folder.path(), flags, Journal::Rollback).expect("it can be opened twice");
            let mut fixed = same.unchanging().and_then(Store::ready).expect("it can be read");
            let runs = fixed.runs(&Filter::default()).expect("runs can be listed");
            assert!(fixed.is_read_only());
            assert_eq!(fixed.sum_up(&runs, || ()).expect("it can be added up").n_read, 1);
            assert_eq!(fixed.sum_up(&runs, || ()).expect("it can be added up").n_read, 0);
            assert_eq!(fixed.canaries(&runs).expect("it can be read"), [None]);
        }
    }

    #[test]
    fn over_a_network_there_is_no_log_and_a_store_that_had_one_leaves_it() {
        let folder = tempfile::tempdir().expect("a temporary folder can be made");
        let mut local = Store::create_by(folder.path(), Journal::Ahead).expect("a store can be made");
        local.save(&calor_model::Profile::default(), &Note::default()).expect("a run can be saved");
        assert_eq!((mode(&local).as_str(), local.is_on_network()), ("wal", false));
        drop(local);
        let mut first = Store::create_by(folder.path(), Journal::Rollback).expect("it can be opened");
        assert_eq!((mode(&first).as_str(), first.is_on_network()), ("delete", true));
        // Two of them may be open, and each sees what the other saved.
        let second = Store::create_by(folder.path(), Journal::Rollback).expect("it can be opened twice");
        let note = Note::default().label("build", "fast");
        first.save(&calor_model::Profile::default(), &note).expect("a run can be labelled");
        let runs = second.runs(&Filter::default()).expect("the other sees it");
        assert_eq!(runs.len(), 1);
        assert_eq!(runs[0].labels["build"], "fast");
        assert!(!beside(&folder.path().join(DATABASE), "-wal").exists());
    }

    #[test]
    fn a_change_that_broke_off_is_never_read_as_if_it_had_happened() {
        let folder = tempfile::tempdir().expect("a temporary folder can be made");
        let database = folder.path().join(DATABASE);
        let mut store = Store::create_by(folder.path(), Journal::Rollback).expect("a store can be made");
        store.save(&calor_model::Profile::default(), &Note::default()).expect("a run can be saved");
        assert!(!has_log(&database));
        let n_bytes = store.disk_bytes();
        // Pages go to the file before the end of the change, as they do in a large one.
        store
            .connection
            .execute_batch("PRAGMA cache_size = 1; PRAGMA cache_spill = 1; BEGIN IMMEDIATE")
            .unwrap();
        store.connection.execute("DELETE FROM run", []).expect("it can be changed");
        store.connection.execute("CREATE TABLE large AS SELECT zeroblob(100000) AS bytes", []).unwrap();
        assert!(has_log(&database), "what it takes back the change by is told");
        let journal = fs::metadata(beside(&database, "-journal")).unwrap().len();
        assert!(store.disk_bytes() >= n_bytes + journal);
        // What a kill would leave, where nobody may write.
        let copy = tempfile::tempdir().expect("a temporary folder can be made");
        for name in [database.clone(), beside(&database, "-journal")] {
            fs::copy(&name, copy.path().join(name.file_name().unwrap())).expect("it can be copied");
        }
        drop(store);
        set_mode(copy.path(), 0o555, 0o444);
        let found = Store::open(copy.path()).and_then(|store| store.runs(&Filter::default()));
        set_mode(copy.path(), 0o755, 0o644);
        // Who may write all the same has taken the change back.
        assert!(found.as_ref().map_or(true, |runs| runs.len() == 1), "{found:?}");
        let runs = Store::open(copy.path()).unwrap().runs(&Filter::default()).unwrap();
        assert_eq!(runs.len(), 1);
    }

    /// Sets who may write a folder and its files.
    fn set_mode(folder: &Path, of_folder: u32, of_file: u32) {
        use std::os::unix::fs::PermissionsExt;
        let set = |path: &Path, mode| fs::set_permissions(path, fs::Permissions::from_mode(mode));
        for file in fs::read_dir(folder).expect("it is a folder") {
            set(&file.expect("it can be listed").path(), of_file).expect("it is ours");
        }
        set(folder, of_folder).expect("it is ours");
    }
}
