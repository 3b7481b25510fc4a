//! Memory that the program maps itself, beside what it gets from its allocator.

use calor_model::{FrameKind, HeapSite, Profile, StackId};

use super::thread::heap_mask;
use crate::ThreadChoice;

/// Whether the blocks of a path are mappings: it ends in the function that maps them, as recorders name it.
fn is_mapped(profile: &Profile, stack: StackId) -> bool {
    let frame = profile.frames.get(profile.stacks.get(stack).frame);
    frame.kind == FrameKind::Native && frame.module.is_none() && profile.strings.get(frame.name) == "mmap"
}

/// The profile with the heap of those paths alone that are mappings, or that are none.
#[must_use]
pub fn heap_of_mappings(profile: &Profile, is_wanted: bool) -> Profile {
    let mut part = profile.clone();
    let whole = std::mem::take(&mut part.heap);
    for (key, site) in whole.iter().filter(|(key, _)| is_mapped(profile, key.stack) == is_wanted) {
        part.heap.add(key, site);
    }
    part.heap.summary = whole.summary;
    part
}

/// All mappings of the chosen threads.
#[must_use]
pub fn mapped(profile: &Profile, threads: &ThreadChoice) -> HeapSite {
    let chosen = heap_mask(profile, threads);
    let mut sum = HeapSite::default();
    for (key, site) in profile.heap.iter() {
        if chosen.get(key.thread.index()).copied().unwrap_or(false) && is_mapped(profile, key.stack) {
            sum.add(site);
        }
    }
    sum
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::sketch::Sketch;

    #[test]
    fn mappings_are_a_part_of_the_heap_that_can_be_taken_alone() {
        let profile = Sketch::new()
            .heap(&["main", "load", "mmap"], 100, 40)
            .heap(&["main", "load"], 7, 0)
            .heap(&["main", "mmap", "own"], 5, 0)
            .profile();
        assert_eq!(mapped(&profile, &ThreadChoice::All).allocated_bytes, 100);
        for (is_wanted, bytes) in [(true, 100), (false, 12)] {
            let part = heap_of_mappings(&profile, is_wanted);
            assert_eq!(part.heap.iter().map(|(_, site)| site.allocated_bytes).sum::<u64>(), bytes);
        }
    }
}
