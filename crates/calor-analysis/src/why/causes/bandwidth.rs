//! The slower side needs more from far memory. Two things tell: its loops go along more stretches of memory, and move what
//! that takes nearly as fast as memory delivers; or it loses more, compared with the other, where data comes from far than
//! while data is near, and what it loses near as well is not for memory. The other one alone may get quicker by element as
//! what each call costs is spread over more of them: so the slower side itself has to take longer for each far element.

use super::traffic::traffic;
use crate::why::WhyCause;
use crate::why::gap::Gap;
use crate::why::share::Claim;
use crate::why::words::{bytes, size};

/// Up to this, as a logarithm, a side is no slower than the other.
const ALIKE: f64 = 0.14;
/// By so many times longer an element takes where memory has a part in it: near sizes scatter by less.
const LONGER: f64 = 1.15;

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
    let (near_at, near) = near(gap, &by_size)?;
    let own_loss = lost_to_distance(gap)?;
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
        size(gap.evidence.points[near_at].size),
        size(point.size)
    )];
    let nanos = (gap.slow_cpu - gap.fast_cpu * near.max(0.0).exp()).min(own_loss);
    Some(Claim { cause: WhyCause::Bandwidth, nanos, evidence })
}

/// How much longer a call of the slower side takes than its elements would take near: `None` where they take no longer. What
/// any call costs is in neither.
fn lost_to_distance(gap: &Gap<'_>) -> Option<f64> {
    let fixed = gap.lines.map_or(0.0, |lines| lines[gap.slower].fixed);
    let nanos = |at: usize| gap.evidence.points[at].nanos(gap.evidence.clock)[gap.slower];
    let in_elements = |at: usize| (nanos(at) - fixed).max(0.0);
    let (focus, here) = (gap.evidence.focus, tier_at(gap, gap.evidence.focus));
    let is_nearer = |at: &usize| here.is_none() || tier_at(gap, *at) < here;
    // What elements take is not known where most of a call is what any call costs.
    let nearer = (0..focus).filter(is_nearer).filter(|at| in_elements(*at) >= 0.5 * nanos(*at));
    let each = nearer.map(|at| in_elements(at) / gap.evidence.points[at].size).reduce(f64::min)?;
    let (taken, near) = (in_elements(focus), each * gap.point().size);
    (taken >= LONGER * near).then_some(taken - near)
}

/// The number of the tier that holds what a call of a size works on.
fn tier_at(gap: &Gap<'_>, at: usize) -> Option<usize> {
    let (roof, bytes) = gap.roof().zip(gap.evidence.points[at].bytes)?;
    Some(roof.tier_with_room_for(bytes)?.0)
}

/// The size at which the side is slowest while its data is near, and the logarithm by which: of the sizes that the nearest
/// cache among them holds, or the smallest where that is not known.
fn near(gap: &Gap<'_>, by_size: &[f64]) -> Option<(usize, f64)> {
    let nearest = tier_at(gap, 0);
    let is_near = |at: &usize| *at == 0 || nearest.is_some() && tier_at(gap, *at) == nearest;
    let held = (0..by_size.len()).take_while(is_near);
    held.map(|at| (at, by_size[at])).max_by(|a, b| a.1.total_cmp(&b.1))
}
