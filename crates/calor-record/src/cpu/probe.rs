//! What this process may record, found by trying it.

use super::events::{Events, Least, Wanted};
use crate::perf::{Inherit, Refusal};
use crate::process;

/// What works for this user on this machine.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
#[non_exhaustive]
pub struct Ability {
    /// Whether the time that the kernel works for a program is seen; without it waiting is not seen either.
    pub sees_kernel: bool,
    /// Whether waiting threads can be recorded.
    pub off_cpu: bool,
}

/// Opens what a recording would open, on this thread, and lets it go again.
///
/// # Errors
/// If nothing can be sampled, why.
pub fn probe() -> Result<Ability, Refusal> {
    let tids = [process::own_tid()];
    let attempt = |sees_kernel: bool, off_cpu: bool| {
        let wanted = Wanted {
            rate: 99,
            off_cpu,
            sees_kernel,
            kernel_chain: false,
            inherit: Inherit::Threads,
            stack_bytes: 1024,
            counters: crate::counters::CounterSet::default(),
            program: None,
            wakes_each: false,
        };
        Events::open(wanted, &tids, false, Least::Any).map(drop)
    };
    if attempt(true, true).is_ok() {
        return Ok(Ability { sees_kernel: true, off_cpu: true });
    }
    if attempt(true, false).is_ok() {
        return Ok(Ability { sees_kernel: true, off_cpu: false });
    }
    match attempt(false, false) {
        Ok(()) => Ok(Ability { sees_kernel: false, off_cpu: false }),
        Err(error) => Err(Refusal::of(&error, process::own_pid())),
    }
}
