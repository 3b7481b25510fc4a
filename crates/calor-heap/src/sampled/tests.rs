//! Sums of sampled blocks are right on average, and their intervals hold as often as they promise. Everything here is
//! decided by seeds, so that the figures are the same in every run.
//!
//! # Safety
//! Memory that is mapped for a test is never given back, and zeros are valid for what it is used as.

use core::cell::Cell;

use crate::{Image, Mode, Options, SiteImage, ThreadSlot, Tracker};

const DISTANCE: u64 = 4096;
const SEEDS: u64 = 200;

/// A heap whose random numbers are known, and the thread that allocates.
struct Heap {
    tracker: Tracker,
    slot: ThreadSlot,
    next: usize,
}

impl Heap {
    fn new() -> Self {
        let heap = Self { tracker: Tracker::new(), slot: Cell::new(core::ptr::null_mut()), next: 1 << 32 };
        assert!(heap.tracker.start(&Options {
            mode: Mode::Sampled,
            sampling_bytes: DISTANCE,
            file: None,
            restarts_after_fork: false,
            knows_sizes: false,
            frees_tell_sizes: false,
            remembers_sizes: false,
        }));
        // The thread is there with its first event.
        heap.tracker.allocated(&heap.slot, 8, 0);
        heap
    }

    /// From here on the seed decides.
    fn begin(&self, seed: u64) {
        let thread = unsafe { &*self.slot.get() };
        let state = unsafe { &*self.tracker.state.load(core::sync::atomic::Ordering::Relaxed) };
        thread.random.set(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1);
        for _ in 0..8 {
            thread.distance(state);
        }
        thread.until_sample.set(thread.distance(state));
        thread.grant(state);
    }

    /// Allocates a block that is not there: only its address counts.
    fn allocate(&mut self, size: usize) -> usize {
        let address = self.next;
        self.next += size.next_multiple_of(16).clamp(16, 1 << 20);
        self.tracker.allocated(&self.slot, address, size);
        address
    }

    /// Bytes allocated and freed, blocks and the variance, of all call paths so far.
    fn sums(&self) -> [f64; 4] {
        let image: Image = self.tracker.image().expect("it is watched");
        let sum = |value: fn(&SiteImage) -> f64| image.sites.iter().map(value).sum::<f64>();
        [
            sum(|site| site.allocated_bytes as f64),
            sum(|site| site.freed_bytes as f64),
            sum(|site| site.allocated_count),
            sum(|site| site.variance),
        ]
    }
}

fn random(state: &mut u64) -> u64 {
    *state ^= *state << 13;
    *state ^= *state >> 7;
    *state ^= *state << 17;
    *state >> 11
}

/// What one run estimates, beside the truth: allocated and live bytes, blocks, and the variance.
struct Estimate {
    bytes: (f64, f64),
    live: (f64, f64),
    count: (f64, f64),
    variance: f64,
}

fn run(heap: &mut Heap, seed: u64, n_blocks: usize, size: impl Fn(&mut u64) -> usize) -> Estimate {
    heap.begin(seed);
    let before = heap.sums();
    let mut choice = seed | 1 << 40;
    let (mut bytes, mut live) = (0.0, 0.0);
    for _ in 0..n_blocks {
        let size = size(&mut choice);
        let address = heap.allocate(size);
        bytes += size as f64;
        if random(&mut choice).is_multiple_of(3) {
            heap.tracker.freed(&heap.slot, address);
        } else {
            live += size as f64;
        }
    }
    let now = heap.sums();
    let [seen, freed, count, variance] = [0, 1, 2, 3].map(|which| now[which] - before[which]);
    Estimate { bytes: (seen, bytes), live: (seen - freed, live), count: (count, n_blocks as f64), variance }
}

