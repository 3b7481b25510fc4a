//! What was never freed.

use calor_model::{HeapBlocks, Profile, StackId};

use super::path::rows;
use super::{HeapOrder, HeapPath, HeapPlaces, Suppressions, heap_paths};
use crate::ThreadChoice;

/// Blocks that were still held when the recording ended.
#[derive(Clone, PartialEq, Debug)]
pub struct Leaks {
    /// What processes held when they ended; `None` when none was seen to end by itself. What a process holds that
    /// still runs, or that was killed, it may have meant to free.
    pub at_end: Option<HeapBlocks>,
    /// The paths that hold something and are not suppressed, the one with the most bytes first.
    pub paths: Vec<HeapPath>,
    /// All that those hold.
    pub total: HeapBlocks,
    /// What was suppressed, by pattern; patterns that suppressed nothing are not there.
    pub suppressed: Vec<SuppressedLeaks>,
    /// The patterns that suppressed nothing.
    pub unused: Vec<String>,
}

impl Leaks {
    /// Bytes that are held and not by a process that ended by itself: by one that became another program, was killed or
    /// goes on. `None` when none was seen to end by itself. Whose a path is, of these, is not known.
    #[must_use]
    pub fn not_of_the_end(&self) -> Option<u64> {
        let at_end = self.at_end?;
        let suppressed = self.suppressed.iter().map(|one| one.blocks.bytes);
        let held = suppressed.fold(self.total.bytes, u64::saturating_add);
        Some(held.saturating_sub(at_end.bytes))
    }
}

/// Leaks that one pattern suppressed.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct SuppressedLeaks {
    /// The pattern.
    pub pattern: String,
    /// How many call paths it suppressed; one that several patterns fit is the first one's.
    pub n_paths: usize,
    /// What those hold.
    pub blocks: HeapBlocks,
}

/// What was never freed, less what is suppressed. Patterns look at whole paths, whatever place those belong to.
#[must_use]
pub fn leaks(
    profile: &Profile,
    threads: &ThreadChoice,
    suppressions: &Suppressions,
    places: &HeapPlaces,
) -> Leaks {
    let suppressed_by = suppressions.by_path(profile);
    let mut sums = vec![(0, HeapBlocks::default()); suppressions.patterns().len()];
    for path in heap_paths(profile, threads, HeapOrder::Live, &HeapPlaces::whole_paths()) {
        if let Some(pattern) = suppressed_by[path.stack.index()] {
            sums[pattern].0 += 1;
            sums[pattern].1.add(HeapOrder::Live.blocks(&path.site));
        }
    }
    let is_wanted = |stack: StackId| suppressed_by[stack.index()].is_none();
    let paths = rows(profile, threads, HeapOrder::Live, places, is_wanted);
    let mut total = HeapBlocks::default();
    paths.iter().for_each(|path| total.add(HeapOrder::Live.blocks(&path.site)));
    let (suppressed, unused): (Vec<_>, Vec<_>) =
        suppressions.patterns().iter().zip(sums).partition(|(_, (n_paths, _))| *n_paths > 0);
    Leaks {
        at_end: profile.heap.summary.and_then(|summary| summary.leaked),
        paths,
        total,
        unused: unused.into_iter().map(|(pattern, _)| pattern.clone()).collect(),
        suppressed: suppressed
            .into_iter()
            .map(|(pattern, (n_paths, blocks))| SuppressedLeaks { pattern: pattern.clone(), n_paths, blocks })
            .collect(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sketch::Sketch;

    #[test]
    fn suppressed_paths_are_summed_and_not_listed() {
        let profile = Sketch::new()
            .heap(&["main", "load"], 100, 40)
            .heap(&["main", "init", "table"], 70, 0)
            .heap(&["main", "init", "names"], 30, 20)
            .heap(&["main", "work"], 900, 900)
            .profile();
        let suppressions = Suppressions::parse("leak:^init$\nleak:nothing\nleak:table").unwrap();
        let found = leaks(&profile, &ThreadChoice::All, &suppressions, &HeapPlaces::default());
        let listed: Vec<_> = found.paths.iter().map(|path| profile.stack_name(path.stack)).collect();
        assert_eq!((listed, found.total.bytes), (vec!["load"], 60));
        assert_eq!(
            (found.suppressed.len(), &found.unused[..]),
            (1, &["nothing".to_owned(), "table".to_owned()][..])
        );
        assert_eq!((found.suppressed[0].n_paths, found.suppressed[0].blocks.bytes), (2, 80));
        assert_eq!(found.not_of_the_end(), None);
        let of_ended = |bytes| Leaks { at_end: Some(HeapBlocks { count: 1, bytes }), ..found.clone() };
        assert_eq!(of_ended(100).not_of_the_end(), Some(40));
        assert_eq!(of_ended(140).not_of_the_end(), Some(0));
        let all = leaks(&profile, &ThreadChoice::All, &Suppressions::default(), &HeapPlaces::default());
        assert_eq!((all.total.bytes, all.paths.len(), all.at_end), (140, 3, None));
    }
}
