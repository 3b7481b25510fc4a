//! Who held memory at some instants. What paths hold is noted by their numbers alone, which takes the program nothing and
//! the recorder little; which places they have is settled when all of a process is known, for all instants alike.

use std::time::Duration;

use calor_heap::HeldImage;
use calor_model::{HeapBlocks, HeapSnapshot, HeapSnapshots, Profile, StackId};

/// Paths of a process that are noted at an instant. Of more, those that hold least are told together.
const MOST_PATHS: usize = 1 << 16;

/// The instants of a recording, until they go into a profile.
#[derive(Debug, Default)]
pub(super) struct Snapshots {
    /// Says when one is due; those in it are empty.
    schedule: HeapSnapshots,
    taken: Vec<Taken>,
}

/// An instant.
#[derive(Debug)]
struct Taken {
    at_nanos: u64,
    /// By process, those whose places are not settled.
    held: Vec<(u32, Vec<HeldImage>)>,
    /// By place.
    settled: Vec<(u32, HeapBlocks)>,
}

impl Snapshots {
    /// From when on another one is worth its cost, if `pause` lies between two at least.
    pub(super) fn next_at_nanos(&self, pause: Duration) -> u64 {
        let last = self.schedule.iter().last().map_or(0, |snapshot| snapshot.at_nanos);
        let pause = u64::try_from(pause.as_nanos()).unwrap_or(u64::MAX);
        self.schedule.next_at_nanos().max(last.saturating_add(pause))
    }

    /// Notes what the paths of each process hold.
    pub(super) fn take(&mut self, at_nanos: u64, mut held: Vec<(u32, Vec<HeldImage>)>) {
        held.iter_mut().for_each(|(_, held)| shorten(held));
        self.schedule.push(HeapSnapshot::new(at_nanos));
        self.taken.push(Taken { at_nanos, held, settled: Vec::new() });
        let kept: Vec<u64> = self.schedule.iter().map(|snapshot| snapshot.at_nanos).collect();
        self.taken.retain(|taken| kept.contains(&taken.at_nanos));
    }

    /// What each path of a process held, all instants together: bytes by number.
    pub(super) fn held_by(&self, process: u32) -> Vec<u64> {
        let mut sums: Vec<u64> = Vec::new();
        let held = self.taken.iter().flat_map(|taken| &taken.held).filter(|(of, _)| *of == process);
        for path in held.flat_map(|(_, held)| held).filter(|path| path.site != OTHERS) {
            let index = path.site as usize;
            if sums.len() <= index {
                sums.resize(index + 1, 0);
            }
            sums[index] = sums[index].saturating_add(path.bytes);
        }
        sums
    }

    /// Settles the places of a process's paths, which `place` tells by their numbers.
    pub(super) fn settle(&mut self, process: u32, mut place: impl FnMut(u32) -> Option<u32>) {
        for taken in &mut self.taken {
            for (_, held) in taken.held.extract_if(.., |(of, _)| *of == process) {
                let blocks = |path: &HeldImage| HeapBlocks { count: path.count, bytes: path.bytes };
                let rows = held.iter().filter_map(|path| Some((place(path.site)?, blocks(path))));
                taken.settled.extend(rows);
            }
        }
    }

    /// Puts them into a profile, once.
    pub(super) fn write(&mut self, profile: &mut Profile, stack: impl Fn(u32) -> Option<StackId>) {
        for taken in self.taken.drain(..) {
            let mut snapshot = HeapSnapshot::new(taken.at_nanos);
            for (place, blocks) in taken.settled {
                if let Some(stack) = stack(place) {
                    snapshot.add(stack, blocks);
                }
            }
            profile.heap.snapshots.add(snapshot);
        }
    }

    /// The places that were settled.
    pub(super) fn places(&self) -> impl Iterator<Item = u32> {
        self.taken.iter().flat_map(|taken| &taken.settled).map(|(place, _)| *place)
    }
}

/// Stands for paths that are not told apart.
pub(super) const OTHERS: u32 = u32::MAX;

fn shorten(held: &mut Vec<HeldImage>) {
    if held.len() <= MOST_PATHS {
        return;
    }
    held.select_nth_unstable_by_key(MOST_PATHS - 1, |path| std::cmp::Reverse(path.bytes));
    let rest = held.drain(MOST_PATHS - 1..).fold((0_u64, 0_u64), |sum, path| {
        (sum.0.saturating_add(path.count), sum.1.saturating_add(path.bytes))
    });
    held.push(HeldImage { site: OTHERS, count: rest.0, bytes: rest.1 });
}

#[cfg(test)]
mod tests {
    use super::*;

    fn path(site: u32, bytes: u64) -> HeldImage {
        HeldImage { site, count: 1, bytes }
    }

    #[test]
    fn a_process_that_holds_on_too_many_paths_keeps_the_largest_and_the_sum() {
        let mut held: Vec<HeldImage> = (0..100_000).map(|site| path(site, u64::from(site))).collect();
        let sum = |held: &[HeldImage]| -> (u64, u64) {
            held.iter().fold((0, 0), |sum, path| (sum.0 + path.count, sum.1 + path.bytes))
        };
        let before = sum(&held);
        shorten(&mut held);
        assert_eq!((held.len(), sum(&held)), (MOST_PATHS, before));
        let smallest = held.iter().filter(|path| path.site != OTHERS).map(|path| path.bytes).min();
        assert_eq!(smallest, Some(100_000 - MOST_PATHS as u64 + 1));
    }

    #[test]
    fn instants_of_several_processes_are_one_when_all_are_settled() {
        let mut snapshots = Snapshots::default();
        snapshots.take(7, vec![(1, vec![path(3, 100), path(4, 10)]), (2, vec![path(3, 1)])]);
        assert_eq!(snapshots.held_by(1), [0, 0, 0, 100, 10]);
        snapshots.settle(1, |_| Some(0));
        snapshots.settle(2, |_| Some(1));
        let mut profile = Profile::default();
        let stacks =
            ["a", "b"].map(|name| profile.intern_named_path(&[name], calor_model::FrameKind::Native));
        snapshots.write(&mut profile, |place| stacks[place as usize]);
        let rows: Vec<_> = profile.heap.snapshots.iter().flat_map(HeapSnapshot::iter).collect();
        assert_eq!(rows.iter().map(|row| (row.1.count, row.1.bytes)).collect::<Vec<_>>(), [(2, 110), (1, 1)]);
    }
}
