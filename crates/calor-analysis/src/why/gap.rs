//! The gap that is to be explained, seen from the slower side: what causes look at.

use super::{WhyClock, WhyEvidence, WhyLine, WhyPoint, WhySide, why_lines};
use crate::{MachineRoof, RoofTier};

/// Fewer samples do not tell what a side does.
pub(super) const LEAST_SAMPLES: u64 = 50;

/// Names of the sides.
pub(super) const NAMES: [char; 2] = ['A', 'B'];

/// Both sides at the size of the gap.
pub(super) struct Gap<'e> {
    pub(super) evidence: &'e WhyEvidence,
    pub(super) slower: usize,
    pub(super) slow: &'e WhySide,
    pub(super) fast: &'e WhySide,
    /// What a call takes by the clock of the gap.
    pub(super) slow_nanos: f64,
    pub(super) fast_nanos: f64,
    /// Time on processors of a call.
    pub(super) slow_cpu: f64,
    pub(super) fast_cpu: f64,
    pub(super) lines: Option<[WhyLine; 2]>,
}

impl<'e> Gap<'e> {
    /// `None` where there is no such size, or no time.
    pub(super) fn of(evidence: &'e WhyEvidence) -> Option<Self> {
        let point = evidence.points.get(evidence.focus)?;
        let clock = evidence.clock;
        let nanos = point.nanos(clock);
        if nanos.iter().any(|nanos| *nanos <= 0.0 || !nanos.is_finite()) {
            return None;
        }
        let slower = usize::from(nanos[1] > nanos[0]);
        let faster = 1 - slower;
        Some(Self {
            evidence,
            slower,
            slow: &evidence.sides[slower],
            fast: &evidence.sides[faster],
            slow_nanos: nanos[slower],
            fast_nanos: nanos[faster],
            slow_cpu: point.cpu[slower],
            fast_cpu: point.cpu[faster],
            lines: why_lines(&evidence.points, clock, evidence.roof.as_ref()),
        })
    }

    /// The name of the slower side.
    pub(super) fn slow_name(&self) -> char {
        NAMES[self.slower]
    }

    /// The name of the faster side.
    pub(super) fn fast_name(&self) -> char {
        NAMES[1 - self.slower]
    }

    pub(super) fn point(&self) -> &WhyPoint {
        &self.evidence.points[self.evidence.focus]
    }

    pub(super) fn roof(&self) -> Option<&MachineRoof> {
        self.evidence.roof.as_ref()
    }

    /// The tier of memory that holds what a call works on, with its number from the nearest; `None` where that is not known.
    pub(super) fn tier(&self) -> Option<(usize, &RoofTier)> {
        self.roof().zip(self.point().bytes).and_then(|(roof, bytes)| roof.tier_with_room_for(bytes))
    }

    /// Whether the samples of both sides tell something.
    pub(super) fn has_samples(&self) -> bool {
        [self.slow, self.fast].iter().all(|side| side.n_samples >= LEAST_SAMPLES)
    }

    /// How much longer the slower side is in a part of its samples, in nanoseconds of CPU time.
    pub(super) fn longer(&self, part: impl Fn(&WhySide) -> f64) -> f64 {
        (self.slow_cpu * part(self.slow) - self.fast_cpu * part(self.fast)).max(0.0)
    }

    /// Bytes and blocks that a call of the slower side allocates beyond the other, where the blocks are as large as data: a
    /// temporary, or a copy. What has the same number of blocks only has larger data, and small ones are overhead.
    pub(super) fn temporaries(&self) -> Option<(f64, f64)> {
        const LEAST_PART: f64 = 0.05;
        const LEAST_BYTES: f64 = 256.0;
        let bytes = self.slow.heap_bytes? - self.fast.heap_bytes?;
        let blocks = self.slow.heap_blocks? - self.fast.heap_blocks?;
        let least = (LEAST_PART * self.point().bytes.unwrap_or(0.0)).max(LEAST_BYTES);
        (blocks >= 0.5 && bytes / blocks >= least).then_some((bytes, blocks))
    }

    /// The logarithm by which the slower side is slower at each size, the smallest first.
    pub(super) fn by_size(&self) -> Vec<f64> {
        let sign = if self.slower == 1 { 1.0 } else { -1.0 };
        self.evidence.points.iter().map(|point| sign * point.gap(self.evidence.clock)).collect()
    }

    /// Whether the gap is of wall time.
    pub(super) fn is_of_wall(&self) -> bool {
        self.evidence.clock == WhyClock::Wall
    }
}
