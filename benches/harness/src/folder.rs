//! Where a run keeps its files while it lasts.

use std::fs;
use std::path::{Path, PathBuf};

/// A folder among the temporary files, which is gone when the run is over.
#[derive(Debug)]
pub struct Folder(PathBuf);

impl Folder {
    /// Makes the folder for this process.
    pub fn new(area: &str) -> Result<Self, String> {
        let path = std::env::temp_dir().join(format!("calor-{area}-bench-{}", std::process::id()));
        fs::create_dir_all(&path).map_err(|error| format!("cannot create {}: {error}", path.display()))?;
        Ok(Self(path))
    }

    /// Where it is.
    #[must_use]
    pub fn path(&self) -> &Path {
        &self.0
    }
}

impl Drop for Folder {
    fn drop(&mut self) {
        if let Err(error) = fs::remove_dir_all(&self.0) {
            eprintln!("warning: cannot remove {}: {error}", self.0.display());
        }
    }
}
