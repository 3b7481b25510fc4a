//! Sizes that are remembered, and blocks that are given up.

use core::cell::Cell;

use crate::{Image, Mode, Options, SiteImage, ThreadSlot, Tracker};

fn tracker(mode: Mode) -> Tracker {
    let tracker = Tracker::new();
    assert!(tracker.start(&Options {
        mode,
        sampling_bytes: 1024,
        file: None,
        restarts_after_fork: false,
        knows_sizes: true,
        frees_tell_sizes: false,
        remembers_sizes: true,
    }));
    tracker
}

fn allocate(tracker: &Tracker, slot: &ThreadSlot, address: usize, size: usize) {
    if tracker.is_sampling() {
        tracker.remember(slot, address, size);
    }
    tracker.allocated(slot, address, size);
}

fn free(tracker: &Tracker, slot: &ThreadSlot, address: usize) -> Option<usize> {
    if !tracker.is_sampling() {
        return tracker.let_go_known(slot, address);
    }
    let size = tracker.recall(address)?;
    tracker.freed_sized(slot, address, size);
    Some(size)
}

fn address(block: usize) -> usize {
    (1 << 33) + block * 4096
}

fn held(tracker: &Tracker) -> (u64, u64) {
    let image: Image = tracker.image().expect("it is watched");
    let held = |site: &SiteImage| site.allocated_bytes.saturating_sub(site.freed_bytes);
    (image.sites.iter().map(held).sum(), image.peak_bytes)
}

#[test]
fn whoever_frees_a_block_learns_its_size_and_the_peak_is_of_all_blocks() {
    for mode in [Mode::Exact, Mode::Sampled] {
        let (tracker, slot) = (tracker(mode), Cell::new(core::ptr::null_mut()));
        for _ in 0..3 {
            (0..500).for_each(|block| allocate(&tracker, &slot, address(block), 100 + block));
            for block in 0..500 {
                assert_eq!(free(&tracker, &slot, address(block)), Some(100 + block), "{mode:?}");
                assert_eq!(free(&tracker, &slot, address(block)), None, "{mode:?}");
            }
        }
        assert_eq!(free(&tracker, &slot, address(9_999)), None, "of one that nobody saw");
        let truth = (0..500).map(|block| 100 + block).sum::<u64>();
        let (held, peak) = held(&tracker);
        assert_eq!(held, 0, "{mode:?}");
        assert!(peak <= truth && peak as f64 >= truth as f64 * 0.96, "{mode:?}: {peak} of {truth}");
    }
}

#[test]
fn blocks_that_were_given_up_are_held_no_more_and_others_may_lie_there() {
    for mode in [Mode::Exact, Mode::Sampled] {
        let (tracker, slot) = (tracker(mode), Cell::new(core::ptr::null_mut()));
        let other = std::thread::scope(|scope| {
            let work = || {
                let slot = Cell::new(core::ptr::null_mut());
                (0..50).for_each(|block| allocate(&tracker, &slot, address(block), 2_000));
            };
            scope.spawn(work).join()
        });
        assert!(other.is_ok());
        (50..100).for_each(|block| allocate(&tracker, &slot, address(block), 2_000));
        let (before, peak) = held(&tracker);
        assert!(before > 150_000 && peak > 150_000, "{mode:?}: {before}, {peak}");
        tracker.abandon(&slot);
        assert_eq!(held(&tracker), (0, peak), "{mode:?}");
        assert_eq!(free(&tracker, &slot, address(3)), None, "{mode:?}");
        for _ in 0..2 {
            (0..200).for_each(|block| allocate(&tracker, &slot, address(block), 3_000));
            (0..200).for_each(|block| assert_eq!(free(&tracker, &slot, address(block)), Some(3_000)));
        }
        let (held, peak) = held(&tracker);
        assert_eq!(held, 0, "{mode:?}");
        assert!((576_000..=600_000).contains(&peak), "{mode:?}: {peak}");
        assert_eq!(tracker.image().expect("it is watched").missed_frees, 0);
    }
}
