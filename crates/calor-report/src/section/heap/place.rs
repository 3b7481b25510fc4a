//! The name of a place that used memory: its line is part of it, since one function may allocate on several, and what starts
//! every program and thread is not.

use calor_analysis::{HeapGroup, HeapPlaces};
use calor_model::{Profile, StackId};

use super::super::{leaf_name, path_name, recursive_path_name};
use crate::document::Name;

/// Functions of the system below which programs and threads begin.
const STARTS: [&str; 11] = [
    "_start",
    "__libc_start_main",
    "__libc_start_main_impl",
    "__libc_start_call_main",
    "__libc_start_main@@GLIBC_2.34",
    "libc_start_main_stage2",
    "start_thread",
    "clone",
    "clone3",
    "__clone",
    "__clone3",
];

/// Where paths of several callers are added up, those callers are named that all of them have.
pub(crate) fn place_name(profile: &Profile, places: &HeapPlaces, stack: StackId) -> Name {
    name_of(profile, stack, places.group(), places.n_callers(stack))
}

/// The same of a place that is known by how many callers its paths have in common.
pub(super) fn name_of(profile: &Profile, stack: StackId, group: HeapGroup, n_callers: Option<usize>) -> Name {
    let mut name = match group {
        HeapGroup::WholePath => path_name(profile, stack),
        // Paths of other depths are added up in it.
        _ => recursive_path_name(profile, stack),
    };
    if let Some(n_callers) = n_callers {
        name.callers.drain(..name.callers.len().saturating_sub(n_callers));
        (name.leaf, name.whole) = (leaf_name(profile, stack).leaf, None);
    }
    if group == HeapGroup::Function {
        name.location = None;
    }
    let n_starts = name.callers.iter().take_while(|caller| STARTS.contains(&caller.as_str())).count();
    if n_starts > 0 {
        name.whole = Some(name.path());
        name.callers.drain(..n_starts);
    }
    name.keeps_line = true;
    name
}

#[cfg(test)]
mod tests {
    use super::*;
    use calor_model::FrameKind;

    #[test]
    fn what_starts_every_program_is_left_out_and_in_the_whole_path() {
        let mut profile = Profile::default();
        let path = ["_start", "__libc_start_main_impl", "main", "clone", "load"];
        let stack = profile.intern_named_path(&path, FrameKind::Native).unwrap();
        let name = place_name(&profile, &HeapPlaces::default(), stack);
        assert_eq!(
            (&name.callers[..], name.leaf.as_str()),
            (&["main".to_owned(), "clone".to_owned()][..], "load")
        );
        assert_eq!(name.path(), path.join(" › "));
        let alone = profile.intern_named_path(&["_start"], FrameKind::Native).unwrap();
        assert_eq!(place_name(&profile, &HeapPlaces::default(), alone).leaf, "_start");
    }

    #[test]
    fn a_place_of_several_paths_is_named_by_the_callers_that_they_share() {
        let mut profile = Profile::default();
        let path = ["_start", "main", "left", "left", "make"];
        let stack = profile.intern_named_path(&path, FrameKind::Native).unwrap();
        let path_of = |group, n_callers| name_of(&profile, stack, group, n_callers).path();
        assert_eq!(path_of(HeapGroup::Line, Some(0)), "make");
        assert_eq!(path_of(HeapGroup::Line, Some(1)), "left (recursive) › make");
        assert_eq!(name_of(&profile, stack, HeapGroup::Line, None).callers, ["main", "left (recursive)"]);
        assert_eq!(name_of(&profile, stack, HeapGroup::WholePath, None).callers, ["main", "left ×2"]);
    }
}
