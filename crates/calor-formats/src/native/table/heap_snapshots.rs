//! Who held memory at a few instants: one snapshot after the other, in order of time.

use calor_model::{HeapBlocks, HeapSnapshot, Profile};

use super::super::decoder::Decoder;
use super::super::encoder::Encoder;
use crate::Error;

/// Bytes that a snapshot and a row of it take at least.
const SNAPSHOT_BYTES: usize = 2;
const ROW_BYTES: usize = 3;

pub(in super::super) fn encode(encoder: &mut Encoder<'_>) {
    let snapshots = &encoder.profile.heap.snapshots;
    encoder.count(snapshots.len());
    encoder.deltas(snapshots.iter().map(|snapshot| snapshot.at_nanos));
    for snapshot in snapshots {
        encoder.count(snapshot.len());
        encoder.stacks("snapshot stack", snapshot.iter().map(|(stack, _)| stack));
        encoder.column(snapshot.iter().map(|(_, blocks)| blocks.count));
        encoder.column(snapshot.iter().map(|(_, blocks)| blocks.bytes));
    }
}

pub(in super::super) fn decode(decoder: &mut Decoder<'_>, profile: &mut Profile) -> Result<(), Error> {
    let n_snapshots = decoder.count("snapshots", SNAPSHOT_BYTES)?;
    let times = decoder.deltas("time of a snapshot", n_snapshots)?;
    if let Some(pair) = times.windows(2).find(|pair| pair[0] >= pair[1]) {
        let found = format!("{} after {}", pair[1], pair[0]);
        return Err(decoder.refuse("time of a snapshot", "ascending times", found));
    }
    for at_nanos in times {
        let n_rows = decoder.count("rows of a snapshot", ROW_BYTES)?;
        let stacks = decoder.stacks("snapshot stack", n_rows, profile)?;
        let counts = decoder.column("blocks of a snapshot", n_rows)?;
        let bytes = decoder.column("bytes of a snapshot", n_rows)?;
        let mut snapshot = HeapSnapshot::new(at_nanos);
        for ((stack, count), bytes) in stacks.into_iter().zip(counts).zip(bytes) {
            if !snapshot.get(stack).is_empty() {
                let found = format!("stack {} again", stack.index());
                return Err(decoder.refuse("rows of a snapshot", "every stack once", found));
            }
            snapshot.add(stack, HeapBlocks { count, bytes });
        }
        profile.heap.snapshots.add(snapshot);
    }
    Ok(())
}
