//! The bytes of a file in the cache.
//!
//! It is one block, or several: what is found later is put behind what is there, and the next one who finds too many
//! blocks writes them as one. A block that was not written whole ends the file.
//!
//! ```text
//! "calorsym"  version u32  checksum u32 of all that follows  its length u32
//! fingerprint  u32 length, bytes
//! strings      u32 count, u32 length each, bytes
//! nodes        u32 count, (parent, name, call file, call line) u32 each
//! spans        u32 count, (begin u64, length, node, file, line u32) each
//! ```
//! All numbers are little endian. Rows have a fixed size: reading them back is a copy, and it is read far more often
//! than it is written.

use std::sync::Arc;

use crate::places::{NONE, Node, Places, Span};

const MAGIC: &[u8; 8] = b"calorsym";
/// Raised with every change of the format or of what is found.
const VERSION: u32 = 3;
const HEADER: usize = 20;

pub(super) fn encode(places: &Places, fingerprint: &[u8]) -> Vec<u8> {
    let mut bytes = Vec::with_capacity(places.spans.len() * 24 + places.nodes.len() * 16 + (1 << 16));
    bytes.extend_from_slice(MAGIC);
    put(&mut bytes, [VERSION, 0, 0]);
    put(&mut bytes, [length(fingerprint.len())]);
    bytes.extend_from_slice(fingerprint);
    put(&mut bytes, [length(places.strings.len())]);
    put(&mut bytes, places.strings.iter().map(|text| length(text.len())));
    places.strings.iter().for_each(|text| bytes.extend_from_slice(text.as_bytes()));
    put(&mut bytes, [length(places.nodes.len())]);
    put(
        &mut bytes,
        places.nodes.iter().flat_map(|node| [node.parent, node.name, node.call_file, node.call_line]),
    );
    put(&mut bytes, [length(places.spans.len())]);
    for span in &places.spans {
        bytes.extend_from_slice(&span.begin.to_le_bytes());
        put(&mut bytes, [length((span.end - span.begin) as usize), span.node, span.file, span.line]);
    }
    let (checksum, n_bytes) = (crc32fast::hash(&bytes[HEADER..]), length(bytes.len() - HEADER));
    bytes[12..16].copy_from_slice(&checksum.to_le_bytes());
    bytes[16..HEADER].copy_from_slice(&n_bytes.to_le_bytes());
    bytes
}

/// What was decoded.
#[derive(Debug)]
pub(super) struct Decoded {
    pub(super) places: Places,
    pub(super) n_blocks: usize,
    /// Whether all of it could be used.
    pub(super) is_whole: bool,
}

/// What was encoded with this fingerprint; `None` for anything else, whatever it is.
pub(super) fn decode(mut bytes: &[u8], fingerprint: &[u8]) -> Option<Decoded> {
    let mut places = decode_block(&mut bytes, fingerprint)?;
    let mut n_blocks = 1;
    while let Some(more) = decode_block(&mut bytes, fingerprint) {
        places.absorb(&more);
        n_blocks += 1;
    }
    if n_blocks > 1 {
        places.settle();
    }
    Some(Decoded { places, n_blocks, is_whole: bytes.is_empty() })
}

/// One block; it is taken off only if it is whole.
fn decode_block(bytes: &mut &[u8], fingerprint: &[u8]) -> Option<Places> {
    let mut rest = bytes.strip_prefix(MAGIC)?;
    let (version, checksum) = (take_number(&mut rest)?, take_number(&mut rest)?);
    let length = take_number(&mut rest)? as usize;
    let body = take(&mut rest, length)?;
    if version != VERSION || checksum != crc32fast::hash(body) {
        return None;
    }
    let places = decode_body(body, fingerprint)?;
    *bytes = rest;
    Some(places)
}

fn decode_body(mut rest: &[u8], fingerprint: &[u8]) -> Option<Places> {
    let length = take_number(&mut rest)? as usize;
    if take(&mut rest, length)? != fingerprint {
        return None;
    }
    let n_strings = take_number(&mut rest)? as usize;
    let lengths = take(&mut rest, n_strings.checked_mul(4)?)?;
    let strings = numbers(lengths)
        .map(|length| Some(Arc::from(std::str::from_utf8(take(&mut rest, length as usize)?).ok()?)))
        .collect::<Option<Vec<Arc<str>>>>()?;
    let is_string = |id: u32| id == NONE || (id as usize) < strings.len();
    let n_nodes = take_number(&mut rest)? as usize;
    let mut nodes = Vec::with_capacity(n_nodes.min(rest.len() / 16));
    for row in take(&mut rest, n_nodes.checked_mul(16)?)?.chunks_exact(16) {
        let mut row = numbers(row);
        let node =
            Node { parent: row.next()?, name: row.next()?, call_file: row.next()?, call_line: row.next()? };
        let is_sound = (node.parent == NONE || (node.parent as usize) < nodes.len())
            && is_string(node.name)
            && is_string(node.call_file);
        nodes.push(is_sound.then_some(node)?);
    }
    let n_spans = take_number(&mut rest)? as usize;
    let mut spans: Vec<Span> = Vec::with_capacity(n_spans.min(rest.len() / 24));
    let mut reached = 0;
    for row in take(&mut rest, n_spans.checked_mul(24)?)?.chunks_exact(24) {
        let (begin, row) = row.split_first_chunk::<8>()?;
        let (begin, mut row) = (u64::from_le_bytes(*begin), numbers(row));
        let end = begin.checked_add(u64::from(row.next()?))?;
        let span = Span { begin, end, node: row.next()?, file: row.next()?, line: row.next()? };
        let is_sound = begin >= reached
            && begin < end
            && (span.node == NONE || (span.node as usize) < nodes.len())
            && is_string(span.file);
        reached = end;
        spans.push(is_sound.then_some(span)?);
    }
    rest.is_empty().then(|| Places::new(spans, nodes, strings))
}

fn put(bytes: &mut Vec<u8>, numbers: impl IntoIterator<Item = u32>) {
    numbers.into_iter().for_each(|number| bytes.extend_from_slice(&number.to_le_bytes()));
}

/// What does not fit makes the file unreadable, which is what a cache may be.
fn length(length: usize) -> u32 {
    u32::try_from(length).unwrap_or(u32::MAX)
}

fn take<'a>(rest: &mut &'a [u8], length: usize) -> Option<&'a [u8]> {
    let (taken, left) = rest.split_at_checked(length)?;
    *rest = left;
    Some(taken)
}

fn take_number(rest: &mut &[u8]) -> Option<u32> {
    numbers(take(rest, 4)?).next()
}

fn numbers(bytes: &[u8]) -> impl Iterator<Item = u32> {
    bytes.chunks_exact(4).filter_map(|chunk| Some(u32::from_le_bytes(chunk.try_into().ok()?)))
}
