//! Call paths as lists of locations: a function and what the compiler put inside it are one location.

use calor_model::{Frame, Profile, StackId};

use super::tables::{Place, Tables};

/// More functions inside each other than any compiler makes: a location does not grow further.
const MAX_LINES: usize = 256;

/// The location that ends at each call path.
pub(super) struct Locations<'a> {
    profile: &'a Profile,
    /// The number of the location, and the call path outside it.
    known: Vec<Option<(u64, Option<StackId>)>>,
}

impl<'a> Locations<'a> {
    pub(super) fn new(profile: &'a Profile) -> Self {
        Self { profile, known: vec![None; profile.stacks.len()] }
    }

    /// Adds the locations of a call path to a list, innermost first.
    pub(super) fn extend(&mut self, list: &mut Vec<u64>, stack: StackId, tables: &mut Tables<'_>) {
        let mut at = Some(stack);
        while let Some(stack) = at {
            let (location, outside) =
                self.known[stack.index()].unwrap_or_else(|| self.location(stack, tables));
            self.known[stack.index()] = Some((location, outside));
            list.push(location);
            at = outside;
        }
    }

    fn location(&self, stack: StackId, tables: &mut Tables<'_>) -> (u64, Option<StackId>) {
        let mut row = self.profile.stacks.get(stack);
        let mut frame = self.profile.frames.get(row.frame);
        let mapping = tables.mapping(&self.place(&frame));
        let mut lines = vec![tables.line(&self.place(&frame))];
        // What is inside a function of another mapping cannot be said, so it becomes a function of its own.
        while frame.is_inlined
            && lines.len() < MAX_LINES
            && let Some(parent) = row.parent
        {
            let outer = self.profile.stacks.get(parent);
            let outer_frame = self.profile.frames.get(outer.frame);
            let place = self.place(&outer_frame);
            if tables.mapping(&place) != mapping {
                break;
            }
            lines.push(tables.line(&place));
            (row, frame) = (outer, outer_frame);
        }
        (tables.location(mapping, lines), row.parent)
    }

    fn place(&self, frame: &Frame) -> Place<'a> {
        let text = |id| self.profile.strings.get(id);
        Place {
            name: text(frame.name),
            kind: frame.kind,
            module: frame.module.map(text),
            file: frame.file.map(text),
            line: frame.line,
        }
    }
}
