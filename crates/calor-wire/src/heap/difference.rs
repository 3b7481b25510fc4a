//! Two heaps compared by call path: `heap_diff/1`.

use calor_analysis::HeapSide;
use calor_model::HeapBlocks;
#[cfg(feature = "schema")]
use schemars::JsonSchema;
use serde::Serialize;

use super::mode_word;
#[cfg(feature = "schema")]
use crate::words;
use crate::{HeapPath, Schema};

/// Two heaps compared by call path.
#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct HeapDifference<'w> {
    /// After less before, in all.
    pub delta_bytes: i128,
    /// Of delta_bytes, with 95 % certainty: low, high; absent when both sides are exact.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub interval: Option<[i128; 2]>,
    pub before: Side,
    pub after: Side,
    /// Call paths that differ, the largest difference first.
    pub changes: Vec<Change<'w>>,
}

#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct Side {
    #[serde(skip_serializing_if = "Option::is_none")]
    #[cfg_attr(feature = "schema", schemars(with = "Option<words::HeapMode>"))]
    pub mode: Option<&'static str>,
    pub bytes: u64,
    pub count: u64,
    /// When, of a snapshot.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub at_ns: Option<u64>,
}

#[derive(Clone, Debug, Serialize)]
#[cfg_attr(feature = "schema", derive(JsonSchema))]
pub struct Change<'w> {
    #[serde(flatten)]
    pub path: HeapPath<'w>,
    #[cfg_attr(feature = "schema", schemars(with = "words::HeapMove"))]
    pub change: &'static str,
    /// After less before.
    pub delta_bytes: i128,
    /// Of delta_bytes, with 95 % certainty: low, high; absent when both sides are exact.
    #[serde(skip_serializing_if = "Option::is_none")]
    pub interval: Option<[i128; 2]>,
    /// Whether there is a difference, with 95 % certainty.
    pub certain: bool,
    pub before_bytes: u64,
    pub before_count: u64,
    pub after_bytes: u64,
    pub after_count: u64,
}

impl Schema for HeapDifference<'_> {
    const NAME: &'static str = "calor/heap_diff/1";
}

impl Side {
    /// Of a run or of a snapshot.
    #[must_use]
    pub fn new(side: HeapSide<'_>, HeapBlocks { count, bytes }: HeapBlocks) -> Self {
        let at_ns = match side {
            HeapSide::Snapshot(_, snapshot) => Some(snapshot.at_nanos),
            HeapSide::Run(..) => None,
        };
        let mode = side.profile().heap.summary.map(|summary| mode_word(summary.mode));
        Self { mode, bytes, count, at_ns }
    }
}
