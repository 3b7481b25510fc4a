//! The calls of a window of time, added up by how much work they did. Windows of one scope can be added to each other, so that
//! threads and machines keep their own.

/// Sizes beyond 2^62 share the last place.
const N_SIZES: usize = 64;

/// Calls of one scope in one window of time.
#[derive(Clone, PartialEq, Debug)]
pub struct CallWindow {
    sizes: Box<[SizedCalls; N_SIZES]>,
}

/// Calls of about one size.
#[derive(Clone, Copy, PartialEq, Debug, Default)]
pub(super) struct SizedCalls {
    pub(super) n: u64,
    /// The sum of the logarithms of their sizes.
    pub(super) sizes: f64,
    /// Their time.
    pub(super) nanos: f64,
    /// The sum of the logarithms of their times.
    pub(super) logs: f64,
    /// The sum of the squares of those.
    pub(super) squares: f64,
}

impl Default for CallWindow {
    fn default() -> Self {
        Self { sizes: Box::new([SizedCalls::default(); N_SIZES]) }
    }
}

impl CallWindow {
    /// Adds a call that worked on so much (tokens, bytes, rows; 0 where that is not known) and took so long. Calls of no time
    /// at all count as one nanosecond.
    pub fn add(&mut self, size: u64, nanos: u64) {
        // 0 is a place of its own, then powers of two.
        let place = (u64::BITS - size.leading_zeros()) as usize;
        let calls = &mut self.sizes[place.min(N_SIZES - 1)];
        let nanos = nanos.max(1) as f64;
        let log = nanos.ln();
        calls.n += 1;
        calls.sizes += (size.max(1) as f64).ln();
        calls.nanos += nanos;
        calls.logs += log;
        calls.squares += log * log;
    }

    /// Adds all calls of another window.
    pub fn merge(&mut self, other: &Self) {
        for (own, theirs) in self.sizes.iter_mut().zip(other.sizes.iter()) {
            own.n += theirs.n;
            own.sizes += theirs.sizes;
            own.nanos += theirs.nanos;
            own.logs += theirs.logs;
            own.squares += theirs.squares;
        }
    }

    /// How many calls there were.
    #[must_use]
    pub fn n_calls(&self) -> u64 {
        self.sizes.iter().map(|calls| calls.n).sum()
    }

    /// What they took together.
    #[must_use]
    pub fn total_nanos(&self) -> f64 {
        self.sizes.iter().map(|calls| calls.nanos).sum()
    }

    /// Calls by size, with the place of the size; those without calls are left out.
    pub(super) fn by_size(&self) -> impl Iterator<Item = (usize, SizedCalls)> {
        self.sizes.iter().copied().enumerate().filter(|(_, calls)| calls.n > 0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn calls_stand_with_those_of_their_size_and_windows_add_up() {
        let mut window = CallWindow::default();
        for (size, nanos) in [(0, 5), (1, 7), (1_000, 100), (1_023, 200), (u64::MAX, 9), (3, 0)] {
            window.add(size, nanos);
        }
        let mut twice = window.clone();
        twice.merge(&window);
        let places =
            |window: &CallWindow| window.by_size().map(|(place, calls)| (place, calls.n)).collect::<Vec<_>>();
        assert_eq!(places(&window), [(0, 1), (1, 1), (2, 1), (10, 2), (63, 1)]);
        assert_eq!((twice.n_calls(), twice.total_nanos()), (12, 2.0 * window.total_nanos()));
    }
}
