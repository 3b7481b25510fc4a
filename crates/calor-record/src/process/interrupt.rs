//! Whether somebody asked for the end, for work of our own that ends at the next good moment.

use std::io;

use super::signals::{Heard, Signals};

/// While it lives, what would end this thread, and those it starts from now on, is only noted.
#[derive(Debug)]
pub struct Interrupt(Signals);

impl Interrupt {
    /// From now on signals that ask for the end are noted.
    ///
    /// # Errors
    /// When the system refuses; then they act as they did.
    pub fn hold() -> io::Result<Self> {
        Signals::hold().map(Self)
    }

    /// How often the end was asked for since this was last asked.
    #[must_use]
    pub fn n_heard(&self) -> usize {
        self.0.heard().into_iter().filter(|heard| matches!(heard, Heard::Stop { .. })).count()
    }
}
