//! What makes two frames the same function, for everything that adds up by function.

use crate::{Frame, FrameKind, StringId};

/// A function. Not its line, which differs inside one.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct FunctionKey {
    name: StringId,
    kind: FrameKind,
    module: Option<StringId>,
    /// Known for Python alone, where each file is a module: two with a `forward` have two functions. Lines of a compiled
    /// function come from several files once others are inlined into it.
    file: Option<StringId>,
}

impl Frame {
    /// The function that the frame is of.
    #[must_use]
    pub fn function(&self) -> FunctionKey {
        let file = self.file.filter(|_| self.kind == FrameKind::Python);
        FunctionKey { name: self.name, kind: self.kind, module: self.module, file }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{LabelTable, Profile, SampleKey, SampleKind, SampleWeight};

    /// A function called `forward` in one file that calls one of the same name in another file, from another line each
    /// time.
    fn nested(kind: FrameKind) -> Profile {
        let mut profile = Profile::default();
        let thread = profile.intern_thread(1, 1, "main");
        let name = profile.strings.intern("forward");
        let files = ["model.py", "layer.py"].map(|file| Some(profile.strings.intern(file)));
        for line in [3, 4] {
            let frame = |file| Frame { file, line: Some(line), ..Frame::new(name, kind) };
            let path = files.map(|file| profile.frames.intern(frame(file)));
            let stack = profile.stacks.intern_path(path).expect("a path has a frame");
            let key = SampleKey {
                kind: SampleKind::Cpu,
                stack,
                thread,
                labels: LabelTable::none(),
                at_nanos: None,
            };
            profile.samples.add(key, SampleWeight { count: 1, nanos: 1 });
        }
        profile
    }

    fn depths(profile: &Profile) -> Vec<usize> {
        profile.samples.iter().map(|(key, _)| profile.stacks.path(key.stack).len()).collect()
    }

    #[test]
    fn functions_of_two_python_files_are_two_and_those_of_one_module_are_one() {
        let python = nested(FrameKind::Python);
        let functions: std::collections::HashSet<FunctionKey> =
            python.frames.iter().map(|(_, frame)| frame.function()).collect();
        assert_eq!((python.frames.len(), functions.len()), (4, 2));
        assert_eq!(depths(&python.fold_recursion()), [2, 2], "it does not call itself");
        assert_eq!(depths(&nested(FrameKind::Native).fold_recursion()), [1, 1]);
    }

    #[test]
    fn a_condensed_profile_keeps_namesakes_apart() {
        let files = |profile: &Profile| {
            let frames = profile.samples.iter().map(|(key, _)| profile.stacks.get(key.stack).frame);
            let files = frames.filter_map(|frame| profile.frames.get(frame).file);
            files.map(|file| profile.strings.get(file).to_owned()).collect::<Vec<_>>()
        };
        let condensed = nested(FrameKind::Python).condenser().condense(2.0, 9).profile;
        assert!(files(&condensed).iter().all(|file| file == "layer.py"), "{:?}", files(&condensed));
        assert!(!files(&condensed).is_empty());
    }
}
