//! The scopes of a trace as frames of the profile. A scope is looked up by the text of its event's fields, and only
//! the first event of a scope pays for making sense of them.

use std::collections::HashMap;

use calor_model::{Frame, FrameId, FrameKind, Profile};
use foldhash::fast::RandomState;

use super::event::Event;
use super::number;
use super::text::{entry, text};
use super::words;

/// The frames that were met, by the fields that tell them apart.
#[derive(Default)]
pub(super) struct Frames<'a> {
    known: HashMap<Fields<'a>, FrameId, RandomState>,
}

#[derive(Clone, Copy, PartialEq, Eq, Hash)]
struct Fields<'a> {
    name: &'a str,
    category: &'a str,
    /// Where the source is told: the arguments of our own events, the fields of others.
    file: &'a str,
    line: &'a str,
}

impl<'a> Frames<'a> {
    /// The frame of an event.
    pub(super) fn intern(&mut self, event: &Event<'a>, profile: &mut Profile) -> FrameId {
        let is_ours = text(event.category).starts_with(words::OURS);
        let file = if is_ours { event.args } else { event.file };
        let fields = Fields { name: event.name, category: event.category, file, line: event.line };
        *self.known.entry(fields).or_insert_with(|| {
            let frame = if is_ours { our_frame(&fields, profile) } else { their_frame(&fields, profile) };
            profile.frames.intern(frame)
        })
    }
}

fn our_frame(fields: &Fields<'_>, profile: &mut Profile) -> Frame {
    let kind = words::kind(&text(fields.category));
    let mut argument = |key| {
        let value = entry(fields.file, key)?;
        Some(profile.strings.intern(&text(value)))
    };
    let (module, file) = (argument(words::MODULE), argument(words::FILE));
    let line = entry(fields.file, words::LINE).and_then(number::whole).and_then(|line| line.try_into().ok());
    let name = profile.strings.intern(&text(fields.name));
    Frame { module, file, line, ..Frame::new(name, kind) }
}

fn their_frame(fields: &Fields<'_>, profile: &mut Profile) -> Frame {
    let (name, category) = (text(fields.name), text(fields.category));
    let kind = match &*category {
        // VizTracer, and the profiler of PyTorch.
        "FEE" | "python_function" | "python" => FrameKind::Python,
        "kernel" | "gpu_memcpy" | "gpu_memset" | "gpu_user_annotation" => FrameKind::Gpu,
        "cuda_runtime" | "cuda_driver" => FrameKind::Native,
        _ => FrameKind::Scope,
    };
    let source = if kind == FrameKind::Python { python_source(&name) } else { None };
    let (name, file, line) = source.unwrap_or((without_step(&name), None, None));
    let told_file = Some(text(fields.file)).filter(|file| !file.is_empty() && file != "null");
    let told_line = number::whole(fields.line).and_then(|line| line.try_into().ok());
    let name = profile.strings.intern(if name.is_empty() { "(unnamed)" } else { name });
    let file = file.map(|file| profile.strings.intern(file));
    let file = file.or_else(|| told_file.map(|file| profile.strings.intern(&file)));
    Frame { file, line: line.or(told_line), ..Frame::new(name, kind) }
}

/// PyTorch numbers the steps of training in their names: those are one place and not hundreds.
fn without_step(name: &str) -> &str {
    match name.split_once('#') {
        Some((step @ "ProfilerStep", number)) if number.bytes().all(|byte| byte.is_ascii_digit()) => step,
        _ => name,
    }
}

/// Name, file and line.
type Source<'n> = (&'n str, Option<&'n str>, Option<u32>);

/// Takes apart `function (file.py:12)`, as VizTracer names Python functions, and `file.py(12): function`, as PyTorch
/// does.
fn python_source(name: &str) -> Option<Source<'_>> {
    let as_viztracer = || {
        let (function, place) = name.strip_suffix(')')?.split_once(" (")?;
        let (file, line) = place.rsplit_once(':')?;
        Some((function, Some(file), Some(line.parse().ok()?)))
    };
    let as_pytorch = || {
        let (place, function) = name.split_once("): ")?;
        let (file, line) = place.rsplit_once('(')?;
        Some((function, Some(file), Some(line.parse().ok()?)))
    };
    as_viztracer().or_else(as_pytorch)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn steps_are_one_place_whatever_their_number() {
        for (name, expected) in [
            ("ProfilerStep#12", "ProfilerStep"),
            ("ProfilerStep*", "ProfilerStep*"),
            ("issue#12", "issue#12"),
        ] {
            assert_eq!(without_step(name), expected);
        }
    }

    #[test]
    fn names_of_python_functions_are_taken_apart() {
        for (name, expected) in [
            ("run (a/b.py:12)", Some(("run", Some("a/b.py"), Some(12)))),
            ("C.<listcomp> (c:\\x (1).py:3)", Some(("C.<listcomp>", Some("c:\\x (1).py"), Some(3)))),
            (
                "torch/nn/module.py(1501): _call_impl",
                Some(("_call_impl", Some("torch/nn/module.py"), Some(1501))),
            ),
            ("<built-in method add>", None),
            ("f (x)", None),
            ("builtins.print", None),
        ] {
            assert_eq!(python_source(name), expected, "{name}");
        }
    }
}
