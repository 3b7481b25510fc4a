//! The sections of a page, one file each, in the order they are read.

mod allocators;
mod async_scopes;
mod cost;
mod hierarchy;
mod hot_paths;
mod insights;
mod most_called;
mod not_seen;
mod summary;
mod system;
mod threads;
mod waits;
mod work;

use std::borrow::Cow;

use calor_model::{Frame, Profile, SampleKind, StackId, ThreadId};

use crate::document::{Name, Section};
use crate::facts::Report;
use crate::short_name::short_name;

pub(crate) use insights::sentence;

/// Said of tables of functions, as the summary says how much that can be.
const REDUCED: &str =
    "This profile was made smaller for its page: figures of functions can be too small, see the summary.";

/// All sections that the profile has something for. `tree_rows` is how many lines the hierarchy may take.
pub(crate) fn all(report: &Report<'_>, tree_rows: usize) -> Vec<Section> {
    let mut sections = vec![system::section(report), summary::section(report)];
    sections.extend(threads::section(report));
    sections.extend(hot_paths::of_scopes(report));
    let running = report.sampled.iter().filter(|sampled| sampled.kind != SampleKind::OffCpu);
    sections.extend(running.map(|sampled| hot_paths::of_samples(report, sampled)));
    sections.extend(waits::section(report));
    sections.extend(work::sections(report));
    sections.extend(async_scopes::section(report));
    sections.push(allocators::section(report));
    sections.extend(most_called::section(report));
    sections.extend(hierarchy::section(report, tree_rows));
    sections.extend(insights::section(report));
    sections.push(not_seen::section(report));
    sections.extend(cost::section(report));
    sections
}

/// The name of a call path. A function that called itself stands there once, with how often: `fib ×11`. Other functions
/// of the same name, such as the outermost code of two Python files, do not count as itself.
fn path_name(profile: &Profile, stack: StackId) -> Name {
    let frames = profile.stacks.path(stack).into_iter().map(|frame| profile.frames.get(frame));
    let frames: Vec<(Frame, &str)> = frames.map(|frame| (frame, profile.strings.get(frame.name))).collect();
    let short: Vec<Cow<'_, str>> = frames.iter().map(|(frame, name)| short_name(frame.kind, name)).collect();
    let is_whole = frames.iter().zip(&short).all(|((_, name), short)| name == short);
    let named: Vec<(&Frame, Cow<'_, str>)> = frames.iter().map(|(frame, _)| frame).zip(short).collect();
    let is_same =
        |a: &Frame, b: &Frame| (a.name, a.kind, a.module, a.file) == (b.name, b.kind, b.module, b.file);
    let mut callers: Vec<String> = named
        .chunk_by(|(a, _), (b, _)| is_same(a, b))
        .map(|run| match run.len() {
            1 => run[0].1.to_string(),
            n => format!("{} ×{n}", run[0].1),
        })
        .collect();
    let leaf = callers.pop().expect("a call path has a frame");
    let (frame, _) = frames[frames.len() - 1];
    let whole = (!is_whole).then(|| frames.iter().map(|(_, name)| *name).collect::<Vec<_>>().join(" › "));
    Name { callers, leaf, location: location(profile, frame), whole }
}

/// The name of what a path ends in, without its callers.
fn leaf_name(profile: &Profile, stack: StackId) -> Name {
    let frame = profile.frames.get(profile.stacks.get(stack).frame);
    let name = profile.strings.get(frame.name);
    let leaf = short_name(frame.kind, name).into_owned();
    let whole = (leaf != name).then(|| name.to_owned());
    Name { callers: Vec::new(), leaf, location: location(profile, frame), whole }
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

/// `file:line`, as far as it is known.
fn location(profile: &Profile, frame: Frame) -> Option<String> {
    let file = profile.strings.get(frame.file?);
    Some(match frame.line {
        Some(line) => format!("{file}:{line}"),
        None => file.to_owned(),
    })
}
