//! Which threads a call tree is made of.

use calor_model::{Profile, ThreadId};

/// Which threads to look at.
#[derive(Clone, PartialEq, Eq, Debug, Default)]
pub enum ThreadChoice {
    /// All of them, added up.
    #[default]
    All,
    /// One.
    Only(ThreadId),
    /// Those of this name: workers of a pool often share one.
    Named(String),
}

impl ThreadChoice {
    /// For each thread of the profile whether it is chosen.
    pub(crate) fn mask(&self, profile: &Profile) -> Vec<bool> {
        profile
            .threads
            .iter()
            .map(|(id, thread)| match self {
                Self::All => true,
                Self::Only(only) => *only == id,
                Self::Named(name) => profile.strings.get(thread.name) == name,
            })
            .collect()
    }
}
