//! Whose an allocation is. Call paths end in the allocator and in what leads to it: vectors that grow, strings that are
//! put together, the interpreter's objects. People look for the line of their own that asked for the memory.

use calor_model::{FrameKind, Profile, StackId};

use super::claim::{Claim, is_allocator};
use crate::system_frame::is_of_system;

/// For each call path the part of it that ends in the innermost function of the program's own. Functions of the system, of
/// the language's libraries and of the interpreter below a Python function are not, and neither are those below one whose
/// lines are not known: a library's that was not built here. Python functions of libraries and the interpreter's own stand
/// in where there is no other, and a path that has none at all keeps all that it has.
pub(super) fn owners(profile: &Profile) -> Vec<StackId> {
    let n_stacks = profile.stacks.len();
    let mut owners: Vec<Option<(Claim, StackId)>> = vec![None; n_stacks];
    // Whose the nearest Python function is that a path goes through.
    let mut python: Vec<Option<Claim>> = Vec::with_capacity(n_stacks);
    // Callers come before callees, so a caller's owner is known.
    for (id, stack) in profile.stacks.iter() {
        let frame = profile.frames.get(stack.frame);
        let is_native = frame.kind == FrameKind::Native;
        let above = stack.parent.and_then(|caller| python[caller.index()]);
        let mut claim = Claim::of(profile, frame);
        python.push(if frame.kind == FrameKind::Python { Some(claim) } else { above });
        // What a library in Python calls is the library's.
        claim = above.filter(|_| is_native).map_or(claim, |above| above.min(claim));
        let is_strange = above.is_some() && is_native && frame.file.is_none();
        let is_somebodys = !is_strange && !is_allocator(profile, frame) && !is_of_system(profile, id);
        let of_caller = stack.parent.and_then(|at| owners[at.index()]);
        owners[id.index()] = match of_caller {
            Some((before, _)) if before > claim => of_caller,
            _ if is_somebodys => Some((claim, id)),
            _ => of_caller,
        };
    }
    let all = profile.stacks.iter();
    all.map(|(id, _)| owners[id.index()].map_or(id, |(_, owner)| owner)).collect()
}
