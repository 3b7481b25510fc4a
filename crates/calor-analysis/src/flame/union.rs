//! One flame graph of runs before and after. A frame is as wide as the larger of its two sides needs, so that nothing is
//! missing from it: what vanished has its place beside what is new, and a frame stands where its caller stands on both sides.

use std::collections::HashMap;

use calor_model::Profile;
use foldhash::fast::RandomState;
use indexmap::IndexSet;

use super::input::FlameInput;
use crate::{Difference, FunctionDifference, FunctionName, Presence};

const NONE: u32 = u32::MAX;

/// Frames of both sides, each caller before what it calls.
#[derive(Clone, PartialEq, Debug)]
pub struct FlameUnion {
    /// The frames; the first stands for everything.
    pub frames: Vec<UnionFrame>,
    /// How many were too narrow to be kept.
    pub n_left_out: usize,
}

/// One frame.
#[derive(Clone, PartialEq, Debug)]
pub struct UnionFrame {
    /// Its function's place in [`Difference::functions`]; `None` of everything, and of functions that take nothing
    /// themselves.
    pub function_idx: Option<usize>,
    /// The function; empty of everything.
    pub name: String,
    /// How many callers it has; 0 of everything.
    pub depth: usize,
    /// Where it begins, as a part of the whole width.
    pub left: f64,
    /// How wide it is, as a part of the whole width.
    pub width: f64,
    /// What it took on average in the runs before, with what it called.
    pub before: f64,
    /// The same after.
    pub after: f64,
}

type Renamed = HashMap<FunctionName, FunctionName, RandomState>;

/// A program that was built under another name takes all its functions along, and those that take nothing themselves are no
/// rows of a difference: below one caller the name alone tells enough.
fn without_module(name: FunctionName) -> FunctionName {
    FunctionName { module: None, ..name }
}

struct Node {
    parent: u32,
    function: u32,
    /// What it took itself, by side; with what it called once all is added up.
    values: [f64; 2],
    width: f64,
}

#[derive(Default)]
struct Union {
    functions: IndexSet<FunctionName, RandomState>,
    nodes: Vec<Node>,
    known: HashMap<(u32, u32), u32, RandomState>,
}

impl FlameUnion {
    /// The union of the runs of two sides by one of their metrics, named as [`FlameInput`] does; `None` where they have no
    /// call paths for it. Frames narrower than `least`, a part of the width, are left out.
    #[must_use]
    pub fn new(sides: [&[&Profile]; 2], metric: &str, difference: &Difference, least: f64) -> Option<Self> {
        let mut union = Union::default();
        union.nodes.push(Node { parent: NONE, function: NONE, values: [0.0; 2], width: 0.0 });
        // What was renamed stands where it stands now.
        let renamed: Renamed = difference
            .functions
            .iter()
            .filter_map(|function| match &function.presence {
                Presence::RenamedFrom(former) => {
                    Some((without_module(former.clone()), without_module(function.function.clone())))
                }
                _ => None,
            })
            .collect();
        for (side, profiles) in sides.into_iter().enumerate() {
            for profile in profiles {
                union.add(profile, metric, &renamed, side, profiles.len() as f64);
            }
        }
        union.drawn(&difference.functions, least)
    }

    /// The union of two profiles by what each took for one of so many calls; no frame is judged. `None` where neither has
    /// call paths for the metric.
    #[must_use]
    pub fn by_call(sides: [Option<(&Profile, f64)>; 2], metric: &str, least: f64) -> Option<Self> {
        let mut union = Union::default();
        union.nodes.push(Node { parent: NONE, function: NONE, values: [0.0; 2], width: 0.0 });
        for (side, told) in sides.into_iter().enumerate() {
            if let Some((profile, calls)) = told {
                union.add(profile, metric, &Renamed::default(), side, calls);
            }
        }
        union.drawn(&[], least)
    }
}

impl Union {
    fn drawn(mut self, functions: &[FunctionDifference], least: f64) -> Option<FlameUnion> {
        self.add_up();
        let frames = self.frames(functions, least);
        (self.nodes[0].width > 0.0)
            .then(|| FlameUnion { n_left_out: self.nodes.len() - frames.len(), frames })
    }

    fn add(&mut self, profile: &Profile, metric: &str, renamed: &Renamed, side: usize, n_runs: f64) {
        let input = FlameInput::of_profile(profile);
        let Some(metric) = input.metric(metric) else { return };
        let functions: Vec<u32> = profile
            .frames
            .iter()
            .map(|(_, frame)| {
                let name = without_module(FunctionName::of_frame(profile, &frame));
                let name = renamed.get(&name).cloned().unwrap_or(name);
                self.functions.insert_full(name).0 as u32
            })
            .collect();
        let mut node_of_stack = vec![NONE; profile.stacks.len()];
        for weight in &metric.weights {
            let Some(stack) = weight.stack else { continue };
            // Up to a path that is known, and down again.
            let mut path = Vec::new();
            let mut at = Some(stack);
            while let Some(stack) = at.filter(|stack| node_of_stack[stack.index()] == NONE) {
                path.push(stack);
                at = profile.stacks.get(stack).parent;
            }
            let mut node = at.map_or(0, |stack| node_of_stack[stack.index()]);
            for stack in path.into_iter().rev() {
                node = self.child(node, functions[profile.stacks.get(stack).frame.index()]);
                node_of_stack[stack.index()] = node;
            }
            self.nodes[node as usize].values[side] += weight.self_value as f64 / n_runs;
        }
    }

