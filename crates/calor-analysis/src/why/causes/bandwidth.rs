//! The slower side is as fast as the other, or faster, while its data is near, and slower where it comes from far memory: it moves
//! more bytes, or moves them less well. Loops that look alike do not tell more.

use crate::why::WhyCause;
use crate::why::gap::Gap;
use crate::why::share::Factor;
use crate::why::words::{bytes, size};

/// Up to this, as a logarithm, a side is no slower than the other.
const ALIKE: f64 = 0.14;

pub(super) fn bandwidth(gap: &Gap<'_>) -> Option<Factor> {
    let by_size = gap.by_size();
    let focus = gap.evidence.focus;
    let nearest = *by_size.first()?;
    // Temporaries are traffic, too, and told of as such.
    let is_told = gap.temporaries().is_some();
    if is_told || focus == 0 || nearest > ALIKE || by_size[focus] < 2.0 * ALIKE {
        return None;
    }
    let point = gap.point();
    let tier = gap.roof().zip(point.bytes).and_then(|(roof, bytes)| roof.tier_for(bytes));
    // In the nearest cache nothing is far.
    if tier.is_some_and(|(at, _)| at == 0) {
        return None;
    }
    let from = tier.map(|(_, tier)| format!(" and comes from {}", tier.name)).unwrap_or_default();
    let holds = point
        .bytes
        .map(|amount| format!(", where a call works on {}{from}", bytes(amount)))
        .unwrap_or_default();
    let how = if nearest < -ALIKE { "it is the faster one" } else { "the sides are alike" };
    let evidence = vec![format!(
        "{how} at size {} and {} is slower at size {}{holds}",
        size(gap.evidence.points[0].size),
        gap.slow_name(),
        size(point.size)
    )];
    Some(Factor {
        cause: WhyCause::Bandwidth,
        times: gap.slow_nanos / gap.fast_nanos,
        is_open: true,
        evidence,
    })
}
