//! Whatever a program does between two allocations, what is kept of the last paths must lead to the same path as a walk
//! that knows nothing.

use std::alloc::{Layout, alloc_zeroed};
use std::collections::HashMap;
use std::hint::black_box;

use super::{Path, Rules};
use crate::sys::AfterFork;
use crate::walk::Registers;

struct Walks {
    rules: Rules,
    path: Box<Path>,
    fresh: Box<Path>,
    random: u64,
    n_known: usize,
    n_walks: usize,
    /// Return addresses by hash: a hash must mean one path.
    seen: HashMap<u64, Vec<usize>>,
}

fn empty() -> Box<Path> {
    // SAFETY: zeroed memory is an empty path, and it is freed with the same layout.
    unsafe { Box::from_raw(alloc_zeroed(Layout::new::<Path>()).cast()) }
}

impl Walks {
    fn next(&mut self) -> u64 {
        self.random ^= self.random << 13;
        self.random ^= self.random >> 7;
        self.random ^= self.random << 17;
        self.random >> 11
    }

    #[inline(never)]
    fn check(&mut self) -> u64 {
        let registers = Registers::here();
        let walked = self.path.walk(self.rules, registers, 0, &|_| 0);
        self.fresh.forget();
        let fresh = self.fresh.walk(self.rules, registers, 0, &|_| 0);
        assert_eq!(walked.hash, fresh.hash);
        assert!(!fresh.is_known);
        let addresses: Vec<usize> =
            self.fresh.levels[..self.fresh.length].iter().map(|level| level.at.pc).collect();
        assert!(addresses.len() > 3, "{addresses:x?}");
        let known = self.seen.entry(walked.hash).or_insert_with(|| addresses.clone());
        assert_eq!(*known, addresses);
        self.n_known += usize::from(walked.is_known);
        self.n_walks += 1;
        walked.hash
    }
}

// Several calls in each, and frames of several sizes; results are used, so that no call becomes a jump.

#[inline(never)]
fn leaf(walks: &mut Walks) -> u64 {
    match walks.next() % 3 {
        0 => black_box(walks.check()) ^ 1,
        1 => black_box(walks.check()) ^ 2,
        _ => black_box(walks.check()) ^ 3,
    }
}

#[inline(never)]
fn small(walks: &mut Walks, depth: u64) -> u64 {
    let mut sum = 0u64;
    for _ in 0..1 + walks.next() % 4 {
        sum ^= match walks.next() % 5 {
            0 if depth > 0 => black_box(small(walks, depth - 1)) ^ 5,
            1 if depth > 0 => black_box(small(walks, depth - 1)) ^ 6,
            2 if depth > 0 => black_box(large(walks, depth - 1)) ^ 7,
            3 => black_box(leaf(walks)) ^ 8,
            _ => black_box(leaf(walks)) ^ 9,
        };
    }
    sum
}

#[inline(never)]
fn large(walks: &mut Walks, depth: u64) -> u64 {
    let room = black_box([depth; 40]);
    let sum = match walks.next() % 4 {
        0 => black_box(small(walks, depth)) ^ 10,
        1 if depth > 0 => black_box(large(walks, depth - 1)) ^ 11,
        2 if depth > 0 => black_box(small(walks, depth - 1)) ^ 12,
        _ => black_box(leaf(walks)) ^ 13,
    };
    sum ^ black_box(room)[7]
}

#[test]
fn a_path_is_the_same_however_much_of_it_was_known() {
    let mut walks = Walks {
        rules: Rules::new(AfterFork::Kept).expect("there is memory"),
        path: empty(),
        fresh: empty(),
        random: 0x9e37_79b9_7f4a_7c15,
        n_known: 0,
        n_walks: 0,
        seen: HashMap::new(),
    };
    for round in 0..4000 {
        // Loops that go the same few ways, as programs do, and new ways.
        if round % 4 != 0 {
            walks.random = 1 + round % 7;
        }
        black_box(small(&mut walks, round % 9));
    }
    assert!(walks.n_known > walks.n_walks / 20, "{} of {}", walks.n_known, walks.n_walks);
    assert!(walks.n_known < walks.n_walks, "{} of {}", walks.n_known, walks.n_walks);
    assert!(walks.seen.len() > 100, "{}", walks.seen.len());
}
