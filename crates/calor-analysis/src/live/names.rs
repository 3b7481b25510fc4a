//! What the sums of the live view are about: functions, Python lines, threads. They have to mean the same from one part
//! of a recording to the next, whose handles do not, so they are told by what they say.

use std::collections::HashMap;
use std::sync::Arc;

use calor_model::{Frame, FrameKind, Profile, simplify};

/// A function, whichever of its lines was running.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct LiveFunction {
    /// As short as it can be said.
    pub name: String,
    /// The program, library or module it is in.
    pub module: String,
    /// What kind of code it is.
    pub kind: FrameKind,
}

/// A line of Python.
#[derive(Clone, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct PythonLine {
    /// The whole path.
    pub file: String,
    /// The number of the line.
    pub number: u32,
    /// The function it is in.
    pub function: String,
}

/// A thread. Its name may change.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct LiveThread {
    /// Its process.
    pub pid: u32,
    /// 0 where it stands for all that were not told apart.
    pub tid: u64,
}

/// So many names are remembered; a program that has more of them is looked up anew.
const MOST: usize = 50_000;

/// Functions that were met before: to shorten a name costs more than to find it.
#[derive(Debug, Default)]
pub struct LiveNames {
    known: HashMap<Box<str>, Vec<Known>>,
}

#[derive(Debug)]
struct Known {
    kind: FrameKind,
    module: Box<str>,
    function: Arc<LiveFunction>,
}

impl LiveNames {
    /// The function of a frame.
    pub(super) fn function(&mut self, profile: &Profile, frame: Frame) -> Arc<LiveFunction> {
        let name = profile.strings.get(frame.name);
        let module = module_of(profile, frame);
        let namesakes = self.known.get(name).map_or(&[][..], Vec::as_slice);
        if let Some(known) = namesakes.iter().find(|it| it.kind == frame.kind && *it.module == *module) {
            return Arc::clone(&known.function);
        }
        if self.known.len() >= MOST {
            self.known.clear();
        }
        let short = match frame.kind {
            FrameKind::Native => simplify(name).into_owned(),
            _ => name.to_owned(),
        };
        let function = Arc::new(LiveFunction { name: short, module: module.to_owned(), kind: frame.kind });
        let known = Known { kind: frame.kind, module: module.into(), function: Arc::clone(&function) };
        self.known.entry(name.into()).or_default().push(known);
        function
    }
}

fn module_of(profile: &Profile, frame: Frame) -> &str {
    let of_file = || {
        let file = frame.file.map_or("", |file| profile.strings.get(file));
        if frame.kind == FrameKind::Python { file.rsplit('/').next().unwrap_or(file) } else { "" }
    };
    match (frame.module, frame.kind) {
        (Some(module), _) => profile.strings.get(module),
        (None, FrameKind::Kernel) => "kernel",
        (None, _) => of_file(),
    }
}

/// The line that a frame of Python stands on, if it is known.
pub(super) fn python_line(profile: &Profile, frame: Frame) -> Option<PythonLine> {
    let number = frame.line.filter(|_| frame.kind == FrameKind::Python)?;
    let file = frame.file.or(frame.module).map_or("", |file| profile.strings.get(file));
    let function = profile.strings.get(frame.name);
    Some(PythonLine { file: file.to_owned(), number, function: function.to_owned() })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_function_is_one_whatever_its_line_and_another_in_another_module() {
        let mut profile = Profile::default();
        let name = profile.strings.intern("<app::Model<f32> as core::ops::Fn<()>>::run");
        let modules = ["app", "libapp.so"].map(|module| Some(profile.strings.intern(module)));
        let frame = Frame { module: modules[0], ..Frame::new(name, FrameKind::Native) };
        let mut names = LiveNames::default();
        let first = names.function(&profile, Frame { line: Some(3), ..frame });
        assert!(Arc::ptr_eq(&first, &names.function(&profile, Frame { line: Some(4), ..frame })));
        let elsewhere = names.function(&profile, Frame { module: modules[1], ..frame });
        assert!(first.name == elsewhere.name && first != elsewhere);
        assert!(first.name.len() < "<app::Model<f32> as core::ops::Fn<()>>::run".len(), "{}", first.name);
    }

    #[test]
    fn only_a_frame_of_python_has_a_line_to_show() {
        let mut profile = Profile::default();
        let [name, file] = ["step", "/data/me/train.py"].map(|text| profile.strings.intern(text));
        let python = Frame { file: Some(file), line: Some(12), ..Frame::new(name, FrameKind::Python) };
        let line = python_line(&profile, python).expect("it has one");
        assert_eq!((line.file.as_str(), line.number), ("/data/me/train.py", 12));
        assert_eq!(python_line(&profile, Frame { kind: FrameKind::Native, ..python }), None);
        assert_eq!(python_line(&profile, Frame { line: None, ..python }), None);
        assert_eq!(LiveNames::default().function(&profile, python).module, "train.py");
    }
}
