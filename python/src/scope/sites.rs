//! Sites of Python's places: each is made once, however often its object is made, and there is a limit, since sites are
//! kept for good. Names that are made up as the program runs are what reaches it.

use std::collections::HashMap;
use std::sync::{Mutex, PoisonError};

use calor::Site;

use crate::notes::{self, Note};

const MAX_SITES: usize = 16_384;

/// Where a scope is opened.
#[derive(Clone, PartialEq, Eq, Hash)]
pub(super) struct Place {
    pub(super) name: String,
    pub(super) module: String,
    pub(super) file: String,
    pub(super) line: u32,
    pub(super) is_context: bool,
}

static SITES: Mutex<Option<HashMap<Place, &'static Site>>> = Mutex::new(None);

/// The site of a place.
pub(super) fn at(place: Place) -> &'static Site {
    let mut sites = SITES.lock().unwrap_or_else(PoisonError::into_inner);
    let sites = sites.get_or_insert_default();
    if let Some(site) = sites.get(&place) {
        return site;
    }
    if sites.len() >= MAX_SITES {
        notes::add(Note::new(
            "scopes_over_limit",
            format!(
                "there are more than {MAX_SITES} names and places of scopes, and further ones share names without a \
                 place: give what varies as a label, as in calor.scope(\"load\", shard=n)"
            ),
        ));
        return if place.is_context { Site::named_context(&place.name) } else { Site::named(&place.name) };
    }
    let Place { name, module, file, line, is_context } = &place;
    let made = if *is_context {
        Site::made_context(name, module, file, *line)
    } else {
        Site::made(name, module, file, *line, &[])
    };
    sites.insert(place, made);
    made
}
