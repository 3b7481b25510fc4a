//! Call paths of a heap as short as they can be without losing a function of anybody's. Those of Python programs are long
//! and say little: each import takes nine frames of the interpreter and its import machinery, and pictures of them are
//! towers.

use calor_model::{Frame, FrameId, FrameKind, HeapKey, Profile, StackId};

use super::claim::Claim;

/// Where Python's own code for imports lies.
const IMPORTS: &str = "<frozen importlib";

/// The heap of a profile, and nothing else of it, on shorter paths: a function that calls itself is one frame, and so is
/// what lies between two Python functions. `None` where no path would be shorter.
#[must_use]
pub fn heap_on_short_paths(profile: &Profile) -> Option<Profile> {
    let mut short = Profile {
        strings: profile.strings.clone(),
        frames: profile.frames.clone(),
        threads: profile.threads.clone(),
        labels: profile.labels.clone(),
        runs: profile.runs.clone(),
        warnings: profile.warnings.clone(),
        ..Profile::default()
    };
    let mut is_shorter = false;
    let mut places: Vec<Option<StackId>> = vec![None; profile.stacks.len()];
    for (key, site) in profile.heap.iter() {
        let place = &mut places[key.stack.index()];
        let stack = place.unwrap_or_else(|| {
            let whole = profile.stacks.path(key.stack);
            let path = shortened(profile, &whole);
            is_shorter |= path.len() < whole.len();
            let stack = short.stacks.intern_path(path);
            *place.insert(stack.expect("the innermost frame of a path always stays"))
        });
        short.heap.add(HeapKey { stack, ..key }, site);
    }
    short.heap.summary = profile.heap.summary;
    is_shorter.then_some(short)
}

fn shortened(profile: &Profile, path: &[FrameId]) -> Vec<FrameId> {
    let frame = |id: &FrameId| profile.frames.get(*id);
    let is_python = |id: &FrameId| frame(id).kind == FrameKind::Python;
    let first = path.iter().position(is_python).unwrap_or(path.len());
    let last = path.iter().rposition(is_python).unwrap_or(0);
    let mut kept: Vec<FrameId> = Vec::with_capacity(path.len());
    for (at, id) in path.iter().enumerate() {
        let own = frame(id);
        let is_between = (first + 1..last).contains(&at) && Claim::of(profile, own) == Claim::Interpreter;
        let is_innermost = at + 1 == path.len();
        if (is_between || is_import(profile, own)) && !is_innermost {
            continue;
        }
        match kept.last_mut() {
            // The innermost call is the one that allocated, and has its line.
            Some(caller) if frame(caller).function() == own.function() => *caller = *id,
            _ => kept.push(*id),
        }
    }
    kept
}

fn is_import(profile: &Profile, frame: Frame) -> bool {
    frame.kind == FrameKind::Python
        && frame.file.is_some_and(|file| profile.strings.get(file).starts_with(IMPORTS))
}

#[cfg(test)]
mod tests {
    use super::*;
    use calor_model::{HeapSite, LabelTable};

    /// Python functions have a file, native ones a module.
    fn profile(paths: &[&[(&str, &str)]]) -> Profile {
        let mut profile = Profile::default();
        let thread = profile.intern_thread(1, 1, "main");
        for path in paths {
            let frames: Vec<FrameId> = path
                .iter()
                .map(|(name, place)| {
                    let is_python = place.ends_with(".py") || place.starts_with('<');
                    let kind = if is_python { FrameKind::Python } else { FrameKind::Native };
                    let place = Some(profile.strings.intern(place));
                    let (file, module) = if is_python { (place, None) } else { (None, place) };
                    let frame = Frame { file, module, ..Frame::new(profile.strings.intern(name), kind) };
                    profile.frames.intern(frame)
                })
                .collect();
            let stack = profile.stacks.intern_path(frames).expect("a path has a frame");
            let site = HeapSite { allocated_bytes: 5, allocated_count: 1, ..HeapSite::default() };
            profile.heap.add(HeapKey { stack, thread, labels: LabelTable::none() }, &site);
        }
        profile
    }

    #[test]
    fn what_lies_between_python_functions_and_calls_of_itself_are_folded() {
        let profile = profile(&[
            &[
                ("_start", "python3.11"),
                ("<module>", "train.py"),
                ("PyImport_ImportModuleLevelObject", "python3.11"),
                ("_find_and_load", "<frozen importlib._bootstrap>"),
                ("<module>", "numpy.py"),
                ("list_resize", "python3.11"),
            ],
            &[("main", "app"), ("walk", "app"), ("walk", "app"), ("walk", "app"), ("leaf", "app")],
            &[("_find_and_load", "<frozen importlib._bootstrap>")],
        ]);
        let short = heap_on_short_paths(&profile).expect("two are shorter");
        let paths: Vec<String> =
            short.heap.iter().map(|(key, _)| short.path_names(key.stack).join(" ")).collect();
        assert_eq!(paths, ["_start <module> <module> list_resize", "main walk leaf", "_find_and_load"]);
        assert!(heap_on_short_paths(&short).is_none());
    }
}
