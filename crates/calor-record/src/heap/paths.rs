//! Call paths of both languages, as one tree: Python frames in the place of the native ones that run them. A path is given
//! by the node of its native frames and that of its Python frames. Walking outwards from there, the rest of the path is
//! that of another pair, which is mostly known already.

use calor_heap::SiteImage;
use calor_paths::{MAX_FRAMES, PathTree, PythonFrame};
use foldhash::fast::RandomState;
use hashbrown::HashMap;

use super::fold::NONE;
use super::frames::{Frames, Met};
use crate::call_paths::tally::Step;

/// The outer part of a path.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub(super) struct Outer {
    native: u32,
    python: u32,
    manner: u8,
}

/// It has no Python frames at all, so that native ones are shown as they are.
const ALONE: u8 = 1;
/// Frames are further in.
const INNER: u8 = 2;
/// Frames that run Python code are further in.
const RUN: u8 = 4;
/// Nothing but the start of the program or thread leads to Python.
const STRAIGHT: u8 = 8;
/// Frames further out were left out.
const CUT: u8 = 16;
/// It is the whole path: its innermost frame may be the library's where it maps memory.
const WHOLE: u8 = 32;

impl Outer {
    /// The whole path of a site.
    pub(super) fn of(site: &SiteImage, frames: &Frames) -> Self {
        let mut manner = WHOLE;
        for (bit, is_so) in [
            (ALONE, site.python == 0),
            (STRAIGHT, frames.is_straight(site.native)),
            (CUT, frames.depth(site.native) >= MAX_FRAMES),
        ] {
            manner |= if is_so { bit } else { 0 };
        }
        Self { native: site.native, python: site.python, manner }
    }

    /// The path up to one of its native frames, without what is further in.
    pub(super) fn up_to(self, native: u32, frames: &Frames) -> Self {
        let n_runs = frames.n_runs(self.native).saturating_sub(frames.n_runs(native));
        let python = (0..n_runs).fold(self.python, |python, _| frames.caller(python));
        let run = if n_runs > 0 { RUN } else { 0 };
        Self { native, python, manner: self.manner & !WHOLE | INNER | run }
    }

    /// The path up to one of its Python frames, without what is further in.
    pub(super) fn up_to_python(self, python: u32, tree: &PathTree, frames: &Frames) -> Self {
        let n_calls = frames.n_runs(self.python).saturating_sub(frames.n_runs(python));
        // Without Python frames nothing is left of what runs them; the outermost call need not be whole.
        let run = if python == 0 { 0 } else { frames.run(self.native) };
        let native = (0..n_calls).fold(run, |run, _| frames.run(tree.parent(run)));
        Self { native, python, manner: self.manner & !WHOLE | INNER | RUN }
    }

    /// The nodes of its innermost native and Python frames.
    pub(super) fn nodes(self) -> (u32, u32) {
        (self.native, self.python)
    }

    fn has(self, bit: u8) -> bool {
        self.manner & bit != 0
    }
}

/// Paths of both languages.
#[derive(Debug, Default)]
pub(super) struct Paths {
    steps: Vec<Step>,
    parents: Vec<u32>,
    /// The same by caller and step: different frames may be shown alike.
    numbers: HashMap<(u32, Step), u32, RandomState>,
    known: HashMap<Outer, u32, RandomState>,
    walked: Vec<(Outer, Option<Step>)>,
}

impl Paths {
    /// The number of a path; [`NONE`] where nothing of it is shown. `python` makes a step of a Python frame, unless it
    /// is not shown.
    pub(super) fn number(
        &mut self,
        path: Outer,
        tree: &PathTree,
        frames: &Frames,
        mut python: impl FnMut(PythonFrame) -> Option<Step>,
    ) -> u32 {
        let mut at = path;
        let mut number = loop {
            if let Some(known) = self.known.get(&at) {
                break *known;
            }
            let Some((step, further)) = outwards(at, tree, frames, &mut python) else { break NONE };
            self.walked.push((at, step));
            at = further;
        };
        while let Some((outer, step)) = self.walked.pop() {
            if let Some(step) = step {
                number = *self.numbers.entry((number, step)).or_insert_with_key(|(parent, step)| {
                    self.parents.push(*parent);
                    self.steps.push(*step);
                    self.steps.len() as u32 - 1
                });
            }
            self.known.insert(outer, number);
        }
        number
    }

