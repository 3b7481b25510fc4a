//! How a workload tells where it is, and asks whether to go on.

/// Whoever waits for a workload.
pub trait Watch: Sync {
    /// So many of `total` steps are done, and this is being done now.
    fn at(&self, done: usize, total: usize, what: &str);

    /// Whether somebody asked for the end. Then a workload returns what it has, with the warning `incomplete`, or
    /// [`Error::Stopped`](crate::Error::Stopped) when that is nothing.
    fn is_stopped(&self) -> bool {
        false
    }
}

/// Nobody waits.
#[derive(Clone, Copy, Debug)]
pub struct Unwatched;

impl Watch for Unwatched {
    fn at(&self, _: usize, _: usize, _: &str) {}
}
