//! Where in the program: a function, and the call path that leads to it.

use calor_model::{Frame, FrameKind, Profile, StackId};
#[cfg(feature = "schema")]
use schemars::JsonSchema;
use serde::Serialize;

/// A place that is known by how one comes there.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct CallPath<'w> {
    /// The innermost function.
    pub name: &'w str,
    /// Names from the outermost function to this one.
    pub path: Vec<&'w str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub file: Option<&'w str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub line: Option<u32>,
}

/// The same of who uses the heap, where compiled code allocates for Python's.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct HeapPath<'w> {
    #[serde(flatten)]
    pub at: CallPath<'w>,
    /// The innermost Python function of the path; absent where it has none.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub python: Option<PythonLine<'w>>,
}

/// The innermost Python function of the path; absent where it has none.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct PythonLine<'w> {
    pub function: &'w str,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub file: Option<&'w str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    pub line: Option<u32>,
}

impl<'w> CallPath<'w> {
    /// Of a row of the profile's stacks.
    #[must_use]
    pub fn new(profile: &'w Profile, stack: StackId) -> Self {
        let frame = profile.frames.get(profile.stacks.get(stack).frame);
        Self {
            name: profile.stack_name(stack),
            path: profile.path_names(stack),
            file: file(profile, frame),
            line: frame.line,
        }
    }
}

impl<'w> HeapPath<'w> {
    /// Of a row of the profile's stacks.
    #[must_use]
    pub fn new(profile: &'w Profile, stack: StackId) -> Self {
        let mut frames = profile.stacks.frames(stack).map(|frame| profile.frames.get(frame));
        let python = frames.find(|frame| frame.kind == FrameKind::Python).map(|frame| PythonLine {
            function: profile.strings.get(frame.name),
            file: file(profile, frame),
            line: frame.line,
        });
        Self { at: CallPath::new(profile, stack), python }
    }
}

fn file(profile: &Profile, frame: Frame) -> Option<&str> {
    frame.file.map(|file| profile.strings.get(file))
}
