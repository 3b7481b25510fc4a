//! Events of the processor and the kernel by call path: where page faults, switches, instructions and misses are.

use std::cmp::Reverse;

use calor_model::{EventWeight, Profile, StackId, StringId};
use foldhash::fast::RandomState;
use indexmap::IndexMap;

use crate::call_tree::Merged;
use crate::{CallTree, NodeId, ThreadChoice};

/// What one counter came to on one path.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct EventPath {
    /// The path; of several that differ in lines alone, the one with the most events.
    pub stack: StackId,
    /// What happened there itself.
    pub own: EventWeight,
    /// That as a fraction of all events of the counter.
    pub share: f64,
}

/// One counter.
#[derive(Clone, PartialEq, Debug)]
pub struct EventCounter {
    /// What is counted.
    pub name: StringId,
    /// All of it.
    pub whole: EventWeight,
    /// Where, most events first.
    pub paths: Vec<EventPath>,
}

/// What a function or path has of a counter.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct EventFigures {
    /// What is counted.
    pub name: StringId,
    /// Events in itself.
    pub own: u64,
    /// Events in it and in what it called.
    pub total: u64,
}

/// The events of a profile, added up over threads.
#[derive(Clone, Debug)]
pub struct Events<'p> {
    profile: &'p Profile,
    merged: Option<Merged>,
    names: Vec<StringId>,
    /// By counter and path: its own events, and the stack that has most of them.
    own: IndexMap<(StringId, StackId), Own, RandomState>,
    /// By counter and path, with all that it called.
    total: IndexMap<(StringId, StackId), u64, RandomState>,
}

#[derive(Clone, Copy, Debug)]
struct Own {
    weight: EventWeight,
    most: (u64, StackId),
}

impl<'p> Events<'p> {
    /// The events of the chosen threads; `None` when none were recorded there.
    #[must_use]
    pub fn new(profile: &'p Profile, threads: &ThreadChoice) -> Option<Self> {
        let chosen = threads.mask(profile);
        let is_chosen = |index: usize| chosen.get(index).copied().unwrap_or(false);
        let rows = || profile.events.iter().filter(|(key, _)| is_chosen(key.thread.index()));
        rows().next()?;
        let mut events = Self {
            profile,
            merged: Merged::new(profile),
            names: profile.events.names(),
            own: IndexMap::default(),
            total: IndexMap::default(),
        };
        for (key, weight) in rows() {
            let place = (key.name, events.path(key.stack));
            let none = Own { weight: EventWeight::default(), most: (0, key.stack) };
            let own = events.own.entry(place).or_insert(none);
            own.weight.add(weight);
            own.most = own.most.max((weight.events, key.stack));
            let mut at = Some(key.stack);
            while let Some(stack) = at {
                let sum = events.total.entry((key.name, events.path(stack))).or_default();
                *sum = sum.saturating_add(weight.events);
                at = profile.stacks.get(stack).parent;
            }
        }
        Some(events)
    }

    /// The path over functions that a path of the profile is.
    fn path(&self, stack: StackId) -> StackId {
        self.merged.as_ref().map_or(stack, |merged| merged.of(stack))
    }

    /// All counters, each with its paths; what stands for paths that were left out is not listed.
    #[must_use]
    pub fn counters(&self) -> Vec<EventCounter> {
        let left_out = self.profile.left_out_frame();
        let is_named = |stack: StackId| Some(self.profile.stacks.get(stack).frame) != left_out;
        let counter = |&name: &StringId| {
            let rows = || self.own.iter().filter(move |((of, _), _)| *of == name).map(|(_, own)| own);
            let mut whole = EventWeight::default();
            rows().for_each(|own| whole.add(own.weight));
            let path = |own: &Own| EventPath {
                stack: own.most.1,
                own: own.weight,
                share: own.weight.events as f64 / whole.events.max(1) as f64,
            };
            let mut paths: Vec<EventPath> = rows().map(path).filter(|path| is_named(path.stack)).collect();
            paths.sort_by_key(|path| (Reverse((path.own.events, path.own.samples)), path.stack));
            EventCounter { name, whole, paths }
        };
        self.names.iter().map(counter).filter(|counter| counter.whole.samples > 0).collect()
    }

