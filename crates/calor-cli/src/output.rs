//! Where results go: a file or standard output.

use std::path::Path;

use anyhow::{Context, Result, bail};

use crate::{news, replacement};

/// Writes a result to a file, or to standard output without one or for `-`.
pub(crate) fn write(path: Option<&Path>, content: &[u8]) -> Result<()> {
    match path.filter(|path| !is_standard(path)) {
        Some(path) => {
            refuse_bad_place(path)?;
            let failed = || format!("cannot write {}: name another place with -o", path.display());
            replacement::replace(path, content).with_context(failed)?;
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
    let place = |path: &Path| std::fs::canonicalize(path).ok();
    if out.is_file() && place(out) == place(input) {
        bail!("{}: the file to write is the one to read; name another one for the result", out.display());
    }
    Ok(())
}

/// Whether a path stands for standard input or output.
pub(crate) fn is_standard(path: &Path) -> bool {
    path == Path::new("-")
}
