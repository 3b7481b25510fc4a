//! Functions: all paths that end in the same one, added up. Code of a language's own library that was inlined counts for the function
//! that it was put into: all inlined additions together tell nobody which function is slow.

use std::cmp::Reverse;

use calor_model::{Frame, FrameKind, FunctionKey, Profile, StringId};
use foldhash::fast::RandomState;
use indexmap::IndexMap;

use crate::system_frame::is_frame_of_language;
use crate::totals::first;
use crate::{CallTree, NodeId, Order, Totals};

/// One function.
#[derive(Clone, PartialEq, Debug)]
pub struct Function {
    /// The paths that end in it; the one with the most self time first.
    pub nodes: Vec<NodeId>,
    /// What they add up to.
    pub totals: Totals,
}

/// The first `limit` functions, or all. Functions without any call, sample or time of their own are not listed unless
/// it is the total that counts, nor is what stands for paths that were left out.
#[must_use]
pub fn functions(tree: &CallTree<'_>, order: Order, limit: Option<usize>) -> Vec<Function> {
    counted(tree, order, limit).0
}

/// The same, and how many are listed in all.
pub(crate) fn counted(tree: &CallTree<'_>, order: Order, limit: Option<usize>) -> (Vec<Function>, usize) {
    let mut all = gathered(tree);
    let left_out = tree.profile().left_out_frame();
    let is_named = |function: &Function| {
        left_out.is_none() || function.nodes.first().map(|id| tree.node(*id).frame) != left_out
    };
    // One that only calls others, such as `main`, has no time but a total.
    let has_figures =
        |totals: &Totals| totals.is_listed() || (order == Order::Total && totals.total_nanos > 0);
    let is_listed = |function: &Function| has_figures(&function.totals) && is_named(function);
    let listed = all.iter().enumerate().filter(|(_, function)| is_listed(function));
    let keys = listed
        .map(|(place, function)| (function.totals.key(order), function.nodes.iter().min().copied(), place));
    let keys: Vec<_> = keys.collect();
    let n_all = keys.len();
    let chosen = first(keys, limit.unwrap_or(usize::MAX));
    let list = chosen
        .into_iter()
        .map(|(_, _, place)| {
            let mut nodes = std::mem::take(&mut all[place].nodes);
            nodes.sort_unstable_by_key(|id| (Reverse(tree.node(*id).self_nanos), *id));
            Function { nodes, totals: all[place].totals }
        })
        .collect();
    (list, n_all)
}

fn gathered(tree: &CallTree<'_>) -> Vec<Function> {
    let profile = tree.profile();
    let units = Units::of(profile);
    let mut numbers: IndexMap<(FunctionKey, Option<StringId>), (), RandomState> = IndexMap::default();
    let frames = profile.frames.iter().map(|(_, frame)| (frame.function(), units.unit(&frame)));
    let number_of_frame: Vec<usize> = frames.map(|function| numbers.insert_full(function, ()).0).collect();
    let is_passed = |frame: Frame| frame.is_inlined && is_frame_of_language(profile, frame);
    let is_passed: Vec<bool> = profile.frames.iter().map(|(_, frame)| is_passed(frame)).collect();
    let nobody = Function { nodes: Vec::new(), totals: Totals::default() };
    let mut all = vec![nobody; numbers.len()];
    let mut n_entered = vec![0_u32; numbers.len()];
    // A walk down every branch that counts how often each function is on the way: one look tells whether a
    // node is outermost, however deep the tree is.
    let enter = |caller: Option<usize>| move |id: &NodeId| Step::Enter { id: *id, caller };
    let mut waiting: Vec<Step> = tree.roots().iter().map(enter(None)).collect();
    while let Some(step) = waiting.pop() {
        match step {
            Step::Enter { id, caller } => {
                let node = tree.node(id);
                let children = tree.children(id);
                if let Some(caller) = caller.filter(|_| is_passed[node.frame.index()]) {
                    all[caller].totals.add_inlined(&node);
                    waiting.extend(children.iter().map(enter(Some(caller))));
                    continue;
                }
                let number = number_of_frame[node.frame.index()];
                all[number].nodes.push(id);
                all[number].totals.add(&node, n_entered[number] == 0);
                if !children.is_empty() {
                    n_entered[number] += 1;
                    waiting.push(Step::Leave { number });
                    waiting.extend(children.iter().map(enter(Some(number))));
                }
            }
            Step::Leave { number } => n_entered[number] -= 1,
        }
    }
    all
}

