//! Which function is meant by a word: the one of that name, or the only one whose name ends in it or holds it.

use calor_model::{FrameKind, Profile, StringId};
use foldhash::fast::RandomState;
use indexmap::IndexMap;

/// How many names are shown to choose from.
const MOST_SHOWN: usize = 10;

/// Why no function was found.
#[derive(Clone, PartialEq, Eq, Debug)]
pub enum Unchosen<'p> {
    /// Several fit; the hottest of them, and how many there are.
    Several(Vec<&'p str>, usize),
    /// None does; the hottest that there are.
    None(Vec<&'p str>),
    /// The profile has no samples.
    NoSamples,
}

/// The name of the function that is meant. `shown` is what pages make of a name: who has read one may ask by that.
///
/// # Errors
/// When none or several fit.
pub fn choose_function<'p>(
    profile: &'p Profile,
    wanted: &str,
    shown: impl Fn(&str) -> String,
) -> Result<&'p str, Unchosen<'p>> {
    let names = sampled_names(profile);
    if names.is_empty() {
        return Err(Unchosen::NoSamples);
    }
    let last_word = |name: &str| name.rsplit([':', '.', ' ', '>']).next().unwrap_or(name).to_owned();
    let lower = wanted.to_lowercase();
    let tests: [&dyn Fn(&str) -> bool; 5] = [
        &|name| name == wanted,
        &|name| shown(name) == wanted,
        &|name| last_word(name) == wanted,
        &|name| name.contains(wanted),
        &|name| name.to_lowercase().contains(&lower),
    ];
    for fits in tests {
        let fitting: Vec<&'p str> = names.iter().copied().filter(|name| fits(name)).collect();
        match fitting.len() {
            0 => {}
            1 => return Ok(fitting[0]),
            n => return Err(Unchosen::Several(fitting.into_iter().take(MOST_SHOWN).collect(), n)),
        }
    }
    Err(Unchosen::None(names.into_iter().take(MOST_SHOWN).collect()))
}

/// The names of all functions with samples, those with the most of their own first.
fn sampled_names(profile: &Profile) -> Vec<&str> {
    let Some(kind) = super::sampled_kind(profile) else { return Vec::new() };
    let mut counts: IndexMap<StringId, u64, RandomState> = IndexMap::default();
    let mut is_seen = vec![false; profile.stacks.len()];
    for (key, weight) in profile.samples.iter().filter(|(key, _)| key.kind == kind) {
        let mut at = Some(key.stack);
        let mut is_innermost = true;
        while let Some(stack) = at {
            let row = profile.stacks.get(stack);
            let frame = profile.frames.get(row.frame);
            if frame.kind != FrameKind::Synthetic {
                *counts.entry(frame.name).or_default() += if is_innermost { weight.count } else { 0 };
            }
            is_innermost = false;
            // What leads to a path that was met has been met with it.
            if std::mem::replace(&mut is_seen[stack.index()], true) {
                break;
            }
            at = row.parent;
        }
    }
    counts.sort_by(|_, a, _, b| b.cmp(a));
    counts.into_keys().map(|name| profile.strings.get(name)).collect()
}
