//! What a list about the heap has a row for: a line of the program, one of its functions, or each call path by itself.

use std::collections::HashMap;
use std::hash::Hash;

use calor_model::{FrameKind, FunctionKey, Profile, StackId, StringId};
use foldhash::fast::RandomState;

use super::owner::owners;
use super::recursion::{callers_in_common, folded_paths};
use crate::function::Units;

/// What call paths are added up by.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub enum HeapGroup {
    /// The line of the program that asked for the memory, whoever called it.
    #[default]
    Line,
    /// The function of the program that did, whoever called it.
    Function,
    /// The call path to that line. Paths that differ in lines of callers, or in the depth of a recursion, are one.
    Path,
    /// Each call path with all that libraries and the allocator have in it.
    WholePath,
}

/// Where call paths belong in a list: to themselves, or to the place in the program that made them allocate.
#[derive(Clone, Debug, Default)]
pub struct HeapPlaces {
    /// By call path, the one to the line of the program that it belongs to; `None` when each is its own.
    paths: Option<Vec<StackId>>,
    sums: Option<Sums>,
}

/// Places that paths of several callers are added up in.
#[derive(Clone, Debug)]
struct Sums {
    /// By call path, one path to its place, which stands for all of them.
    of: Vec<StackId>,
    /// How many callers all paths to a place have in common, by the path that stands for it.
    n_callers: HashMap<StackId, usize, RandomState>,
    has_lines: bool,
}

impl HeapPlaces {
    /// Every path is its own place.
    #[must_use]
    pub fn whole_paths() -> Self {
        Self::default()
    }

    /// Places are call paths to lines of the program.
    #[must_use]
    pub fn owners(profile: &Profile) -> Self {
        let owners = owners(profile);
        let folded = folded_paths(profile);
        let key = |path: StackId| (folded[path.index()], profile.stacks.get(path).frame);
        Self { paths: Some(heaviest(profile, &owners, key)), sums: None }
    }

    /// Paths end in the line of the program that they belong to, and none are added up: for a tree, which has the depth of
    /// recursions in it.
    #[must_use]
    pub fn cut_paths(profile: &Profile) -> Self {
        Self { paths: Some(owners(profile)), sums: None }
    }

    /// Places as they are asked for.
    #[must_use]
    pub fn new(profile: &Profile, group: HeapGroup) -> Self {
        let places = match group {
            HeapGroup::WholePath => return Self::whole_paths(),
            HeapGroup::Path | HeapGroup::Line | HeapGroup::Function => Self::owners(profile),
        };
        let has_lines = group == HeapGroup::Line;
        match (&places.paths, group) {
            (Some(paths), HeapGroup::Line | HeapGroup::Function) => {
                Self { sums: Some(Sums::new(profile, paths, has_lines)), ..places }
            }
            _ => places,
        }
    }

    /// The place that a path belongs to.
    #[must_use]
    pub fn of(&self, stack: StackId) -> StackId {
        self.sums.as_ref().map_or_else(|| self.path(stack), |sums| sums.of[stack.index()])
    }

    /// The path to a line of the program that a path belongs to: a place may have several of those.
    #[must_use]
    pub fn path(&self, stack: StackId) -> StackId {
        self.paths.as_ref().map_or(stack, |paths| paths[stack.index()])
    }

    /// How many callers all paths to a place have in common, those nearest to it; `None` when it has all callers of its
    /// path.
    #[must_use]
    pub fn n_callers(&self, place: StackId) -> Option<usize> {
        self.sums.as_ref()?.n_callers.get(&place).copied()
    }

    /// What paths are added up by.
    #[must_use]
    pub fn group(&self) -> HeapGroup {
        match (&self.paths, &self.sums) {
            (_, Some(sums)) if sums.has_lines => HeapGroup::Line,
            (_, Some(_)) => HeapGroup::Function,
            (Some(_), None) => HeapGroup::Path,
            (None, None) => HeapGroup::WholePath,
        }
    }
}

