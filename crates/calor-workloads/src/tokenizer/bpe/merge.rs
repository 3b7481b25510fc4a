//! A word becomes tokens: of all neighbours that may be merged those of the lowest rank are, the leftmost first, until
//! none may. Short words are scanned for the lowest rank each time, which no queue is quicker than; long ones have a heap,
//! so that a line without spaces takes n log n and not n².

use std::cmp::Reverse;
use std::collections::BinaryHeap;

use super::ranks::Ranks;
use super::tally::Tally;

/// Up to this many bytes a word is scanned: nearly all words, and few enough for the square of their number to stay small.
const SCANNED: usize = 96;

/// No rank: this pair is not merged.
const NEVER: u32 = u32::MAX;

/// Memory that is used again for each word.
#[derive(Debug, Default)]
pub(super) struct Scratch {
    parts: Vec<Part>,
    links: Vec<Link>,
    heap: BinaryHeap<Reverse<u64>>,
}

/// A token so far, and what it and its right neighbour would become.
#[derive(Clone, Copy, Debug)]
struct Part {
    id: u32,
    rank: u32,
    merged: u32,
}

/// A token so far between its neighbours; `DEAD` once it is part of the one before.
#[derive(Clone, Copy, Debug)]
struct Link {
    id: u32,
    before: u32,
    after: u32,
}

/// No neighbour, or no token.
const NONE: u32 = u32::MAX;

/// Appends the ids of a word's tokens; `bytes` are the ids of single bytes.
pub(super) fn merge<T: Tally>(
    word: &[u8],
    bytes: &[u32; 256],
    ranks: &Ranks,
    scratch: &mut Scratch,
    ids: &mut Vec<u32>,
    tally: &mut T,
) {
    tally.byte_lookups(word.len());
    if word.len() <= SCANNED {
        scan(word, bytes, ranks, &mut scratch.parts, ids, tally);
    } else {
        heap(word, bytes, ranks, scratch, ids, tally);
    }
}

fn scan<T: Tally>(
    word: &[u8],
    bytes: &[u32; 256],
    ranks: &Ranks,
    parts: &mut Vec<Part>,
    ids: &mut Vec<u32>,
    tally: &mut T,
) {
    let joined = |left: u32, right: Option<&Part>| match right.and_then(|right| ranks.get(left, right.id)) {
        Some(merge) => (merge.rank, merge.id),
        None => (NEVER, 0),
    };
    parts.clear();
    parts.extend(word.iter().map(|&byte| Part { id: bytes[usize::from(byte)], rank: NEVER, merged: 0 }));
    for at in 1..parts.len() {
        (parts[at - 1].rank, parts[at - 1].merged) = joined(parts[at - 1].id, Some(&parts[at]));
    }
    tally.pair_lookups(parts.len().saturating_sub(1));
    while let Some(at) = lowest(parts) {
        parts[at].id = parts[at].merged;
        parts.remove(at + 1);
        (parts[at].rank, parts[at].merged) = joined(parts[at].id, parts.get(at + 1));
        if at > 0 {
            (parts[at - 1].rank, parts[at - 1].merged) = joined(parts[at - 1].id, Some(&parts[at]));
        }
        tally.pair_lookups(usize::from(at > 0) + usize::from(at + 1 < parts.len()));
        tally.merges(1);
    }
    ids.extend(parts.iter().map(|part| part.id));
}

/// The leftmost of the lowest rank.
#[inline]
fn lowest(parts: &[Part]) -> Option<usize> {
    let mut best = (NEVER, 0);
    for (at, part) in parts.iter().enumerate() {
        if part.rank < best.0 {
            best = (part.rank, at);
        }
    }
    (best.0 != NEVER).then_some(best.1)
}

