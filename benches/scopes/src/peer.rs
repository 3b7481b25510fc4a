//! What a participant has to be able to do. Every workload is written once, in [`crate::workloads`], and only the
//! macro that opens a scope differs.

use crate::matmul::Matrices;

/// Makes whatever the participant calls its report, and says how many scopes are in it where that can be told: one
/// that loses scopes must not pass for one that is quick.
pub(crate) type MakeReport = Box<dyn FnOnce() -> Option<u64>>;

/// One participant at work. A call through this trait stands for thousands of scopes, so it costs nothing that
/// shows.
pub(crate) trait Peer: Sync {
    /// Starts recording, as the participant's documentation says, before the first scope. What comes back makes
    /// the report. Not called where the participant is measured switched off or compiled out.
    fn start(&self) -> MakeReport {
        Box::new(|| None)
    }

    /// A loop of empty named scopes.
    fn flat(&self, scopes: u64);
    /// Eight scopes inside each other; `scopes` counts all of them.
    fn nested(&self, scopes: u64);
    /// Children of one parent in random order; `scopes` is a multiple of 256.
    fn wide(&self, scopes: u64);
    /// Matrix multiplications with 21 scopes inside each.
    fn matmul(&self, matrices: &mut Matrices, times: u64);
    /// The address of the flat loop's code: two loops that compiled to the same instructions share it.
    fn flat_address(&self) -> usize;
}
