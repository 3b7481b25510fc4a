//! What a profile says of its functions, as figures of a run. One profile is one run; runs are never added up before they
//! are compared.

use std::collections::{BTreeMap, BTreeSet};

use calor_model::{Frame, FrameId, FrameKind, Profile, SampleKind, StackId, StringId, ThreadId, simplify};
use foldhash::fast::RandomState;
use indexmap::IndexMap;

use super::callees::with_callees;
use super::inlined::callers_of_inlined;
use super::waiting::{WaitSites, tell_reasons};
use super::{FunctionFigures, FunctionName, RunFigures};
use crate::HeapPlaces;

/// What of a profile is compared.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub enum Quantity<'n> {
    /// Time of scopes, with their calls.
    Scopes,
    /// Time that samples of one kind stand for; waiting is of the function of the program that waited.
    Samples(SampleKind),
    /// Bytes allocated, with the number of allocations, by the function of the program that asked for them.
    Allocated,
    /// Time of kernels on GPUs, with the number of launches.
    Kernels,
    /// Events of the counter of this name.
    Events(&'n str),
}

/// What one function has, before its name is looked up.
#[derive(Clone, Copy, Default)]
pub(super) struct Sum {
    pub(super) value: f64,
    pub(super) calls: Option<u64>,
    pub(super) samples: Option<u64>,
}

impl Sum {
    pub(super) fn add(&mut self, other: Self) {
        self.value += other.value;
        let both = |own: Option<u64>, theirs: Option<u64>| match (own, theirs) {
            (Some(own), Some(theirs)) => Some(own.saturating_add(theirs)),
            (own, theirs) => own.or(theirs),
        };
        self.calls = both(self.calls, other.calls);
        self.samples = both(self.samples, other.samples);
    }
}

impl RunFigures {
    /// What the functions of a profile took by themselves. Functions without anything are not listed.
    #[must_use]
    pub fn of_profile(profile: &Profile, quantity: Quantity<'_>) -> Self {
        if quantity == Quantity::Kernels {
            return kernels(profile);
        }
        let numbers = FunctionNumbers::new(profile);
        let mut run = of_stacks(profile, &numbers, &sums(profile, quantity));
        tell_circumstances(profile, quantity, std::slice::from_mut(&mut run));
        run
    }

    /// What the functions of a profile took with what they called; one that calls itself counts once. Kernels call nothing.
    #[must_use]
    pub fn whole_of_profile(profile: &Profile, quantity: Quantity<'_>) -> Self {
        if quantity == Quantity::Kernels {
            return kernels(profile);
        }
        let own = sums(profile, quantity);
        let numbers = FunctionNumbers::new(profile);
        let own_functions = of_stacks(profile, &numbers, &own).functions;
        let mut run = of_stacks(profile, &numbers, &with_callees(profile, &numbers, own));
        tell_circumstances(profile, quantity, std::slice::from_mut(&mut run));
        Self { own: Some(own_functions), ..run }
    }
}

/// Tells in runs that are parts of a profile what it knows besides figures: how fast the machine was, or what functions
/// waited for.
fn tell_circumstances(profile: &Profile, quantity: Quantity<'_>, runs: &mut [RunFigures]) {
    match (quantity, &profile.runs[..]) {
        // Of runs that were added up nothing is known.
        (Quantity::Scopes | Quantity::Samples(SampleKind::Cpu | SampleKind::Wall), [one]) => {
            for run in runs {
                run.canary_nanos = one.canary.nanos();
                run.canary_spread = one.canary.spread();
            }
        }
        // A slow machine allocates no more, and waits for other things than the processor.
        (Quantity::Samples(SampleKind::OffCpu), _) => tell_reasons(profile, runs),
        _ => {}
    }
}

impl RunFigures {
    /// The samples of one kind in so many parts of equal length, each scaled up to the whole run: how much a single run
    /// differs from itself, part by part. `None` where samples have no instants, or a part has none.
    #[must_use]
    pub fn blocks_of_profile(profile: &Profile, kind: SampleKind, n_blocks: usize) -> Option<Vec<Self>> {
        let rows = || profile.samples.iter().filter(|(key, _)| key.kind == kind);
        let instants = rows().map(|(key, _)| key.at_nanos).collect::<Option<Vec<u64>>>()?;
        let (first, last) = (*instants.iter().min()?, *instants.iter().max()?);
        if first == last || n_blocks < 2 {
            return None;
        }
        let is_timed = rows().any(|(_, weight)| weight.nanos > 0);
        let length = u128::from(last - first) + 1;
        let mut blocks = vec![vec![Sum::default(); profile.stacks.len()]; n_blocks];
        let mut sites = Sites::new(profile);
        for (key, weight) in rows() {
            let at = u128::from(key.at_nanos.unwrap_or(first) - first);
            let block = (at * n_blocks as u128 / length) as usize;
            let value = if is_timed { weight.nanos } else { weight.count } as f64;
            let stack = sites.of(kind, key.stack);
            let samples = n_samples(key.kind, is_timed, weight.count);
            blocks[block][stack.index()].add(Sum { value, calls: None, samples });
        }
        let work = 1.0 / n_blocks as f64;
        let numbers = FunctionNumbers::new(profile);
        let mut blocks: Vec<Self> =
            blocks.iter().map(|block| Self { work, ..of_stacks(profile, &numbers, block) }).collect();
        tell_circumstances(profile, Quantity::Samples(kind), &mut blocks);
        blocks.iter().all(|block| block.total() > 0.0).then_some(blocks)
    }
}

