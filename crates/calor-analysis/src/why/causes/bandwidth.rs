//! The slower side needs more from far memory. Two things tell: its loops go along more stretches of memory, and move what
//! that takes nearly as fast as memory delivers; or it loses more, compared with the other, where data comes from far than
//! while data is near, and what it loses near as well is not for memory.

use super::traffic::traffic;
use crate::why::WhyCause;
use crate::why::gap::Gap;
use crate::why::share::Claim;
use crate::why::words::{bytes, size};

/// Up to this, as a logarithm, a side is no slower than the other.
const ALIKE: f64 = 0.14;

/// For where nothing else makes the loops slow. `in_loops` is how much longer they take.
pub(in crate::why) fn bandwidth(gap: &Gap<'_>, in_loops: f64) -> Option<Claim> {
    // Temporaries are traffic, too, and told of as such. In the nearest cache nothing is far.
    if gap.temporaries().is_some() || gap.tier().is_some_and(|(at, _)| at == 0) {
        return None;
    }
    let found = [traffic(gap), beyond_near(gap)];
    let mut claim = found.into_iter().flatten().max_by(|a, b| a.nanos.total_cmp(&b.nanos))?;
    claim.nanos = claim.nanos.min(in_loops);
    Some(claim)
}

/// What is lost beyond what is lost near the processor.
fn beyond_near(gap: &Gap<'_>) -> Option<Claim> {
    let by_size = gap.by_size();
    let focus = gap.evidence.focus;
    let near = near(gap, &by_size)?;
    if focus == 0 || by_size[focus] - near.max(0.0) < 2.0 * ALIKE {
        return None;
    }
    let (point, tier) = (gap.point(), gap.tier());
    let from = tier.map(|(_, tier)| format!(" and comes from {}", tier.name)).unwrap_or_default();
    let holds = point
        .bytes
        .map(|amount| format!(", where a call works on {}{from}", bytes(amount)))
        .unwrap_or_default();
    let (name, times) = (gap.slow_name(), by_size[focus].exp());
    let how = match near {
        near if near < -ALIKE => "it is the faster one".to_owned(),
        near if near <= ALIKE => "the sides are alike".to_owned(),
        near => format!("{name} takes {:.1} times as long", near.exp()),
    };
    let evidence = vec![format!(
        "{how} at size {} and {name} takes {times:.1} times as long at size {}{holds}",
        size(gap.evidence.points[0].size),
        size(point.size)
    )];
    let nanos = gap.slow_cpu - gap.fast_cpu * near.max(0.0).exp();
    Some(Claim { cause: WhyCause::Bandwidth, nanos, evidence })
}

/// The logarithm by which the side is slower while its data is near: the largest of the sizes that the nearest cache among
/// them holds, of the smallest where that is not known.
fn near(gap: &Gap<'_>, by_size: &[f64]) -> Option<f64> {
    let tier = |at: usize| {
        let (roof, bytes) = gap.roof().zip(gap.evidence.points[at].bytes)?;
        Some(roof.tier_for(bytes)?.0)
    };
    let nearest = tier(0);
    let held = (0..by_size.len()).take_while(|at| *at == 0 || nearest.is_some() && tier(*at) == nearest);
    held.map(|at| by_size[at]).reduce(f64::max)
}