/// The source files that compiled functions of one name are of, as far as those tell them apart. Lines of one function
/// come from several files, but only one of these is compiled by itself: the others are included, as headers are.
pub(crate) struct Units {
    by_function: IndexMap<FunctionKey, Unit, RandomState>,
}

#[derive(Clone, Copy)]
enum Unit {
    /// All lines are of files that are compiled by themselves, such as this.
    Compiled(StringId),
    /// Others are among them.
    Mixed,
}

impl Units {
    pub(crate) fn of(profile: &Profile) -> Self {
        let mut by_function: IndexMap<FunctionKey, Unit, RandomState> = IndexMap::default();
        let compiled = profile.frames.iter().filter(|(_, frame)| frame.kind == FrameKind::Native);
        for (function, file) in compiled.filter_map(|(_, frame)| Some((frame.function(), frame.file?))) {
            let unit = by_function.entry(function).or_insert(Unit::Compiled(file));
            if !is_unit(profile.strings.get(file)) {
                *unit = Unit::Mixed;
            }
        }
        Self { by_function }
    }

    /// The file that tells the function of a frame from its namesakes, if one does.
    pub(crate) fn unit(&self, frame: &Frame) -> Option<StringId> {
        match self.by_function.get(&frame.function())? {
            Unit::Compiled(first) => Some(frame.file.unwrap_or(*first)),
            Unit::Mixed => None,
        }
    }
}

/// Whether a compiler is given this file by itself. The names of Rust have their modules in them.
fn is_unit(file: &str) -> bool {
    let end = file.rsplit_once('.').map_or("", |(_, end)| end);
    ["c", "C", "cc", "cpp", "cxx", "m", "mm"].contains(&end)
}

/// What to do next on a walk over the tree.
enum Step {
    Enter {
        id: NodeId,
        /// The function that it was put into, if it was inlined.
        caller: Option<usize>,
    },
    /// All that a node calls is done.
    Leave {
        /// Its function.
        number: usize,
    },
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::TreeOptions;
    use crate::sketch::Sketch;
    use calor_model::{LabelTable, SampleKey, SampleKind, SampleWeight};

    #[test]
    fn recursion_counts_the_total_of_a_function_once() {
        let profile = Sketch::new()
            .scope("main", &["fib"], 1, 100)
            .scope("main", &["fib", "fib"], 2, 60)
            .scope("main", &["fib", "fib", "fib"], 4, 30)
            .profile();
        let tree = CallTree::of_scopes(&profile, &TreeOptions::default());
        let [fib] = &functions(&tree, Order::Total, None)[..] else { panic!("one function") };
        let totals = fib.totals;
        assert_eq!((totals.total_nanos, totals.self_nanos, totals.calls), (100, 100, 7));
        assert_eq!((totals.timed_calls, totals.measured_nanos, fib.nodes.len()), (7, 190, 3));
    }

    #[test]
    fn python_functions_of_one_name_in_different_files_are_different() {
        let mut profile = Profile::default();
        let thread = profile.intern_thread(1, 1, "main");
        let rows = [("ma.py", 3, 10), ("ma.py", 4, 20), ("mb.py", 3, 5)];
        for (kind, (file, line, count)) in
            [FrameKind::Python, FrameKind::Native].into_iter().flat_map(|kind| rows.map(|row| (kind, row)))
        {
            let (name, file) = (profile.strings.intern("forward"), profile.strings.intern(file));
            let frame = Frame { file: Some(file), line: Some(line), ..Frame::new(name, kind) };
            let frame = profile.frames.intern(frame);
            let stack = profile.stacks.intern(None, frame);
            let labels = LabelTable::none();
            let key = SampleKey { kind: SampleKind::Cpu, stack, thread, labels, at_nanos: None };
            profile.samples.add(key, SampleWeight { count, nanos: count });
        }
        let tree = CallTree::of_samples(&profile, SampleKind::Cpu, &TreeOptions::default());
        let found: Vec<_> = functions(&tree, Order::SelfTime, None)
            .iter()
            .map(|function| (tree.frame(function.nodes[0]).kind, function.totals.samples))
            .collect();
        // Lines of one compiled function come from several files.
        assert_eq!(found, [(FrameKind::Native, 35), (FrameKind::Python, 30), (FrameKind::Python, 5)]);
    }