    /// What paths of a tree have of each counter; counters they have nothing of are not there. Of a function that
    /// calls itself, the events of inner calls are in the total once.
    #[must_use]
    pub fn of_nodes(&self, tree: &CallTree<'_>, nodes: &[NodeId]) -> Vec<EventFigures> {
        let stacks: Vec<StackId> = nodes.iter().map(|node| tree.node(*node).stack).collect();
        let outermost: Vec<StackId> =
            stacks.iter().copied().filter(|stack| self.is_outermost(*stack)).collect();
        let figures = |&name: &StringId| {
            let own = stacks.iter().filter_map(|stack| self.own.get(&(name, self.path(*stack))));
            let total = outermost.iter().filter_map(|stack| self.total.get(&(name, self.path(*stack))));
            EventFigures {
                name,
                own: own.map(|own| own.weight.events).fold(0, u64::saturating_add),
                total: total.copied().fold(0, u64::saturating_add),
            }
        };
        self.names.iter().map(figures).filter(|figures| figures.total > 0 || figures.own > 0).collect()
    }

    /// Whether the function that a path ends in is not among its callers.
    fn is_outermost(&self, stack: StackId) -> bool {
        let identity =
            |stack: StackId| self.profile.frames.get(self.profile.stacks.get(stack).frame).function();
        let mut caller = self.profile.stacks.get(stack).parent;
        while let Some(at) = caller {
            if identity(at) == identity(stack) {
                return false;
            }
            caller = self.profile.stacks.get(at).parent;
        }
        true
    }
}

#[cfg(test)]
mod tests {
    use calor_model::SampleKind;

    use super::*;
    use crate::sketch::Sketch;
    use crate::{Grouping, Order, TreeOptions, hot_paths};

    fn profile() -> Profile {
        Sketch::new()
            .samples("main", SampleKind::Cpu, &["run", "load"], 5)
            .samples("main", SampleKind::Cpu, &["run", "load", "load"], 5)
            .events("main", "page-faults", &["run", "load"], 30)
            .events("main", "page-faults", &["run", "load", "load"], 10)
            .events("other", "page-faults", &["run", "touch"], 60)
            .events("main", "cycles", &["run"], 7)
            .profile()
    }

    #[test]
    fn each_counter_lists_its_paths_with_their_shares() {
        let profile = profile();
        let events = Events::new(&profile, &ThreadChoice::All).unwrap();
        let [faults, cycles] = &events.counters()[..] else { panic!("two counters") };
        let paths: Vec<_> = faults
            .paths
            .iter()
            .map(|path| (profile.path_names(path.stack).join(";"), path.own.events, path.share))
            .collect();
        let expected = [("run;touch", 60, 0.6), ("run;load", 30, 0.3), ("run;load;load", 10, 0.1)];
        assert_eq!(paths, expected.map(|(path, events, share)| (path.to_owned(), events, share)));
        assert_eq!((faults.whole.events, cycles.whole.events), (100, 7));
        let of_main = Events::new(&profile, &ThreadChoice::Named("main".to_owned())).unwrap();
        assert_eq!(of_main.counters()[0].whole.events, 40);
    }

    #[test]
    fn functions_have_their_own_events_and_those_of_what_they_call_once() {
        let profile = profile();
        let events = Events::new(&profile, &ThreadChoice::All).unwrap();
        let tree = CallTree::of_samples(&profile, SampleKind::Cpu, &TreeOptions::default());
        let list = hot_paths(&tree, Grouping::Function, Order::SelfTime, None);
        let load = list.iter().find(|entry| tree.name(entry.nodes[0]) == "load").unwrap();
        let [figures] = &events.of_nodes(&tree, &load.nodes)[..] else { panic!("one counter") };
        assert_eq!((figures.own, figures.total), (40, 40));
        let path = hot_paths(&tree, Grouping::Path, Order::SelfTime, None);
        let outer = path.iter().find(|entry| tree.node(entry.nodes[0]).depth == 1).unwrap();
        let [figures] = &events.of_nodes(&tree, &outer.nodes)[..] else { panic!("one counter") };
        assert_eq!((figures.own, figures.total), (30, 40));
    }

    #[test]
    fn a_profile_without_events_has_none() {
        assert!(Events::new(&Profile::default(), &ThreadChoice::All).is_none());
    }
}
