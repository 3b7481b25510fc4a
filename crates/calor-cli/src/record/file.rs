//! The profile's file: parts are appended while the program runs, so that a recorder that is killed leaves what
//! came before. What was there is kept until the first part, so that a mistyped command destroys nothing.

use std::fs::File;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, anyhow, bail};
use calor_formats::native;
use calor_formats::parts::{PartFile, PartSink, PartStream};
use calor_model::Profile;

use crate::{news, output};

/// A file that grows by parts.
pub(super) struct ProfileFile {
    path: PathBuf,
    is_new: bool,
    parts: PartStream<PartFile>,
    n_parts: usize,
    /// Why a part could not be written, the first time.
    failure: Option<String>,
}

impl ProfileFile {
    /// Makes sure that it can be written, before the program is started for it.
    pub(super) fn create(path: &Path) -> Result<Self> {
        if path == Path::new("-") {
            bail!("a recording needs a file: standard output belongs to the program; name one with -o");
        }
        if path.is_dir() {
            bail!("cannot write to a directory: name a file inside it with -o: {}", path.display());
        }
        output::refuse_missing_folder(path)?;
        refuse_foreign(path)?;
        let is_new = !path.exists();
        let file = File::options().write(true).create(true).truncate(false).open(path);
        let file =
            file.with_context(|| format!("cannot write {}: name another place with -o", path.display()))?;
        let parts = PartStream::new(PartFile::new(file));
        Ok(Self { path: path.to_owned(), is_new, parts, n_parts: 0, failure: None })
    }

    /// Leaves nothing behind that was not there before.
    pub(super) fn discard(&self) {
        if self.is_new {
            let _ = std::fs::remove_file(&self.path);
        }
    }

    /// Appends a part. A full disk is no reason to stop the recording: what does not fit is kept, and tried again with the next
    /// part.
    pub(super) fn add(&mut self, part: Profile) {
        self.n_parts += 1;
        let Err(error) = self.parts.add(part) else { return };
        if self.failure.is_none() {
            news::say(format_args!(
                "warning: cannot write {}: {error}; what comes from now on is kept in memory",
                self.path.display()
            ));
            self.failure = Some(error.to_string());
        }
    }

    /// Appends the last part and finishes the file. What did not fit goes to the folder for temporary files.
    pub(super) fn finish(mut self, last: Profile) -> Written {
        self.n_parts += 1;
        let n_parts = self.n_parts;
        let outcome = self.parts.add(last).and_then(|()| self.parts.end());
        let size = || self.parts.sink().n_bytes();
        let Some(left) = self.parts.waiting() else {
            let outcome = outcome.with_context(|| format!("cannot write {}", self.path.display()));
            return Written { size: size(), n_parts, place: Some(self.path), outcome };
        };
        let failure = outcome.err().map(|error| error.to_string()).or(self.failure).unwrap_or_default();
        // A file in which nothing fits is no profile.
        if self.is_new && self.path.is_file() && size() == 0 {
            let _ = std::fs::remove_file(&self.path);
        }
        let rest = if size() > 0 { "; what did fit can be read up to its last whole part" } else { "" };
        let spare = std::env::temp_dir().join(format!("calor-{}.calor", std::process::id()));
        let mut bytes = Vec::new();
        let kept = native::write(left, &mut bytes)
            .map_err(anyhow::Error::from)
            .and_then(|()| Ok(std::fs::write(&spare, &bytes)?));
        let path = self.path.display();
        match kept {
            Ok(()) => {
                let error = anyhow!(
                    "cannot write {path}: {failure}: make room on the disk; what was recorded but did not fit is in {}{rest}",
                    spare.display()
                );
                Written { size: bytes.len() as u64, n_parts, place: Some(spare), outcome: Err(error) }
            }
            Err(error) => {
                let _ = std::fs::remove_file(&spare);
                let error = anyhow!(
                    "cannot write {path}, nor {} ({error:#}): make room on the disk and record again{rest}",
                    spare.display()
                );
                Written { size: 0, n_parts, place: None, outcome: Err(error) }
            }
        }
    }
}

/// Refuses to write over a file that is no profile: a slip of the pen must not cost somebody's work.
fn refuse_foreign(path: &Path) -> Result<()> {
    let is_there = std::fs::metadata(path).is_ok_and(|there| there.is_file() && there.len() > 0);
    if is_there && File::open(path).and_then(native::is_foreign).is_ok_and(|is_foreign| is_foreign) {
        let path = path.display();
        bail!(
            "{path} is no calor profile, and it is not written over: name another file with -o, or remove that one first"
        );
    }
    Ok(())
}

/// What became of a file.
pub(super) struct Written {
    /// Where the profile, or the end of it, can be read.
    pub(super) place: Option<PathBuf>,
    pub(super) size: u64,
    /// How many parts it is made of.
    pub(super) n_parts: usize,
    pub(super) outcome: Result<()>,
}
