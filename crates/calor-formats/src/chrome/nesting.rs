//! Finds out who called whom: a thread's events in order of time become spans with their call paths.
//!
//! Beginnings and ends are paired by a stack. Whole calls are inside the innermost call that lasts at least as long;
//! where two overlap and neither is inside the other, the later one takes the place of the earlier.

use calor_model::{FrameId, FrameTable, Span, StackId, StackTable};

use super::record::{Kind, Record};

/// Call paths are not followed deeper than this: deeper calls stay at this depth. No program that is understood by
/// its call tree comes near, and everything that walks a tree later may rely on it.
const MAX_DEPTH: usize = 1024;

/// How far out the beginning of an end is looked for. Losing more ends than this at once leaves the rest open.
const MAX_SEARCH: usize = 64;

/// Times are rounded to nanoseconds, each for itself: two that meet may seem to overlap by one.
const ROUNDING_NANOS: i64 = 1;

/// What did not fit together.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub(super) struct Misfits {
    /// Beginnings without an end.
    pub(super) unclosed: u64,
    /// Ends without a beginning.
    pub(super) unopened: u64,
    /// Calls that overlap and are not inside each other.
    pub(super) overlapping: u64,
    /// Calls deeper than paths are followed.
    pub(super) too_deep: u64,
}

/// A call that has begun and not ended where the walk is.
struct Open {
    begin: i64,
    /// When it ends; `None` until its end is met.
    end: Option<i64>,
    frame: FrameId,
    stack: StackId,
    /// Its place among the spans.
    span: usize,
}

/// The walk along one thread.
pub(super) struct Nesting<'a> {
    pub(super) frames: &'a FrameTable,
    pub(super) stacks: &'a mut StackTable,
    pub(super) misfits: &'a mut Misfits,
    /// Where the run's clock starts, on the clock of the trace.
    pub(super) origin: i64,
    open: Vec<Open>,
    spans: Vec<Span>,
}

impl<'a> Nesting<'a> {
    pub(super) fn new(
        frames: &'a FrameTable,
        stacks: &'a mut StackTable,
        misfits: &'a mut Misfits,
        origin: i64,
    ) -> Self {
        Self { frames, stacks, misfits, origin, open: Vec::new(), spans: Vec::new() }
    }

    /// The spans of a thread's records, callers before callees; whatever is open at the end lasts until `last`.
    /// `tell` is given the extra row of a record and the path it turned out to be on.
    pub(super) fn spans(
        mut self,
        mut records: Vec<Record>,
        last: i64,
        mut tell: impl FnMut(u32, StackId),
    ) -> Vec<Span> {
        records.sort_by_key(Record::order);
        for record in &records {
            let at = record.at();
            match record.kind() {
                Kind::Begin(frame) => {
                    while self.open.last().is_some_and(|call| call.end.is_some_and(|end| end <= at)) {
                        self.open.pop();
                    }
                    self.push(at, None, frame);
                }
                Kind::End(frame) => self.close(at, frame),
                Kind::Whole(frame, end) => {
                    self.leave_for(at, end);
                    let stack = self.push(at, Some(end), frame);
                    if let Some(extra) = record.extra() {
                        tell(extra, stack);
                    }
                }
            }
        }
        for call in std::mem::take(&mut self.open) {
            if call.end.is_none() {
                self.misfits.unclosed += 1;
                self.finish(&call, last);
            }
        }
        self.spans
    }

    /// Leaves the calls that are over before `at`, and those that end before `end` and so cannot be the caller.
    fn leave_for(&mut self, at: i64, end: i64) {
        while let Some(Open { end: Some(top), .. }) = self.open.last() {
            let is_over = *top <= at;
            if !is_over && *top + ROUNDING_NANOS >= end {
                break;
            }
            if *top > at + ROUNDING_NANOS {
                self.misfits.overlapping += 1;
            }
            self.open.pop();
        }
    }

    fn push(&mut self, at: i64, end: Option<i64>, frame: FrameId) -> StackId {
        if self.open.len() >= MAX_DEPTH {
            self.misfits.too_deep += 1;
        }
        let caller = self.open.len().min(MAX_DEPTH - 1).checked_sub(1).map(|depth| self.open[depth].stack);
        let stack = self.stacks.intern(caller, frame);
        let start_nanos = at.saturating_sub(self.origin).max(0) as u64;
        let duration_nanos = end.map_or(0, |end| end.saturating_sub(at).max(0) as u64);
        self.open.push(Open { begin: at, end, frame, stack, span: self.spans.len() });
        self.spans.push(Span { start_nanos, duration_nanos, stack });
        stack
    }

    /// Ends the innermost open call, or the innermost of the name if there is one.
    fn close(&mut self, at: i64, frame: Option<FrameId>) {
        let name = frame.map(|frame| self.frames.get(frame).name);
        let fits = |call: &Open| {
            call.end.is_none()
                && (frame.is_none_or(|frame| frame == call.frame)
                    || name == Some(self.frames.get(call.frame).name))
        };
        let Some(outwards) = self.open.iter().rev().take(MAX_SEARCH).position(fits) else {
            self.misfits.unopened += 1;
            return;
        };
        for inner in 0..=outwards {
            let Some(call) = self.open.pop() else { return };
            match call.end {
                Some(end) if end > at + ROUNDING_NANOS => self.misfits.overlapping += 1,
                Some(_) => {}
                None => {
                    if inner < outwards {
                        self.misfits.unclosed += 1;
                    }
                    self.finish(&call, at);
                }
            }
        }
    }

