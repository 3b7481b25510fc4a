//! Which scope was the innermost one of a thread at every moment, piece after piece. A recorder writes spans in the order
//! of their ends and a sorted timeline has them by their beginnings; the first is the second seen backwards in time, so
//! neither has to be sorted, however long the timeline is.

use calor_model::{Span, StackId};

/// A stretch during which one scope was the innermost, or none was open.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Piece {
    pub(super) start: u64,
    pub(super) end: u64,
    pub(super) stack: Option<StackId>,
}

/// Which way time runs from piece to piece.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Direction {
    Forwards,
    Backwards,
}

/// Hands `take` the pieces between `start` and `end`, all in one direction.
pub(super) fn for_each(spans: &[Span], start: u64, end: u64, mut take: impl FnMut(Piece, Direction)) {
    let end_of = |span: &Span| span.start_nanos.saturating_add(span.duration_nanos);
    let by_start = |span: &Span| (span.start_nanos, u64::MAX - span.duration_nanos);
    if spans.is_sorted_by_key(by_start) {
        let spans = spans.iter().map(|span| (span.start_nanos, end_of(span), span.stack));
        sweep(spans, start, end, |piece| take(piece, Direction::Forwards));
    } else if spans.is_sorted_by_key(end_of) {
        mirrored(spans, start, end, |piece| take(piece, Direction::Backwards));
    } else {
        let mut sorted = spans.to_vec();
        sorted.sort_by_key(by_start);
        let spans = sorted.iter().map(|span| (span.start_nanos, end_of(span), span.stack));
        sweep(spans, start, end, |piece| take(piece, Direction::Forwards));
    }
}

/// The same for spans in the order of their ends, with time running backwards.
fn mirrored(spans: &[Span], start: u64, end: u64, mut take: impl FnMut(Piece)) {
    let flip = |at: u64| u64::MAX - at;
    let flipped = spans.iter().rev().map(|span| {
        let end = span.start_nanos.saturating_add(span.duration_nanos);
        (flip(end), flip(span.start_nanos), span.stack)
    });
    sweep(flipped, flip(end), flip(start), |piece| {
        take(Piece { start: flip(piece.end), end: flip(piece.start), stack: piece.stack });
    });
}

/// Spans come with outer ones before inner ones, by their beginnings.
fn sweep(
    spans: impl Iterator<Item = (u64, u64, StackId)>,
    start: u64,
    end: u64,
    mut take: impl FnMut(Piece),
) {
    let mut open: Vec<(u64, StackId)> = Vec::new();
    let mut at = start;
    let mut reach = |at: &mut u64, until: u64, stack| {
        let until = until.min(end);
        if *at < until {
            take(Piece { start: *at, end: until, stack });
            *at = until;
        }
    };
    for (begins, ends, stack) in spans {
        while let Some(&(ends, stack)) = open.last().filter(|(ends, _)| *ends <= begins) {
            reach(&mut at, ends, Some(stack));
            open.pop();
        }
        reach(&mut at, begins, open.last().map(|(_, stack)| *stack));
        open.push((ends, stack));
    }
    while let Some((ends, stack)) = open.pop() {
        reach(&mut at, ends, Some(stack));
    }
    reach(&mut at, end, None);
}

#[cfg(test)]
mod tests {
    use super::*;

    fn stack(number: usize) -> StackId {
        StackId::from_index(number)
    }

    /// The pieces of spans `(start, end, scope)` as `scope` (or `.`) for each nanosecond from 0 to 20.
    fn line(spans: &[(u64, u64, usize)], order: impl Fn(&mut Vec<Span>)) -> String {
        let mut spans: Vec<Span> = spans
            .iter()
            .map(|&(start, end, scope)| Span {
                start_nanos: start,
                duration_nanos: end - start,
                stack: stack(scope),
            })
            .collect();
        order(&mut spans);
        let mut line = ['?'; 20];
        for_each(&spans, 0, 20, |piece, _| {
            for at in piece.start..piece.end {
                assert_eq!(line[at as usize], '?', "twice");
                line[at as usize] = piece.stack.map_or('.', |stack| char::from(b'a' + stack.index() as u8));
            }
        });
        line.iter().collect()
    }

    #[test]
    fn pieces_are_the_same_whatever_the_order_of_the_spans() {
        let spans = [(2, 16, 0), (4, 8, 1), (5, 6, 2), (8, 10, 1), (10, 10, 3), (12, 16, 2), (17, 19, 0)];
        let expected = "..aabcbbbbaacccc.aa.";
        let by_start = |spans: &mut Vec<Span>| {
            spans.sort_by_key(|span| (span.start_nanos, u64::MAX - span.duration_nanos));
        };
        let by_end = |spans: &mut Vec<Span>| {
            by_start(spans);
            spans.reverse();
            spans.sort_by_key(|span| span.start_nanos + span.duration_nanos);
        };
        assert_eq!(line(&spans, by_start), expected);
        assert_eq!(line(&spans, by_end), expected);
        assert_eq!(line(&spans, |spans| spans.reverse()), expected);
    }

    #[test]
    fn a_thread_without_an_open_scope_is_a_piece_too() {
        assert_eq!(line(&[], |_| ()), "....................");
        assert_eq!(line(&[(0, 20, 0)], |_| ()), "aaaaaaaaaaaaaaaaaaaa");
    }
}
