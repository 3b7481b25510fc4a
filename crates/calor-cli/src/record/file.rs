//! The profile's file: parts are appended while the program runs, so that a recorder that is killed leaves what
//! came before. What was there is kept until the first part, so that a mistyped command destroys nothing.

use std::fs::File;
use std::io::Seek;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};
use calor_formats::native;
use calor_model::Profile;

use crate::news;

/// A file that grows by parts.
pub(super) struct ProfileFile {
    path: PathBuf,
    is_new: bool,
    state: State,
    n_parts: usize,
    /// What could not be written, to be tried again at the end.
    left: Option<Profile>,
}

enum State {
    Untouched(File),
    Growing(native::Writer<File>),
    Broken,
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
        let is_new = !path.exists();
        let file = File::options().write(true).create(true).truncate(false).open(path);
        let file =
            file.with_context(|| format!("cannot write {}: name another place with -o", path.display()))?;
        Ok(Self { path: path.to_owned(), is_new, state: State::Untouched(file), n_parts: 0, left: None })
    }

    /// Leaves nothing behind that was not there before.
    pub(super) fn discard(&self) {
        if self.is_new {
            let _ = std::fs::remove_file(&self.path);
        }
    }

    /// How many parts were added.
    pub(super) fn n_parts(&self) -> usize {
        self.n_parts
    }

    /// Appends a part. A full disk is no reason to stop the recording: what does not fit is kept for the end.
    pub(super) fn add(&mut self, part: &Profile) {
        self.n_parts += 1;
        let outcome = match std::mem::replace(&mut self.state, State::Broken) {
            State::Untouched(file) => begun(file).and_then(|writer| appended(writer, part)),
            State::Growing(writer) => appended(writer, part),
            State::Broken => {
                self.keep(part);
                return;
            }
        };
        match outcome {
            Ok(writer) => self.state = State::Growing(writer),
            Err(error) => {
                news::say(format_args!("warning: cannot write {}: {error:#}", self.path.display()));
                self.keep(part);
            }
        }
    }

    fn keep(&mut self, part: &Profile) {
        match &mut self.left {
            Some(left) => left.merge(part),
            left => *left = Some(part.clone()),
        }
    }

    /// Finishes the file; its size. What did not fit goes to the folder for temporary files.
    pub(super) fn finish(self) -> Result<u64> {
        let outcome = match self.state {
            State::Growing(writer) => writer.finish().map(drop).map_err(anyhow::Error::from),
            State::Untouched(_) | State::Broken => Ok(()),
        };
        let Some(left) = self.left else {
            outcome.with_context(|| format!("cannot write {}", self.path.display()))?;
            return Ok(std::fs::metadata(&self.path).map_or(0, |data| data.len()));
        };
        let spare = std::env::temp_dir().join(format!("calor-{}.calor", std::process::id()));
        let mut bytes = Vec::new();
        let kept = native::write(&left, &mut bytes)
            .map_err(anyhow::Error::from)
            .and_then(|()| Ok(std::fs::write(&spare, &bytes)?));
        let (path, spare) = (self.path.display(), spare.display());
        match kept {
            Ok(()) => bail!(
                "cannot write {path}: make room on the disk; what was recorded but did not fit is in {spare}, \
                 what did fit can be read up to its last whole part"
            ),
            Err(error) => bail!(
                "cannot write {path}, nor {spare} ({error:#}): make room on the disk and record again; what did \
                 fit can be read up to its last whole part"
            ),
        }
    }
}

fn begun(mut file: File) -> Result<native::Writer<File>> {
    file.set_len(0)?;
    file.rewind()?;
    Ok(native::Writer::new(file)?)
}

fn appended(mut writer: native::Writer<File>, part: &Profile) -> Result<native::Writer<File>> {
    writer.write_part(part)?;
    Ok(writer)
}
