//! Where results go: a file or standard output; and what is known of the terminal, if there is one.

use std::io::{IsTerminal, Write};
use std::path::Path;

use anyhow::{Context, Result, bail};

/// Columns where nothing is known of the reader's window.
const COLUMNS: usize = 100;

/// Writes a result to a file, or to standard output without one or for `-`.
pub(crate) fn write(path: Option<&Path>, content: &[u8]) -> Result<()> {
    match path.filter(|path| *path != Path::new("-")) {
        Some(path) => {
            if path.is_dir() {
                bail!("cannot write to a directory: name a file inside it: {}", path.display());
            }
            let failed = || format!("cannot write {}: name another place with -o", path.display());
            std::fs::write(path, content).with_context(failed)?;
            // Of interest to people only; a result in a file leaves standard output empty.
            let _ = writeln!(std::io::stderr(), "wrote {}", path.display());
        }
        None => {
            const FAILED: &str = "cannot write to standard output: name a file with -o";
            let mut out = std::io::stdout().lock();
            out.write_all(content).and_then(|()| out.flush()).context(FAILED)?;
        }
    }
    Ok(())
}

/// Columns of the terminal; of `COLUMNS` where output goes elsewhere.
pub(crate) fn width() -> usize {
    let terminal = terminal_size::terminal_size_of(std::io::stdout()).map(|(width, _)| usize::from(width.0));
    let said = || std::env::var("COLUMNS").ok()?.parse().ok();
    terminal.or_else(said).filter(|columns| *columns > 0).unwrap_or(COLUMNS)
}

/// Whether colours are welcome: on a terminal that knows them, and nobody set `NO_COLOR`.
pub(crate) fn is_coloured() -> bool {
    let is_set = |name| std::env::var_os(name).is_some_and(|value| !value.is_empty());
    std::io::stdout().is_terminal()
        && !is_set("NO_COLOR")
        && std::env::var_os("TERM").is_none_or(|term| term != "dumb")
}
