//! The sections of a page, one file each, in the order they are read.

mod allocators;
mod async_scopes;
mod cost;
mod counters;
mod findings;
mod functions;
pub(crate) mod gpu;
pub(crate) mod heap;
mod hierarchy;
mod hot_paths;
mod insights;
mod most_called;
pub(crate) mod not_seen;
mod operations;
pub(crate) mod roofline;
mod scope_memory;
mod scopes;
mod summary;
mod system;
mod threads;
mod waits;
mod work;

use std::borrow::Cow;

use calor_analysis::short_name;
use calor_model::{Frame, FrameKind, Profile, SampleKind, StackId, ThreadId};

use crate::document::{Name, Section};
use crate::report::Report;

pub(crate) use findings::line as finding_line;
pub(crate) use insights::sentence;

/// Said of tables of functions, as the summary says how much that can be.
const REDUCED: &str =
    "This profile was made smaller for its page: figures of functions can be too small, see the summary.";

/// All sections that the profile has something for. `tree_rows` is how many lines the hierarchy may take.
pub(crate) fn all(report: &Report<'_>, tree_rows: usize) -> Vec<Section> {
    let mut sections = vec![system::section(report), summary::section(report)];
    sections.extend(threads::section(report));
    sections.extend(operations::section(report));
    sections.extend(gpu::sections(report.answer.gpu.as_ref(), report.answer.profile, report.options.top));
    sections.extend(scopes::section(report));
    sections.extend(hot_paths::of_scopes(report));
    let running = report.answer.sampled.iter().filter(|sampled| sampled.kind != SampleKind::OffCpu);
    for sampled in running {
        sections.extend(functions::section(report, sampled));
        sections.push(hot_paths::of_samples(report, sampled));
    }
    sections.extend(waits::section(report));
    sections.extend(counters::section(report));
    sections.extend(work::sections(report));
    sections.extend(async_scopes::section(report));
    sections.extend(heap::overview(report));
    sections.extend(scope_memory::section(report));
    sections.push(allocators::section(report));
    sections.extend(heap::details(report));
    sections.extend(most_called::section(report));
    sections.extend(hierarchy::section(report, tree_rows));
    sections.extend(findings::section(report));
    sections.extend(insights::section(report));
    sections.push(not_seen::section(report));
    sections.extend(cost::section(report));
    sections
}

/// The name of a call path. A function that called itself stands there once, with how often: `fib ×11`. Other functions
/// of the same name, such as the outermost code of two Python files, do not count as itself.
fn path_name(profile: &Profile, stack: StackId) -> Name {
    named_path(profile, stack, |n| format!("×{n}"))
}

/// The name of paths that differ in the depth of a recursion alone, by the deepest of them.
fn recursive_path_name(profile: &Profile, stack: StackId) -> Name {
    named_path(profile, stack, |_| "(recursive)".to_owned())
}

fn named_path(profile: &Profile, stack: StackId, mark: impl Fn(usize) -> String) -> Name {
    let frames = frames_of(profile, stack);
    let is_whole = frames.iter().all(|(frame, name)| short_name(frame.kind, name) == *name);
    let mut callers = folded(&frames, mark);
    let leaf = callers.pop().expect("a call path has a frame");
    let (frame, _) = frames[frames.len() - 1];
    let whole = (!is_whole).then(|| frames.iter().map(|(_, name)| *name).collect::<Vec<_>>().join(" › "));
    let (location, file) = (location(profile, frame), file(profile, frame));
    Name { callers, leaf, location, is_function: is_function(frame), whole, file, ..Name::default() }
}

/// The frames of a path and their names, outermost first.
fn frames_of(profile: &Profile, stack: StackId) -> Vec<(Frame, &str)> {
    let frames = profile.stacks.path(stack).into_iter().map(|frame| profile.frames.get(frame));
    frames.map(|frame| (frame, profile.strings.get(frame.name))).collect()
}

/// The names of frames in a row; those of a function that called itself stand there once, with a mark for how often.
fn folded(frames: &[(Frame, &str)], mark: impl Fn(usize) -> String) -> Vec<String> {
    let is_same =
        |a: &Frame, b: &Frame| (a.name, a.kind, a.module, a.file) == (b.name, b.kind, b.module, b.file);
    let name = |run: &[(Frame, &str)]| {
        let short: Cow<'_, str> = short_name(run[0].0.kind, run[0].1);
        // What stands for frames that are not known calls nothing, and so not itself either.
        match run.len() {
            _ if run[0].0.kind == FrameKind::Synthetic => short.into_owned(),
            1 => short.into_owned(),
            n => format!("{short} {}", mark(n)),
        }
    };
    frames.chunk_by(|(a, _), (b, _)| is_same(a, b)).map(name).collect()
}

/// The name of what a path ends in, without its callers.
fn leaf_name(profile: &Profile, stack: StackId) -> Name {
    let frame = profile.frames.get(profile.stacks.get(stack).frame);
    let name = profile.strings.get(frame.name);
    let leaf = short_name(frame.kind, name).into_owned();
    let whole = (leaf != name).then(|| name.to_owned());
    let (location, file) = (location(profile, frame), file(profile, frame));
    Name { leaf, location, is_function: is_function(frame), whole, file, ..Name::default() }
}

/// The name of a thread with its number, as far as they are known.
pub(crate) fn thread_name(profile: &Profile, thread: ThreadId) -> String {
    let thread = profile.threads.get(thread);
    match (profile.strings.get(thread.name), thread.tid) {
        ("", tid) => format!("thread {tid}"),
        (name, 0) => name.to_owned(),
        (name, tid) => format!("{name} ({tid})"),
    }
}

/// Whether a frame is a function that was compiled or is of Python.
fn is_function(frame: Frame) -> bool {
    matches!(frame.kind, FrameKind::Native | FrameKind::Python)
}

/// The file, of a function: those of one name in two files are two.
fn file(profile: &Profile, frame: Frame) -> Option<String> {
    let file = frame.file.filter(|_| is_function(frame))?;
    Some(profile.strings.get(file).to_owned())
}

/// `file:line`, as far as it is known.
fn location(profile: &Profile, frame: Frame) -> Option<String> {
    let file = profile.strings.get(frame.file?);
    Some(match frame.line {
        Some(line) => format!("{file}:{line}"),
        None => file.to_owned(),
    })
}
