//! Where results go: a file or standard output.

use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};

use crate::news;

/// Writes a result to a file, or to standard output without one or for `-`.
pub(crate) fn write(path: Option<&Path>, content: &[u8]) -> Result<()> {
    match path.filter(|path| !is_standard(path)) {
        Some(path) => {
            refuse_bad_place(path)?;
            let failed = || format!("cannot write {}: name another place with -o", path.display());
            calor_host::replace(path, content).with_context(failed)?;
            // Of interest to people only; a result in a file leaves standard output empty.
            news::say(format_args!("wrote {}", path.display()));
        }
        None => {
            use std::io::Write;
            const FAILED: &str = "cannot write to standard output: send it to another place";
            let mut out = std::io::stdout().lock();
            out.write_all(content).and_then(|()| out.flush()).context(FAILED)?;
        }
    }
    Ok(())
}

/// Writes a result to standard error: standard output is that of a program which runs under Calor.
pub(crate) fn write_to_errors(content: &[u8]) -> Result<()> {
    use std::io::Write;
    std::io::stderr().write_all(content).context("cannot write to standard error: write to a file with -o")
}

/// Refuses a place that cannot be written to: a folder, or one in a folder that is not there or belongs to others.
pub(crate) fn refuse_bad_place(path: &Path) -> Result<()> {
    if path.is_dir() {
        bail!("{}: cannot write to a directory; name a file inside it", path.display());
    }
    refuse_missing_folder(path)?;
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    if !is_open(folder) {
        let (path, folder) = (path.display(), folder.display());
        bail!("cannot write {path}: nothing may be written in {folder}; name another place");
    }
    Ok(())
}

/// Whether files may be made in a folder, as far as the system tells.
#[cfg(unix)]
fn is_open(folder: &Path) -> bool {
    rustix::fs::access(folder, rustix::fs::Access::WRITE_OK | rustix::fs::Access::EXEC_OK).is_ok()
}

#[cfg(not(unix))]
fn is_open(_: &Path) -> bool {
    true
}

/// Refuses to write into a folder that is not there, before anything is done for it.
pub(crate) fn refuse_missing_folder(path: &Path) -> Result<()> {
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
    if let Some(folder) = folder.filter(|folder| !folder.is_dir()) {
        let is_file = folder.exists();
        let (path, folder) = (path.display(), folder.display());
        if is_file {
            bail!("cannot write {path}: name another place with -o, {folder} is no folder");
        }
        bail!("cannot write {path}: there is no folder {folder}; create it with `mkdir -p {folder}`");
    }
    Ok(())
}

/// Refuses to write over the file that is read: a recording cannot be made again.
pub(crate) fn refuse_input(input: &Path, out: Option<&Path>) -> Result<()> {
    let Some(out) = out.filter(|out| !is_standard(out) && !is_standard(input)) else { return Ok(()) };
    if out.is_file() && is_same_file(out, input) {
        bail!("{}: the file to write is the one to read; name another one for the result", out.display());
    }
    Ok(())
}

/// Whether two paths lead to one file: `./x`, links and names of one file are the same. Of what is not there yet the folder is.
pub(crate) fn is_same_file(one: &Path, other: &Path) -> bool {
    match (identity(one), identity(other)) {
        (Some(one), Some(other)) => one == other,
        (None, None) => place(one).is_some_and(|place_of_one| Some(place_of_one) == place(other)),
        _ => false,
    }
}

/// What a file is known by, whatever it is called; `None` of none.
#[cfg(unix)]
fn identity(path: &Path) -> Option<(u64, u64)> {
    use std::os::unix::fs::MetadataExt;
    let about = std::fs::metadata(path).ok()?;
    Some((about.dev(), about.ino()))
}

#[cfg(not(unix))]
fn identity(path: &Path) -> Option<PathBuf> {
    std::fs::canonicalize(path).ok()
}

/// Where a file would be.
fn place(path: &Path) -> Option<PathBuf> {
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."));
    Some(std::fs::canonicalize(folder).ok()?.join(path.file_name()?))
}

/// Whether a path stands for standard input or output.
pub(crate) fn is_standard(path: &Path) -> bool {
    path == Path::new("-")
}

#[cfg(all(test, unix))]
mod tests {
    use std::fs;

    use super::*;

    #[test]
    fn a_file_is_the_same_by_whatever_name() {
        let folder = tempfile::tempdir().expect("there is room for it");
        let at = |name: &str| folder.path().join(name);
        fs::write(at("x"), "1").expect("it can be written");
        fs::write(at("other"), "1").expect("it can be written");
        fs::create_dir(at("inside")).expect("it can be made");
        fs::hard_link(at("x"), at("name")).expect("it can be linked");
        std::os::unix::fs::symlink("x", at("link")).expect("it can be linked");
        for (one, other, expected) in [
            ("x", "inside/../x", true),
            ("x", "name", true),
            ("link", "x", true),
            ("x", "other", false),
            ("x", "new", false),
            ("new", "inside/../new", true),
            ("new", "newer", false),
            ("no-folder/new", "no-folder/new", false),
        ] {
            assert_eq!(is_same_file(&at(one), &at(other)), expected, "{one} and {other}");
        }
    }
}
