//! Profiles as commands name them: standard input here, all else by the project, with what to do when it cannot be read.

use std::io::{ErrorKind, IsTerminal};
use std::path::Path;
use std::sync::atomic::AtomicUsize;

use anyhow::{Context, Result, anyhow, bail};
use calor_model::Profile;
use calor_project::{Error, MOST_BYTES, Progress, bounded, decoded};
use calor_store::Encoded;

use crate::{convert, output, progress, project};

/// Shows on standard error how far reading is.
struct Shown;

impl Progress for Shown {
    fn shown<T>(&self, what: &str, steps: Option<usize>, work: impl FnOnce(&AtomicUsize) -> T) -> T {
        progress::shown(what, steps, work)
    }
}

/// Reads a profile of any format; `-` stands for standard input, and `store:latest` and the like for saved runs.
pub(crate) fn profile(path: &Path) -> Result<Profile> {
    if output::is_standard(path) {
        let bytes = standard_input()?;
        let profile = progress::waited("decoding standard input", || decoded(&bytes));
        return profile.map_err(explained).context("cannot read standard input");
    }
    project::current().profile(path, &Shown).map_err(explained)
}

/// The same with the bytes that are saved of it.
pub(crate) fn encoded(path: &Path) -> Result<Encoded> {
    if output::is_standard(path) {
        let bytes = standard_input()?;
        let run = progress::waited("decoding standard input", || calor_project::encoded(bytes));
        return run.map_err(explained).context("cannot read standard input");
    }
    project::current().encoded(path, &Shown).map_err(explained)
}

/// An error with what the command can do about it.
fn explained(error: Error) -> anyhow::Error {
    match error {
        Error::Open { name, cause } if cause.kind() == ErrorKind::NotFound => {
            anyhow!("{name}: no such file; check the path, or give - to read from standard input")
        }
        Error::Open { name, cause } if cause.kind() == ErrorKind::PermissionDenied => {
            anyhow!("{name}: not allowed to read; ask for the permission (chmod +r) or copy the file")
        }
        Error::Read { name, cause } => explained(*cause).context(format!("cannot read {name}")),
        // The command reads more than the library does.
        Error::Format(calor_formats::Error::UnknownFormat { found }) => anyhow!(
            "not a profile: found {found}; formats read here are {}; record one with `calor record`, or try \
             `calor demo`",
            convert::readable_words()
        ),
        error => error.into(),
    }
}

fn standard_input() -> Result<Vec<u8>> {
    let input = std::io::stdin().lock();
    if input.is_terminal() {
        bail!("standard input is a terminal: pipe a profile into the command, or name a file");
    }
    progress::waited("reading standard input", || bounded(input, 0, MOST_BYTES))
        .context("cannot read standard input")
}
