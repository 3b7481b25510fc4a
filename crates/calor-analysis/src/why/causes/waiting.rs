//! The slower side keeps fewer processors busy: its threads wait for each other, for files or for time, or there are fewer
//! of them. By the wall, a call takes its CPU time divided by how many processors work on it.

use crate::WaitReason;
use crate::why::gap::Gap;
use crate::why::words::percent;
use crate::why::{WhyCause, WhySide, WhyStay};

/// Processors at work are not fewer before the other side has so many times as many.
const FEWER: f64 = 1.15;
/// Waiting below this part of the recording is any program's.
const LEAST_PART: f64 = 0.05;

/// The cause, its part of the gap, and what it is drawn from.
pub(in crate::why) fn waiting(gap: &Gap<'_>) -> Option<(WhyCause, f64, Vec<String>)> {
    let busy = |cpu: f64, wall: f64| cpu / wall;
    let point = gap.point();
    let (slow, fast) =
        (busy(gap.slow_cpu, point.wall[gap.slower]), busy(gap.fast_cpu, point.wall[1 - gap.slower]));
    if !gap.is_of_wall() || slow <= 0.0 || fast < FEWER * slow {
        return None;
    }
    // Time by the wall in which nobody worked on the call; less than none where several did at once.
    let idle = |cpu: f64, side: usize| point.wall[side] - cpu;
    let lost = idle(gap.slow_cpu, gap.slower) - idle(gap.fast_cpu, 1 - gap.slower);
    let share = (lost / (gap.slow_nanos - gap.fast_nanos)).clamp(0.0, 1.0);
    let mut evidence = vec![format!(
        "{:.2} processors work on a call of {}, {:.2} on one of {}",
        slow,
        gap.slow_name(),
        fast,
        gap.fast_name()
    )];
    // A side that is at work all the time waits for nothing: it could only be at work on more processors at once.
    const AT_WORK: f64 = 0.9;
    let stay = longest(gap.slow, gap.fast);
    if stay.is_none() && slow >= AT_WORK {
        evidence.push(format!("{} hardly waits: it does not use more processors", gap.slow_name()));
        return Some((WhyCause::Threads, share, evidence));
    }
    if gap.slow.n_threads < gap.fast.n_threads {
        let (few, many) = (gap.slow.n_threads, gap.fast.n_threads);
        evidence.push(format!(
            "{} works with {few} threads, {} with {many}",
            gap.slow_name(),
            gap.fast_name()
        ));
        return Some((WhyCause::Threads, share, evidence));
    }
    let Some(stay) = stay else {
        return Some((WhyCause::Waiting, share, evidence));
    };
    evidence.push(format!(
        "threads of {} wait in `{}` for {} of its time, threads added up",
        gap.slow_name(),
        stay.function,
        percent(stay.part)
    ));
    let cause = if stay.reason == WaitReason::Lock { WhyCause::Lock } else { WhyCause::Waiting };
    Some((cause, share, evidence))
}

/// The longest wait of the slower side, where the other does not wait as long for the same.
fn longest<'s>(slow: &'s WhySide, fast: &WhySide) -> Option<&'s WhyStay> {
    let part = |side: &WhySide, reason: WaitReason| {
        let stays = side.stays.iter().flatten().filter(|stay| stay.reason == reason);
        stays.map(|stay| stay.part).sum::<f64>()
    };
    let stays = slow.stays.iter().flatten();
    let more = stays
        .filter(|stay| stay.part >= LEAST_PART && part(slow, stay.reason) > 1.2 * part(fast, stay.reason));
    more.max_by(|a, b| a.part.total_cmp(&b.part))
}
