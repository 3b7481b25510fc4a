//! Threads that share the work of one inference.
//!
//! With one thread nothing is shared and nobody waits. With several, the thread of the inference takes a part itself and
//! the others are asleep in a pool of their own between two matrices; waking them takes some microseconds, so matrices that
//! one thread reads sooner are not shared.

use rayon::ThreadPool;

use crate::Error;

/// What one thread reads from the outer caches in about the time that it takes to wake another.
const LEAST_BYTES: usize = 512 << 10;

/// The threads of a model.
#[derive(Debug)]
pub(super) struct Workers {
    /// Those beside the one that runs the inference.
    pool: Option<ThreadPool>,
    threads: usize,
    least_bytes: usize,
}

impl Workers {
    pub(super) fn new(threads: usize) -> Result<Self, Error> {
        let others = threads.saturating_sub(1);
        let build = || {
            rayon::ThreadPoolBuilder::new()
                .num_threads(others)
                .thread_name(|n| format!("model {}", n + 2))
                .build()
        };
        let pool = (others > 0).then(build).transpose();
        let pool = pool.map_err(|cause| Error::Thread(std::io::Error::other(cause)))?;
        Ok(Self { pool, threads: others + 1, least_bytes: LEAST_BYTES })
    }

    pub(super) fn threads(&self) -> usize {
        self.threads
    }

    /// Calls `work` for parts of `y`, each with the place at which it begins; all at once where reading so many bytes is
    /// worth it.
    pub(super) fn share_out(&self, y: &mut [f32], bytes: usize, work: impl Fn(usize, &mut [f32]) + Sync) {
        let Some(pool) = self.pool.as_ref().filter(|_| bytes >= self.least_bytes) else {
            return work(0, y);
        };
        // Whole groups of the rows that are multiplied together.
        let part = y.len().div_ceil(self.threads).next_multiple_of(4).max(4);
        pool.in_place_scope(|scope| {
            let (own, others) = y.split_at_mut(part.min(y.len()));
            for (index, y) in others.chunks_mut(part).enumerate() {
                let work = &work;
                scope.spawn(move |_| work((index + 1) * part, y));
            }
            work(0, own);
        });
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_output_is_worked_on_once_whatever_the_number_of_threads() {
        for threads in [0, 1, 2, 3, 5] {
            let mut workers = Workers::new(threads).expect("threads can be started");
            workers.least_bytes = 0;
            assert_eq!(workers.threads(), threads.max(1));
            for n in [0, 1, 4, 7, 16, 101] {
                let mut y = vec![0.5; n];
                workers.share_out(&mut y, 0, |first, y| {
                    y.iter_mut().enumerate().for_each(|(index, y)| *y += (first + index) as f32);
                });
                assert!(y.iter().enumerate().all(|(index, y)| *y == index as f32 + 0.5), "{threads} {y:?}");
            }
        }
    }
}
