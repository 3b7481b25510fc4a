//! All cores at once: they share their memory, and often their clock rate and their units. A thread for each core runs the
//! same kernel in the same windows of time, and only windows in which every one of them really ran all the time count;
//! otherwise the rate of threads that took turns would be sold as that of threads side by side.

use std::sync::mpsc::{self, Receiver, Sender};

use crate::burst::pace;
use crate::clock::{thread_nanos, wall_nanos};
use crate::kernel::{Kernel, Pace};

/// A window, and the time for all threads to be awake when it begins.
const WINDOW_NANOS: u64 = 400_000;
const LEAD_NANOS: u64 = 150_000;
/// Of a window a thread may have been kept off its core for this part.
const LOST: f64 = 0.03;
/// More takes than a window has room for.
const MOST_TAKES: u64 = 1 << 20;
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
            let (order, orders) = mpsc::channel();
            let (send, make) = (send.clone(), &make);
            let builder = std::thread::Builder::new().name("calor-machine".to_owned());
            builder.spawn_scoped(scope, move || worker(make(), &orders, &send)).ok()?;
            threads.push(order);
        }
        // Every thread tells how many kernels it has when it is ready; threads end when nobody is left to start them.
        let ready: Vec<Share> = (0..n_threads).map(|_| shares.recv().ok().flatten()).collect();
        let n_kernels =
            ready.into_iter().collect::<Option<Vec<f64>>>()?.into_iter().fold(f64::INFINITY, f64::min);
        let found = (0..n_kernels as usize).filter_map(|kernel| best(&threads, &shares, kernel, most_nanos));
        found.max_by(f64::total_cmp)
    })
}

fn best(threads: &[Sender<Order>], shares: &Receiver<Share>, kernel: usize, most_nanos: u64) -> Option<f64> {
    let from = wall_nanos();
    let mut sums: Vec<f64> = Vec::new();
    while sums.len() < ENOUGH && wall_nanos() - from < most_nanos {
        let of_all = |order: Order| -> Option<Vec<Share>> {
            threads.iter().try_for_each(|thread| thread.send(order)).ok()?;
            Some(threads.iter().map(|_| shares.recv().ok().flatten()).collect())
        };
        of_all(Order::Prepare { kernel })?;
        let in_window = of_all(Order::Run { kernel, at: wall_nanos() + LEAD_NANOS })?;
        sums.extend(in_window.into_iter().sum::<Option<f64>>());
    }
    sums.into_iter().max_by(f64::total_cmp)
}

/// What a thread is told; it answers each with a share.
#[derive(Clone, Copy)]
enum Order {
    /// To have everything where it belongs.
    Prepare { kernel: usize },
    /// To run for a window that begins at a moment.
    Run { kernel: usize, at: u64 },
}

fn worker(kernels: Option<Kernels>, orders: &Receiver<Order>, shares: &Sender<Share>) {
    let Some(kernels) = kernels else {
        let _ = shares.send(None);
        return;
    };
    let mut kernels: Vec<(Box<dyn Kernel>, Pace)> = kernels
        .into_iter()
        .map(|mut kernel| {
            let pace = pace(kernel.as_mut());
            (kernel, pace)
        })
        .collect();
    let _ = shares.send(Some(kernels.len() as f64));
    while let Ok(order) = orders.recv() {
        let share = match order {
            Order::Prepare { kernel } => {
                let (kernel, pace) = &mut kernels[kernel];
                kernel.prepare(Pace { n_takes: MOST_TAKES, ..*pace });
                None
            }
            Order::Run { kernel, at } => {
                let (kernel, pace) = &mut kernels[kernel];
                window(kernel.as_mut(), pace.n_steps, at)
            }
        };
        let _ = shares.send(share);
    }
}

/// Runs a kernel from a moment on, a take at a time.
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
