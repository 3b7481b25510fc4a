//! Whose allocations are whose: counts of a heap are kept by call path, and where a recorder did not keep them by thread as
//! well, no thread can be chosen.

use calor_model::Profile;

use crate::ThreadChoice;

/// What recorders call the thread that stands for all of a process.
const ALL_THREADS: &str = "(all threads)";

/// Whether what the heap was used for is told by thread. A heap without any row is: nothing of it is anybody else's.
#[must_use]
pub fn is_heap_by_thread(profile: &Profile) -> bool {
    let is_all =
        |key: calor_model::HeapKey| profile.strings.get(profile.threads.get(key.thread).name) == ALL_THREADS;
    profile.heap.is_empty() || profile.heap.iter().any(|(key, _)| !is_all(key))
}

/// Which threads' rows belong to a choice: all of them where the heap is not told by thread.
pub(crate) fn heap_mask(profile: &Profile, threads: &ThreadChoice) -> Vec<bool> {
    match is_heap_by_thread(profile) {
        true => threads.mask(profile),
        false => ThreadChoice::All.mask(profile),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use calor_model::{FrameKind, HeapKey, HeapSite, LabelTable};

    #[test]
    fn threads_can_be_chosen_only_where_a_recorder_kept_them_apart() {
        for (name, is_by_thread) in [("main", true), (ALL_THREADS, false)] {
            let mut profile = Profile::default();
            assert!(is_heap_by_thread(&profile));
            profile.intern_thread(1, 2, "other");
            let thread = profile.intern_thread(1, 1, name);
            let stack = profile.intern_named_path(&["main"], FrameKind::Native).unwrap();
            profile.heap.add(HeapKey { stack, thread, labels: LabelTable::none() }, &HeapSite::default());
            assert_eq!(is_heap_by_thread(&profile), is_by_thread);
            let other = ThreadChoice::Named("other".to_owned());
            assert_eq!(heap_mask(&profile, &other), [true, !is_by_thread]);
        }
    }
}
