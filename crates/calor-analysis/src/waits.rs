//! Where threads wait: paths by the time threads were blocked on them, with the reason and who waited.

use std::cmp::Reverse;

use calor_model::{Profile, SampleKey, SampleKind, SampleWeight, StackId, ThreadId};
use foldhash::fast::RandomState;
use indexmap::IndexMap;

use crate::call_tree::Merged;
use crate::{ThreadChoice, WaitCause, WaitReason, wait_cause};

/// Waiting on one path, all threads together.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct Wait<'p> {
    /// The whole path; of several that differ in lines alone, the one waited on most.
    pub stack: StackId,
    /// How long, threads added up.
    pub blocked_nanos: u64,
    /// How often.
    pub count: u64,
    /// Why, and from which function.
    pub cause: WaitCause<'p>,
    /// The threads that waited there, the longest first.
    pub threads: Vec<ThreadId>,
}

impl Wait<'_> {
    /// How long a thread waited at a time; `None` when nobody counted.
    #[must_use]
    pub fn mean_nanos(&self) -> Option<f64> {
        (self.count > 0).then(|| self.blocked_nanos as f64 / self.count as f64)
    }
}

/// All waiting on the chosen threads, the longest first. What stands for paths that were left out says nothing of a
/// place and is not listed.
#[must_use]
pub fn waits<'p>(profile: &'p Profile, threads: &ThreadChoice) -> Vec<Wait<'p>> {
    let chosen = threads.mask(profile);
    let is_chosen = |thread: ThreadId| chosen.get(thread.index()).copied().unwrap_or(false);
    let left_out = profile.left_out_frame();
    let is_named = |stack: StackId| left_out.is_none_or(|frame| profile.stacks.get(stack).frame != frame);
    let is_wait =
        |key: &SampleKey| key.kind == SampleKind::OffCpu && is_chosen(key.thread) && is_named(key.stack);
    let rows = || profile.samples.iter().filter(|(key, _)| is_wait(key));
    if rows().next().is_none() {
        return Vec::new();
    }
    let merged = Merged::new(profile);
    let mut places: IndexMap<StackId, Place, RandomState> = IndexMap::default();
    for (key, weight) in rows() {
        let place =
            places.entry(merged.as_ref().map_or(key.stack, |merged| merged.of(key.stack))).or_default();
        place.stacks.entry(key.stack).or_default().add(weight);
        place.threads.entry(key.thread).or_default().add(weight);
    }
    let mut list: Vec<Wait<'p>> = places.values().filter_map(|place| place.wait(profile)).collect();
    list.sort_by_key(|wait| (Reverse((wait.blocked_nanos, wait.count)), wait.stack));
    list
}

