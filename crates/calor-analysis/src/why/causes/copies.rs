//! The slower side copies its data, or makes a temporary of its size in each call: time in functions that copy, in
//! getting and clearing memory, and in the passes that fill it.

use crate::why::gap::Gap;
use crate::why::share::Claim;
use crate::why::words::{bytes, nanos, percent};
use crate::why::{WhyCause, WhySide};

/// Less than this part of the samples is any program's.
const LEAST_PART: f64 = 0.04;

pub(super) fn copies(gap: &Gap<'_>) -> Option<Claim> {
    if !gap.has_samples() {
        return None;
    }
    let copying = |side: &WhySide| side.parts.copying;
    let memory = |side: &WhySide| side.parts.memory;
    let (longer_copying, longer_memory) = (gap.longer(copying), gap.longer(memory));
    let temporaries = gap.temporaries();
    let is_much = temporaries.is_some();
    // A few bytes that each call copies and allocates are overhead of the call; they do not grow with its input.
    let fixed =
        gap.lines.map_or(0.0, |lines| (lines[gap.slower].fixed - lines[1 - gap.slower].fixed).max(0.0));
    let grows = longer_copying > 2.0 * fixed;
    let has_copies = gap.slow.parts.copying >= LEAST_PART + gap.fast.parts.copying && (is_much || grows);
    if !has_copies && !is_much {
        return None;
    }
    let passes = if is_much { extra_passes(gap) } else { 0.0 };
    let mut evidence = Vec::new();
    if let Some((amount, blocks)) = temporaries {
        let blocks = if blocks < 1.5 { "1 block".to_owned() } else { format!("{blocks:.0} blocks") };
        evidence.push(format!(
            "each call of {} allocates {} more, in {blocks}",
            gap.slow_name(),
            bytes(amount)
        ));
    }
    if has_copies {
        evidence.push(format!(
            "{} of the CPU time of {} is spent copying, {} of that of {}",
            percent(copying(gap.slow)),
            gap.slow_name(),
            percent(copying(gap.fast)),
            gap.fast_name()
        ));
    }
    if longer_memory > 0.02 * gap.slow_cpu {
        evidence.push(format!(
            "{} a call go into getting, clearing and giving back memory",
            nanos(longer_memory)
        ));
    }
    let counted = if is_much { longer_memory } else { 0.0 };
    let copied = if has_copies { longer_copying } else { 0.0 };
    Some(Claim { cause: WhyCause::Copies, nanos: copied + counted + passes, evidence })
}

/// Passes that fill temporaries: what the loops take longer where there are more of them, and they are no narrower.
fn extra_passes(gap: &Gap<'_>) -> f64 {
    let bits = |side: &WhySide| side.hottest().and_then(|it| it.bits()).unwrap_or(0);
    let is_alike = bits(gap.slow) >= bits(gap.fast);
    if is_alike { gap.longer(WhySide::in_loops) } else { 0.0 }
}
