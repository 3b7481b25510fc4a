//! How the time of a scope is taken: CPU time of the recording thread over ten blocks. The quickest block is what
//! the code costs when nothing disturbs it; the median block also holds page faults, allocations of further
//! chunks and whatever else a recorder does now and then.

use harness::clock::thread_cpu_nanos;

/// Blocks that are measured; one more runs first to warm up.
const BLOCKS: u64 = 10;

/// Nanoseconds per scope.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Blocks {
    /// Of the quickest block.
    pub(crate) quickest: f64,
    /// Of the median block.
    pub(crate) median: f64,
}

/// Runs a warm-up and ten blocks of `scopes` scopes on this thread.
pub(crate) fn measure(scopes: u64, mut run: impl FnMut(u64)) -> Blocks {
    run(scopes);
    let mut nanos: Vec<f64> = (0..BLOCKS)
        .map(|_| {
            let start = thread_cpu_nanos();
            run(scopes);
            (thread_cpu_nanos() - start) as f64 / scopes as f64
        })
        .collect();
    nanos.sort_by(f64::total_cmp);
    Blocks { quickest: nanos[0], median: harness::median_of_sorted(&nanos) }
}

/// How many scopes [`measure`] runs on a thread, warm-up included.
pub(crate) fn scopes_run(scopes: u64) -> u64 {
    (BLOCKS + 1) * scopes
}
