//! What would the program gain if a scope were faster, found out by experiment and without making it faster: while the
//! scope runs, the other threads are slowed by as much as it would have been quicker, and what that cost is taken off.
//!
//! `calor whatif FILE --confirm -- PROGRAM` does this to a program as it is. Inside of one it is
//!
//! ```
//! # fn serve() { calor::scope!("parse"); }
//! calor::causal::start(&calor::causal::Plan::new().speedup("parse", 2.0))?;
//! for _request in 0..100 {
//!     serve();
//!     calor::progress!("request"); // what is to become faster
//! }
//! let outcome = calor::causal::stop().expect("it was started");
//! if let Some(overall) = outcome.overall("parse", 2.0) {
//!     println!("requests would be {overall:.2} times as fast");
//! }
//! # Ok::<(), calor::causal::CausalError>(())
//! ```
//!
//! **What it needs**: scopes, the boundaries at which threads can be slowed, and that waits are told, by
//! [`sync`](crate::sync) or [`link`](crate::link): a thread that waited goes on with what the one it waited for has paid.
//! Waits that are not told make gains look smaller than they are.
//!
//! **Promises to the program**: a pause takes 100 ms at most, is made only between scopes, before something is told and
//! before a wait, and holds no lock of Calor's; what the program computes stays the same. A thread may be paused while it
//! holds a lock of its own, as the scheduler may do, too. Threads without scopes are not slowed, and are told where that
//! matters: [`Outcome::behind`]. While there are no experiments, nothing of this runs.

mod account;
mod boundary;
mod desk;
pub mod handover;
mod outcome;
mod plan;
mod schedule;
mod session;
#[cfg(test)]
mod simulated;
mod visits;

pub(crate) use account::Moment;
pub(crate) use boundary::{
    after_wait, before_scope, before_signal, before_wait, begun, entered, is_under_way, leaving,
    was_under_way,
};
pub use outcome::{Experiment, Outcome};
pub use plan::{CausalError, Plan};

use crate::own_memory::{as_own, hand_out};

use session::Session;

/// Begins experiments, and turns the recorder on. They go on, in rounds, until [`stop`]. A program that tells its
/// [`progress!`](crate::progress) has one after the other; one that does not has a single experiment from here to the end,
/// with the first of the plan's speed-ups.
///
/// # Errors
/// If the plan has no speed-up, or experiments are under way already.
pub fn start(plan: &Plan) -> Result<(), CausalError> {
    crate::enable();
    as_own(|| session::begin(|| Session::new(plan, 1)))
}

/// Ends the experiments; `None` if there are none.
pub fn stop() -> Option<Outcome> {
    as_own(session::finish).map(hand_out)
}

/// Runs some work with a scope in it so many times as fast, and measures it as a whole. A factor of 1 is what others are to
/// be compared with.
///
/// # Errors
/// If experiments are under way already, in which case the work does not run.
pub fn experiment<T>(
    scope: &str,
    factor: f64,
    work: impl FnOnce() -> T,
) -> Result<(T, Experiment), CausalError> {
    crate::enable();
    let plan = Plan::new().speedup(scope, factor);
    as_own(|| session::begin(|| Session::of_one(&plan)))?;
    let ending = Ending;
    let result = work();
    std::mem::forget(ending);
    let measured = stop().and_then(|outcome| outcome.experiments.into_iter().next());
    measured.map(|measured| (result, measured)).ok_or(CausalError::Stopped)
}

/// Ends the experiments of work that panicked.
struct Ending;

impl Drop for Ending {
    fn drop(&mut self) {
        let _ = stop();
    }
}

/// Says that the program got one step further; [`progress!`](crate::progress) does this.
#[inline(always)]
pub fn progress(point: &'static str) {
    if is_under_way() {
        session::visited(point);
    }
}

/// In a forked child: the experiments are the parent's.
pub(crate) fn forget() {
    session::forget();
    boundary::forget();
}
