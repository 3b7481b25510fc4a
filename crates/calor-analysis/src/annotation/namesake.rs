//! Functions of one name that are different functions: in another file, in another program or library. Their samples
//! are told apart here, so that somebody can choose one.

use calor_model::{Frame, FrameKind, Profile, SampleKind, StringId};
use foldhash::fast::RandomState;
use indexmap::IndexMap;

/// Where the function that is meant is. What is not given fits everything.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct Whereabouts<'w> {
    /// Its source file: the whole path or the end of it, such as `nn/linear.py`.
    pub file: Option<&'w str>,
    /// The program or library, likewise.
    pub module: Option<&'w str>,
}

/// One of several functions of a name.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Namesake<'p> {
    /// What kind of function it is.
    pub kind: FrameKind,
    /// The source file, where it is known.
    pub file: Option<&'p str>,
    /// The program or library, where it is known.
    pub module: Option<&'p str>,
    /// Samples that found it innermost.
    pub own: u64,
    /// Those in it or in what it called.
    pub inclusive: u64,
    /// Whether it is where the function was looked for.
    pub is_chosen: bool,
}

impl Whereabouts<'_> {
    pub(super) fn fits(&self, profile: &Profile, file: Option<StringId>, module: Option<StringId>) -> bool {
        let is_there = |wanted: Option<&str>, found: Option<StringId>| {
            wanted.is_none_or(|wanted| found.is_some_and(|found| is_end(profile.strings.get(found), wanted)))
        };
        is_there(self.file, file) && is_there(self.module, module)
    }

    pub(super) fn fits_frame(&self, profile: &Profile, frame: &Frame) -> bool {
        self.fits(profile, frame.file, frame.module)
    }
}

/// Whether a path is, or ends in, these folders and this name.
fn is_end(path: &str, end: &str) -> bool {
    let end = end.trim_start_matches("./");
    path.strip_suffix(end).is_some_and(|before| before.is_empty() || before.ends_with('/'))
}

/// The functions of exactly this name, the hottest first.
#[must_use]
pub fn namesakes<'p>(profile: &'p Profile, name: &str) -> Vec<Namesake<'p>> {
    let (Some(kind), Some(name)) = (super::sampled_kind(profile), profile.strings.find(name)) else {
        return Vec::new();
    };
    of(profile, kind, name, Whereabouts::default())
}

pub(super) fn of<'p>(
    profile: &'p Profile,
    kind: SampleKind,
    name: StringId,
    there: Whereabouts<'_>,
) -> Vec<Namesake<'p>> {
    type Place = (FrameKind, Option<StringId>, Option<StringId>);
    let mut found: IndexMap<Place, (u64, u64), RandomState> = IndexMap::default();
    let mut met: Vec<Place> = Vec::new();
    for (key, weight) in profile.samples.iter().filter(|(key, _)| key.kind == kind) {
        met.clear();
        let frames = profile.stacks.frames(key.stack).map(|frame| profile.frames.get(frame));
        for (depth, frame) in frames.enumerate().filter(|(_, frame)| frame.name == name) {
            let place = (frame.kind, frame.file, frame.module);
            // Of a function that calls itself the innermost call is where it is.
            if met.contains(&place) {
                continue;
            }
            met.push(place);
            let (own, inclusive) = found.entry(place).or_default();
            *inclusive = inclusive.saturating_add(weight.count);
            *own = own.saturating_add(if depth == 0 { weight.count } else { 0 });
        }
    }
    let text = |id: Option<StringId>| id.map(|id| profile.strings.get(id));
    let mut namesakes: Vec<Namesake<'p>> = found
        .into_iter()
        .map(|((kind, file, module), (own, inclusive))| Namesake {
            kind,
            file: text(file),
            module: text(module),
            own,
            inclusive,
            is_chosen: there.fits(profile, file, module),
        })
        .collect();
    namesakes
        .sort_by(|a, b| (b.inclusive, b.own, a.file, a.module).cmp(&(a.inclusive, a.own, b.file, b.module)));
    namesakes
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_path_is_named_by_its_end() {
        for (path, end, expected) in [
            ("/app/nn/linear.py", "linear.py", true),
            ("/app/nn/linear.py", "nn/linear.py", true),
            ("/app/nn/linear.py", "./linear.py", true),
            ("/app/nn/linear.py", "/app/nn/linear.py", true),
            ("/app/nn/bilinear.py", "linear.py", false),
            ("linear.py", "linear.py", true),
            ("/app/nn/linear.py", "nn", false),
        ] {
            assert_eq!(is_end(path, end), expected, "{path} {end}");
        }
    }
}
