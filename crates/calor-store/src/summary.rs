//! What each scope and function of a run took, in few numbers: a history of ten thousand runs is read from these and not from
//! ten thousand profiles.

use std::collections::BTreeMap;

use calor_analysis::{
    CallTree, FunctionName, HeapOrder, HeapPlaces, Order, Quantity, RunFigures, ThreadChoice, TreeOptions,
    functions, heap_as_samples,
};
use calor_model::{Profile, Recorder, SampleKind};

/// Functions that take less than this part of a run are left out, and beyond so many the smallest.
const LEAST_SHARE: f64 = 0.000_5;
const MOST: usize = 400;

/// What is added up.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
#[non_exhaustive]
pub enum SumKind {
    /// Time in scopes, with their calls.
    Scopes,
    /// Time on a CPU, by samples.
    Cpu,
    /// Time on the wall, by samples.
    Wall,
    /// Time waited, by samples.
    OffCpu,
    /// Bytes allocated, with the number of allocations.
    Allocated,
}

impl SumKind {
    /// All of them.
    pub const ALL: [Self; 5] = [Self::Scopes, Self::Cpu, Self::Wall, Self::OffCpu, Self::Allocated];

    /// The word for it in options and files.
    #[must_use]
    pub fn word(self) -> &'static str {
        match self {
            Self::Scopes => "scopes",
            Self::Cpu => "cpu",
            Self::Wall => "wall",
            Self::OffCpu => "off_cpu",
            Self::Allocated => "allocated",
        }
    }

    /// Its number in the database, which stays.
    pub(crate) fn number(self) -> i64 {
        match self {
            Self::Scopes => 1,
            Self::Cpu => 2,
            Self::Wall => 3,
            Self::OffCpu => 4,
            Self::Allocated => 5,
        }
    }
}

/// A scope or function, in whatever run and build; without a name, the whole program.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub struct Scope {
    /// What it is called.
    pub name: String,
    /// The file or the module that tells it from others of its name; empty where none is needed.
    pub place: String,
}

impl Scope {
    fn of(FunctionName { name, module, file }: FunctionName) -> Self {
        Self { name, place: file.or(module).unwrap_or_default() }
    }

    /// Whether it stands for everything.
    #[must_use]
    pub fn is_program(&self) -> bool {
        self.name.is_empty()
    }
}

/// What a scope or function took in one run: nanoseconds, or bytes.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Sum {
    /// How often it was called; `None` when not known.
    pub calls: Option<u64>,
    /// Without what it calls.
    pub own: u64,
    /// With what it calls.
    pub total: u64,
}

/// All sums of a run.
#[derive(Clone, PartialEq, Debug, Default)]
pub(crate) struct Summary {
    pub(crate) rows: Vec<(SumKind, Scope, Sum)>,
    pub(crate) canary_nanos: Option<u64>,
}

impl Summary {
    pub(crate) fn of(profile: &Profile) -> Self {
        let canary = match &profile.runs[..] {
            [run] => run.canary.nanos().map(|nanos| nanos.round() as u64),
            _ => None,
        };
        let mut summary = Self { rows: Vec::new(), canary_nanos: canary };
        let options = TreeOptions::default();
        let has = |kind: SampleKind| profile.samples.iter().any(|(key, _)| key.kind == kind);
        if !profile.scopes.is_empty() {
            summary.add(SumKind::Scopes, &CallTree::of_scopes(profile, &options));
        }
        for (kind, sampled) in [
            (SumKind::Cpu, SampleKind::Cpu),
            (SumKind::Wall, SampleKind::Wall),
            (SumKind::OffCpu, SampleKind::OffCpu),
        ] {
            if has(sampled) {
                summary.add_figures(kind, RunFigures::whole_of_profile(profile, Quantity::Samples(sampled)));
            }
        }
        let watched = profile.runs.iter().any(|run| run.recorders.contains(&Recorder::Heap));
        if watched || !profile.heap.is_empty() {
            let places = HeapPlaces::whole_paths();
            let weights = heap_as_samples(profile, &ThreadChoice::All, HeapOrder::Allocated, &places);
            summary.add(SumKind::Allocated, &CallTree::of_samples(&weights, SampleKind::Cpu, &options));
        }
        summary
    }

    fn add(&mut self, kind: SumKind, tree: &CallTree<'_>) {
        let all = tree.recorded_nanos();
        if all == 0 {
            return;
        }
        let profile = tree.profile();
        let mut sums: BTreeMap<Scope, Sum> = BTreeMap::new();
        for function in functions(tree, Order::Total, None) {
            let Some(first) = function.nodes.first() else { continue };
            let FunctionName { name, module, file } = FunctionName::of_frame(profile, &tree.frame(*first));
            if name.is_empty() {
                continue;
            }
            let totals = &function.totals;
            let calls = match kind {
                SumKind::Scopes => totals.calls,
                SumKind::Allocated => totals.samples,
                _ => 0,
            };
            // Functions of one name and place, as those that differ in generic arguments, are one.
            let sum = sums.entry(Scope::of(FunctionName { name, module, file })).or_default();
            sum.own = sum.own.saturating_add(totals.self_nanos);
            sum.total = sum.total.saturating_add(totals.total_nanos).min(all);
            if calls > 0 {
                sum.calls = Some(sum.calls.unwrap_or(0).saturating_add(calls));
            }
        }
        self.keep(kind, all, sums);
    }

    /// What functions took by samples, as a comparison has it.
    fn add_figures(&mut self, kind: SumKind, run: RunFigures) {
        let all = run.total() as u64;
        if all == 0 {
            return;
        }
        let mut sums: BTreeMap<Scope, Sum> = BTreeMap::new();
        for row in run.functions.into_iter().filter(|row| !row.function.name.is_empty()) {
            let sum = sums.entry(Scope::of(row.function)).or_default();
            sum.total = sum.total.saturating_add(row.value as u64).min(all);
        }
        for row in run.own.into_iter().flatten() {
            if let Some(sum) = sums.get_mut(&Scope::of(row.function)) {
                sum.own = sum.own.saturating_add(row.value as u64);
            }
        }
        self.keep(kind, all, sums);
    }

    /// Keeps what all took and what scopes did, small ones aside.
    fn keep(&mut self, kind: SumKind, all: u64, sums: BTreeMap<Scope, Sum>) {
        let least = (all as f64 * LEAST_SHARE) as u64;
        let mut rows: Vec<(Scope, Sum)> = sums.into_iter().filter(|(_, sum)| sum.total > least).collect();
        rows.sort_by(|a, b| (b.1.own, b.1.total, &a.0).cmp(&(a.1.own, a.1.total, &b.0)));
        rows.truncate(MOST);
        self.rows.push((kind, Scope::default(), Sum { calls: None, own: all, total: all }));
        self.rows.extend(rows.into_iter().map(|(scope, sum)| (kind, scope, sum)));
    }
}
