//! `--suppressions`: the file that names leaks which are meant to be.

use std::io::ErrorKind;
use std::path::Path;

use anyhow::{Context, Result, anyhow};
use calor_analysis::Suppressions;

/// What such a file has in it, for a message.
const LINES: &str = "lines such as `leak:init_once`, one for each leak that is meant to be";

pub(super) fn read(path: &Path) -> Result<Suppressions> {
    let name = path.display();
    let bytes = std::fs::read(path).map_err(|error| match error.kind() {
        ErrorKind::NotFound => anyhow!("there is no file of suppressions {name}: write one with {LINES}"),
        ErrorKind::IsADirectory => {
            anyhow!("{name} is a folder, not a file of suppressions: give one with {LINES}")
        }
        _ => anyhow!("the suppressions in {name} cannot be read ({error}): give a file with {LINES}"),
    })?;
    let text = String::from_utf8(bytes)
        .map_err(|_| anyhow!("{name} is not text and so no file of suppressions: give one with {LINES}"))?;
    Suppressions::parse(&text).with_context(|| format!("cannot use {name}"))
}
