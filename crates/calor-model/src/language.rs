//! Views by language. A program of Python over compiled libraries has both on its call paths; who reads one language
//! alone wants the other's time where it can still be found: with the function that called it, or in one frame that
//! stands for it.

use crate::destinations::Destinations;
use crate::rewrite::{Selection, rewrite};
use crate::transfer::Transfer;
use crate::{FrameKind, Profile, StackId};

/// The name of the frame for what ran while no Python function was on the path.
pub const NOT_PYTHON: &str = "(not Python)";
/// The name of the frame that stands for Python functions where only compiled code is shown.
pub const INTERPRETER: &str = "(Python interpreter)";

/// The name of the frame that recorders put in the place of Python functions that they could not be sure of.
pub const NOT_VERIFIED: &str = "(Python not verified)";

/// Whose functions a view shows.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug, Default)]
pub enum Language {
    /// All of them.
    #[default]
    All,
    /// Python's alone.
    Python,
    /// Those of compiled code and the kernel alone.
    Native,
}

impl Profile {
    /// Whether any Python function is on a call path.
    #[must_use]
    pub fn has_python(&self) -> bool {
        self.python_frames().contains(&true)
    }

    /// By frame: whether it is a Python function, or stands for some.
    fn python_frames(&self) -> Vec<bool> {
        let not_verified = self.synthetic_frame(NOT_VERIFIED);
        let frames = self.frames.iter();
        frames.map(|(id, frame)| frame.kind == FrameKind::Python || Some(id) == not_verified).collect()
    }

    /// The same profile without compiled code and the kernel: what was recorded there belongs to the Python function
    /// that called it. Where none did it belongs to one frame, [`NOT_PYTHON`], which stands where the path begins or
    /// below the scopes that were open.
    ///
    /// Scopes and contexts stay, and so does what a smaller profile [left out](crate::LEFT_OUT). All totals stay what they
    /// were. Calls and spans of what is not shown go, as they lie inside those of their callers or have no name.
    #[must_use]
    pub fn python_only(&self) -> Self {
        self.python_only_with(&[]).0
    }

    /// The same, and what became of these paths: whoever learned something from the compiled code on them can say it of
    /// what is shown.
    #[must_use]
    pub fn python_only_with(&self, stacks: &[StackId]) -> (Self, Vec<StackId>) {
        let (profile, not_python) = self.with_synthetic_frame(NOT_PYTHON);
        let left_out = self.left_out_frame();
        let is_python = profile.python_frames();
        // By path: what is shown of it, and whether Python is among that.
        let mut shown: Vec<(Option<StackId>, bool)> = Vec::with_capacity(profile.stacks.len());
        let destinations = Destinations::folded(&profile, false, |paths, _, stack, _| {
            let (caller, is_below_python) =
                stack.parent.map_or((None, false), |parent| shown[parent.index()]);
            let kind = profile.frames.get(stack.frame).kind;
            let is_python = is_python[stack.frame.index()];
            let is_other = matches!(kind, FrameKind::Native | FrameKind::Kernel | FrameKind::Synthetic);
            let is_hidden = is_other && !is_python && Some(stack.frame) != left_out;
            let path = if is_hidden { caller } else { Some(paths.intern(caller, stack.frame)) };
            shown.push((path, is_below_python || is_python));
            match is_hidden && !is_below_python {
                true => Some(paths.intern(caller, not_python)),
                false => path,
            }
        });
        let mut view = rewrite(&profile, &destinations, &Selection::default(), None);
        let mut transfer = Transfer::new(&profile, &mut view, &destinations.paths, None);
        let shown = |stack: &StackId| {
            transfer.stack(destinations.of[stack.index()].expect("every path is shown in some way"))
        };
        let shown = stacks.iter().map(shown).collect();
        (view, shown)
    }

    /// The same profile without Python functions: those that stand next to each other on a path become one frame,
    /// [`INTERPRETER`], to which belongs what was recorded in any of them. All totals stay what they were.
    #[must_use]
    pub fn native_only(&self) -> Self {
        let (profile, interpreter) = self.with_synthetic_frame(INTERPRETER);
        let is_python = profile.python_frames();
        let destinations = Destinations::folded(&profile, false, |paths, _, stack, caller| {
            if !is_python[stack.frame.index()] {
                return Some(paths.intern(caller, stack.frame));
            }
            let is_in_interpreter = |caller: &StackId| paths.get(*caller).frame == interpreter;
            caller.filter(is_in_interpreter).or_else(|| Some(paths.intern(caller, interpreter)))
        });
        rewrite(&profile, &destinations, &Selection::default(), None)
    }
}
