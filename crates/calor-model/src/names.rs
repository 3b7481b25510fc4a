//! Readable names for a whole profile.

use std::borrow::Cow;

use crate::destinations::Destinations;
use crate::rewrite::{Selection, rewrite};
use crate::transfer::Rename;
use crate::{Frame, FrameId, FrameKind, FrameTable, Profile, StringTable, demangle, simplify};

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
        let one = self.frames_after(rename);
        let meets_another = one.iter().enumerate().any(|(index, first)| first.index() != index);
        let destinations = if meets_another {
            Destinations::moved(self, |paths, _, stack, caller| {
                Some(paths.intern(caller, one[stack.frame.index()]))
            })
        } else {
            Destinations::unchanged(self)
        };
        rewrite(self, &destinations, &Selection::default(), Some(rename))
    }

    /// For each frame the first one that is equal to it once renamed.
    fn frames_after(&self, rename: Rename) -> Vec<FrameId> {
        let mut names = StringTable::default();
        let mut renamed = FrameTable::default();
        let mut firsts: Vec<FrameId> = Vec::new();
        let first = self.frames.iter().map(|(id, frame)| {
            let name = names.intern(&rename(frame.kind, self.strings.get(frame.name)));
            let known = renamed.intern(Frame { name, ..frame });
            if known.index() == firsts.len() {
                firsts.push(id);
            }
            firsts[known.index()]
        });
        first.collect()
    }
}

/// Whether names of this kind are the compiler's. The others were chosen by people.
fn is_compiled(kind: FrameKind) -> bool {
    matches!(kind, FrameKind::Native | FrameKind::Gpu)
}