/// The mean relative error of an estimate, and how often its interval holds.
fn check(name: &str, n_blocks: usize, size: impl Fn(&mut u64) -> usize + Copy) {
    let mut heap = Heap::new();
    let runs: Vec<Estimate> = (1..=SEEDS).map(|seed| run(&mut heap, seed, n_blocks, size)).collect();
    let mean = |of: fn(&Estimate) -> (f64, f64)| {
        let errors = runs.iter().map(|run| (of(run).0 - of(run).1) / of(run).1);
        errors.sum::<f64>() / runs.len() as f64
    };
    let (bytes, live) = (mean(|run| run.bytes), mean(|run| run.live));
    assert!(bytes.abs() < 0.003, "{name}: bytes are {:.3} % off on average", bytes * 100.0);
    assert!(live.abs() < 0.004, "{name}: live bytes are {:.3} % off on average", live * 100.0);
    let count = mean(|run| run.count);
    assert!(count.abs() < 0.02, "{name}: blocks are {:.3} % off on average", count * 100.0);
    let held = runs.iter().filter(|run| (run.bytes.0 - run.bytes.1).abs() <= 1.96 * run.variance.sqrt());
    let coverage = held.count() as f64 / runs.len() as f64;
    assert!((0.93..=0.97).contains(&coverage), "{name}: the interval holds in {:.1} %", coverage * 100.0);
}

#[test]
fn small_blocks_are_estimated_without_bias_and_their_intervals_hold() {
    check("small", 100_000, |choice| 16 + random(choice) as usize % 500);
}

#[test]
fn blocks_about_as_large_as_the_distance_are_estimated_without_bias() {
    check("near", 4_000, |choice| DISTANCE as usize / 2 + random(choice) as usize % (DISTANCE as usize * 2));
}

#[test]
fn a_mixture_with_few_large_blocks_is_estimated_without_bias() {
    check("mixed", 80_000, |choice| match random(choice) % 100 {
        0 => random(choice) as usize % 20_000,
        1..10 => random(choice) as usize % 2_000,
        _ => random(choice) as usize % 144,
    });
}

/// A counter of 32 bits would lose these, and always sampling what is larger than the distance would count it double.
#[test]
fn huge_blocks_are_counted_as_they_are() {
    for seed in 1..20 {
        let mut heap = Heap::new();
        heap.begin(seed);
        let sizes = [(4 << 30) - 1, 4 << 30, (4 << 30) + 1, 1 << 42, DISTANCE as usize * 100];
        let addresses: Vec<usize> = sizes.iter().map(|size| heap.allocate(*size)).collect();
        heap.tracker.freed(&heap.slot, addresses[1]);
        let image = heap.tracker.image().expect("it is watched");
        let sum = |value: fn(&SiteImage) -> u64| image.sites.iter().map(value).sum::<u64>();
        assert_eq!(sum(|site| site.allocated_bytes), sizes.iter().sum::<usize>() as u64);
        assert_eq!(sum(|site| site.freed_bytes), sizes[1] as u64);
        assert_eq!(sum(|site| site.samples), sizes.len() as u64);
        assert!(image.sites.iter().all(|site| site.variance < 1.0), "nothing about them is a guess");
    }
}

#[test]
fn a_seed_decides_everything() {
    let size = |choice: &mut u64| random(choice) as usize % 1000;
    let mut heap = Heap::new();
    let [first, second, other] = [7, 7, 8].map(|seed| run(&mut heap, seed, 10_000, size).bytes);
    assert_eq!(first, second);
    assert_ne!(first, other);
}

/// The peak is counted of all blocks, so it does not depend on what is sampled, however small the heap is.
#[test]
fn the_peak_of_a_small_heap_is_known_to_a_part_of_it() {
    for (n_blocks, size) in
        [(1, 5_000_usize), (1, 40_000), (100, 400), (1_000, 40), (5_000, 100), (40, 100_000)]
    {
        let tracker = Tracker::new();
        assert!(tracker.start(&Options {
            mode: Mode::Sampled,
            sampling_bytes: 1 << 40,
            file: None,
            restarts_after_fork: false,
            knows_sizes: true,
            frees_tell_sizes: true,
            remembers_sizes: false,
        }));
        let slot: ThreadSlot = Cell::new(core::ptr::null_mut());
        // What comes and goes again and again is no part of the peak.
        for _ in 0..3 {
            let address = |block: usize| (1 << 32) + block * size.next_multiple_of(16);
            (0..n_blocks).for_each(|block| tracker.allocated(&slot, address(block), size));
            (0..n_blocks).for_each(|block| tracker.freed_sized(&slot, address(block), size));
        }
        let image = tracker.image().expect("it is watched");
        let (peak, truth) = (image.peak_bytes as f64, (n_blocks * size) as f64);
        let part = peak / truth;
        assert!(
            peak <= truth && peak + 600.0 >= truth * 0.96,
            "{n_blocks} of {size}: {peak}, which is {part}"
        );
    }
}