impl Sums {
    fn new(profile: &Profile, paths: &[StackId], has_lines: bool) -> Self {
        let units = Units::of(profile);
        let lines: Vec<Line> = profile
            .frames
            .iter()
            .map(|(_, frame)| {
                (frame.function(), units.unit(&frame), has_lines.then_some((frame.file, frame.line)))
            })
            .collect();
        let key = |path: StackId| {
            let own = profile.stacks.get(path);
            // What was too small to be kept is its caller's, and not that of all callers.
            let is_made = profile.frames.get(own.frame).kind == FrameKind::Synthetic;
            let caller = own.parent.filter(|_| is_made).map(|caller| profile.stacks.get(caller).frame);
            (lines[own.frame.index()], caller.map(|caller| lines[caller.index()]))
        };
        let of = heaviest(profile, paths, key);
        let mut n_callers: HashMap<StackId, usize, RandomState> = HashMap::default();
        let mut is_known = vec![false; paths.len()];
        for (row, _) in profile.heap.iter() {
            let (place, path) = (of[row.stack.index()], paths[row.stack.index()]);
            if path != place && !std::mem::replace(&mut is_known[path.index()], true) {
                let n = n_callers.entry(place).or_insert(usize::MAX);
                *n = callers_in_common(profile, place, path, *n);
            }
        }
        Self { of, n_callers, has_lines }
    }
}

/// A line of a function, or the function.
type Line = (FunctionKey, Option<StringId>, Option<(Option<StringId>, Option<u32>)>);

/// For each path the one that stands for all of the same key: that with the most bytes.
fn heaviest<K: Eq + Hash>(profile: &Profile, paths: &[StackId], key: impl Fn(StackId) -> K) -> Vec<StackId> {
    let mut bytes: Vec<u64> = vec![0; paths.len()];
    for (row, site) in profile.heap.iter() {
        let sum = &mut bytes[paths[row.stack.index()].index()];
        *sum = sum.saturating_add(site.allocated_bytes);
    }
    let mut shown: HashMap<K, StackId, RandomState> = HashMap::default();
    for path in paths {
        let shown = shown.entry(key(*path)).or_insert(*path);
        if bytes[path.index()] > bytes[shown.index()] {
            *shown = *path;
        }
    }
    paths.iter().map(|path| shown[&key(*path)]).collect()
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

    #[test]
    fn lines_and_functions_are_added_up_whoever_called_them() {
        let profile = profile(&[
            (&[("main", "app", 3), ("left", "app", 5), ("left", "app", 5), ("make", "app", 9)], 4),
            (&[("main", "app", 3), ("left", "app", 5), ("make", "app", 9)], 2),
            (&[("main", "app", 4), ("right", "app", 7), ("left", "app", 6), ("make", "app", 9)], 8),
            (&[("main", "app", 4), ("right", "app", 7), ("make", "app", 10)], 1),
        ]);
        let listed = |group| {
            let places = HeapPlaces::new(&profile, group);
            assert_eq!(places.group(), group);
            let paths = heap_paths(&profile, &ThreadChoice::All, HeapOrder::Allocated, &places);
            let row = |path: &crate::HeapPath| {
                let callers = places.n_callers(path.stack);
                (path.site.allocated_bytes, path.n_paths, callers)
            };
            paths.iter().map(row).collect::<Vec<_>>()
        };
        assert_eq!(listed(HeapGroup::Function), [(15, 3, Some(0))]);
        // `left` is on all paths to line 9, whatever calls it and however deep.
        assert_eq!(listed(HeapGroup::Line), [(14, 2, Some(1)), (1, 1, None)]);
        assert_eq!(listed(HeapGroup::Path), [(8, 1, None), (6, 1, None), (1, 1, None)]);
        let whole = [(8, 1, None), (4, 1, None), (2, 1, None), (1, 1, None)];
        assert_eq!(listed(HeapGroup::WholePath), whole);
    }

    #[test]
    fn what_was_too_small_to_be_kept_stays_with_its_caller() {
        let mut profile = profile(&[]);
        let thread = profile.intern_thread(1, 1, "main");
        for caller in ["load", "save"] {
            let caller = Frame::new(profile.strings.intern(caller), FrameKind::Native);
            let caller = profile.frames.intern(caller);
            let caller = profile.stacks.intern(None, caller);
            let small = profile.strings.intern("(small paths, folded)");
            let small = profile.frames.intern(Frame::new(small, FrameKind::Synthetic));
            let stack = profile.stacks.intern(Some(caller), small);
            let site = HeapSite { allocated_bytes: 5, allocated_count: 1, ..HeapSite::default() };
            profile.heap.add(HeapKey { stack, thread, labels: LabelTable::none() }, &site);
        }
        let places = HeapPlaces::new(&profile, HeapGroup::Line);
        assert_eq!(heap_paths(&profile, &ThreadChoice::All, HeapOrder::Allocated, &places).len(), 2);
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
