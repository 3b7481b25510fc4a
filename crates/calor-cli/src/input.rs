//! Profiles from files and from standard input.

use std::io::{ErrorKind, IsTerminal, Read};
use std::path::Path;

use anyhow::{Context, Result, bail};
use calor_model::Profile;

/// Reads a profile; `-` stands for standard input.
pub(crate) fn profile(path: &Path) -> Result<Profile> {
    let bytes = if path == Path::new("-") { standard_input()? } else { file(path)? };
    calor_formats::read(&bytes).with_context(|| format!("cannot read {}", path.display()))
}

fn standard_input() -> Result<Vec<u8>> {
    let mut input = std::io::stdin().lock();
    if input.is_terminal() {
        bail!("standard input is a terminal: pipe a profile into the command, or name a file");
    }
    let mut bytes = Vec::new();
    input.read_to_end(&mut bytes).context("cannot read standard input")?;
    Ok(bytes)
}

fn file(path: &Path) -> Result<Vec<u8>> {
    let shown = path.display();
    if path.is_dir() {
        bail!("expected a profile, found a directory: name a file inside it: {shown}");
    }
    match std::fs::read(path) {
        Err(error) if error.kind() == ErrorKind::NotFound => {
            bail!("no such file: check the path, or give - to read from standard input: {shown}");
        }
        read => read.with_context(|| format!("cannot read {shown}")),
    }
}
