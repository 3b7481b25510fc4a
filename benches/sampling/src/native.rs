//! Two threads that do three known things, the third at the bottom of a deep recursion, and that measure by their own
//! CPU clocks how much of each they did: the truth that samples are compared with.

use std::hint::black_box;
use std::thread;

use harness::clock::{monotonic_nanos, process_cpu_nanos, thread_cpu_nanos};
use harness::watched::TRUTH;
use harness::{Figures, memory};

/// The stages, by the ends of the names of their functions.
pub const STAGES: [&str; 3] = ["stage_a", "stage_b", "stage_c"];

const N_THREADS: usize = 2;
const DEPTH: u32 = 30;

/// Runs so many turns on each thread, then prints the truth: seconds of CPU of each stage and of the process, its
/// peak of memory, and the time at which it was done.
pub fn run(n_turns: u64) {
    let workers: Vec<_> = (0..N_THREADS)
        .map(|number| {
            let worker = thread::Builder::new().name(format!("work-{number}"));
            worker.spawn(move || turns(n_turns)).expect("a thread can be started")
        })
        .collect();
    let mut nanos = [0; STAGES.len()];
    for worker in workers {
        let own = worker.join().expect("a stage does not panic");
        nanos.iter_mut().zip(own).for_each(|(sum, own)| *sum += own);
    }
    let mut truth = Figures::default();
    for (stage, nanos) in STAGES.iter().zip(nanos) {
        truth = truth.with(stage, nanos as f64 / 1e9);
    }
    if let Ok(bytes) = memory::peak_bytes() {
        truth = truth.with("peak_mb", bytes as f64 / 1e6);
    }
    let truth = truth.with("cpu_s", process_cpu_nanos() as f64 / 1e9);
    println!("{TRUTH}{}", truth.with("end_ns", monotonic_nanos() as f64));
}

/// How much CPU time each stage took.
fn turns(n_turns: u64) -> [u64; STAGES.len()] {
    let mut nanos = [0; STAGES.len()];
    let mut last = thread_cpu_nanos();
    for _ in 0..n_turns {
        for (stage, sum) in nanos.iter_mut().enumerate() {
            match stage {
                0 => drop(black_box(stage_a(black_box(400_000)))),
                1 => drop(black_box(stage_b(black_box(80_000)))),
                _ => drop(black_box(stage_c(black_box(200_000)))),
            }
            let now = thread_cpu_nanos();
            *sum += now - last;
            last = now;
        }
    }
    nanos
}

// Each does something with the result of what it calls, or the call would become a jump and the caller be gone from
// the stack.

#[inline(never)]
fn stage_a(n: u64) -> u64 {
    black_box(mix(n)).wrapping_add(1)
}

#[inline(never)]
fn stage_b(n: u64) -> f64 {
    black_box(roots(n)) + 1.0
}

#[inline(never)]
fn stage_c(n: u64) -> u64 {
    black_box(descend(black_box(DEPTH), n)).wrapping_add(1)
}

#[inline(never)]
fn descend(depth: u32, n: u64) -> u64 {
    match depth {
        0 => black_box(mix(n)),
        _ => black_box(descend(black_box(depth - 1), n)).wrapping_add(u64::from(depth)),
    }
}

#[inline(never)]
fn mix(n: u64) -> u64 {
    (0..n).fold(1, |state: u64, i| {
        let state = state ^ i;
        (state ^ (state >> 31)).wrapping_mul(0x9E37_79B9_7F4A_7C15).rotate_left(13)
    })
}

#[inline(never)]
fn roots(n: u64) -> f64 {
    (0..n).fold(0.0, |sum, i| sum + (i as f64 * 0.5).sqrt() / (sum + 1.0))
}
