//! Whose an allocation is. Call paths end in the allocator and in what leads to it: vectors that grow, strings that are
//! put together, the interpreter's objects. People look for the line of their own that asked for the memory.

use std::collections::HashMap;

use calor_model::{Frame, FrameId, FrameKind, Profile, StackId};
use foldhash::fast::RandomState;

use crate::call_tree::Merged;
use crate::system_frame::is_of_system;

/// Names of functions that allocate for others, wherever they are built in, and beginnings of such names.
const ALLOCATORS: [&str; 32] = [
    "malloc",
    "calloc",
    "realloc",
    "reallocarray",
    "aligned_alloc",
    "posix_memalign",
    "memalign",
    "valloc",
    "pvalloc",
    "mmap",
    "mmap64",
    "mremap",
    "strdup",
    "strndup",
    "pymalloc_alloc",
    "new_arena",
    "allocate_from_new_pool",
    "arena_map_get",
    "arena_map_mark_used",
    "PyObject_Malloc",
    "PyObject_Calloc",
    "PyObject_Realloc",
    "_PyObject_Malloc",
    "_PyObject_Calloc",
    "_PyObject_Realloc",
    "_PyObject_ArenaMmap",
    "_PyObject_New",
    "_PyObject_NewVar",
    "_PyType_AllocNoTrack",
    "PyType_GenericAlloc",
    "pymalloc_realloc",
    "gc_alloc",
];
const ALLOCATOR_BEGINNINGS: [&str; 13] = [
    "operator new",
    "_Znw",
    "_Zna",
    "__rust_",
    "__rustc",
    "__rdl_",
    "__rg_",
    "hashbrown::",
    "<hashbrown::",
    "PyMem_",
    "_PyMem_",
    "_PyObject_GC_",
    "_mi_",
];

/// Where call paths belong in a list: to themselves, or to the place in the program that made them allocate.
#[derive(Clone, Debug, Default)]
pub struct HeapPlaces {
    /// By call path; `None` when each is its own place.
    of: Option<Vec<StackId>>,
}

impl HeapPlaces {
    /// Every path is its own place.
    #[must_use]
    pub fn whole_paths() -> Self {
        Self::default()
    }

    /// A path belongs to its innermost function that is the program's own, with its line. Functions of the system, of the
    /// language's libraries and of the interpreter below a Python function are not. A path that has no other keeps all of
    /// them. Callers that differ in lines alone are one.
    #[must_use]
    pub fn owners(profile: &Profile) -> Self {
        let n_stacks = profile.stacks.len();
        let mut owners: Vec<Option<StackId>> = vec![None; n_stacks];
        // Callers come before callees, so a caller's owner is known.
        for (id, stack) in profile.stacks.iter() {
            let frame = profile.frames.get(stack.frame);
            let is_own = !is_allocator(profile, frame) && !is_of_system(profile, id);
            owners[id.index()] =
                if is_own { Some(id) } else { stack.parent.and_then(|at| owners[at.index()]) };
        }
        let owner = |stack: StackId| owners[stack.index()].unwrap_or(stack);

        let merged = Merged::new(profile);
        let key = |stack: StackId| -> (Option<StackId>, FrameId) {
            let own = profile.stacks.get(stack);
            let caller = own.parent.map(|parent| merged.as_ref().map_or(parent, |merged| merged.of(parent)));
            (caller, own.frame)
        };
        // Of paths that are one place, the one with the most bytes stands for all.
        let mut bytes: Vec<u64> = vec![0; n_stacks];
        for (row, site) in profile.heap.iter() {
            let sum = &mut bytes[owner(row.stack).index()];
            *sum = sum.saturating_add(site.allocated_bytes);
        }
        let mut shown: HashMap<(Option<StackId>, FrameId), StackId, RandomState> = HashMap::default();
        for (id, _) in profile.stacks.iter() {
            let place = owner(id);
            let shown = shown.entry(key(place)).or_insert(place);
            if bytes[place.index()] > bytes[shown.index()] {
                *shown = place;
            }
        }
        let of = profile.stacks.iter().map(|(id, _)| shown[&key(owner(id))]).collect();
        Self { of: Some(of) }
    }

