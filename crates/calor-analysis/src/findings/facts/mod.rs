//! What all rules look at, each worked out when it is first asked for and then kept.

mod cpu;
mod critical;
mod function;
mod heap;
mod hot_code;
mod line;
mod machine;
mod operation;
mod owner;
mod scope;
mod told;
mod wait;
mod whole;

use std::cell::OnceCell;

use calor_model::{Frame, FrameKind, Profile, StackId};

pub use self::cpu::{CpuFacts, CpuSite};
use self::critical::Critical;
pub use self::function::FunctionFacts;
pub use self::heap::{HeapFacts, HeapPlace};
pub(crate) use self::hot_code::HotCode;
pub use self::line::LineFacts;
pub use self::machine::MachineFigures;
pub use self::operation::Operation;
pub use self::owner::Owner;
use self::owner::Owners;
pub use self::scope::ScopeFacts;
pub use self::told::Rates;
pub use self::wait::WaitFacts;
pub(super) use self::whole::knows_waits;
pub use self::whole::{Basis, Whole};
use super::{Place, Share};
use crate::{CallTree, Events, Offered, SimdVerdict, Summary, ThreadChoice, TreeOptions, Verdicts};

/// The facts of one profile.
#[derive(Debug)]
pub struct Facts<'p> {
    profile: &'p Profile,
    machine: Option<&'p MachineFigures>,
    owners: OnceCell<Owners>,
    whole: OnceCell<Whole>,
    cpu: OnceCell<CpuFacts>,
    functions: OnceCell<Vec<FunctionFacts>>,
    listed_functions: OnceCell<Vec<FunctionFacts>>,
    lines: OnceCell<Vec<LineFacts>>,
    scope_tree: OnceCell<CallTree<'p>>,
    critical: OnceCell<Option<Critical>>,
    scopes: OnceCell<Vec<ScopeFacts>>,
    operations: OnceCell<Vec<Operation<'p>>>,
    waits: OnceCell<Vec<WaitFacts<'p>>>,
    heap: OnceCell<Option<HeapFacts>>,
    summary: OnceCell<Summary>,
    events: OnceCell<Option<Events<'p>>>,
    verdicts: OnceCell<Verdicts>,
}

impl<'p> Facts<'p> {
    /// The facts of a profile, recorded on a machine of which the roof is known or not.
    #[must_use]
    pub fn new(profile: &'p Profile, machine: Option<&'p MachineFigures>) -> Self {
        Self {
            profile,
            machine,
            owners: OnceCell::new(),
            whole: OnceCell::new(),
            cpu: OnceCell::new(),
            functions: OnceCell::new(),
            listed_functions: OnceCell::new(),
            lines: OnceCell::new(),
            scope_tree: OnceCell::new(),
            critical: OnceCell::new(),
            scopes: OnceCell::new(),
            operations: OnceCell::new(),
            waits: OnceCell::new(),
            heap: OnceCell::new(),
            summary: OnceCell::new(),
            events: OnceCell::new(),
            verdicts: OnceCell::new(),
        }
    }

