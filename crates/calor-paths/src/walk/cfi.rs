//! The unwind tables of a loaded file (`.eh_frame`, found through `.eh_frame_hdr`): from an address to its rule. Only
//! the three registers that a walk needs are followed.
//!
//! # Safety
//! The caller promises that the header is that of a loaded file; tables of loaded files are mapped with them.

use super::rule::{Frame, Rule, Saved};

mod bytes;
mod entry;
mod program;

use bytes::Bytes;
use entry::Entry;
use program::State;

/// The rule for `pc` by the table whose header lies at `header`; `None` when there is none for it.
///
/// # Safety
/// `header` is the address of the `.eh_frame_hdr` of a file that stays loaded meanwhile.
pub(crate) unsafe fn rule(header: usize, pc: usize) -> Option<Rule> {
    let entry = unsafe { Entry::find(header, pc)? };
    if entry.is_signal {
        return Some(Rule::SIGNAL);
    }
    let mut state = State::new(&entry);
    state.run(entry.initial, None)?;
    state.keep_initial();
    state.run(entry.instructions, Some(pc))?;
    Some(state.rule())
}

/// The number of a register in the tables.
mod register {
    pub(super) const BP: u64 = 6;
    pub(super) const SP: u64 = 7;
    pub(super) const RETURN: u64 = 16;
}
