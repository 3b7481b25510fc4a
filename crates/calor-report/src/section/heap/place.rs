//! The name of a place that used memory: its line is part of it, since one function may allocate on several, and what starts
//! every program and thread is not.

use calor_model::{Profile, StackId};

use super::super::path_name;
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

pub(crate) fn place_name(profile: &Profile, stack: StackId) -> Name {
    let mut name = path_name(profile, stack);
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
        let name = place_name(&profile, stack);
        assert_eq!(
            (&name.callers[..], name.leaf.as_str()),
            (&["main".to_owned(), "clone".to_owned()][..], "load")
        );
        assert_eq!(name.path(), path.join(" › "));
        let alone = profile.intern_named_path(&["_start"], FrameKind::Native).unwrap();
        assert_eq!(place_name(&profile, alone).leaf, "_start");
    }
}