/// The same with one entry for each function that waited, on its path, each reason and each call: the ways on which a
/// library gets to the call are many and say little.
#[must_use]
pub fn waits_by_site<'p>(profile: &'p Profile, waits: &[Wait<'p>]) -> Vec<Wait<'p>> {
    if waits.is_empty() {
        return Vec::new();
    }
    let merged = Merged::new(profile);
    let mut sites: IndexMap<(StackId, WaitReason, Option<&str>), Wait<'p>, RandomState> = IndexMap::default();
    for wait in waits {
        let site = merged.as_ref().map_or(wait.cause.site, |merged| merged.of(wait.cause.site));
        let key = (site, wait.cause.reason, wait.cause.call);
        match sites.get_mut(&key) {
            None => {
                sites.insert(key, wait.clone());
            }
            // The first is the longest: its path stands for all.
            Some(known) => {
                known.blocked_nanos = known.blocked_nanos.saturating_add(wait.blocked_nanos);
                known.count = known.count.saturating_add(wait.count);
                let is_new = |thread: &&ThreadId| !known.threads.contains(thread);
                let new: Vec<ThreadId> = wait.threads.iter().filter(is_new).copied().collect();
                known.threads.extend(new);
            }
        }
    }
    let mut list: Vec<Wait<'p>> = sites.into_values().collect();
    list.sort_by_key(|wait| (Reverse((wait.blocked_nanos, wait.count)), wait.stack));
    list
}

/// What is known of one path.
#[derive(Default)]
struct Place {
    stacks: IndexMap<StackId, SampleWeight, RandomState>,
    threads: IndexMap<ThreadId, SampleWeight, RandomState>,
}

impl Place {
    fn wait<'p>(&self, profile: &'p Profile) -> Option<Wait<'p>> {
        let longest = self.stacks.iter().max_by_key(|(stack, weight)| (weight.nanos, Reverse(**stack)));
        let stack = *longest?.0;
        let mut whole = SampleWeight::default();
        self.stacks.values().for_each(|weight| whole.add(*weight));
        let mut threads: Vec<ThreadId> = self.threads.keys().copied().collect();
        threads.sort_by_key(|thread| (Reverse(self.threads[thread].nanos), *thread));
        let cause = wait_cause(profile, stack);
        Some(Wait { stack, blocked_nanos: whole.nanos, count: whole.count, cause, threads })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sketch::Sketch;
    use calor_model::{Frame, FrameKind, LabelTable};

    fn profile(rows: &[(&str, SampleKind, u32, u64, u64)]) -> Profile {
        let mut profile = Profile::default();
        for (thread, kind, line, count, nanos) in rows {
            let thread = profile.intern_thread(1, thread.len() as u64, thread);
            let names = ["run", "read"].map(|name| profile.strings.intern(name));
            let run = Frame { line: Some(*line), ..Frame::new(names[0], FrameKind::Native) };
            let frames =
                [run, Frame::new(names[1], FrameKind::Native)].map(|frame| profile.frames.intern(frame));
            let stack = profile.stacks.intern_path(frames).unwrap();
            let key = SampleKey { kind: *kind, stack, thread, labels: LabelTable::none(), at_nanos: None };
            profile.samples.add(key, SampleWeight { count: *count, nanos: *nanos });
        }
        profile
    }

    #[test]
    fn lines_and_threads_are_added_up_and_running_is_no_waiting() {
        let profile = profile(&[
            ("a", SampleKind::OffCpu, 3, 2, 100),
            ("bb", SampleKind::OffCpu, 4, 1, 300),
            ("a", SampleKind::Cpu, 3, 9, 900),
        ]);
        let [wait] = &waits(&profile, &ThreadChoice::All)[..] else { panic!("one place") };
        assert_eq!((wait.blocked_nanos, wait.count, wait.mean_nanos()), (400, 3, Some(400.0 / 3.0)));
        assert_eq!(wait.cause.reason, WaitReason::Io);
        let names: Vec<&str> =
            wait.threads.iter().map(|id| profile.strings.get(profile.threads.get(*id).name)).collect();
        assert_eq!(names, ["bb", "a"]);
        let line = profile.frames.get(profile.stacks.get(wait.cause.site).frame).line;
        assert_eq!((profile.stack_name(wait.cause.site), line), ("run", Some(4)));
    }

    #[test]
    fn only_chosen_threads_wait() {
        let profile = profile(&[("a", SampleKind::OffCpu, 3, 2, 100), ("bb", SampleKind::OffCpu, 3, 1, 300)]);
        let of_a = waits(&profile, &ThreadChoice::Named("a".to_owned()));
        assert_eq!((of_a.len(), of_a[0].blocked_nanos), (1, 100));
        assert!(waits(&Profile::default(), &ThreadChoice::All).is_empty());
    }

    #[test]
    fn waits_of_one_function_are_one_entry_for_each_reason_and_call() {
        let profile = Sketch::new()
            .samples("a", SampleKind::OffCpu, &["run", "_IO_getc", "read"], 2)
            .samples("b", SampleKind::OffCpu, &["run", "read"], 3)
            .samples("a", SampleKind::OffCpu, &["run", "nanosleep"], 1)
            .samples("a", SampleKind::OffCpu, &["run", "poll"], 1)
            .profile();
        let waits = waits(&profile, &ThreadChoice::All);
        let sites: Vec<_> = waits_by_site(&profile, &waits)
            .iter()
            .map(|wait| {
                (profile.stack_name(wait.cause.site), wait.cause.call, wait.count, wait.threads.len())
            })
            .collect();
        let expected =
            [("run", Some("read"), 5, 2), ("run", Some("nanosleep"), 1, 1), ("run", Some("poll"), 1, 1)];
        assert_eq!((waits.len(), &sites[..]), (4, &expected[..]));
    }
}