impl RunFigures {
    /// The scopes of a run in rounds, each scaled up to the whole run. A round is what the threads of its number did; what other
    /// threads did is in none. `None` where a round was called less often than another: it was cut short.
    #[must_use]
    pub fn rounds_of_profile(profile: &Profile, rounds: &BTreeMap<ThreadId, usize>) -> Option<Vec<Self>> {
        let mut sums_of: BTreeMap<usize, Vec<Sum>> = BTreeMap::new();
        for ((key, stats), nanos) in profile.scopes.iter().zip(profile.scope_self_nanos()) {
            let Some(round) = rounds.get(&key.thread) else { continue };
            let sums = sums_of.entry(*round).or_insert_with(|| vec![Sum::default(); profile.stacks.len()]);
            let calls = (stats.calls > 0).then_some(stats.calls);
            sums[key.stack.index()].add(Sum { value: nanos as f64, calls, samples: None });
        }
        let work = 1.0 / sums_of.len() as f64;
        let numbers = FunctionNumbers::new(profile);
        let figures = |sums: &Vec<Sum>| Self { work, ..of_stacks(profile, &numbers, sums) };
        let mut rounds: Vec<Self> = sums_of.values().map(figures).collect();
        tell_circumstances(profile, Quantity::Scopes, &mut rounds);
        let calls = |round: &Self| round.functions.iter().filter_map(|row| row.calls).sum::<u64>();
        let is_whole = rounds.iter().all(|round| round.total() > 0.0 && calls(round) == calls(&rounds[0]));
        is_whole.then_some(rounds)
    }
}

/// What each path took by itself.
fn sums(profile: &Profile, quantity: Quantity<'_>) -> Vec<Sum> {
    // By path first, and paths are many; names are made once for each function.
    let mut of_stack = vec![Sum::default(); profile.stacks.len()];
    let mut add = |stack: StackId, sum: Sum| of_stack[stack.index()].add(sum);
    match quantity {
        Quantity::Scopes => {
            for ((key, stats), nanos) in profile.scopes.iter().zip(profile.scope_self_nanos()) {
                let calls = (stats.calls > 0).then_some(stats.calls);
                add(key.stack, Sum { value: nanos as f64, calls, samples: None });
            }
        }
        Quantity::Samples(kind) => {
            let has = |wanted: SampleKind| profile.samples.iter().any(|(key, _)| key.kind == wanted);
            // Wall time that was not sampled itself is time on a CPU and time waited together.
            let is_made = kind == SampleKind::Wall && !has(kind);
            let is_of = |row: SampleKind| match is_made {
                true => matches!(row, SampleKind::Cpu | SampleKind::OffCpu),
                false => row == kind,
            };
            let rows = || profile.samples.iter().filter(|(key, _)| is_of(key.kind));
            // Files of some formats have samples without times.
            let is_timed = rows().any(|(_, weight)| weight.nanos > 0);
            let mut sites = Sites::new(profile);
            for (key, weight) in rows() {
                let value = if is_timed { weight.nanos } else { weight.count };
                let stack = sites.of(key.kind, key.stack);
                let samples = n_samples(key.kind, is_timed, weight.count);
                add(stack, Sum { value: value as f64, calls: None, samples });
            }
        }
        Quantity::Allocated => {
            let places = HeapPlaces::owners(profile);
            for (key, site) in profile.heap.iter() {
                let (value, calls) = (site.allocated_bytes as f64, Some(site.allocated_count));
                let stack = places.of(key.stack);
                add(stack, Sum { value, calls, samples: (site.samples > 0).then_some(site.samples) });
            }
        }
        Quantity::Events(name) => {
            let name = profile.strings.find(name);
            let callers = callers_of_inlined(profile);
            for (key, weight) in profile.events.iter().filter(|(key, _)| Some(key.name) == name) {
                let (value, samples) = (weight.events as f64, Some(weight.samples));
                add(callers[key.stack.index()], Sum { value, calls: None, samples });
            }
        }
        Quantity::Kernels => {}
    }
    of_stack
}