    /// The profile itself.
    #[must_use]
    pub fn profile(&self) -> &'p Profile {
        self.profile
    }

    /// What the machine can reach; `None` where nobody measured it.
    #[must_use]
    pub fn machine(&self) -> Option<&'p MachineFigures> {
        self.machine
    }

    /// Cores that the program could use; the fewest of its runs.
    #[must_use]
    pub fn cores(&self) -> Option<u32> {
        self.profile.runs.iter().filter_map(|run| run.host.cores).min()
    }

    /// The time that shares are of.
    #[must_use]
    pub fn whole(&self) -> &Whole {
        self.whole.get_or_init(|| Whole::of(self.profile))
    }

    /// Samples of running threads by call path.
    #[must_use]
    pub fn cpu(&self) -> &CpuFacts {
        self.cpu.get_or_init(|| CpuFacts::new(self.profile, self.whole()))
    }

    /// Functions that were sampled while they ran, the one with the most time of its own first.
    #[must_use]
    pub fn functions(&self) -> &[FunctionFacts] {
        self.functions.get_or_init(|| function::functions(self))
    }

    /// The same as lists for people have them: code of the language's own library that was inlined counts for the function that
    /// it was put into.
    #[must_use]
    pub fn listed_functions(&self) -> &[FunctionFacts] {
        self.listed_functions.get_or_init(|| function::listed(self))
    }

    /// Samples of running threads whose path `is_wanted`, by the nearest function of the program, the most first.
    #[must_use]
    pub fn cpu_sites(&self, is_wanted: impl Fn(StackId) -> bool) -> Vec<CpuSite> {
        cpu::sites(self, is_wanted)
    }

    /// Lines of the program's Python functions by the time on a processor, the most first.
    #[must_use]
    pub fn python_lines(&self) -> &[LineFacts] {
        self.lines.get_or_init(|| line::lines(self))
    }

    /// The tree of scopes.
    #[must_use]
    pub fn scope_tree(&self) -> &CallTree<'p> {
        self.scope_tree.get_or_init(|| CallTree::of_scopes(self.profile, &TreeOptions::default()))
    }

    /// Call paths of scopes, the one with the most time of its own first.
    #[must_use]
    pub fn scopes(&self) -> &[ScopeFacts] {
        self.scopes.get_or_init(|| scope::scopes(self))
    }

    /// Operations on arrays, by path and labels, the one with the most time first.
    #[must_use]
    pub fn operations(&self) -> &[Operation<'p>] {
        self.operations.get_or_init(|| operation::operations(self))
    }

    /// Where threads waited, by function, reason and call, the longest first.
    #[must_use]
    pub fn waits(&self) -> &[WaitFacts<'p>] {
        self.waits.get_or_init(|| wait::waits(self))
    }

    /// The heap; `None` where it was not watched.
    #[must_use]
    pub fn heap(&self) -> Option<&HeapFacts> {
        self.heap.get_or_init(|| HeapFacts::of(self.profile)).as_ref()
    }

    /// The profile in a few figures, with its threads and Python's lock.
    #[must_use]
    pub fn summary(&self) -> &Summary {
        self.summary.get_or_init(|| Summary::new(self.scope_tree(), &ThreadChoice::All))
    }

    /// Events of the processor and the kernel; `None` where none were recorded.
    #[must_use]
    pub fn events(&self) -> Option<&Events<'p>> {
        self.events.get_or_init(|| Events::new(self.profile, &ThreadChoice::All)).as_ref()
    }

    /// What hot code computes with.
    #[must_use]
    pub fn verdicts(&self) -> &Verdicts {
        self.verdicts.get_or_init(|| Verdicts::of(self.profile))
    }

    /// What a sampled function computes with; `None` where its code was not kept.
    #[must_use]
    pub fn simd(&self, function: &FunctionFacts) -> Option<SimdVerdict> {
        self.verdicts().of_stacks(self.profile, &function.stacks)
    }

    /// The widest vectors of the processor that was recorded on; `None` where it is not known.
    #[must_use]
    pub fn offered(&self) -> Option<Offered> {
        Offered::of(self.profile)
    }

    /// By call path: whether one of its frames `is_wanted`. Each frame is asked about once, however many paths go through it.
    #[must_use]
    pub fn paths_through(&self, is_wanted: impl Fn(Frame) -> bool) -> Vec<bool> {
        let wanted: Vec<bool> = self.profile.frames.iter().map(|(_, frame)| is_wanted(frame)).collect();
        let mut through: Vec<bool> = Vec::with_capacity(self.profile.stacks.len());
        // Callers come before callees.
        for (_, stack) in self.profile.stacks.iter() {
            let of_caller = stack.parent.is_some_and(|parent| through[parent.index()]);
            through.push(of_caller || wanted[stack.frame.index()]);
        }
        through
    }

    /// Whose the function is that a path ends in.
    #[must_use]
    pub fn owner(&self, stack: StackId) -> Owner {
        self.owners().owner(stack)
    }

    /// The path up to the nearest function of the program, which is the path itself where it ends in one; `None` where no
    /// function of it is the program's.
    #[must_use]
    pub fn program_site(&self, stack: StackId) -> Option<StackId> {
        self.owners().site(stack)
    }

    /// Where a path ends, as findings tell it.
    #[must_use]
    pub fn place(&self, stack: StackId) -> Place {
        let frame = self.profile.frames.get(self.profile.stacks.get(stack).frame);
        Place {
            function: self.profile.strings.get(frame.name).to_owned(),
            file: frame.file.map(|file| self.profile.strings.get(file).to_owned()),
            line: frame.line,
            path: self.profile.path_names(stack).into_iter().map(str::to_owned).collect(),
            is_programs: self.owner(stack) == Owner::Program,
        }
    }

    /// The same of the nearest function of the program, or of the path itself where there is none.
    #[must_use]
    pub fn program_place(&self, stack: StackId) -> Place {
        self.place(self.program_site(stack).unwrap_or(stack))
    }

    /// A time on processors, or waited, as a part of the whole. Times of scopes are parts of the clock's:
    /// [`Whole::clock_share`].
    #[must_use]
    pub fn share(&self, nanos: f64) -> Share {
        self.whole().share(nanos)
    }

    /// The name of the function that a path ends in.
    #[must_use]
    pub fn name(&self, stack: StackId) -> &'p str {
        self.profile.stack_name(stack)
    }

    /// What kind of place a path ends in.
    #[must_use]
    pub fn kind(&self, stack: StackId) -> FrameKind {
        self.profile.frames.get(self.profile.stacks.get(stack).frame).kind
    }

    /// From where it is known which thread waited for which: shares of scopes are those of the critical path then. `None`
    /// without a timeline of most of the run on several threads.
    #[must_use]
    pub fn path_basis(&self) -> Option<crate::Basis> {
        self.critical().map(Critical::basis)
    }

    /// The critical path, where a timeline of several threads tells it.
    fn critical(&self) -> Option<&Critical> {
        self.critical.get_or_init(|| Critical::of(self.profile, self.whole())).as_ref()
    }

    fn owners(&self) -> &Owners {
        self.owners.get_or_init(|| Owners::of(self.profile))
    }
}
