//! Whose time inlined code of a language's library is. An addition of the library is inlined into every function, and figures
//! of all additions together tell nobody which function changed: the time belongs to the function that it was inlined into.

use calor_model::{FrameId, Profile, StackId};

use crate::system_frame::is_frame_of_language;

/// The path that what each path took counts for: the one to the innermost function that is not the language's own inlined code.
pub(super) fn callers_of_inlined(profile: &Profile) -> Vec<StackId> {
    let is_passed: Vec<bool> = profile
        .frames
        .iter()
        .map(|(_, frame)| frame.is_inlined && is_frame_of_language(profile, frame))
        .collect();
    let is_passed = |frame: FrameId| is_passed[frame.index()];
    let mut callers: Vec<StackId> = Vec::with_capacity(profile.stacks.len());
    // Callers come before what they call.
    for (id, stack) in profile.stacks.iter() {
        callers.push(match stack.parent {
            Some(parent) if is_passed(stack.frame) => callers[parent.index()],
            _ => id,
        });
    }
    callers
}

#[cfg(test)]
mod tests {
    use calor_model::{Frame, FrameKind, LabelTable, SampleKey, SampleKind, SampleWeight};

    use super::super::{Quantity, RunFigures};
    use super::*;

    /// A profile of paths whose frames are told as `name` or, inlined, as `name [i]`.
    fn profile(paths: &[(&[&str], u64)]) -> Profile {
        let mut profile = Profile::default();
        let thread = profile.intern_thread(1, 1, "main");
        for (path, count) in paths {
            let mut stack = None;
            for piece in *path {
                let name = piece.trim_end_matches(" [i]");
                let frame = Frame::new(profile.strings.intern(name), FrameKind::Native);
                let frame = profile.frames.intern(Frame { is_inlined: name != *piece, ..frame });
                stack = Some(profile.stacks.intern(stack, frame));
            }
            let stack = stack.expect("a path has a frame");
            let labels = LabelTable::none();
            let key = SampleKey { kind: SampleKind::Cpu, stack, thread, labels, at_nanos: None };
            profile.samples.add(key, SampleWeight { count: *count, nanos: count * 1_000 });
        }
        profile
    }

    #[test]
    fn inlined_code_of_the_language_counts_for_the_function_that_it_is_inlined_into() {
        let profile = profile(&[
            (&["app::main", "app::mix", "core::num::add [i]"], 5),
            (&["app::main", "app::mix", "core::iter::next [i]", "core::num::add [i]"], 2),
            // Not inlined, or not the language's: functions of their own.
            (&["app::main", "core::slice::sort"], 3),
            (&["app::main", "app::small [i]"], 4),
            (&["core::rt::start [i]"], 1),
        ]);
        let run = RunFigures::of_profile(&profile, Quantity::Samples(SampleKind::Cpu));
        let found: Vec<(&str, f64)> =
            run.functions.iter().map(|row| (row.function.name.as_str(), row.value)).collect();
        let expected =
            [("app::mix", 7e3), ("core::slice::sort", 3e3), ("app::small", 4e3), ("core::rt::start", 1e3)];
        assert_eq!(found, expected);
    }

    #[test]
    fn functions_that_differ_in_generic_arguments_and_call_one_another_count_once() {
        let profile = profile(&[(&["app::main", "app::each<u8>", "app::each<u16>"], 5)]);
        let run = RunFigures::whole_of_profile(&profile, Quantity::Samples(SampleKind::Cpu));
        let found: Vec<f64> = run.functions.iter().map(|row| row.value).collect();
        assert_eq!(found, [5e3, 5e3], "{:?}", run.functions);
    }
}
