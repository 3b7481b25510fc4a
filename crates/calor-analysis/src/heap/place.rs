//! Whose an allocation is. Call paths end in the allocator and in what leads to it: vectors that grow, strings that are
//! put together, the interpreter's objects. People look for the line of their own that asked for the memory.

use std::collections::HashMap;

use calor_model::{FrameId, FrameKind, Profile, StackId};
use foldhash::fast::RandomState;

use super::claim::{Claim, is_allocator};
use crate::call_tree::Merged;
use crate::system_frame::is_of_system;

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
    /// language's libraries and of the interpreter below a Python function are not, and neither are those below one whose
    /// lines are not known: a library's that was not built here. Python functions of libraries and the interpreter's own stand
    /// in where there is no other, and a path that has none at all keeps all that it has. Callers that differ in lines alone
    /// are one.
    #[must_use]
    pub fn owners(profile: &Profile) -> Self {
        let n_stacks = profile.stacks.len();
        let mut owners: Vec<Option<(Claim, StackId)>> = vec![None; n_stacks];
        // Whose the nearest Python function is that a path goes through.
        let mut python: Vec<Option<Claim>> = Vec::with_capacity(n_stacks);
        // Callers come before callees, so a caller's owner is known.
        for (id, stack) in profile.stacks.iter() {
            let frame = profile.frames.get(stack.frame);
            let is_native = frame.kind == FrameKind::Native;
            let above = stack.parent.and_then(|caller| python[caller.index()]);
            let mut claim = Claim::of(profile, frame);
            python.push(if frame.kind == FrameKind::Python { Some(claim) } else { above });
            // What a library in Python calls is the library's.
            claim = above.filter(|_| is_native).map_or(claim, |above| above.min(claim));
            let is_strange = above.is_some() && is_native && frame.file.is_none();
            let is_somebodys = !is_strange && !is_allocator(profile, frame) && !is_of_system(profile, id);
            let of_caller = stack.parent.and_then(|at| owners[at.index()]);
            owners[id.index()] = match of_caller {
                Some((before, _)) if before > claim => of_caller,
                _ if is_somebodys => Some((claim, id)),
                _ => of_caller,
            };
        }
        let owner = |stack: StackId| owners[stack.index()].map_or(stack, |(_, owner)| owner);

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

#[cfg(test)]
mod tests {
    use super::*;
    use calor_model::{Frame, HeapKey, HeapSite, LabelTable};

    use crate::{HeapOrder, ThreadChoice, heap_paths};

    /// Frames by name, module (Python's have none) and line (0 where it is not known), and bytes.
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
                let file = (line > 0).then(|| profile.strings.intern("src/some"));
                let line = (line > 0).then_some(line);
                let frame = Frame { module, file, line, ..Frame::new(name, kind) };
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
    fn below_python_the_interpreter_is_nobody_and_a_library_only_if_its_lines_are_known() {
        let profile = profile(&[
            (&[("parse", "", 4), ("list_resize", "libpython3.11.so", 1), ("malloc", "libc.so.6", 1)], 50),
            (&[("parse", "", 4), ("PyList_Append", "libpython3.11.so", 1), ("realloc", "libc.so.6", 1)], 3),
            (&[("parse", "", 4), ("array_new", "_multiarray.so", 0), ("malloc", "libc.so.6", 1)], 9),
            (&[("parse", "", 4), ("my_rows", "_mine.so", 31), ("malloc", "libc.so.6", 1)], 7),
            (&[("array_new", "_multiarray.so", 0), ("malloc", "libc.so.6", 1)], 1),
        ]);
        let expected = [
            ("parse".to_owned(), Some(4), 62),
            ("my_rows".to_owned(), Some(31), 7),
            ("array_new".to_owned(), None, 1),
        ];
        assert_eq!(listed(&profile), expected);
    }

    #[test]
    fn a_library_in_python_stands_in_only_where_the_program_has_no_line() {
        let mut profile = Profile::default();
        let thread = profile.intern_thread(1, 1, "main");
        let mut add = |frames: &[(&str, &str)], bytes| {
            let mut stack = None;
            for &(name, file) in frames {
                let name = profile.strings.intern(name);
                let frame = match file {
                    "" => {
                        let module = Some(profile.strings.intern("python3.12"));
                        Frame { module, ..Frame::new(name, FrameKind::Native) }
                    }
                    file => {
                        let is_native = file.starts_with('*');
                        let kind = if is_native { FrameKind::Native } else { FrameKind::Python };
                        let module = is_native.then(|| profile.strings.intern("_encode.so"));
                        let file = Some(profile.strings.intern(file));
                        Frame { module, file, line: Some(1), ..Frame::new(name, kind) }
                    }
                };
                let frame = profile.frames.intern(frame);
                stack = Some(profile.stacks.intern(stack, frame));
            }
            let site = HeapSite { allocated_bytes: bytes, allocated_count: 1, ..HeapSite::default() };
            let stack = stack.expect("a path has a frame");
            profile.heap.add(HeapKey { stack, thread, labels: LabelTable::none() }, &site);
        };
        let (main, ones) = (("Py_RunMain", ""), ("ones", "/v/lib/python3.12/site-packages/numpy/numeric.py"));
        add(&[main, ("load", "/home/me/train.py"), ones, ("array_new", "")], 50);
        add(&[main, ("<module>", "/home/me/train.py"), ("_load", "<frozen importlib._bootstrap>")], 30);
        add(&[main, ("site", "/usr/lib/python3.12/site.py"), ("list_new", "")], 20);
        add(&[main, ("init_types", "")], 10);
        // Compiled, with lines, and called by a library and by the program.
        let (dumps, encode) = (("dumps", "/usr/lib/python3.12/json/__init__.py"), ("encode", "*encode.c"));
        add(&[main, ("save", "/home/me/train.py"), dumps, encode], 5);
        add(&[main, ("keep", "/home/me/train.py"), encode], 3);
        let line = Some(1);
        let expected = [
            ("load".to_owned(), line, 50),
            ("<module>".to_owned(), line, 30),
            ("site".to_owned(), line, 20),
            ("init_types".to_owned(), None, 10),
            ("save".to_owned(), line, 5),
            ("encode".to_owned(), line, 3),
        ];
        assert_eq!(listed(&profile), expected);
    }
}
