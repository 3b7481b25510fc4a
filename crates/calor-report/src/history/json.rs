//! A history for programs: `calor/history/1`.

use calor_analysis::history::History;
use calor_wire::{Envelope, history};

use crate::Error;

pub(super) fn page(history: &History) -> Result<String, Error> {
    Ok(Envelope::new(&history.warnings, history::History::new(history)).text()?)
}
