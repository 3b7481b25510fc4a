//! The terminal: taken over for the view and given back however it ends, so that nobody is left with one that shows
//! no keys.

use std::io::{self, IsTerminal, Stdout};

use anyhow::{Context, Result, bail};
use ratatui::Terminal;
use ratatui::backend::CrosstermBackend;

/// A terminal that is ours until this is dropped.
pub(super) struct Screen {
    pub(super) terminal: Terminal<CrosstermBackend<Stdout>>,
}

/// Whether there is a terminal to draw on and to read keys from.
pub(super) fn check() -> Result<()> {
    if !io::stdout().is_terminal() {
        bail!(
            "a live view needs a terminal, and standard output is none: use `calor record` to write a profile, \
             and `calor report` to read it"
        );
    }
    if std::env::var_os("TERM").is_some_and(|term| term == "dumb") {
        bail!(
            "a live view needs a terminal that can move its cursor, and TERM is `dumb`: use `calor record`"
        );
    }
    let may_read = io::stdin().is_terminal() || std::fs::File::open("/dev/tty").is_ok();
    if !may_read {
        bail!("a live view needs a terminal to read keys from, and there is none: use `calor record`");
    }
    Ok(())
}

impl Screen {
    /// Takes the terminal over. A panic gives it back before it is told.
    pub(super) fn take() -> Result<Self> {
        let terminal = ratatui::try_init().context("cannot draw on this terminal: use `calor record`")?;
        Ok(Self { terminal })
    }
}

impl Drop for Screen {
    fn drop(&mut self) {
        // A terminal that is gone needs nothing.
        let _ = ratatui::try_restore();
    }
}
