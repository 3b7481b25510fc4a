//! Operations on arrays under the line that called them. The recorder keeps that line with the operation, because a scope of
//! its own for each line would cost as much as the operation; rules look for it among the callers, where functions are.

use std::borrow::Cow;

use calor_model::{Frame, FrameId, FrameKind, LabelSetId, Profile, ScopeKey, ScopeTable, StackId, StringId};

/// The label that makes a scope an operation.
const OPERATION: &str = "op";
/// The label with the name of the calling function.
const CALLER: &str = "caller";
/// What stands for that name where it was not recorded.
const UNKNOWN: &str = "(unknown)";

/// The profile, with a frame of the calling function above each operation that has a file and a line; the operation itself has
/// none then. Only scopes are put under the new paths.
#[must_use]
pub(crate) fn with_calling_lines(profile: &Profile) -> Cow<'_, Profile> {
    let Some(operation) = profile.strings.find(OPERATION) else { return Cow::Borrowed(profile) };
    let caller = profile.strings.find(CALLER);
    let label = |labels: LabelSetId, name: StringId| {
        let pair = profile.labels.get(labels).iter().find(|(known, _)| *known == name);
        pair.map(|(_, value)| *value)
    };
    // By path: the name of the calling function, where the path ends in an operation.
    let mut callers: Vec<Option<Option<StringId>>> = vec![None; profile.stacks.len()];
    let mut is_needed = false;
    for (key, _) in profile.scopes.iter() {
        let frame = profile.frames.get(profile.stacks.get(key.stack).frame);
        let has_line = frame.kind == FrameKind::Scope && frame.file.is_some() && frame.line.is_some();
        if has_line && label(key.labels, operation).is_some() {
            callers[key.stack.index()] = Some(caller.and_then(|caller| label(key.labels, caller)));
            is_needed = true;
        }
    }
    if !is_needed {
        return Cow::Borrowed(profile);
    }
    let mut changed = profile.clone();
    let unknown = changed.strings.intern(UNKNOWN);
    let mut moved: Vec<StackId> = Vec::with_capacity(profile.stacks.len());
    // Callers come before callees.
    for (id, stack) in profile.stacks.iter() {
        let parent = stack.parent.map(|parent| moved[parent.index()]);
        moved.push(match callers[id.index()] {
            Some(caller) => under_line(&mut changed, parent, stack.frame, caller.unwrap_or(unknown)),
            None if parent == stack.parent => id,
            None => changed.stacks.intern(parent, stack.frame),
        });
    }
    let mut scopes = ScopeTable::default();
    scopes.reserve(profile.scopes.len());
    for (key, stats) in profile.scopes.iter() {
        scopes.add(ScopeKey { stack: moved[key.stack.index()], ..key }, stats.clone());
    }
    changed.scopes = scopes;
    Cow::Owned(changed)
}

fn under_line(
    profile: &mut Profile,
    parent: Option<StackId>,
    operation: FrameId,
    caller: StringId,
) -> StackId {
    let operation = profile.frames.get(operation);
    let line = Frame { file: operation.file, line: operation.line, ..Frame::new(caller, FrameKind::Python) };
    let [line, operation] =
        [line, Frame { file: None, line: None, ..operation }].map(|frame| profile.frames.intern(frame));
    let line = profile.stacks.intern(parent, line);
    profile.stacks.intern(Some(line), operation)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::findings::array_operation::{by_function, outermost};
    use crate::findings::draft::Draft;
    use crate::findings::{Facts, Owner};
    use crate::{CallTree, TreeOptions};
    use calor_model::{ScopeStats, Work};

    /// Operations as the Python package records them: with their own file and line.
    fn recorded() -> Profile {
        let mut profile = Draft::new().seconds(1e-6).scope(&["epoch"], 1, 900).profile();
        let mut add = |path: &[(&str, &str, u32, &str)], nanos: u64| {
            let epoch = profile.strings.intern("epoch");
            let epoch = profile.frames.intern(Frame::new(epoch, FrameKind::Scope));
            let mut stack = profile.stacks.intern(None, epoch);
            let mut labels = Vec::new();
            for (name, file, line, caller) in path {
                let [name, file, caller] = [name, file, caller].map(|text| profile.strings.intern(text));
                let module = Some(profile.strings.intern("numpy"));
                let frame = Frame {
                    module,
                    file: Some(file),
                    line: Some(*line),
                    ..Frame::new(name, FrameKind::Scope)
                };
                let frame = profile.frames.intern(frame);
                stack = profile.stacks.intern(Some(stack), frame);
                let [op, numpy, label] =
                    [OPERATION, "numpy", CALLER].map(|text| profile.strings.intern(text));
                labels = vec![(op, numpy), (label, caller)];
            }
            let key = ScopeKey {
                stack,
                thread: profile.intern_thread(1, 1, "main"),
                labels: profile.labels.intern(&labels),
            };
            let stats =
                ScopeStats { calls: 2, total_nanos: nanos, work: Work::default(), ..ScopeStats::default() };
            profile.scopes.add(key, stats);
        };
        let mean = ("ndarray.mean", "train.py", 12, "train");
        add(&[mean], 300);
        add(&[mean, ("add.reduce", "/usr/lib/python3/site-packages/numpy/_methods.py", 118, "_mean")], 200);
        add(&[("exp", "train.py", 13, "train")], 400);
        add(&[("exp", "test.py", 2, "test")], 100);
        profile
    }

    #[test]
    fn rules_find_the_calling_line_among_the_callers() {
        let (recorded, drawn) = (recorded(), Draft::new().scope(&["run"], 1, 5).profile());
        let profile = with_calling_lines(&recorded);
        let facts = Facts::new(&profile, None);
        let groups = by_function(&facts, outermost(&facts));
        let told: Vec<_> = groups
            .iter()
            .map(|group| {
                let place = &group.place;
                (place.function.clone(), place.source().unwrap_or_default(), group.calls)
            })
            .collect();
        let expected = [
            ("train".to_owned(), "train.py:13".to_owned(), 4),
            ("test".to_owned(), "test.py:2".to_owned(), 2),
        ];
        assert_eq!(told, expected);
        let inner = facts.operations().iter().find(|operation| operation.name == "add.reduce").unwrap();
        let line = inner.line.unwrap();
        assert_eq!(facts.owner(line), Owner::Library);
        assert_eq!(facts.place(facts.program_site(line).unwrap()).source().as_deref(), Some("train.py:12"));
        let whole = CallTree::of_scopes(&recorded, &TreeOptions::default()).recorded_nanos();
        assert_eq!(facts.scope_tree().recorded_nanos(), whole, "no time is lost or counted twice");
        assert!(matches!(with_calling_lines(&drawn), Cow::Borrowed(_)));
    }
}
