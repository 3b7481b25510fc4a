//! Sums of addresses become a profile of named functions.

use std::sync::Arc;

use calor_model::{
    EventKey, Frame, FrameId, FrameKind, LabelSetId, LabelTable, Profile, SampleKey, StackId, StringId,
    Thread, ThreadId, Warning,
};
use foldhash::fast::RandomState;
use hashbrown::HashMap;

use super::attendance::Attendance;
use super::code::Instructions;
use super::images::{ImageId, Images};
use super::spaces::Location;
use super::tally::{Step, Tally, TallyKey};
use super::threads::Threads;
use crate::counters::Counter;
use crate::python::{Function, Functions, Lock};
use calor_symbols::unwind::FunctionStarts;
use calor_symbols::{KernelSymbols, Symbol, Symbolizer};

/// What names are looked up with, kept through a recording.
#[derive(Debug)]
pub(crate) struct Naming {
    pub(crate) symbolizer: Symbolizer,
    kernel: Option<KernelSymbols>,
    kernel_problem: Option<String>,
    /// Where the kernel's code begins, if addresses without a name are to be told apart by it.
    kernel_start: Option<u64>,
    attendance: Attendance,
    instructions: Instructions,
}

/// The frames of each step, outermost first.
type Named = Vec<Vec<FrameId>>;

impl Naming {
    pub(crate) fn new(symbolizer: Symbolizer, wants_kernel: bool) -> Self {
        let (kernel, kernel_problem) = match wants_kernel.then(KernelSymbols::load) {
            None => (None, None),
            Some(Ok(symbols)) => (Some(symbols), None),
            Some(Err(error)) => (None, Some(error.to_string())),
        };
        Self {
            symbolizer,
            kernel,
            kernel_problem,
            kernel_start: None,
            attendance: Attendance::default(),
            instructions: Instructions::default(),
        }
    }

    /// For a recording of another time: `kernel` only if its addresses were the same then. What it does not name is
    /// told by how far it is from `kernel_start`.
    pub(crate) fn of_another_time(
        symbolizer: Symbolizer,
        kernel: Option<KernelSymbols>,
        kernel_start: u64,
    ) -> Self {
        Self { kernel, kernel_start: Some(kernel_start), ..Self::new(symbolizer, false) }
    }

    /// The profile that the sums stand for, without its run.
    pub(crate) fn profile(
        &mut self,
        tally: &Tally,
        images: &Images,
        threads: &Threads,
        functions: &Functions,
    ) -> Profile {
        let mut profile = Profile::default();
        let stacks = self.stacks(tally, images, functions, &mut profile);
        let mut rows: HashMap<(i32, i32), ThreadId, RandomState> = HashMap::default();
        let mut place = |key: &TallyKey, profile: &mut Profile| {
            let stack = stacks[key.node as usize]?;
            let thread = *rows.entry((key.pid, key.tid)).or_insert_with(|| {
                let name = threads.of(if key.tid == 0 { key.pid } else { key.tid });
                let name = profile.strings.intern(name.unwrap_or("(unnamed)"));
                let pid = u32::try_from(key.pid).unwrap_or(0);
                profile.threads.intern(Thread { pid, tid: u64::try_from(key.tid).unwrap_or(0), name })
            });
            let labels = key.lock.map_or(LabelTable::none(), |lock| lock_label(lock, profile));
            Some((stack, thread, labels))
        };
        for (counter, key, weight) in tally.events() {
            let Some((stack, thread, labels)) = place(&key, &mut profile) else { continue };
            let Some(counter) = Counter::by_number(counter) else { continue };
            let name = profile.strings.intern(counter.name());
            profile.events.add(EventKey { name, stack, thread, labels }, weight);
        }
        for (key, weight) in tally.weights() {
            let Some((stack, thread, labels)) = place(&key, &mut profile) else { continue };
            let sample = SampleKey { kind: key.kind, stack, thread, labels, at_nanos: None };
            profile.samples.add(sample, weight);
        }
        self.attendance.add(tally, images);
        self.instructions.add(tally);
        self.warn(&mut profile);
        profile
    }

