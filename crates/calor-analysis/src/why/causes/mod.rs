//! One cause a file. Each looks at both sides and says what it would explain, or nothing.

mod bandwidth;
mod call_overhead;
mod copies;
mod dispatch;
mod extra_pass;
mod interpreter;
mod lock;
mod more_instructions;
mod scalar_code;
mod step;
mod strided_access;
mod traffic;
mod upcast;
mod waiting;

use super::gap::Gap;
use super::share::{Claim, Factor};

pub(super) use bandwidth::bandwidth;
pub(super) use more_instructions::more_instructions;
pub(super) use step::step;
pub(super) use waiting::waiting;

/// What takes time by itself, in the order in which it is asked: what samples name before what the curve tells.
pub(super) const CLAIMS: [fn(&Gap<'_>) -> Option<Claim>; 4] =
    [lock::lock, copies::copies, interpreter::interpreter, call_overhead::call_overhead];

/// What makes the loops of the slower side slow.
pub(super) fn factors(gap: &Gap<'_>) -> Vec<Factor> {
    // A path that is not taken explains what the one that is taken looks like.
    if let Some(dispatch) = dispatch::dispatch(gap) {
        return vec![dispatch];
    }
    let strided = strided_access::strided_access(gap);
    let upcast = upcast::upcast(gap);
    // Numbers that are not side by side, or that no vector holds, cannot be taken several at once.
    let is_scalar_for_that = strided.is_some() || upcast.is_some() && upcast::is_beyond_vectors(gap);
    let scalar = scalar_code::scalar_code(gap).filter(|_| !is_scalar_for_that);
    let found = [strided, scalar, upcast, extra_pass::extra_pass(gap)];
    found.into_iter().flatten().collect()
}
