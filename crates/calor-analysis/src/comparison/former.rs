//! Functions that are recognised on both sides though they have another name, or are elsewhere.

use calor_model::simplify;

use crate::{FunctionDifference, FunctionName, Presence};

/// What a function that is recognised on both sides was before.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Former<'f> {
    /// It had another name.
    Called(&'f str),
    /// It had this name in another file, library or program.
    In(&'f str),
}

impl<'f> Former<'f> {
    /// `None` of one that is where it was, but for what differs from build to build.
    #[must_use]
    pub fn of(function: &'f FunctionDifference) -> Option<Self> {
        let Presence::RenamedFrom(former) = &function.presence else { return None };
        let now = &function.function;
        if simplify(&former.name) != simplify(&now.name) {
            return Some(Self::Called(&former.name));
        }
        let [before, after] = [former, now].map(place);
        before.filter(|_| before != after).map(Self::In)
    }
}

/// Where a function is.
#[must_use]
pub fn place(function: &FunctionName) -> Option<&str> {
    function.file.as_deref().or(function.module.as_deref())
}
