//! Nothing but allocating and freeing: each new block takes the place of an older one in a table, so that blocks live for
//! some thousand turns. Sizes are those of programs with many small objects, from four places each below ten to
//! twenty-five frames.

use std::hint::black_box;
use std::thread;

use harness::Figures;

use super::numbers::Numbers;
use super::{Around, Part, done};

/// Blocks that live at a time, for each thread.
const N_SLOTS: usize = 4096;
/// Turns between two changes of the depth.
const BATCH: usize = 1000;

type Block = Vec<u8>;

/// Makes and frees so many blocks on so many threads.
pub(super) fn run(n_pairs: usize, n_threads: usize, around: Around) -> Result<Figures, String> {
    let part = Part::begin()?;
    let workers: Vec<_> = (0..n_threads)
        .map(|number| thread::spawn(move || done(around, || work(n_pairs / n_threads, number as u64))))
        .collect();
    let sums = workers.into_iter().map(|worker| worker.join().expect("a worker does not panic"));
    let check = sums.fold(0, u64::wrapping_add);
    part.end(check)
}

fn work(n_pairs: usize, seed: u64) -> u64 {
    let mut numbers = Numbers::new(seed);
    let mut slots: Vec<Block> = Vec::new();
    slots.resize_with(N_SLOTS, Vec::new);
    let mut check = 0u64;
    for begin in (0..n_pairs).step_by(BATCH) {
        let depth = 4 + (begin / BATCH) % 16;
        let n = BATCH.min(n_pairs - begin);
        check = check.wrapping_add(descend(depth, &mut slots, &mut numbers, n));
    }
    check
}

// Each does something with the result of what it calls, or the call would become a jump and the caller be gone from the
// stack.

#[inline(never)]
fn descend(depth: usize, slots: &mut [Block], numbers: &mut Numbers, n: usize) -> u64 {
    match depth {
        0 => black_box(batch(slots, numbers, n)),
        _ => black_box(descend(black_box(depth - 1), slots, numbers, n)).wrapping_add(depth as u64),
    }
}

#[inline(never)]
fn batch(slots: &mut [Block], numbers: &mut Numbers, n: usize) -> u64 {
    let mut check = 0u64;
    for _ in 0..n {
        let random = numbers.next();
        let size = size(random);
        let block = match (random >> 40) & 3 {
            0 => token(size),
            1 => node(size),
            2 => text(size),
            _ => edge(size),
        };
        check = check.rotate_left(5) ^ u64::from(block[0]) ^ size as u64;
        slots[(random >> 44) as usize % N_SLOTS] = block;
    }
    check.wrapping_mul(0x9E37_79B9_7F4A_7C15)
}

/// Three of four are below 144 bytes, three in a hundred are of 2 to 18 KB.
fn size(random: u64) -> usize {
    let rest = (random >> 16) as usize;
    match (random >> 8) & 0xff {
        0..192 => 16 + (rest & 0x7f),
        192..248 => 144 + (rest & 0x3ff),
        _ => 2048 + (rest & 0x3fff),
    }
}

#[inline(never)]
fn token(size: usize) -> Block {
    black_box(filled(size, 1))
}

#[inline(never)]
fn node(size: usize) -> Block {
    black_box(filled(size, 2))
}

#[inline(never)]
fn text(size: usize) -> Block {
    black_box(filled(size, 3))
}

#[inline(never)]
fn edge(size: usize) -> Block {
    black_box(filled(size, 4))
}

/// A block with its first byte written.
#[inline(always)]
fn filled(size: usize, byte: u8) -> Block {
    let mut block = Vec::with_capacity(size);
    block.push(byte);
    block
}
