//! Files that are either whole or as they were: content is written beside the file and takes its place at once, so
//! that a full disk or a kill leaves no half file behind.

use std::fs::{self, File, Permissions};
use std::io::{self, ErrorKind, Write};
use std::path::{Path, PathBuf};

/// The extension of files that are not whole yet: one that is old was left by a process that was killed.
pub const UNFINISHED: &str = "unfinished";

/// Makes `content` the whole content of a file. Devices and pipes are written to as they are.
///
/// # Errors
/// When the place cannot be written to. What was there is there still.
pub fn replace(path: &Path, content: &[u8]) -> io::Result<()> {
    replace_pieces(path, &[content])
}

/// The same with content in several pieces.
///
/// # Errors
/// As for [`replace`].
pub fn replace_pieces(path: &Path, pieces: &[&[u8]]) -> io::Result<()> {
    // A link stays a link: what it leads to is replaced.
    let path = &fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
    let existing = match fs::metadata(path) {
        Ok(about) => {
            // What may not be written to is not replaced either. What somebody else has removed meanwhile is new.
            match File::options().write(true).open(path) {
                Ok(mut file) if !about.is_file() => return write_all(&mut file, pieces),
                Ok(_) => Some(about.permissions()),
                Err(error) if error.kind() == ErrorKind::NotFound => None,
                Err(error) => return Err(error),
            }
        }
        Err(error) if error.kind() == ErrorKind::NotFound => None,
        Err(error) => return Err(error),
    };
    match Draft::beside(path) {
        Ok(draft) => draft.take_place_of(path, pieces, existing),
        // The file may be written to but nothing may be made beside it.
        Err(error) if error.kind() == ErrorKind::PermissionDenied && existing.is_some() => {
            write_all(&mut File::create(path)?, pieces)
        }
        Err(error) => Err(error),
    }
}

fn write_all(file: &mut File, pieces: &[&[u8]]) -> io::Result<()> {
    pieces.iter().try_for_each(|piece| file.write_all(piece))
}

/// A file that vanishes unless it takes its place.
struct Draft {
    path: PathBuf,
    file: File,
    has_taken_place: bool,
}

impl Draft {
    fn beside(path: &Path) -> io::Result<Self> {
        // Another process may have the same number where machines share a folder.
        let mut attempt = 0;
        loop {
            let path = path.with_file_name(format!(".calor-{}-{attempt}.{UNFINISHED}", std::process::id()));
            match File::create_new(&path) {
                Ok(file) => return Ok(Self { path, file, has_taken_place: false }),
                Err(error) if error.kind() == ErrorKind::AlreadyExists && attempt < 100 => attempt += 1,
                Err(error) => return Err(error),
            }
        }
    }

    fn take_place_of(mut self, path: &Path, pieces: &[&[u8]], like: Option<Permissions>) -> io::Result<()> {
        write_all(&mut self.file, pieces)?;
        if let Some(permissions) = like {
            self.file.set_permissions(permissions)?;
        }
        fs::rename(&self.path, path)?;
        self.has_taken_place = true;
        Ok(())
    }
}

impl Drop for Draft {
    fn drop(&mut self) {
        // Another thread may have a draft of that name by now, when this one has taken its place.
        if !self.has_taken_place {
            let _ = fs::remove_file(&self.path);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn names(folder: &Path) -> Vec<String> {
        let entries = fs::read_dir(folder).unwrap();
        let mut names: Vec<String> =
            entries.map(|entry| entry.unwrap().file_name().into_string().unwrap()).collect();
        names.sort();
        names
    }

    #[test]
    fn a_file_is_made_and_replaced_and_nothing_else_stays() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("page.html");
        for content in ["first, which is longer", "second"] {
            replace(&path, content.as_bytes()).unwrap();
            assert_eq!(fs::read_to_string(&path).unwrap(), content);
        }
        assert_eq!(names(folder.path()), ["page.html"]);
    }

    #[test]
    fn a_write_that_fails_leaves_nothing_behind() {
        let folder = tempfile::tempdir().unwrap();
        // A folder has the name, so the finished draft cannot take its place.
        fs::create_dir(folder.path().join("taken")).unwrap();
        let draft = Draft::beside(&folder.path().join("taken")).unwrap();
        assert!(draft.take_place_of(&folder.path().join("taken"), &[b"content"], None).is_err());
        assert!(replace(&folder.path().join("nowhere/page"), b"content").is_err());
        assert_eq!(names(folder.path()), ["taken"]);
    }

    #[test]
    fn threads_that_replace_and_remove_one_file_do_not_hinder_each_other() {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("page.html");
        std::thread::scope(|scope| {
            for _ in 0..4 {
                scope.spawn(|| {
                    for _ in 0..500 {
                        fs::remove_file(&path).ok();
                        replace(&path, b"content").unwrap();
                    }
                });
            }
        });
        assert_eq!(fs::read_to_string(&path).unwrap(), "content");
        assert_eq!(names(folder.path()), ["page.html"]);
    }

    #[cfg(unix)]
    #[test]
    fn links_and_permissions_stay() {
        use std::os::unix::fs::PermissionsExt;
        let folder = tempfile::tempdir().unwrap();
        let (file, link) = (folder.path().join("file"), folder.path().join("link"));
        fs::write(&file, "old").unwrap();
        fs::set_permissions(&file, Permissions::from_mode(0o640)).unwrap();
        std::os::unix::fs::symlink(&file, &link).unwrap();
        replace(&link, b"new").unwrap();
        assert!(fs::symlink_metadata(&link).unwrap().is_symlink());
        assert_eq!(fs::read_to_string(&file).unwrap(), "new");
        assert_eq!(fs::metadata(&file).unwrap().permissions().mode() & 0o777, 0o640);
    }
}