    /// Counts samples of these paths by instruction.
    pub(crate) fn count_instructions(&mut self, tally: &Tally, nodes: impl Iterator<Item = u32>) {
        nodes.for_each(|node| self.instructions.add_samples(tally, node, 1));
    }

    /// Puts the code of the functions that were hottest in all parts into the last one.
    pub(crate) fn write_code(&mut self, images: &Images, profile: &mut Profile) {
        self.instructions.write(images, &mut self.symbolizer, profile);
    }

    /// The call path that each of the paths of addresses stands for.
    pub(crate) fn stacks(
        &mut self,
        tally: &Tally,
        images: &Images,
        functions: &Functions,
        profile: &mut Profile,
    ) -> Vec<Option<StackId>> {
        let frames = self.frames(tally, images, functions, profile);
        let mut stacks: Vec<Option<StackId>> = Vec::with_capacity(tally.nodes().len());
        for node in tally.nodes() {
            let mut stack = node.parent.and_then(|parent| stacks[parent as usize]);
            for frame in &frames[node.step as usize] {
                stack = Some(profile.stacks.intern(stack, *frame));
            }
            stacks.push(stack);
        }
        stacks
    }

    fn frames(
        &mut self,
        tally: &Tally,
        images: &Images,
        functions: &Functions,
        profile: &mut Profile,
    ) -> Named {
        let mut frames: Named = vec![Vec::new(); tally.steps().len()];
        let mut by_image: HashMap<ImageId, Vec<(u64, usize)>, RandomState> = HashMap::default();
        for (index, step) in tally.steps().enumerate() {
            match step {
                Step::User(Location { image: Some(image), address }) => {
                    by_image.entry(image).or_default().push((address, index));
                }
                Step::Python(function, line) => {
                    let Some(Function { name, file, .. }) = functions.get(function) else { continue };
                    let frame = Frame {
                        file: Some(profile.strings.intern(file)),
                        line: Some(line),
                        ..Frame::new(profile.strings.intern(name), FrameKind::Python)
                    };
                    frames[index] = vec![profile.frames.intern(frame)];
                }
                other => frames[index] = vec![self.bare_frame(other, profile)],
            }
        }
        for (image, mut wanted) in by_image {
            wanted.sort_unstable();
            let opened = images.opened(image);
            let addresses: Vec<u64> = wanted.iter().map(|(address, _)| *address).collect();
            let found = match &opened.image {
                Some(image) => self.symbolizer.resolve(image, &addresses),
                None => addresses.iter().map(|_| Vec::new()).collect(),
            };
            let module = short_name(&opened.name);
            let module_id = profile.strings.intern(module);
            let mut texts = Texts::default();
            let mut starts = opened.image.as_deref().map(FunctionStarts::new);
            for ((address, index), symbols) in wanted.into_iter().zip(found) {
                frames[index] = if symbols.is_empty() {
                    // One function is one name, whichever of its instructions ran.
                    let start =
                        starts.as_mut().and_then(|starts| starts.start_of(address)).unwrap_or(address);
                    let name = match module {
                        // The heap is watched by it.
                        calor_preload::FILE_NAME => profile.strings.intern("[calor]"),
                        _ => profile.strings.intern(&unnamed(module, start)),
                    };
                    let frame = Frame { module: Some(module_id), ..Frame::new(name, FrameKind::Native) };
                    vec![profile.frames.intern(frame)]
                } else {
                    symbols
                        .iter()
                        .map(|symbol| {
                            let frame = texts.frame(symbol, module_id, profile);
                            profile.frames.intern(frame)
                        })
                        .collect()
                };
            }
        }
        frames
    }

