//! What was not seen of a heap, as far as a page about the heap has to say it. A file that lacks its end comes first: no
//! figure of it is exact, however it was counted.

use calor_analysis::quantity::counted;
use calor_model::{Profile, Warning};

use crate::document::{Body, Section};
use crate::section::not_seen;

/// Whether some of what was recorded is missing.
pub(crate) fn is_cut(profile: &Profile) -> bool {
    profile.warnings.iter().any(Warning::is_of_cut)
}

/// What was not seen of the heap; what else was not seen is only counted. `None` where there is nothing to say of it.
pub(crate) fn section(profile: &Profile) -> Option<Section> {
    let is_of_heap = |warning: &Warning| warning.code.starts_with("heap_") || warning.is_of_cut();
    let (mut of_heap, others): (Vec<Warning>, Vec<Warning>) =
        profile.warnings.iter().cloned().partition(is_of_heap);
    if of_heap.is_empty() {
        return None;
    }
    of_heap.sort_by_key(|warning| !warning.is_of_cut());
    let mut section = not_seen::of_warnings(&of_heap);
    if let (Body::Lines(lines), n @ 1..) = (&mut section.body, others.len() as u64) {
        lines.push(format!("{} of other kinds: `--all` shows them", counted(n, "warning")));
    }
    Some(section)
}
