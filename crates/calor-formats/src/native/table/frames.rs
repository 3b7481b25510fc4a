//! The frame table. A name, module or file is a row of the string table; what may be missing is written as 0
//! or one more than its value.

use calor_model::{Frame, FrameKind, Profile, StringId};

use super::super::decoder::Decoder;
use super::super::encoder::Encoder;
use super::warn_of_unknown;
use crate::Error;

/// Bytes that a row takes at least.
const ROW_BYTES: usize = 6;

/// Characters of a name that are repeated when its frame is of an unknown kind.
const LONGEST_NAME_REPEATED: usize = 4096;

/// The kinds, by their number in a file.
const KINDS: [FrameKind; 7] = [
    FrameKind::Scope,
    FrameKind::Context,
    FrameKind::Native,
    FrameKind::Kernel,
    FrameKind::Python,
    FrameKind::Gpu,
    FrameKind::Synthetic,
];

pub(in super::super) fn encode(encoder: &mut Encoder<'_>) {
    let frames = &encoder.profile.frames;
    encoder.count(frames.len());
    encoder.strings("frame name", frames.iter().map(|(_, frame)| frame.name));
    for (_, frame) in frames.iter() {
        // A kind that the list lacks is written as one that no reader knows, who then says so.
        encoder.byte(KINDS.iter().position(|kind| *kind == frame.kind).map_or(u8::MAX, |at| at as u8));
    }
    encoder.optional_strings("frame module", frames.iter().map(|(_, frame)| frame.module));
    encoder.optional_strings("frame file", frames.iter().map(|(_, frame)| frame.file));
    encoder.column(frames.iter().map(|(_, frame)| frame.line.map_or(0, |line| u64::from(line) + 1)));
    for (_, frame) in frames.iter() {
        encoder.byte(u8::from(frame.is_inlined));
    }
}

pub(in super::super) fn decode(decoder: &mut Decoder<'_>, profile: &mut Profile) -> Result<(), Error> {
    let n_rows = decoder.count("frames", ROW_BYTES)?;
    let names = decoder.rows(n_rows, |decoder| decoder.string("frame name", profile))?;
    let kinds = decoder.bytes("frame kinds", n_rows)?;
    let modules = decoder.rows(n_rows, |decoder| decoder.optional_string("frame module", profile))?;
    let files = decoder.rows(n_rows, |decoder| decoder.optional_string("frame file", profile))?;
    let lines = decoder.rows(n_rows, line)?;
    let inlined = decoder.bytes("inlined frames", n_rows)?;
    let mut n_unknown = 0;
    for row in 0..n_rows {
        let known = KINDS.get(usize::from(kinds[row])).copied();
        let mut frame = Frame {
            name: names[row],
            kind: known.unwrap_or(FrameKind::Synthetic),
            module: modules[row],
            file: files[row],
            line: lines[row],
            is_inlined: inlined[row] != 0,
        };
        if known.is_none() {
            n_unknown += 1;
            frame.name = name_of_unknown(profile, frame.name, kinds[row]);
        }
        if profile.frames.intern(frame).index() != row {
            return Err(decoder.refuse("frames", "every frame once", format!("row {row} again")));
        }
    }
    warn_of_unknown(profile, "kinds of frames", n_unknown);
    Ok(())
}

/// The name of a frame whose kind is not known. The frame has to stay, because call paths lead through it,
/// and must not fall together with one of a known kind. A name past any reasonable length is not repeated.
fn name_of_unknown(profile: &mut Profile, name: StringId, kind: u8) -> StringId {
    let name: String = profile.strings.get(name).chars().take(LONGEST_NAME_REPEATED).collect();
    profile.strings.intern(&format!("{name} (unknown kind {kind})"))
}

fn line(decoder: &mut Decoder<'_>) -> Result<Option<u32>, Error> {
    let code = decoder.varint("frame line")?;
    match code.checked_sub(1).map(u32::try_from) {
        None => Ok(None),
        Some(Ok(line)) => Ok(Some(line)),
        Some(Err(_)) => Err(decoder.refuse("frame line", "a line of 32 bits", code.to_string())),
    }
}
