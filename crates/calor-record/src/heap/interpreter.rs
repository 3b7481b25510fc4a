//! Interpreters whose objects or functions are not in the counts, said in words.

use std::collections::BTreeSet;

use calor_heap::{Image, PythonWatch};
use calor_model::{Profile, Warning};

use super::gathering::Gathering;

/// The interpreters that were met and not watched, or not wholly.
#[derive(Debug, Default)]
pub(super) struct Unwatched {
    /// Those that came when the program ran already.
    late: BTreeSet<String>,
    /// Those whose functions could not be read.
    unknown: BTreeSet<String>,
    functions_lost: u64,
}

impl Unwatched {
    /// Notes a process of which all was counted that will be.
    pub(super) fn see(&mut self, image: &Image, gathering: &mut Gathering<'_>) {
        self.functions_lost += image.region.functions_lost;
        let names = match image.python {
            PythonWatch::Whole => return,
            PythonWatch::BlocksOnly => &mut self.unknown,
            PythonWatch::None => &mut self.late,
        };
        names.extend(gathering.interpreters());
    }

    pub(super) fn warn(&self, profile: &mut Profile) {
        let list = |names: &BTreeSet<String>| names.iter().cloned().collect::<Vec<_>>().join(", ");
        if !self.late.is_empty() {
            profile.warn(Warning::new(
                "heap_python_late",
                format!(
                    "{} was loaded when the program ran already: small Python objects are seen only as the arenas they \
                     lie in, and call paths are without Python functions; run the program with an interpreter that it \
                     is linked with",
                    list(&self.late)
                ),
            ));
        }
        if !self.unknown.is_empty() {
            profile.warn(Warning::new(
                "heap_python_frames",
                format!(
                    "{}: its version is not known, so Python objects are counted but call paths are without Python \
                     functions; CPython 3.8 to 3.15 are known, and a newer calor may know more",
                    list(&self.unknown)
                ),
            ));
        }
        if self.functions_lost > 0 {
            profile.warn(Warning::counted(
                "heap_functions_lost",
                "Python functions had no room for their names: they are shown as `(Python code that is gone)`",
                self.functions_lost,
            ));
        }
    }
}
