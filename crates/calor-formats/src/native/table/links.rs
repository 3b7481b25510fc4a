//! What threads waited for each other. Times of one link lie close together, and so do links that follow each other.

use calor_model::{Link, LinkKind, Profile};

use super::super::decoder::Decoder;
use super::super::encoder::Encoder;
use super::warn_of_unknown;
use crate::Error;

/// Bytes that a row takes at least.
const ROW_BYTES: usize = 8;

/// The kinds by their numbers; new ones are added at the end.
const KINDS: [LinkKind; 7] = [
    LinkKind::Spawn,
    LinkKind::Join,
    LinkKind::Lock,
    LinkKind::Channel,
    LinkKind::Room,
    LinkKind::Barrier,
    LinkKind::Other,
];

pub(in super::super) fn encode(encoder: &mut Encoder<'_>) {
    let links = &encoder.profile.timeline.links;
    encoder.count(links.len());
    for link in links {
        // A kind that has no number yet is something else that the program told.
        let number = KINDS.iter().position(|kind| *kind == link.kind).unwrap_or(KINDS.len() - 1);
        encoder.byte(number as u8);
    }
    encoder.deltas(links.iter().map(|link| link.object));
    encoder.threads("link from", links.iter().map(|link| link.from));
    encoder.threads("link to", links.iter().map(|link| link.to));
    encoder.deltas(links.iter().map(|link| link.to_nanos));
    // Both lie a little before: as what they are earlier, wrapping.
    encoder.column(links.iter().map(|link| link.to_nanos.wrapping_sub(link.from_nanos)));
    encoder.column(links.iter().map(|link| link.to_nanos.wrapping_sub(link.since_nanos)));
    encoder.column(links.iter().map(|link| link.held_nanos));
}

pub(in super::super) fn decode(decoder: &mut Decoder<'_>, profile: &mut Profile) -> Result<(), Error> {
    let n_rows = decoder.count("links", ROW_BYTES)?;
    let kinds = decoder.bytes("link kinds", n_rows)?;
    let objects = decoder.deltas("link objects", n_rows)?;
    let from = decoder.rows(n_rows, |decoder| decoder.thread("link from", profile))?;
    let to = decoder.rows(n_rows, |decoder| decoder.thread("link to", profile))?;
    let to_nanos = decoder.deltas("link times", n_rows)?;
    let from_before = decoder.column("link distances", n_rows)?;
    let since_before = decoder.column("link waits", n_rows)?;
    let held = decoder.column("link holds", n_rows)?;
    let mut n_unknown = 0;
    for row in 0..n_rows {
        let Some(&kind) = KINDS.get(usize::from(kinds[row])) else {
            n_unknown += 1;
            continue;
        };
        profile.timeline.links.push(Link {
            kind,
            object: objects[row],
            from: from[row],
            from_nanos: to_nanos[row].wrapping_sub(from_before[row]),
            to: to[row],
            since_nanos: to_nanos[row].wrapping_sub(since_before[row]),
            to_nanos: to_nanos[row],
            held_nanos: held[row],
        });
    }
    warn_of_unknown(profile, "links between threads of kinds", n_unknown);
    Ok(())
}
