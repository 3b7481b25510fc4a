//! Readable names for a whole profile.

use std::borrow::Cow;

use crate::destinations::Destinations;
use crate::rewrite::{Selection, rewrite};
use crate::transfer::Rename;
use crate::{FrameKind, Profile, demangle, simplify};

impl Profile {
    /// The same profile with the mangled names of Rust functions turned into what the source says, see
    /// [`demangle`](crate::demangle). Frames that become equal become one. Names that scopes were given by the
    /// program, and names of other languages, stay.
    #[must_use]
    pub fn demangle_names(&self) -> Self {
        self.rename(|kind, name| if is_compiled(kind) { demangle(name) } else { Cow::Borrowed(name) })
    }

    /// The same profile with names of Rust functions demangled and shortened, see
    /// [`simplify`](crate::simplify). Frames that become equal become one. Names that scopes were given by the
    /// program, and names of other languages, stay.
    #[must_use]
    pub fn simplify_names(&self) -> Self {
        self.rename(|kind, name| if is_compiled(kind) { simplify(name) } else { Cow::Borrowed(name) })
    }

    fn rename(&self, rename: Rename) -> Self {
        rewrite(self, &Destinations::unchanged(self), &Selection::default(), Some(rename))
    }
}

/// Whether names of this kind are the compiler's. The others were chosen by people.
fn is_compiled(kind: FrameKind) -> bool {
    matches!(kind, FrameKind::Native | FrameKind::Gpu)
}
