//! All cores at once: they share their memory, and often their clock rate and their units. A thread for each core runs the
//! same kernel in the same windows of time, and only windows in which every one of them really ran all the time count;
//! otherwise the rate of threads that took turns would be sold as that of threads side by side.

use std::sync::mpsc::{self, Receiver, Sender};

use crate::burst::steps_of_a_burst;
use crate::clock::{thread_nanos, wall_nanos};
use crate::kernel::Kernel;

/// A window, and the time for all threads to be awake when it begins.
const WINDOW_NANOS: u64 = 500_000;
const LEAD_NANOS: u64 = 150_000;
/// Of a window a thread may have been kept off its core for this part.
const LOST: f64 = 0.03;
/// The clock is looked at after one part of this many of a burst.
const LOOKS: u64 = 16;
/// So many whole windows are enough.
const ENOUGH: usize = 12;

/// What a thread did in a window; `None` where it did not have its core for all of it.
type Share = Option<f64>;

/// Kernels that a thread runs, one after the other.
pub(crate) type Kernels = Vec<Box<dyn Kernel>>;

/// The best sum of the rates of `n_threads` threads that each run what `make` makes: of the windows in which all of them ran the
/// same kernel, found within so much time on the wall for each kernel. `None` where there was none, or where not all threads
/// have their kernels.
pub(crate) fn rate(
    n_threads: usize,
    most_nanos: u64,
    make: impl Fn() -> Option<Kernels> + Sync,
) -> Option<f64> {
    let (send, shares) = mpsc::channel();
    std::thread::scope(|scope| {
        let mut threads = Vec::with_capacity(n_threads);
        for _ in 0..n_threads {
            let (start, starts) = mpsc::channel();
            let (send, make) = (send.clone(), &make);
            let builder = std::thread::Builder::new().name("calor-machine".to_owned());
            builder.spawn_scoped(scope, move || worker(make(), &starts, &send)).ok()?;
            threads.push(start);
        }
        // Every thread tells how many kernels it has when it is ready; threads end when nobody is left to start them.
        let ready: Vec<Share> = (0..n_threads).map(|_| shares.recv().ok().flatten()).collect();
        let n_kernels =
            ready.into_iter().collect::<Option<Vec<f64>>>()?.into_iter().fold(f64::INFINITY, f64::min);
        let found = (0..n_kernels as usize).filter_map(|kernel| best(&threads, &shares, kernel, most_nanos));
        found.max_by(f64::total_cmp)
    })
}

fn best(threads: &[Sender<Start>], shares: &Receiver<Share>, kernel: usize, most_nanos: u64) -> Option<f64> {
    let from = wall_nanos();
    let mut sums: Vec<f64> = Vec::new();
    while sums.len() < ENOUGH && wall_nanos() - from < most_nanos {
        let start = Start { kernel, at: wall_nanos() + LEAD_NANOS };
        threads.iter().try_for_each(|thread| thread.send(start)).ok()?;
        let of_all: Vec<Share> = threads.iter().map(|_| shares.recv().ok().flatten()).collect();
        sums.extend(of_all.into_iter().sum::<Option<f64>>());
    }
    sums.into_iter().max_by(f64::total_cmp)
}

/// When a window begins, and of which kernel.
#[derive(Clone, Copy)]
struct Start {
    kernel: usize,
    at: u64,
}

fn worker(kernels: Option<Kernels>, starts: &Receiver<Start>, shares: &Sender<Share>) {
    let Some(kernels) = kernels else {
        let _ = shares.send(None);
        return;
    };
    let mut kernels: Vec<(Box<dyn Kernel>, u64)> = kernels
        .into_iter()
        .map(|mut kernel| {
            let n_steps = steps_of_a_burst(kernel.as_mut()).div_ceil(LOOKS);
            (kernel, n_steps)
        })
        .collect();
    let _ = shares.send(Some(kernels.len() as f64));
    while let Ok(start) = starts.recv() {
        let (kernel, n_steps) = &mut kernels[start.kernel];
        let _ = shares.send(window(kernel.as_mut(), *n_steps, start.at));
    }
}

/// Runs a kernel from a moment on, a few steps at a time.
fn window(kernel: &mut dyn Kernel, n_steps: u64, start: u64) -> Share {
    while wall_nanos() < start {
        std::hint::spin_loop();
    }
    let (begin, cpu) = (wall_nanos(), thread_nanos());
    let mut n_done = 0;
    let mut now = begin;
    while now < start + WINDOW_NANOS {
        kernel.run(n_steps);
        n_done += n_steps;
        now = wall_nanos();
    }
    let had = thread_nanos().saturating_sub(cpu) as f64;
    let lost = (now - start) as f64 - had;
    let is_whole = n_done > 0 && lost <= LOST * WINDOW_NANOS as f64;
    is_whole.then(|| n_done as f64 * kernel.work() * 1e9 / (now - begin).max(1) as f64)
}

#[cfg(test)]
mod tests {
    use super::*;

    struct Nap;

    impl Kernel for Nap {
        fn run(&mut self, _: u64) {
            std::thread::sleep(std::time::Duration::from_millis(1));
        }

        fn work(&self) -> f64 {
            1.0
        }
    }

    #[test]
    fn a_thread_that_did_not_have_its_core_does_not_count() {
        let now = wall_nanos();
        assert_eq!(window(&mut Nap, 1, now), None);
    }

    #[test]
    fn without_memory_for_all_there_is_no_rate() {
        assert_eq!(rate(2, 1_000_000, || None), None);
    }
}
