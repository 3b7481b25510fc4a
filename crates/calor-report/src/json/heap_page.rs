//! `calor heap --format json`: the heap of a profile, or what two heaps differ in.

use std::io::Write;

use calor_analysis::{Allocator, HeapAnswer, HeapChange, HeapDifference, HeapMove, HeapSide};
use calor_model::{Profile, Warning};
use calor_wire::heap::{self as wire, Change, HeapReport, Side};
use calor_wire::{Envelope, HeapPath};

use crate::Error;
use crate::section::heap::difference::modes;

pub(crate) fn write(
    profile: &Profile,
    heap: &HeapAnswer,
    allocators: &[Allocator],
    top: Option<usize>,
    out: &mut impl Write,
) -> Result<(), Error> {
    let listed = allocators.iter().take(top.unwrap_or(usize::MAX));
    let body = HeapReport {
        command: profile.runs.first().and_then(|run| run.command.as_deref()),
        heap: wire::Heap::new(profile, heap, top),
        allocators: listed.map(|entry| wire::Allocator::new(profile, entry)).collect(),
    };
    Ok(Envelope::new(&profile.warnings, body).write(out)?)
}

pub(crate) fn write_difference(
    sides: (HeapSide<'_>, HeapSide<'_>),
    (before, after): (&Profile, &Profile),
    difference: &HeapDifference,
    top: Option<usize>,
    out: &mut impl Write,
) -> Result<(), Error> {
    let path = |change: &HeapChange| {
        let profile = if change.moved == HeapMove::Gone { before } else { after };
        let mut path = HeapPath::new(profile, change.stack);
        // Of several lines none is named.
        path.at.line = path.at.line.filter(|_| !change.is_of_several_lines);
        path
    };
    let change = |change: &HeapChange| Change {
        path: path(change),
        change: change.moved.word(),
        delta_bytes: change.delta_bytes(),
        interval: change.interval(),
        certain: change.is_certain(),
        before_bytes: change.before.bytes,
        before_count: change.before.count,
        after_bytes: change.after.bytes,
        after_count: change.after.count,
    };
    // Two moments of one run have the same warnings.
    let of_before = before.warnings.iter().filter(|warning| !after.warnings.contains(warning));
    let of_both = modes(before, after).map(|message| Warning::new("heap_modes_differ", message));
    let warnings: Vec<Warning> = after.warnings.iter().chain(of_before).cloned().chain(of_both).collect();
    let body = wire::HeapDifference {
        delta_bytes: difference.delta_bytes(),
        interval: difference.interval(),
        before: Side::new(sides.0, difference.before),
        after: Side::new(sides.1, difference.after),
        changes: difference.changes.iter().take(top.unwrap_or(usize::MAX)).map(change).collect(),
    };
    Ok(Envelope::new(&warnings, body).write(out)?)
}