/// The path that a sample counts for.
struct Sites<'p> {
    waits: WaitSites<'p>,
    callers: Vec<StackId>,
}

impl<'p> Sites<'p> {
    fn new(profile: &'p Profile) -> Self {
        Self { waits: WaitSites::new(profile), callers: callers_of_inlined(profile) }
    }

    fn of(&mut self, kind: SampleKind, stack: StackId) -> StackId {
        match kind {
            SampleKind::OffCpu => self.waits.site(stack),
            _ => self.callers[stack.index()],
        }
    }
}

/// From how many samples a time is estimated. Each wait was timed from its beginning to its end: that is no estimate.
fn n_samples(kind: SampleKind, is_timed: bool, n: u64) -> Option<u64> {
    (kind != SampleKind::OffCpu || !is_timed).then_some(n)
}

/// A number for each function of a profile: lines of one are frames of their own, and a number is cheaper to add up by than a
/// name.
pub(super) struct FunctionNumbers {
    pub(super) names: Vec<FunctionName>,
    of_frame: Vec<usize>,
}

impl FunctionNumbers {
    fn new(profile: &Profile) -> Self {
        let mut numbers: IndexMap<FunctionName, (), RandomState> = IndexMap::default();
        let number =
            |(_, frame): (FrameId, Frame)| numbers.insert_full(FunctionName::of_frame(profile, &frame), ()).0;
        let of_frame = profile.frames.iter().map(number).collect();
        Self { names: numbers.into_keys().collect(), of_frame }
    }

    pub(super) fn of(&self, frame: FrameId) -> usize {
        self.of_frame[frame.index()]
    }
}

fn of_stacks(profile: &Profile, numbers: &FunctionNumbers, of_stack: &[Sum]) -> RunFigures {
    let names = &numbers.names;
    let mut sums = vec![Sum::default(); names.len()];
    let mut neighbours: Vec<BTreeSet<usize>> = vec![BTreeSet::new(); names.len()];
    for (id, stack) in profile.stacks.iter() {
        let number = numbers.of(stack.frame);
        sums[number].add(of_stack[id.index()]);
        if let Some(parent) = stack.parent {
            let caller = numbers.of(profile.stacks.get(parent).frame);
            neighbours[number].insert(caller);
            neighbours[caller].insert(number);
        }
    }
    let is_on_a_path = |number: &usize| !neighbours[*number].is_empty();
    let callers = (0..names.len()).filter(|number| sums[*number].value == 0.0).filter(is_on_a_path);
    let callers: Vec<FunctionName> = callers.map(|number| names[number].clone()).collect();
    let functions = sums.iter().zip(&neighbours).enumerate().filter(|(_, (sum, _))| sum.value > 0.0);
    let functions = functions.map(|(number, (sum, neighbours))| FunctionFigures {
        function: names[number].clone(),
        value: sum.value,
        calls: sum.calls,
        samples: sum.samples,
        neighbours: neighbours.iter().map(|number| names[*number].name.clone()).collect(),
        waits_for: None,
    });
    RunFigures { callers, ..RunFigures::new(functions.collect()) }
}

fn kernels(profile: &Profile) -> RunFigures {
    let mut sums: IndexMap<StringId, Sum, RandomState> = IndexMap::default();
    for (key, durations) in &profile.gpu.kernels {
        let (value, calls) = (durations.total_nanos as f64, Some(durations.count));
        sums.entry(key.name).or_default().add(Sum { value, calls, samples: None });
    }
    let functions = sums.into_iter().filter(|(_, sum)| sum.value > 0.0).map(|(name, sum)| FunctionFigures {
        function: FunctionName { name: profile.strings.get(name).to_owned(), ..FunctionName::default() },
        value: sum.value,
        calls: sum.calls,
        ..FunctionFigures::default()
    });
    RunFigures::new(functions.collect())
}

