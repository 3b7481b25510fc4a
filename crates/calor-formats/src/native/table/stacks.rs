//! The stack table. A parent is written as the distance back to it, 0 for none: distances are small, they
//! repeat, and a parent that is not an earlier row cannot even be written.

use calor_model::{FrameId, Profile, StackId};

use super::super::decoder::Decoder;
use super::super::encoder::Encoder;
use crate::Error;

/// Bytes that a row takes at least.
const ROW_BYTES: usize = 2;

pub(in super::super) fn encode(encoder: &mut Encoder<'_>) {
    let stacks = &encoder.profile.stacks;
    let n_frames = encoder.profile.frames.len();
    encoder.count(stacks.len());
    encoder.column(
        stacks
            .iter()
            .map(|(id, stack)| stack.parent.map_or(0, |parent| (id.index() - parent.index()) as u64)),
    );
    for (_, stack) in stacks.iter() {
        let frame = encoder.checked("stack frame", stack.frame.index(), n_frames);
        encoder.varint(frame);
    }
}

pub(in super::super) fn decode(decoder: &mut Decoder<'_>, profile: &mut Profile) -> Result<(), Error> {
    let n_rows = decoder.count("stacks", ROW_BYTES)?;
    let mut distances = decoder.integers("stack parents", n_rows)?;
    let n_frames = profile.frames.len();
    profile.stacks.reserve(n_rows);
    for row in 0..n_rows {
        let distance = distances.varint("stack parents")?;
        if distance > row as u64 {
            let expected = format!("a parent at most {row} rows back");
            return Err(decoder.refuse("stack parents", expected, format!("{distance} rows back")));
        }
        let parent = (distance > 0).then(|| StackId::from_index(row - distance as usize));
        let frame = decoder.index("stack frame", n_frames).map(FrameId::from_index)?;
        if profile.stacks.intern(parent, frame).index() != row {
            return Err(decoder.refuse("stacks", "every call path once", format!("row {row} again")));
        }
    }
    Ok(())
}