    fn child(&mut self, parent: u32, function: u32) -> u32 {
        let next = self.nodes.len() as u32;
        let node = *self.known.entry((parent, function)).or_insert(next);
        if node == next {
            self.nodes.push(Node { parent, function, values: [0.0; 2], width: 0.0 });
        }
        node
    }

    /// Adds what was called to its callers, which all stand before it.
    fn add_up(&mut self) {
        // What a frame takes itself is as wide as the larger of its sides.
        for node in &mut self.nodes {
            node.width = node.values[0].max(node.values[1]);
        }
        for at in (1..self.nodes.len()).rev() {
            let Node { parent, values, width, .. } = self.nodes[at];
            let caller = &mut self.nodes[parent as usize];
            caller.values = [caller.values[0] + values[0], caller.values[1] + values[1]];
            caller.width += width;
        }
    }

    fn frames(&self, functions: &[FunctionDifference], least: f64) -> Vec<UnionFrame> {
        let whole = self.nodes[0].width;
        let mut called: Vec<Vec<u32>> = vec![Vec::new(); self.nodes.len()];
        for (at, node) in self.nodes.iter().enumerate().skip(1) {
            if node.width >= least * whole && node.width > 0.0 {
                called[node.parent as usize].push(at as u32);
            }
        }
        // Of namesakes in several modules the one that differs most, which stands first.
        let rows = functions.iter().enumerate().rev();
        let judged: HashMap<FunctionName, usize, RandomState> =
            rows.map(|(at, row)| (without_module(row.function.clone()), at)).collect();
        let mut frames = Vec::new();
        let mut open: Vec<(u32, usize, f64)> = vec![(0, 0, 0.0)];
        while let Some((at, depth, left)) = open.pop() {
            let node = &self.nodes[at as usize];
            let name = self.functions.get_index(node.function as usize);
            frames.push(UnionFrame {
                function_idx: name.and_then(|name| judged.get(name).copied()),
                name: name.map(|name| name.name.clone()).unwrap_or_default(),
                depth,
                left: left / whole,
                width: node.width / whole,
                before: node.values[0],
                after: node.values[1],
            });
            let mut children = std::mem::take(&mut called[at as usize]);
            let width = |child: &u32| self.nodes[*child as usize].width;
            children.sort_by(|a, b| width(b).total_cmp(&width(a)).then(a.cmp(b)));
            let mut next = left;
            let placed: Vec<(u32, usize, f64)> = children
                .into_iter()
                .map(|child| {
                    let begin = next;
                    next += width(&child);
                    (child, depth + 1, begin)
                })
                .collect();
            open.extend(placed.into_iter().rev());
        }
        frames
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sketch::Sketch;
    use crate::{DifferenceOptions, Quantity, RunFigures, difference};

    #[test]
    fn what_vanished_and_what_is_new_stand_side_by_side_below_their_caller() {
        let before = Sketch::new()
            .scope("main", &["run"], 1, 100)
            .scope("main", &["run", "parse"], 1, 60)
            .scope("main", &["run", "old"], 1, 30)
            .profile();
        let after = Sketch::new()
            .scope("main", &["run"], 1, 200)
            .scope("main", &["run", "parse"], 1, 40)
            .scope("main", &["run", "fresh"], 1, 150)
            .profile();
        let figures = |profile| [RunFigures::of_profile(profile, Quantity::Scopes)];
        let found = difference(&figures(&before), &figures(&after), &DifferenceOptions::default()).unwrap();
        let union = FlameUnion::new([&[&before], &[&after]], "scopes", &found, 0.0).unwrap();
        let rows: Vec<(&str, usize, f64, f64)> =
            union.frames.iter().map(|frame| (&*frame.name, frame.depth, frame.before, frame.after)).collect();
        let expected = [
            ("", 0, 100.0, 200.0),
            ("run", 1, 100.0, 200.0),
            ("fresh", 2, 0.0, 150.0),
            ("parse", 2, 60.0, 40.0),
            ("old", 2, 30.0, 0.0),
        ];
        assert_eq!(rows, expected);
        // 10 of itself, 150, 60 and 30: what is called fits into its caller.
        let whole = 250.0;
        let places: Vec<[f64; 2]> = union.frames.iter().map(|frame| [frame.left, frame.width]).collect();
        let near = |found: [f64; 2], expected: [f64; 2]| {
            found.iter().zip(expected).all(|(found, expected)| (found - expected / whole).abs() < 1e-12)
        };
        assert!(near(places[1], [0.0, 250.0]) && near(places[2], [0.0, 150.0]), "{places:?}");
        assert!(near(places[3], [150.0, 60.0]) && near(places[4], [210.0, 30.0]), "{places:?}");
        let function = &found.functions[union.frames[2].function_idx.unwrap()];
        assert_eq!(function.presence, Presence::New);
        assert_eq!(FlameUnion::new([&[&before], &[&after]], "scopes", &found, 0.2).unwrap().n_left_out, 1);
        assert_eq!(FlameUnion::new([&[&before], &[&after]], "cpu", &found, 0.0), None);
    }
}
