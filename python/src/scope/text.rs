//! Names of counters and labels, which the recorder keeps for good: each is kept once, and there is a limit.

use std::collections::HashSet;
use std::sync::{Mutex, PoisonError};

use crate::notes::{self, Note};

const MAX_TEXTS: usize = 4096;

static TEXTS: Mutex<Option<HashSet<&'static str>>> = Mutex::new(None);

/// The text, kept for good; beyond the limit all further ones are one.
pub(super) fn kept(text: &str) -> &'static str {
    let mut texts = TEXTS.lock().unwrap_or_else(PoisonError::into_inner);
    let texts = texts.get_or_insert_default();
    if let Some(known) = texts.get(text) {
        return known;
    }
    if texts.len() >= MAX_TEXTS {
        notes::add(Note::new(
            "names_over_limit",
            format!(
                "counters and labels of scopes have more than {MAX_TEXTS} names, and further ones are called \
                 (other): give numbers as values, not as names"
            ),
        ));
        return "(other)";
    }
    let text: &'static str = Box::leak(text.into());
    texts.insert(text);
    text
}
