//! Files that a workload reads: plain ones alone, since a pipe would be waited for without end, and with a next step
//! where one cannot be read.

use std::fs::{self, File};
use std::io::{Error as Cause, ErrorKind};
use std::path::Path;

use crate::Error;

/// Opens a plain file; `instead` is what to do where that fails, such as `name another file`.
pub(crate) fn open(path: &Path, instead: &str) -> Result<File, Error> {
    // Before it is opened: to open a pipe is to wait for who writes to it.
    let about = fs::metadata(path).map_err(|cause| unread(path, &cause, instead))?;
    if about.is_dir() {
        return Err(unread(path, &ErrorKind::IsADirectory.into(), instead));
    }
    if !about.is_file() {
        return Err(refused(
            path,
            "is no plain file but a pipe, a socket or a device: write what it gives to a file, and name that",
        ));
    }
    File::open(path).map_err(|cause| unread(path, &cause, instead))
}

/// That a file cannot be read, and what to do.
pub(crate) fn unread(path: &Path, cause: &Cause, instead: &str) -> Error {
    let problem = match cause.kind() {
        ErrorKind::NotFound => format!("no such file: {instead}"),
        ErrorKind::PermissionDenied => {
            format!("may not be read: ask for the permission (chmod +r), or {instead}")
        }
        ErrorKind::IsADirectory => format!("is a directory: {instead}"),
        _ => format!("cannot be read ({cause}): {instead}"),
    };
    refused(path, problem)
}

fn refused(path: &Path, problem: impl Into<String>) -> Error {
    Error::File { path: path.to_owned(), problem: problem.into() }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_no_plain_file_is_refused_with_what_to_do_and_without_waiting() {
        let folder = tempfile::tempdir().expect("temporary folders can be made");
        let pipe = folder.path().join("pipe");
        let made = std::process::Command::new("mkfifo").arg(&pipe).status();
        let check = |path: &Path, expect: &str| {
            let message = open(path, "name another file").expect_err("it is refused").to_string();
            assert!(message.contains(expect), "{message}");
        };
        if made.is_ok_and(|status| status.success()) {
            check(&pipe, "is no plain file but a pipe");
        }
        check(folder.path(), "is a directory: name another file");
        check(&folder.path().join("none"), "no such file: name another file");
        fs::write(folder.path().join("some"), "text").expect("it can be written");
        assert!(open(&folder.path().join("some"), "").is_ok());
    }
}