    /// The place that a path belongs to.
    #[must_use]
    pub fn of(&self, stack: StackId) -> StackId {
        self.of.as_ref().map_or(stack, |of| of[stack.index()])
    }
}

fn is_allocator(profile: &Profile, frame: Frame) -> bool {
    let name = profile.strings.get(frame.name);
    let module = frame.module.map_or("", |module| profile.strings.get(module));
    frame.kind == FrameKind::Native
        && (ALLOCATORS.contains(&name)
            || ALLOCATOR_BEGINNINGS.iter().any(|beginning| name.starts_with(beginning))
            || module.contains("libcalor_preload"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use calor_model::{HeapKey, HeapSite, LabelTable};

    use crate::{HeapOrder, ThreadChoice, heap_paths};

    /// Frames by name, module (Python's have none) and line, and bytes.
    type Row = (&'static [(&'static str, &'static str, u32)], u64);

    fn profile(rows: &[Row]) -> Profile {
        let mut profile = Profile::default();
        let thread = profile.intern_thread(1, 1, "main");
        for (path, bytes) in rows {
            let mut stack = None;
            for &(name, module, line) in *path {
                let kind = if module.is_empty() { FrameKind::Python } else { FrameKind::Native };
                let name = profile.strings.intern(name);
                let module = (!module.is_empty()).then(|| profile.strings.intern(module));
                let frame = Frame { module, line: Some(line), ..Frame::new(name, kind) };
                let frame = profile.frames.intern(frame);
                stack = Some(profile.stacks.intern(stack, frame));
            }
            let site = HeapSite { allocated_bytes: *bytes, allocated_count: 1, ..HeapSite::default() };
            let key =
                HeapKey { stack: stack.expect("a path has a frame"), thread, labels: LabelTable::none() };
            profile.heap.add(key, &site);
        }
        profile
    }

    fn listed(profile: &Profile) -> Vec<(String, Option<u32>, u64)> {
        let paths =
            heap_paths(profile, &ThreadChoice::All, HeapOrder::Allocated, &HeapPlaces::owners(profile));
        let row = |path: &crate::HeapPath| {
            let line = profile.frames.get(profile.stacks.get(path.stack).frame).line;
            (profile.stack_name(path.stack).to_owned(), line, path.site.allocated_bytes)
        };
        paths.iter().map(row).collect()
    }

    #[test]
    fn memory_is_the_programs_line_that_asked_for_it_whatever_the_libraries_did() {
        let profile = profile(&[
            (&[("main", "app", 3), ("app::load", "app", 9), ("alloc::raw_vec::finish_grow", "app", 1)], 5),
            (&[("main", "app", 3), ("app::load", "app", 9), ("alloc::alloc::alloc", "app", 1)], 7),
            (&[("main", "app", 3), ("app::load", "app", 11), ("malloc", "libc.so.6", 1)], 2),
            (&[("main", "app", 4), ("app::load", "app", 9), ("hashbrown::raw::grow", "app", 1)], 30),
            (&[("_dl_init", "ld-linux-x86-64.so.2", 1), ("calloc", "ld-linux-x86-64.so.2", 1)], 1),
        ]);
        let load = "app::load".to_owned();
        let expected = [(load.clone(), Some(9), 42), (load, Some(11), 2), ("calloc".to_owned(), Some(1), 1)];
        assert_eq!(listed(&profile), expected);
    }

    #[test]
    fn below_python_the_interpreter_is_nobody_and_a_library_is_itself() {
        let profile = profile(&[
            (&[("parse", "", 4), ("list_resize", "libpython3.11.so", 1), ("malloc", "libc.so.6", 1)], 50),
            (&[("parse", "", 4), ("PyList_Append", "libpython3.11.so", 1), ("realloc", "libc.so.6", 1)], 3),
            (&[("parse", "", 4), ("array_new", "_multiarray.so", 1), ("malloc", "libc.so.6", 1)], 9),
        ]);
        let expected = [("parse".to_owned(), Some(4), 53), ("array_new".to_owned(), Some(1), 9)];
        assert_eq!(listed(&profile), expected);
    }
}
