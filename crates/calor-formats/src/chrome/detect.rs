//! Whether an input is a trace: an object with `traceEvents`, or a list whose first element says a phase.

use crate::opening::Opening;

/// How much of a list is looked at.
const FIRST_EVENT_BYTES: usize = 64 << 10;

/// Whether an input is of this format.
pub(crate) fn detect(opening: &Opening<'_>) -> bool {
    match opening.first() {
        Some(b'{') => opening.has_key("traceEvents"),
        Some(b'[') => begins_with_event(opening.bytes()),
        _ => false,
    }
}

/// Whether the first element of a list is an object with a phase.
fn begins_with_event(bytes: &[u8]) -> bool {
    let bytes = bytes.trim_ascii_start();
    let first = bytes[1..bytes.len().min(FIRST_EVENT_BYTES)].trim_ascii_start();
    // The keys of the first object, which need not be whole.
    first.starts_with(b"{") && Opening::of(first).has_key("ph")
}
