//! What could not be seen, and what to do about it: an area that cannot record says so in a note, and every report of the
//! profile carries it as a warning. A note of a code replaces the earlier one, so that their number is bounded.

use std::sync::{Mutex, MutexGuard, PoisonError};

use calor::model::{Profile, Warning};

/// Notes that are kept; there are fewer codes than that.
const MAX_NOTES: usize = 64;

static NOTES: Mutex<Vec<Note>> = Mutex::new(Vec::new());

/// Something that is not recorded, or not as well as it could be.
#[derive(Clone, Debug)]
pub(crate) struct Note {
    /// A short word for programs, such as `numpy_fallback`.
    pub(crate) code: &'static str,
    /// A sentence for people: what happened and what to do about it.
    pub(crate) message: String,
    /// How often it happened; `None` where counting makes no sense.
    pub(crate) count: Option<u64>,
}

impl Note {
    /// A note without a count.
    pub(crate) fn new(code: &'static str, message: impl Into<String>) -> Self {
        Self { code, message: message.into(), count: None }
    }
}

/// Keeps a note until the profile is cleared while nothing is recorded.
pub(crate) fn add(note: Note) {
    let mut notes = lock();
    if let Some(known) = notes.iter_mut().find(|known| known.code == note.code) {
        *known = note;
    } else if notes.len() < MAX_NOTES {
        notes.push(note);
    }
}

/// Forgets the note of a code: what it told of is over.
pub(crate) fn remove(code: &str) {
    lock().retain(|note| note.code != code);
}

/// Forgets all notes.
pub(crate) fn clear() {
    lock().clear();
}

/// Puts all notes into a profile as its warnings.
pub(crate) fn add_to(profile: &mut Profile) {
    for note in lock().iter() {
        profile.warn(Warning {
            code: note.code.to_owned(),
            message: note.message.clone(),
            count: note.count,
        });
    }
}

/// All notes as Python sees them.
pub(crate) fn all() -> Vec<(&'static str, String)> {
    lock().iter().map(|note| (note.code, note.message.clone())).collect()
}

/// Nobody calls into Python with this lock, so it is held for an instant only.
fn lock() -> MutexGuard<'static, Vec<Note>> {
    NOTES.lock().unwrap_or_else(PoisonError::into_inner)
}
