//! Why one of two implementations of an operation is slower than the other.
//!
//! The gap is explained at one size, where it is widest, in nanoseconds of a call: each cause gets what its evidence says
//! the slower side takes longer for it, and nobody gets what another has. Where processors count nothing, as on most
//! virtual machines, the evidence is what is always there: how times grow with size, where samples are, what the code of
//! hot loops looks like, and what calls allocate.

mod causes;
mod evidence;
mod gap;
mod hot_loop;
mod line;
mod loop_threads;
mod note;
mod part;
mod point;
mod reason;
mod share;
mod side;
mod stay;
mod words;

pub use evidence::{WhyClock, WhyEvidence};
pub use hot_loop::WhyLoop;
pub use line::{WhyLine, why_lines};
pub use part::WhyParts;
pub use point::{WhyPoint, why_clock, why_elsewhere, why_focus};
pub use reason::{Why, WhyCause, WhyReason};
pub use side::WhySide;
pub use stay::WhyStay;

use gap::Gap;
use share::Shares;

/// Explains the gap between two implementations; `None` where there is no time to explain.
#[must_use]
pub fn why(evidence: &WhyEvidence) -> Option<Why> {
    let gap = Gap::of(evidence)?;
    let waiting = causes::waiting(&gap);
    let cpu_part = 1.0 - waiting.as_ref().map_or(0.0, |(_, share, _)| *share);
    let mut shares = Shares::new(&gap, cpu_part);
    if let Some((cause, share, evidence)) = waiting {
        shares.add(cause, share, evidence);
    }
    // What a path is slow for is told with the step to it, and what it leaves is shared out as ever.
    causes::step(&gap).into_iter().for_each(|claim| shares.give(claim));
    causes::CLAIMS.iter().filter_map(|cause| cause(&gap)).for_each(|claim| shares.give(claim));
    if gap.has_samples() {
        let in_loops = gap.longer(WhySide::in_loops);
        let factors = causes::factors(&gap);
        match factors.is_empty() {
            true => causes::bandwidth(&gap, in_loops).into_iter().for_each(|claim| shares.give(claim)),
            false => shares.give_loops(in_loops, gap.fast_cpu * gap.fast.in_loops(), factors),
        }
    }
    if let Some(claim) = causes::more_instructions(&gap, shares.left()) {
        shares.give(claim);
    }
    let (reasons, unexplained) = shares.told();
    let mut nanos = [gap.fast_nanos; 2];
    nanos[gap.slower] = gap.slow_nanos;
    Some(Why {
        slower: gap.slower,
        size: gap.point().size,
        clock: evidence.clock,
        nanos,
        reasons,
        unexplained,
        notes: note::notes(&gap),
        missing: note::missing(&gap),
    })
}

#[cfg(test)]
mod tests;
