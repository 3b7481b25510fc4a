//! A node of a call tree: one path with its figures.

use calor_model::{FrameId, StackId};

/// A node of one [`CallTree`]; callers have smaller numbers than their callees.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
pub struct NodeId(pub(crate) u32);

impl NodeId {
    /// The node's place in [`CallTree::nodes`].
    #[must_use]
    pub fn index(self) -> usize {
        self.0 as usize
    }
}

/// One call path.
#[derive(Clone, PartialEq, Debug)]
pub struct CallNode {
    /// The path.
    pub stack: StackId,
    /// Its innermost frame.
    pub frame: FrameId,
    /// The calling path.
    pub parent: Option<NodeId>,
    /// How many callers are above.
    pub depth: u32,
    /// How often it was entered (an async scope: polled).
    pub calls: u64,
    /// How many of those calls were timed.
    pub timed_calls: u64,
    /// Calls that had not ended.
    pub open_calls: i64,
    /// Samples whose innermost frame this is.
    pub samples: u64,
    /// Time of all calls, children included, those not ended included too.
    pub inclusive_nanos: u64,
    /// The part of it outside any child.
    pub self_nanos: u64,
    /// By how much children took longer than this path, which measured exactly cannot be; estimates can.
    pub clamped_nanos: u64,
    /// What the correction took out of this path's self time.
    pub corrected_nanos: u64,
    /// The variance of `inclusive_nanos` as an estimate, in nanoseconds squared; 0 when it was measured.
    pub inclusive_variance: f64,
    /// The same of `self_nanos`.
    pub self_variance: f64,
    /// Whether `inclusive_nanos` is an estimate.
    pub is_estimated: bool,
    /// Whether `self_nanos` is: so too when a child's time is.
    pub is_self_estimated: bool,
    /// Bytes allocated outside any child; `None` when no allocator was watched.
    pub self_allocated_bytes: Option<u64>,
    /// Number of those allocations.
    pub self_allocated_count: Option<u64>,
    /// `inclusive_nanos` before any correction; 0 without a row.
    pub(crate) measured_nanos: u64,
    /// Whether it told elements, a backend or a counter.
    pub(crate) has_counts: bool,
    /// Whether it is an async scope.
    pub(crate) has_future: bool,
    /// Its rows among the tree's.
    pub(crate) rows: std::ops::Range<usize>,
}

impl CallNode {
    /// How often it was entered; `None` where only its time is known, as in files that hold sums alone.
    #[must_use]
    pub fn known_calls(&self) -> Option<u64> {
        (self.calls > 0 || self.open_calls != 0 || self.inclusive_nanos == 0).then_some(self.calls)
    }
}

impl CallNode {
    #[inline]
    pub(crate) fn new(stack: StackId, frame: FrameId, parent: Option<NodeId>, depth: u32) -> Self {
        Self {
            stack,
            frame,
            parent,
            depth,
            calls: 0,
            timed_calls: 0,
            open_calls: 0,
            samples: 0,
            inclusive_nanos: 0,
            self_nanos: 0,
            clamped_nanos: 0,
            corrected_nanos: 0,
            inclusive_variance: 0.0,
            self_variance: 0.0,
            is_estimated: false,
            is_self_estimated: false,
            self_allocated_bytes: None,
            self_allocated_count: None,
            measured_nanos: 0,
            has_counts: false,
            has_future: false,
            rows: 0..0,
        }
    }
}