    fn finish(&mut self, call: &Open, at: i64) {
        self.spans[call.span].duration_nanos = at.saturating_sub(call.begin).max(0) as u64;
    }
}

#[cfg(test)]
mod tests {
    use calor_model::{FrameKind, Profile};

    use super::*;

    /// The spans of records given as `(name, begin, end)`; a call without an end is a beginning, one without a
    /// begin an end. Written as `path begin+duration`.
    fn nested(records: &[(&str, Option<i64>, Option<i64>)]) -> (Vec<String>, Misfits) {
        let mut profile = Profile::default();
        let mut frame = |name: &str| {
            let name = profile.strings.intern(name);
            profile.frames.intern(calor_model::Frame::new(name, FrameKind::Scope))
        };
        let records: Vec<Record> = records
            .iter()
            .map(|&(name, begin, end)| match (begin, end) {
                (Some(begin), Some(end)) => Record::whole(begin, end, frame(name), None),
                (Some(begin), None) => Record::begin(begin, frame(name)),
                (_, end) => Record::end(end.unwrap_or(0), (!name.is_empty()).then(|| frame(name))),
            })
            .collect();
        let mut misfits = Misfits::default();
        let nesting = Nesting::new(&profile.frames, &mut profile.stacks, &mut misfits, 0);
        let spans = nesting.spans(records, 1000, |_, _| {});
        let line = |span: &Span| {
            let path = profile.path_names(span.stack).join(";");
            format!("{path} {}+{}", span.start_nanos, span.duration_nanos)
        };
        (spans.iter().map(line).collect(), misfits)
    }

    #[test]
    fn whole_calls_are_inside_those_that_last_longer_whatever_their_order() {
        let (spans, misfits) = nested(&[
            ("c", Some(20), Some(30)),
            ("b", Some(20), Some(50)),
            ("d", Some(50), Some(60)),
            ("a", Some(0), Some(100)),
            ("e", Some(100), Some(110)),
        ]);
        assert_eq!(spans, ["a 0+100", "a;b 20+30", "a;b;c 20+10", "a;d 50+10", "e 100+10"]);
        assert_eq!(misfits, Misfits::default());
    }

    #[test]
    fn beginnings_and_ends_at_one_instant_keep_the_order_of_the_file() {
        let (spans, misfits) = nested(&[
            ("a", Some(10), None),
            ("b", Some(20), None),
            ("", None, Some(20)),
            ("", None, Some(20)),
            ("c", Some(20), None),
            ("c", None, Some(20)),
        ]);
        assert_eq!(spans, ["a 10+10", "a;b 20+0", "c 20+0"]);
        assert_eq!(misfits, Misfits::default());
    }

    #[test]
    fn a_lost_end_costs_no_more_than_its_own_call() {
        let (spans, misfits) = nested(&[
            ("a", Some(0), None),
            ("lost", Some(10), None),
            ("b", Some(20), None),
            ("b", None, Some(30)),
            ("a", None, Some(40)),
            ("d", Some(50), None),
        ]);
        assert_eq!(spans, ["a 0+40", "a;lost 10+30", "a;lost;b 20+10", "d 50+950"]);
        assert_eq!(misfits, Misfits { unclosed: 2, ..Misfits::default() });
    }

    #[test]
    fn an_end_without_its_beginning_ends_nothing_else() {
        let (spans, misfits) = nested(&[
            ("x", None, Some(1)),
            ("a", Some(2), None),
            ("x", None, Some(3)),
            ("a", None, Some(4)),
            ("", None, Some(5)),
        ]);
        assert_eq!(spans, ["a 2+2"]);
        assert_eq!(misfits, Misfits { unopened: 3, ..Misfits::default() });
    }

    #[test]
    fn calls_that_overlap_are_beside_each_other_and_counted() {
        let (spans, misfits) = nested(&[
            ("a", Some(0), Some(100)),
            ("b", Some(10), Some(50)),
            ("c", Some(40), Some(80)),
            ("d", Some(45), Some(48)),
            // One nanosecond is rounding.
            ("e", Some(79), Some(101)),
        ]);
        assert_eq!(spans, ["a 0+100", "a;b 10+40", "a;c 40+40", "a;c;d 45+3", "a;e 79+22"]);
        assert_eq!(misfits, Misfits { overlapping: 1, ..Misfits::default() });
    }

    #[test]
    fn both_kinds_of_calls_nest_in_each_other() {
        let (spans, misfits) = nested(&[
            ("a", Some(0), Some(100)),
            ("b", Some(10), None),
            ("c", Some(20), Some(30)),
            ("b", None, Some(40)),
            ("d", Some(50), Some(60)),
        ]);
        assert_eq!(spans, ["a 0+100", "a;b 10+30", "a;b;c 20+10", "a;d 50+10"]);
        assert_eq!(misfits, Misfits::default());
    }

    #[test]
    fn paths_stop_growing_at_the_depth_limit() {
        let n_calls = MAX_DEPTH as i64 + 10;
        let records: Vec<_> = (0..n_calls).map(|i| ("f", Some(i), Some(10_000 - i))).collect();
        let (spans, misfits) = nested(&records);
        assert_eq!(spans.len(), MAX_DEPTH + 10);
        let depth = |line: &String| line.matches('f').count();
        assert_eq!(spans.iter().map(depth).max(), Some(MAX_DEPTH));
        assert_eq!(misfits, Misfits { too_deep: 10, ..Misfits::default() });
    }
}
