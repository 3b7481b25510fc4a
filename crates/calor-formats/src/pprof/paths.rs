//! The locations of samples as call paths of the profile. Samples that follow each other mostly share their
//! outer frames, which then need not be looked up again.
//!
//! A location can have many lines and a sample name it many times, so a small file can describe paths without
//! end: what they expand to is kept in proportion to the file.

use calor_model::{Profile, StackId};

use super::places::Places;
use super::wire::invalid;
use crate::Error;

/// New rows of the stack table for each byte of the file; real files have less than one.
const MAX_ROWS_PER_BYTE: usize = 8;
/// Frames that are looked up for each byte of the file; real files have a few.
const MAX_FRAMES_PER_BYTE: usize = 64;
/// What any file may have, however small it is.
const ALWAYS_ALLOWED: usize = 1 << 16;

/// Turns locations into call paths.
pub(super) struct Paths {
    /// The path of the sample before: the location, and the call path up to its innermost line; outermost first.
    last: Vec<(u64, StackId)>,
    max_rows: usize,
    frames_left: usize,
    n_without: u64,
}

impl Paths {
    pub(super) fn new(n_bytes: usize) -> Self {
        let times = |factor: usize| n_bytes.saturating_mul(factor).saturating_add(ALWAYS_ALLOWED);
        // A table has at most so many rows.
        let max_rows = times(MAX_ROWS_PER_BYTE).min(u32::MAX as usize / 2);
        Self { last: Vec::new(), max_rows, frames_left: times(MAX_FRAMES_PER_BYTE), n_without: 0 }
    }

    /// The call path of locations that are given leaf first.
    pub(super) fn stack(
        &mut self,
        locations: &[u64],
        offset: usize,
        places: &mut Places,
        profile: &mut Profile,
    ) -> Result<StackId, Error> {
        let outermost_first = || locations.iter().rev();
        let n_shared =
            self.last.iter().zip(outermost_first()).take_while(|((last, _), new)| last == *new).count();
        self.last.truncate(n_shared);
        for &location in outermost_first().skip(n_shared) {
            let mut stack = self.last.last().map(|(_, stack)| *stack);
            let frames = places.frames(location);
            if frames.len() > self.frames_left || profile.stacks.len() > self.max_rows {
                let expected = "call paths in proportion to the size of the file";
                return Err(invalid(expected, "inlined functions without end", offset));
            }
            self.frames_left -= frames.len();
            for &frame in frames {
                stack = Some(profile.stacks.intern(stack, frame));
            }
            self.last.extend(stack.map(|stack| (location, stack)));
        }
        Ok(match self.last.last() {
            Some((_, stack)) => *stack,
            None => {
                self.n_without += 1;
                profile.stacks.intern(None, places.unknown())
            }
        })
    }

    /// How many samples had no location at all.
    pub(super) fn n_without(&self) -> u64 {
        self.n_without
    }
}