impl FunctionName {
    /// The name of a frame's function as it is in any build, wherever that lies.
    #[must_use]
    pub fn of_frame(profile: &Profile, frame: &Frame) -> Self {
        let text = |id: StringId| profile.strings.get(id);
        let name = text(frame.name);
        let is_compiled = frame.kind == FrameKind::Native;
        let last = |path: &str| path.rsplit('/').next().unwrap_or(path).to_owned();
        Self {
            name: if is_compiled { simplify(name).into_owned() } else { name.to_owned() },
            module: frame.module.map(|module| last(text(module))),
            file: frame.file.filter(|_| frame.kind == FrameKind::Python).map(|file| last(text(file))),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sketch::Sketch;

    fn figures(profile: &Profile, quantity: Quantity<'_>) -> Vec<(String, f64, Option<u64>, Option<u64>)> {
        let run = RunFigures::of_profile(profile, quantity);
        let figures = run.functions.into_iter();
        figures.map(|row| (row.function.name, row.value, row.calls, row.samples)).collect()
    }

    fn row(
        name: &str,
        value: f64,
        calls: Option<u64>,
        samples: Option<u64>,
    ) -> (String, f64, Option<u64>, Option<u64>) {
        (name.to_owned(), value, calls, samples)
    }

    #[test]
    fn functions_have_their_own_part_of_each_quantity() {
        let profile = Sketch::new()
            .scope("main", &["run"], 1, 100)
            .scope("main", &["run", "parse"], 5, 60)
            .samples("main", SampleKind::Cpu, &["run", "parse"], 7)
            .samples("other", SampleKind::Cpu, &["parse"], 2)
            .samples("main", SampleKind::OffCpu, &["run"], 3)
            .heap(&["run", "parse"], 80, 10)
            .events("main", "page-faults", &["run"], 30)
            .profile();
        let scopes = [row("run", 40.0, Some(1), None), row("parse", 60.0, Some(5), None)];
        assert_eq!(figures(&profile, Quantity::Scopes), scopes);
        let cpu = figures(&profile, Quantity::Samples(SampleKind::Cpu));
        assert_eq!(cpu, [row("parse", 9_000.0, None, Some(9))]);
        assert_eq!(figures(&profile, Quantity::Samples(SampleKind::OffCpu)).len(), 1);
        let wall = figures(&profile, Quantity::Samples(SampleKind::Wall));
        assert_eq!(wall.iter().map(|row| row.1).sum::<f64>(), 12_000.0, "on a CPU and waited");
        assert_eq!(figures(&profile, Quantity::Allocated)[0].0, "parse");
        assert_eq!(figures(&profile, Quantity::Events("page-faults"))[0].1, 30.0);
        assert_eq!(figures(&profile, Quantity::Events("cycles")), []);
        assert_eq!(figures(&profile, Quantity::Kernels), []);
        assert_eq!(
            RunFigures::blocks_of_profile(&profile, SampleKind::Cpu, 2),
            None,
            "samples have no instants"
        );
        let neighbours = RunFigures::of_profile(&profile, Quantity::Scopes).functions[1].neighbours.clone();
        assert_eq!(neighbours, ["run"]);
    }

    #[test]
    fn functions_have_what_they_call_and_themselves_only_once() {
        let profile = Sketch::new()
            .samples("main", SampleKind::Cpu, &["run", "parse"], 7)
            .samples("main", SampleKind::Cpu, &["run", "parse", "read", "parse"], 2)
            .samples("main", SampleKind::Cpu, &["run"], 1)
            .scope("main", &["run"], 1, 100)
            .scope("main", &["run", "parse"], 5, 60)
            .profile();
        let whole = RunFigures::whole_of_profile(&profile, Quantity::Samples(SampleKind::Cpu));
        let values: Vec<_> =
            whole.functions.iter().map(|row| (row.function.name.as_str(), row.value)).collect();
        assert_eq!(values, [("run", 10_000.0), ("parse", 9_000.0), ("read", 2_000.0)]);
        assert_eq!(whole.total(), 10_000.0);
        let whole = RunFigures::whole_of_profile(&profile, Quantity::Scopes);
        let calls: Vec<_> = whole.functions.iter().map(|row| (row.value, row.calls)).collect();
        assert_eq!((calls, whole.total()), (vec![(100.0, Some(1)), (60.0, Some(5))], 100.0));
    }

    #[test]
    fn parts_of_a_run_stand_for_the_whole() {
        let mut profile = Profile::default();
        let thread = profile.intern_thread(1, 1, "main");
        let stack = profile.intern_named_path(&["run"], FrameKind::Native).unwrap();
        for at in 0..100 {
            let labels = calor_model::LabelTable::none();
            let key = calor_model::SampleKey {
                kind: SampleKind::Cpu,
                stack,
                thread,
                labels,
                at_nanos: Some(7 + 10 * at),
            };
            profile.samples.add(key, calor_model::SampleWeight { count: 1, nanos: 10 });
        }
        let blocks = RunFigures::blocks_of_profile(&profile, SampleKind::Cpu, 4).unwrap();
        let totals: Vec<f64> = blocks.iter().map(|block| block.total() / block.work).collect();
        assert_eq!(totals, [1_000.0; 4]);
        assert_eq!(RunFigures::blocks_of_profile(&profile, SampleKind::OffCpu, 4), None);
        assert_eq!(RunFigures::blocks_of_profile(&profile, SampleKind::Cpu, 101), None);
    }
}