    #[test]
    fn compiled_functions_of_one_name_are_told_apart_by_files_that_are_compiled_by_themselves() {
        let found = |files: [Option<&str>; 3]| {
            let mut profile = Profile::default();
            let thread = profile.intern_thread(1, 1, "main");
            let name = profile.strings.intern("work");
            for (file, count) in files.into_iter().zip([4, 2, 1]) {
                let file = file.map(|file| profile.strings.intern(file));
                let frame = Frame { file, line: Some(1), ..Frame::new(name, FrameKind::Native) };
                let frame = profile.frames.intern(frame);
                let caller = profile.strings.intern(&count.to_string());
                let caller = profile.frames.intern(Frame::new(caller, FrameKind::Native));
                let caller = profile.stacks.intern(None, caller);
                let stack = profile.stacks.intern(Some(caller), frame);
                let labels = LabelTable::none();
                let key = SampleKey { kind: SampleKind::Cpu, stack, thread, labels, at_nanos: None };
                profile.samples.add(key, SampleWeight { count, nanos: count });
            }
            let tree = CallTree::of_samples(&profile, SampleKind::Cpu, &TreeOptions::default());
            let list = functions(&tree, Order::SelfTime, None);
            list.iter().map(|function| function.totals.samples).collect::<Vec<_>>()
        };
        assert_eq!(found([Some("s1.c"), Some("s2.c"), None]), [5, 2]);
        assert_eq!(found([Some("eval.c"), Some("cases.c.h"), None]), [7]);
        assert_eq!(found([Some("a.rs"), Some("b.rs"), None]), [7]);
    }

    #[test]
    fn inlined_code_of_the_language_counts_for_the_function_that_it_was_put_into() {
        let mut profile = Profile::default();
        let thread = profile.intern_thread(1, 1, "main");
        let mut stack = None;
        // Each frame with its own samples; a call of the library that was not inlined is a function of its own.
        for (name, is_inlined, count) in [
            ("dots", false, 1),
            ("core::f32::mul_add", true, 20),
            ("dots::each", true, 4),
            ("core::iter::next", true, 300),
            ("core::fmt::write", false, 5_000),
        ] {
            let name = profile.strings.intern(name);
            let frame = Frame { is_inlined, ..Frame::new(name, FrameKind::Native) };
            let frame = profile.frames.intern(frame);
            let row = profile.stacks.intern(stack, frame);
            let labels = LabelTable::none();
            let key = SampleKey { kind: SampleKind::Cpu, stack: row, thread, labels, at_nanos: None };
            profile.samples.add(key, SampleWeight { count, nanos: count });
            stack = Some(row);
        }
        let tree = CallTree::of_samples(&profile, SampleKind::Cpu, &TreeOptions::default());
        let list = functions(&tree, Order::SelfTime, None);
        let own = |function: &Function| (tree.name(function.nodes[0]).to_owned(), function.totals.samples);
        let found: Vec<(String, u64)> = list.iter().map(own).collect();
        let expected = [("core::fmt::write", 5_000), ("dots::each", 304), ("dots", 21)];
        assert_eq!(found, expected.map(|(name, samples)| (name.to_owned(), samples)));
        assert_eq!(list[2].totals.total_nanos, 5_325);
    }

    #[test]
    fn a_function_that_only_calls_others_is_listed_by_its_total() {
        let profile = Sketch::new()
            .samples("main", SampleKind::Cpu, &["main", "run"], 1)
            .samples("main", SampleKind::Cpu, &["main", "parse"], 2)
            .profile();
        let tree = CallTree::of_samples(&profile, SampleKind::Cpu, &TreeOptions::default());
        let names = |order| -> Vec<&str> {
            functions(&tree, order, None).iter().map(|function| tree.name(function.nodes[0])).collect()
        };
        assert_eq!(names(Order::Total), ["main", "parse", "run"]);
        assert_eq!(names(Order::SelfTime), ["parse", "run"]);
    }

    #[test]
    fn paths_of_a_function_add_up_and_the_first_functions_are_kept() {
        let profile = Sketch::new()
            .scope("main", &["run"], 1, 100)
            .scope("main", &["run", "parse"], 5, 50)
            .scope("main", &["test", "parse"], 7, 20)
            .profile();
        let tree = CallTree::of_scopes(&profile, &TreeOptions::default());
        let list: Vec<_> = functions(&tree, Order::Calls, Some(2))
            .iter()
            .map(|function| (tree.name(function.nodes[0]), function.totals.calls, function.nodes.len()))
            .collect();
        // `test` has no call of its own.
        assert_eq!(list, [("parse", 12, 2), ("run", 1, 1)]);
        assert_eq!(functions(&tree, Order::Calls, None).len(), 2);
    }
}
