//! `calor heap --format json`: the heap of a profile, or what two heaps differ in.

use std::io::Write;

use calor_analysis::{Allocator, HeapAnswer, HeapChange, HeapDifference, HeapMove, HeapSide};
use calor_model::{HeapBlocks, Profile, Warning};
use serde::Serialize;

use super::WireWarning;
use super::heap::{WireAllocator, WireHeap, WirePath, mode_word};
use crate::Error;

use crate::section::heap::difference::{modes, word};

#[derive(Serialize)]
struct Page<'p> {
    schema: &'static str,
    calor: &'static str,
    warnings: Vec<WireWarning<'p>>,
    #[serde(skip_serializing_if = "Option::is_none")]
    command: Option<&'p str>,
    heap: WireHeap<'p>,
    allocators: Vec<WireAllocator<'p>>,
}

#[derive(Serialize)]
struct DifferencePage<'p> {
    schema: &'static str,
    calor: &'static str,
    warnings: Vec<WireWarning<'p>>,
    delta_bytes: i128,
    #[serde(skip_serializing_if = "Option::is_none")]
    interval: Option<[i128; 2]>,
    before: Side,
    after: Side,
    changes: Vec<Change<'p>>,
}

#[derive(Serialize)]
struct Side {
    #[serde(skip_serializing_if = "Option::is_none")]
    mode: Option<&'static str>,
    bytes: u64,
    count: u64,
    #[serde(skip_serializing_if = "Option::is_none")]
    at_ns: Option<u64>,
}

#[derive(Serialize)]
struct Change<'p> {
    #[serde(flatten)]
    path: WirePath<'p>,
    change: &'static str,
    delta_bytes: i128,
    #[serde(skip_serializing_if = "Option::is_none")]
    interval: Option<[i128; 2]>,
    certain: bool,
    before_bytes: u64,
    before_count: u64,
    after_bytes: u64,
    after_count: u64,
}

pub(crate) fn write(
    profile: &Profile,
    heap: &HeapAnswer,
    allocators: &[Allocator],
    top: Option<usize>,
    out: &mut impl Write,
) -> Result<(), Error> {
    let listed = allocators.iter().take(top.unwrap_or(usize::MAX));
    let page = Page {
        schema: "calor/heap/1",
        calor: env!("CARGO_PKG_VERSION"),
        warnings: profile.warnings.iter().map(WireWarning::new).collect(),
        command: profile.runs.first().and_then(|run| run.command.as_deref()),
        heap: WireHeap::new(profile, heap, top),
        allocators: listed.map(|entry| WireAllocator::new(profile, entry)).collect(),
    };
    print(&page, out)
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
        let mut path = WirePath::new(profile, change.stack);
        // Of several lines none is told.
        path.line = path.line.filter(|_| !change.is_of_several_lines);
        path
    };
    let change = |change: &HeapChange| Change {
        path: path(change),
        change: word(change.moved),
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
    let page = DifferencePage {
        schema: "calor/heap_diff/1",
        calor: env!("CARGO_PKG_VERSION"),
        warnings: warnings.iter().map(WireWarning::new).collect(),
        delta_bytes: difference.delta_bytes(),
        interval: difference.interval(),
        before: Side::new(sides.0, difference.before),
        after: Side::new(sides.1, difference.after),
        changes: difference.changes.iter().take(top.unwrap_or(usize::MAX)).map(change).collect(),
    };
    print(&page, out)
}

impl Side {
    fn new(side: HeapSide<'_>, HeapBlocks { count, bytes }: HeapBlocks) -> Self {
        let at_ns = match side {
            HeapSide::Snapshot(_, snapshot) => Some(snapshot.at_nanos),
            HeapSide::Run(..) => None,
        };
        let mode = side.profile().heap.summary.map(|summary| mode_word(summary.mode));
        Self { mode, bytes, count, at_ns }
    }
}

fn print(page: &impl Serialize, out: &mut impl Write) -> Result<(), Error> {
    serde_json::to_writer_pretty(&mut *out, page).map_err(std::io::Error::from)?;
    Ok(out.write_all(b"\n")?)
}
