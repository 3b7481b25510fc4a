//! The lines of a function by samples, from call paths: so it works for Python and for profiles of other tools, too.

use calor_model::{Frame, Profile, SampleKind, StringId};
use foldhash::fast::RandomState;
use indexmap::IndexMap;

use super::namesake::Whereabouts;

/// A line with samples.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct HotLine<'p> {
    /// The source file, where it is known.
    pub file: Option<&'p str>,
    /// The line in it.
    pub line: u32,
    /// Samples that found the function there and innermost.
    pub own: u64,
    /// Those that found it there, whatever it had called.
    pub inclusive: u64,
}

/// What call paths tell of a function.
pub(super) struct Found<'p> {
    /// A frame of the function, the hottest.
    pub(super) frame: Frame,
    pub(super) own: u64,
    pub(super) inclusive: u64,
    pub(super) n_all: u64,
    pub(super) lines: Vec<HotLine<'p>>,
}

/// The samples of a function; `None` where there is none.
pub(super) fn of<'p>(
    profile: &'p Profile,
    kind: SampleKind,
    name: StringId,
    there: Whereabouts<'_>,
) -> Option<Found<'p>> {
    let is_meant = |frame: &Frame| frame.name == name && there.fits_frame(profile, frame);
    let mut by_frame: IndexMap<Frame, (u64, u64), RandomState> = IndexMap::default();
    let mut n_all = 0_u64;
    for (key, weight) in profile.samples.iter().filter(|(key, _)| key.kind == kind) {
        n_all = n_all.saturating_add(weight.count);
        // Of a function that calls itself the innermost call is where it is.
        let mut frames = profile.stacks.frames(key.stack).map(|frame| profile.frames.get(frame)).enumerate();
        if let Some((depth, frame)) = frames.find(|(_, frame)| is_meant(frame)) {
            let (own, inclusive) = by_frame.entry(frame).or_default();
            *inclusive = inclusive.saturating_add(weight.count);
            *own = own.saturating_add(if depth == 0 { weight.count } else { 0 });
        }
    }
    let (&frame, _) = by_frame.iter().max_by_key(|(_, (own, inclusive))| (*inclusive, *own))?;
    let sum = |figure: fn(&(u64, u64)) -> u64| by_frame.values().map(figure).fold(0, u64::saturating_add);
    let (own, inclusive) = (sum(|counts| counts.0), sum(|counts| counts.1));
    let mut by_line: IndexMap<(Option<StringId>, u32), (u64, u64), RandomState> = IndexMap::default();
    for (frame, (own, inclusive)) in by_frame {
        let Some(line) = frame.line else { continue };
        let sums = by_line.entry((frame.file, line)).or_default();
        *sums = (sums.0.saturating_add(own), sums.1.saturating_add(inclusive));
    }
    let mut lines: Vec<HotLine<'_>> = by_line
        .into_iter()
        .map(|((file, line), (own, inclusive))| HotLine {
            file: file.map(|file| profile.strings.get(file)),
            line,
            own,
            inclusive,
        })
        .collect();
    lines.sort_by(|a, b| (b.inclusive, b.own, a.file, a.line).cmp(&(a.inclusive, a.own, b.file, b.line)));
    Some(Found { frame, own, inclusive, n_all, lines })
}