fn heap<T: Tally>(
    word: &[u8],
    bytes: &[u32; 256],
    ranks: &Ranks,
    scratch: &mut Scratch,
    ids: &mut Vec<u32>,
    tally: &mut T,
) {
    let Scratch { links, heap, .. } = scratch;
    links.clear();
    heap.clear();
    let n = word.len() as u32;
    links.extend(word.iter().zip(0..n).map(|(&byte, at)| Link {
        id: bytes[usize::from(byte)],
        before: at.checked_sub(1).unwrap_or(NONE),
        after: if at + 1 < n { at + 1 } else { NONE },
    }));
    for at in 0..n {
        offer(at, links, ranks, heap, tally);
    }
    while let Some(Reverse(entry)) = heap.pop() {
        let (rank, at) = ((entry >> 32) as u32, entry as u32);
        let Link { id, before, after } = links[at as usize];
        if id == NONE || after == NONE {
            continue;
        }
        // An entry of a pair that is no longer there is passed over.
        tally.pair_lookups(1);
        let right = links[after as usize];
        let Some(merge) = ranks.get(id, right.id).filter(|merge| merge.rank == rank) else { continue };
        tally.merges(1);
        links[after as usize].id = NONE;
        links[at as usize] = Link { id: merge.id, before, after: right.after };
        if right.after != NONE {
            links[right.after as usize].before = at;
        }
        offer(at, links, ranks, heap, tally);
        if before != NONE {
            offer(before, links, ranks, heap, tally);
        }
    }
    let mut at = 0;
    while at != NONE {
        let link = links[at as usize];
        ids.push(link.id);
        at = link.after;
    }
}

/// Puts a token and its right neighbour into the heap, if they may be merged.
fn offer<T: Tally>(
    at: u32,
    links: &[Link],
    ranks: &Ranks,
    heap: &mut BinaryHeap<Reverse<u64>>,
    tally: &mut T,
) {
    let link = links[at as usize];
    let Some(right) = links.get(link.after as usize) else { return };
    tally.pair_lookups(1);
    if let Some(merge) = ranks.get(link.id, right.id) {
        heap.push(Reverse(u64::from(merge.rank) << 32 | u64::from(at)));
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;

    use super::super::tally::Counts;
    use super::*;

    /// Tokens 0 to 255 are bytes; a b → 256, ab c → 257, b c → 258, a a → 259.
    fn ranks() -> Ranks {
        let id = u32::from;
        Ranks::new(&[
            ((id(b'a'), id(b'b')), 256),
            ((256, id(b'c')), 257),
            ((id(b'b'), id(b'c')), 258),
            ((id(b'a'), id(b'a')), 259),
        ])
    }

    type Way = fn(&[u8], &[u32; 256], &Ranks, &mut Scratch, &mut Vec<u32>, &mut Counts);

    fn scanned(w: &[u8], b: &[u32; 256], r: &Ranks, s: &mut Scratch, i: &mut Vec<u32>, c: &mut Counts) {
        scan(w, b, r, &mut s.parts, i, c);
    }

    fn merged(way: Way, word: &[u8]) -> (Vec<u32>, Counts) {
        let bytes = std::array::from_fn(|byte| byte as u32);
        let (mut ids, mut counts) = (Vec::new(), Counts::default());
        way(word, &bytes, &ranks(), &mut Scratch::default(), &mut ids, &mut counts);
        (ids, counts)
    }

    #[test]
    fn lower_ranks_go_first_and_the_leftmost_of_equals() {
        for way in [scanned as Way, heap] {
            let ids = |word: &str| merged(way, word.as_bytes()).0;
            assert_eq!(ids("abc"), [257]);
            assert_eq!(ids("bc"), [258]);
            assert_eq!(ids("aaa"), [259, u32::from(b'a')]);
            assert_eq!(ids("aab"), [u32::from(b'a'), 256]);
            assert_eq!(ids("x"), [u32::from(b'x')]);
        }
        assert_eq!(merged(scanned, b"abc").1.merges, 2);
    }

    proptest! {
        #[test]
        fn both_ways_give_the_same_tokens_and_each_merge_takes_one_away(word in "[abcx]{1,300}") {
            let (tokens, counts) = merged(scanned, word.as_bytes());
            prop_assert_eq!(&tokens, &merged(heap, word.as_bytes()).0);
            prop_assert_eq!(counts.merges as usize, word.len() - tokens.len());
            prop_assert_eq!(counts.merges, merged(heap, word.as_bytes()).1.merges);
        }
    }
}
