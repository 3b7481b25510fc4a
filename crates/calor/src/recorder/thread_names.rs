//! What threads are called where Rust did not start them: a runtime of another language knows its own.

use std::sync::OnceLock;

static NAMER: OnceLock<fn() -> Option<String>> = OnceLock::new();

/// From now on, a thread that opens its first scope is called what this function says on it; `None` leaves it to Rust. It
/// is asked once for each thread, while the recorder is at work on that thread: it should look, and neither wait nor open
/// scopes. The first function that is given stays.
pub fn name_threads_by(namer: fn() -> Option<String>) {
    let _ = NAMER.set(namer);
}

/// What the calling thread is called.
pub(crate) fn told() -> Option<String> {
    NAMER.get().and_then(|namer| namer())
}
