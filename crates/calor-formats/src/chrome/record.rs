//! What is kept of an event until all events are known: 24 bytes, because a trace has millions and their nesting
//! can only be told once they are in order of time.

use calor_model::{FrameId, Span};

/// A beginning, an end, or both at once.
#[derive(Clone, Copy, Debug)]
pub(super) struct Record {
    /// When, in nanoseconds of the trace's own clock.
    at: i64,
    /// When it ended, or one of the two marks below.
    end: i64,
    /// The scope; `NONE` for an end that does not say of what.
    frame: u32,
    /// The row of [`Extras`](super::extra::Extras) that says more about it, or `NONE`.
    extra: u32,
}

const BEGIN: i64 = i64::MAX;
const END: i64 = i64::MIN;
const NONE: u32 = u32::MAX;

/// What a record is.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Kind {
    Begin(FrameId),
    End(Option<FrameId>),
    Whole(FrameId, i64),
}

impl Record {
    pub(super) fn begin(at: i64, frame: FrameId) -> Self {
        Self { at, end: BEGIN, frame: frame.index() as u32, extra: NONE }
    }

    pub(super) fn end(at: i64, frame: Option<FrameId>) -> Self {
        Self { at, end: END, frame: frame.map_or(NONE, |frame| frame.index() as u32), extra: NONE }
    }

    /// A whole call; `end` is a time, and times are far from the marks.
    pub(super) fn whole(at: i64, end: i64, frame: FrameId, extra: Option<u32>) -> Self {
        Self { at, end, frame: frame.index() as u32, extra: extra.unwrap_or(NONE) }
    }

    pub(super) fn at(&self) -> i64 {
        self.at
    }

    pub(super) fn extra(&self) -> Option<u32> {
        (self.extra != NONE).then_some(self.extra)
    }

    pub(super) fn kind(&self) -> Kind {
        let frame = (self.frame != NONE).then(|| FrameId::from_index(self.frame as usize));
        match (self.end, frame) {
            (BEGIN, Some(frame)) => Kind::Begin(frame),
            (END, frame) | (BEGIN, frame) => Kind::End(frame),
            (end, Some(frame)) => Kind::Whole(frame, end),
            (_, None) => Kind::End(None),
        }
    }

    /// In order of time. At one instant beginnings and ends keep the order of the file, then come whole calls, the
    /// longest first: it is the caller of the others.
    pub(super) fn order(&self) -> (i64, bool, i64) {
        match self.end {
            BEGIN | END => (self.at, false, 0),
            end => (self.at, true, -end),
        }
    }
}

// A span of the profile is as large, which keeps the memory of reading in proportion to what is read.
const _: () = assert!(size_of::<Record>() == size_of::<Span>());