    /// The callers of all paths: numbers come after those of their callers.
    pub(super) fn parents(&self) -> &[u32] {
        &self.parents
    }

    /// The steps of a path, outermost first.
    pub(super) fn steps(&self, number: u32) -> Vec<Step> {
        let at = |number: u32| (number != NONE).then_some(number);
        let numbers = std::iter::successors(at(number), |number| at(self.parents[*number as usize]));
        let mut steps: Vec<Step> = numbers.map(|number| self.steps[number as usize]).collect();
        steps.reverse();
        steps
    }
}

/// The innermost frame of a path, unless it is not shown, and what is further out; `None` where nothing is.
fn outwards(
    path: Outer,
    tree: &PathTree,
    frames: &Frames,
    python: &mut impl FnMut(PythonFrame) -> Option<Step>,
) -> Option<(Option<Step>, Outer)> {
    let Outer { native, python: of_python, manner } = path;
    let manner = manner & !WHOLE;
    let further = |native, python, manner| Outer { native, python, manner };
    match frames.met(native) {
        Some(Met::Own { maps }) => {
            let step = (maps && path.has(WHOLE)).then_some(Step::Mapping);
            Some((step, further(tree.parent(native), of_python, manner)))
        }
        Some(Met::Native(location, standing)) => {
            let above = tree.parent(native);
            let shown = Some(Step::User(location));
            if path.has(ALONE) {
                return Some((shown, further(above, 0, manner)));
            }
            if !standing.runs() {
                let is_start = path.has(STRAIGHT) && frames.n_runs(native) == 0;
                let is_shown = standing.is_shown(!path.has(INNER), path.has(RUN), is_start);
                return Some((shown.filter(|_| is_shown), further(above, of_python, manner | INNER)));
            }
            let beyond = manner | INNER | RUN;
            match frames.met(of_python) {
                Some(Met::Python(frame)) => {
                    let caller = tree.parent(of_python);
                    let is_last = frame.is_outermost || caller == 0;
                    let rest = further(if is_last { above } else { native }, caller, beyond);
                    Some((python(frame), rest))
                }
                _ => Some((shown, further(above, 0, beyond))),
            }
        }
        // Where the native frames do not reach the beginning, Python's still may.
        _ => match frames.met(of_python) {
            Some(Met::Python(frame)) => Some((python(frame), further(0, tree.parent(of_python), manner))),
            _ if path.has(CUT) => Some((Some(Step::Longer), further(0, 0, manner & !CUT))),
            _ => None,
        },
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::call_paths::spaces::Location;
    use crate::python::Standing;
    use proptest::prelude::*;

    const STANDINGS: [Standing; 4] = [Standing::OTHER, Standing::START, Standing::RUNS, Standing::PASSES];
    /// Words of Python frames are from here on, even ones the outermost of their call.
    const PYTHON: u64 = 1000;
    const OWN: u64 = 99;
    const MAPS: u64 = 98;

    fn meet(word: u64) -> Met {
        match word {
            PYTHON.. => Met::Python(PythonFrame {
                function: word as u32,
                offset: None,
                is_outermost: word.is_multiple_of(2),
            }),
            OWN | MAPS => Met::Own { maps: word == MAPS },
            _ => Met::Native(Location { image: None, address: word }, STANDINGS[word as usize % 4]),
        }
    }

    /// A Python frame as a step that can be told from native ones.
    fn of_python(frame: PythonFrame) -> Option<Step> {
        Some(Step::Kernel(frame.function.into()))
    }

    /// What a path is shown as, frame by frame: both lists are outermost first, and so is the answer.
    fn expected(native: &[u64], python: &[u64]) -> Vec<Step> {
        let met = |word: &u64| match meet(*word) {
            Met::Native(location, standing) => Some((location, standing)),
            _ => None,
        };
        let is_mapping = native.last() == Some(&MAPS);
        let native: Vec<_> = native.iter().rev().filter_map(met).collect();
        let step = |(location, _): &(Location, Standing)| Step::User(*location);
        let mut steps = if is_mapping { vec![Step::Mapping] } else { Vec::new() };
        if python.is_empty() {
            steps.extend(native.iter().map(step));
        } else {
            let python: Vec<u64> = python.iter().rev().copied().collect();
            let mut calls = python.split_inclusive(|word| word.is_multiple_of(2));
            let last = native.iter().rposition(|(_, standing)| standing.runs());
            let is_start =
                last.is_some_and(|last| native[last..].iter().all(|(_, standing)| standing.begins()));
            let mut has_run = false;
            for (index, frame) in native.iter().enumerate() {
                let is_behind = last.is_none_or(|last| index > last) && is_start;
                if frame.1.runs() {
                    match calls.next() {
                        Some(call) => steps.extend(call.iter().map(|word| Step::Kernel(*word))),
                        None => steps.push(step(frame)),
                    }
                    has_run = true;
                } else if frame.1.is_shown(index == 0, has_run, is_behind) {
                    steps.push(step(frame));
                }
            }
            steps.extend(calls.flatten().map(|word| Step::Kernel(*word)));
        }
        steps.reverse();
        steps
    }

    fn words(from: u64, kinds: u64) -> impl Strategy<Value = Vec<u64>> {
        let own = if from == 0 { [OWN, MAPS] } else { [from; 2] };
        let word = prop_oneof![12 => from..from + kinds, 1 => Just(own[0]), 1 => Just(own[1])];
        proptest::collection::vec(word, 0..9)
    }

    /// A tree of paths, and the node of each.
    fn tree(paths: &[Vec<u64>]) -> (PathTree, Vec<u32>) {
        let mut nodes = Vec::new();
        let ends = paths.iter().map(|path| {
            path.iter().fold(0, |parent, word| match nodes.iter().position(|node| *node == (*word, parent)) {
                Some(at) => at as u32 + 1,
                None => {
                    nodes.push((*word, parent));
                    nodes.len() as u32
                }
            })
        });
        let ends = ends.collect();
        (nodes.into_iter().collect(), ends)
    }

    proptest! {
        #[test]
        fn paths_of_a_tree_are_shown_as_each_would_be_alone(
            sites in proptest::collection::vec((words(0, 8), words(PYTHON, 4)), 1..12),
        ) {
            let all: Vec<Vec<u64>> = sites.iter().flat_map(|(native, python)| [native.clone(), python.clone()]).collect();
            let (tree, ends) = tree(&all);
            let frames = Frames::of(&tree, meet);
            let mut paths = Paths::default();
            for ((native, python), ends) in sites.iter().zip(ends.chunks(2)) {
                let site = SiteImage { native: ends[0], python: ends[1], ..SiteImage::default() };
                let number = paths.number(Outer::of(&site, &frames), &tree, &frames, of_python);
                prop_assert_eq!(paths.steps(number), expected(native, python), "{:?} {:?}", native, python);
            }
            prop_assert!((0_u32..).zip(paths.parents()).all(|(number, parent)| *parent == NONE || *parent < number));
        }

        /// What a path is cut to is the beginning of what it is shown as whole.
        #[test]
        fn the_outer_part_of_a_path_is_its_beginning(
            native in words(0, 8),
            python in words(PYTHON, 4),
            at in 0_usize..9,
        ) {
            let (tree, ends) = tree(&[native.clone(), python.clone()]);
            let frames = Frames::of(&tree, meet);
            let site = SiteImage { native: ends[0], python: ends[1], ..SiteImage::default() };
            let whole = Outer::of(&site, &frames);
            let mut paths = Paths::default();
            let mut steps = |path| {
                let number = paths.number(path, &tree, &frames, of_python);
                paths.steps(number)
            };
            let all = steps(whole);
            // Where Python's frames reach further out than the native ones, there are no native ones to cut at.
            let n_calls = python.iter().filter(|word| word.is_multiple_of(2)).count();
            let n_runs = native.iter().filter(|word| **word != OWN && STANDINGS[**word as usize % 4].runs()).count();
            let place = native.iter().take(at).fold(0, |parent, word| {
                (1..=tree.last()).find(|node| tree.parent(*node) == parent && tree.word(*node) == *word).unwrap_or(parent)
            });
            let outer = whole.up_to(place, &frames);
            let (_, left) = outer.nodes();
            let n_left = tree.outwards(left).count();
            let further = (0..n_left.min(at)).fold(left, |node, _| tree.parent(node));
            let inner = outer.up_to_python(further, &tree, &frames);
            for part in [steps(outer), steps(inner)] {
                prop_assert!(n_calls > n_runs || all.starts_with(&part), "{:?} of {:?}", part, all);
            }
        }
    }
}
