//! A profile that the program made, kept in a file that `calor report` and its relatives read.

use std::io;
use std::path::{Path, PathBuf};

use calor_formats::native;
use calor_model::Profile;

use crate::recording::RecordingFile;

/// Why a profile could not be saved.
#[derive(Debug, thiserror::Error)]
#[error("cannot save the profile ({cause}); choose a writable place with free space: {}", path.display())]
pub struct SaveError {
    /// Where it was to go.
    pub path: PathBuf,
    /// What is wrong there.
    pub cause: io::Error,
}

/// Writes a profile, such as [`snapshot`](crate::snapshot) or `calor::heap::snapshot` makes, to a `.calor` file. A file
/// that is there is replaced by a whole one or stays as it is.
///
/// # Errors
/// When the place cannot be written to, or a file is there that is no profile.
pub fn save(profile: &Profile, path: impl AsRef<Path>) -> Result<(), SaveError> {
    let path = path.as_ref();
    let mut bytes = Vec::new();
    let encoded = native::write(profile, &mut bytes).map_err(io::Error::other);
    encoded.and_then(|()| write(&bytes, path)).map_err(|cause| SaveError { path: path.to_owned(), cause })
}

/// The same with the bytes of a profile that was encoded before.
///
/// # Errors
/// As [`save`].
#[doc(hidden)]
pub fn save_bytes(bytes: &[u8], path: &Path) -> Result<(), SaveError> {
    write(bytes, path).map_err(|cause| SaveError { path: path.to_owned(), cause })
}

fn write(bytes: &[u8], path: &Path) -> io::Result<()> {
    if RecordingFile::is_foreign(path) {
        const WHY: &str = "a file is there that is no calor profile, and it is not written over: name another one, or remove it first";
        return Err(io::Error::new(io::ErrorKind::AlreadyExists, WHY));
    }
    calor_host::replace(path, bytes)
}