    fn bare_frame(&self, step: Step, profile: &mut Profile) -> FrameId {
        let (name, kind) = match step {
            Step::User(Location { address, .. }) => (format!("[unmapped]+{address:#x}"), FrameKind::Native),
            Step::Kernel(address) => {
                let name = self.kernel.as_ref().and_then(|kernel| kernel.find(address));
                let unnamed = || match self.kernel_start {
                    Some(start) => format!("[kernel]+{:#x}", address.wrapping_sub(start)),
                    None => "[kernel]".to_owned(),
                };
                let name = name.map_or_else(unnamed, |symbol| symbol.name.to_string());
                (name, FrameKind::Kernel)
            }
            Step::PythonUnnamed => ("(Python code that is gone)".to_owned(), FrameKind::Synthetic),
            Step::Python(..) | Step::PythonUnverified => {
                (calor_model::NOT_VERIFIED.to_owned(), FrameKind::Synthetic)
            }
            Step::InKernel => ("[kernel]".to_owned(), FrameKind::Kernel),
            Step::Starting => ("(starting a program)".to_owned(), FrameKind::Synthetic),
            Step::Mapping => ("mmap".to_owned(), FrameKind::Native),
            Step::Broken => ("(stack cut off)".to_owned(), FrameKind::Synthetic),
            Step::Longer => ("(callers left out)".to_owned(), FrameKind::Synthetic),
            Step::Folded => (SMALL_PATHS.to_owned(), FrameKind::Synthetic),
        };
        let name = profile.strings.intern(&name);
        profile.frames.intern(Frame::new(name, kind))
    }

    /// Says what could not be named.
    pub(crate) fn warn(&self, profile: &mut Profile) {
        let is_own = |image: &str| short_name(image) == calor_preload::FILE_NAME;
        for shortcoming in
            self.symbolizer.shortcomings_of(|image| self.attendance.matters(image) && !is_own(image))
        {
            let text =
                format!("{}: {}: {}", short_name(&shortcoming.image), shortcoming.what, shortcoming.advice);
            profile.warn(Warning::new("symbols_missing", text));
        }
        if let Some(problem) = &self.kernel_problem {
            profile.warn(Warning::new("kernel_symbols_missing", problem.clone()));
        }
    }
}

/// What stands for call paths of which none matters by itself.
pub(crate) const SMALL_PATHS: &str = "(small paths, folded)";

/// The label of samples that tells how their threads stood to Python's lock.
fn lock_label(lock: Lock, profile: &mut Profile) -> LabelSetId {
    let value = match lock {
        Lock::Held => "held",
        Lock::Waiting => "waiting",
        Lock::Free => "free",
    };
    let label = (profile.strings.intern("gil"), profile.strings.intern(value));
    profile.labels.intern(&[label])
}

/// Texts of symbols that are already in the profile: most symbols share theirs, and comparing where they lie
/// is quicker than comparing what they say.
#[derive(Default)]
struct Texts {
    known: HashMap<*const u8, (Arc<str>, StringId), RandomState>,
}

impl Texts {
    fn text(&mut self, text: &Arc<str>, profile: &mut Profile) -> StringId {
        let (_, id) = self
            .known
            .entry(text.as_ptr())
            .or_insert_with(|| (Arc::clone(text), profile.strings.intern(text)));
        *id
    }

    fn frame(&mut self, symbol: &Symbol, module: StringId, profile: &mut Profile) -> Frame {
        Frame {
            name: self.text(&symbol.name, profile),
            kind: FrameKind::Native,
            module: Some(module),
            file: symbol.file.as_ref().map(|file| self.text(file, profile)),
            line: symbol.line,
            is_inlined: symbol.is_inlined,
        }
    }
}

/// A function that nobody knows the name of.
pub(super) fn unnamed(module: &str, start: u64) -> String {
    format!("{module}+{start:#x}")
}

/// The last part of a path.
pub(super) fn short_name(name: &str) -> &str {
    name.rsplit('/').next().filter(|name| !name.is_empty()).unwrap_or(name)
}
