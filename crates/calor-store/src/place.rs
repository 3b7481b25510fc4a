//! Where stores are: a folder `.calor` in the project, found from anywhere inside it as git finds its own.

use std::path::{Path, PathBuf};

/// The name of the folder in a project.
pub const FOLDER: &str = ".calor";

/// The database in the folder.
pub(crate) const DATABASE: &str = "store.db";

/// The store of the project that `from` lies in: the nearest folder that has one, from `from` upward. Without any, `Err`
/// has the place for a new one: beside the nearest `.git`, or else in `from`.
///
/// # Errors
/// When there is none: the folder that a new one belongs into.
pub fn nearest(from: &Path) -> Result<PathBuf, PathBuf> {
    let has_store = |folder: &&Path| folder.join(FOLDER).join(DATABASE).is_file();
    if let Some(folder) = from.ancestors().find(has_store) {
        return Ok(folder.join(FOLDER));
    }
    let project = from.ancestors().find(|folder| folder.join(".git").exists());
    Err(project.unwrap_or(from).join(FOLDER))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_store_is_found_upward_and_a_new_one_belongs_beside_git() {
        let folder = tempfile::tempdir().unwrap();
        let inner = folder.path().join("a/b");
        std::fs::create_dir_all(&inner).unwrap();
        assert_eq!(nearest(&inner), Err(inner.join(".calor")));
        std::fs::create_dir(folder.path().join("a/.git")).unwrap();
        assert_eq!(nearest(&inner), Err(folder.path().join("a/.calor")));
        // A folder of this name without a store in it is no store.
        std::fs::create_dir(folder.path().join("a/.calor")).unwrap();
        assert_eq!(nearest(&inner), Err(folder.path().join("a/.calor")));
        std::fs::create_dir(folder.path().join(".calor")).unwrap();
        std::fs::write(folder.path().join(".calor/store.db"), "").unwrap();
        assert_eq!(nearest(&inner), Ok(folder.path().join(".calor")));
    }
}
