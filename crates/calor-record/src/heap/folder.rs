//! Where the library and the counts of its processes are: a folder in memory that is gone when the recording is.

use std::ffi::OsString;
use std::fs::{self, DirBuilder};
use std::io;
use std::os::unix::fs::DirBuilderExt;
use std::path::{Path, PathBuf};

use calor_preload::{FILE_NAME, LIBRARY, VARIABLE, Way, instructions};

use crate::process::is_alive;

/// Memory that looks like a file system; where it is missing, the folder for temporary files has to do.
const IN_MEMORY: &str = "/dev/shm";
const PREFIX: &str = "calor-heap-";
const PRELOAD: &str = "LD_PRELOAD";

/// The folder.
#[derive(Debug)]
pub(super) struct Folder {
    path: PathBuf,
}

impl Folder {
    pub(super) fn new() -> io::Result<Self> {
        let above = Path::new(IN_MEMORY);
        let above = if above.is_dir() { above.to_owned() } else { std::env::temp_dir() };
        sweep(&above);
        let path = (0..1000)
            .map(|turn| above.join(format!("{PREFIX}{}-{turn}", std::process::id())))
            .find(|path| !path.exists())
            .ok_or(io::ErrorKind::AlreadyExists)?;
        DirBuilder::new().mode(0o700).create(&path)?;
        let folder = Self { path };
        fs::write(folder.library(), LIBRARY).map_err(|error| without_room(&error, &above))?;
        Ok(folder)
    }

    pub(super) fn path(&self) -> &Path {
        &self.path
    }

    fn library(&self) -> PathBuf {
        self.path.join(FILE_NAME)
    }

    /// What a program has to find in its environment.
    pub(super) fn environment(&self, way: Way) -> Vec<(OsString, OsString)> {
        let mut preload = OsString::from(self.library());
        if let Some(others) = std::env::var_os(PRELOAD).filter(|others| !others.is_empty()) {
            preload.push(":");
            preload.push(others);
        }
        vec![(PRELOAD.into(), preload), (VARIABLE.into(), instructions(way, &self.path))]
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.path);
    }
}

/// Containers give little memory to such file systems, and limits on files hold there too.
fn without_room(error: &io::Error, above: &Path) -> io::Error {
    let message = format!(
        "cannot put the library that watches the heap into {}: make room there (`df {}`), or raise the limit on the size \
         of files (`ulimit -f`): {error}",
        above.display(),
        above.display()
    );
    io::Error::new(error.kind(), message)
}

/// Removes what recorders left behind that were killed.
fn sweep(above: &Path) {
    for entry in fs::read_dir(above).into_iter().flatten().flatten() {
        let name = entry.file_name();
        let pid = name.to_str().and_then(|name| name.strip_prefix(PREFIX)?.split('-').next()?.parse().ok());
        if pid.is_some_and(|pid: i32| !is_alive(pid)) {
            let _ = fs::remove_dir_all(entry.path());
        }
    }
}
