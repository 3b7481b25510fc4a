//! Parts of a profile that can be reported alone. A name that is not there is more likely a slip of the pen
//! than a wish for an empty report, so it is an error that lists the names there are.

use std::borrow::Cow;
use std::collections::BTreeSet;

use calor_model::{Filter, FrameKind, Language, Profile, ThreadId};

use crate::{Error, ThreadChoice};

/// Names listed in an error.
const LISTED: usize = 10;

/// The profile, or the part of it that happened inside the context asked for.
///
/// # Errors
/// When the program entered no context of that name.
pub fn context<'p>(profile: &'p Profile, name: Option<&str>) -> Result<Cow<'p, Profile>, Error> {
    let Some(name) = name else { return Ok(Cow::Borrowed(profile)) };
    let contexts = profile.frames.iter().filter(|(_, frame)| frame.kind == FrameKind::Context);
    let names: Vec<&str> = contexts.map(|(_, frame)| profile.strings.get(frame.name)).collect();
    if names.contains(&name) {
        return Ok(Cow::Owned(profile.filter(&Filter::new().context(name))));
    }
    // A recorder that was cleared still knows the contexts of before.
    let entered = profile.scopes.iter().filter(|(_, stats)| stats.calls > 0).map(|(key, _)| key.stack);
    let entered = entered.map(|stack| profile.frames.get(profile.stacks.get(stack).frame));
    let entered = entered.filter(|frame| frame.kind == FrameKind::Context);
    let entered: BTreeSet<&str> = entered.map(|frame| profile.strings.get(frame.name)).collect();
    let known = if entered.is_empty() { names } else { entered.into_iter().collect() };
    Err(Error::UnknownContext { name: name.to_owned(), known: in_words(known, "no contexts") })
}

/// The profile, with the functions of the language asked for alone.
///
/// # Errors
/// When it is Python and there is none.
pub fn language(profile: Cow<'_, Profile>, language: Language) -> Result<Cow<'_, Profile>, Error> {
    match language {
        Language::All => Ok(profile),
        Language::Python if !profile.has_python() => Err(Error::NoPython),
        Language::Python => Ok(Cow::Owned(profile.python_only())),
        Language::Native => Ok(Cow::Owned(profile.native_only())),
    }
}

/// The profile, or the part of it that happened on the threads asked for, under the same handles: for what is drawn
/// straight from a profile. What ran on GPUs is of no thread.
#[must_use]
pub fn on_threads<'p>(profile: &'p Profile, choice: &ThreadChoice) -> Cow<'p, Profile> {
    let is_chosen = |thread: ThreadId| match choice {
        ThreadChoice::All => true,
        ThreadChoice::Only(only) => *only == thread,
        ThreadChoice::Named(name) => profile.strings.get(profile.threads.get(thread).name) == name,
    };
    if *choice == ThreadChoice::All {
        return Cow::Borrowed(profile);
    }
    let mut part = Profile {
        strings: profile.strings.clone(),
        frames: profile.frames.clone(),
        stacks: profile.stacks.clone(),
        threads: profile.threads.clone(),
        labels: profile.labels.clone(),
        runs: profile.runs.clone(),
        warnings: profile.warnings.clone(),
        ..Profile::default()
    };
    for (key, stats) in profile.scopes.iter().filter(|(key, _)| is_chosen(key.thread)) {
        part.scopes.add(key, stats.clone());
    }
    for (key, weight) in profile.samples.iter().filter(|(key, _)| is_chosen(key.thread)) {
        part.samples.add(key, weight);
    }
    for (key, weight) in profile.events.iter().filter(|(key, _)| is_chosen(key.thread)) {
        part.events.add(key, weight);
    }
    for (key, site) in profile.heap.iter().filter(|(key, _)| is_chosen(key.thread)) {
        part.heap.add(key, site);
    }
    for (thread, track) in profile.timeline.iter().filter(|(thread, _)| is_chosen(*thread)) {
        part.timeline.track_mut(thread).clone_from(track);
    }
    Cow::Owned(part)
}

/// Whether the thread asked for is there.
///
/// # Errors
/// When no thread has that name.
pub fn check_thread(profile: &Profile, choice: &ThreadChoice) -> Result<(), Error> {
    let ThreadChoice::Named(name) = choice else { return Ok(()) };
    let threads = profile.threads.iter();
    let names: Vec<&str> = threads.map(|(_, thread)| profile.strings.get(thread.name)).collect();
    if names.contains(&name.as_str()) {
        return Ok(());
    }
    Err(Error::UnknownThread { name: name.clone(), known: in_words(names, "no threads") })
}

fn in_words(mut names: Vec<&str>, none: &str) -> String {
    names.sort_unstable();
    names.dedup();
    let listed = names.iter().take(LISTED).map(|name| format!("`{name}`")).collect::<Vec<_>>().join(", ");
    match names.len().saturating_sub(LISTED) {
        0 if names.is_empty() => none.to_owned(),
        0 => listed,
        more => format!("{listed} and {more} more"),
    }
}
