//! The respects in which a call path can matter: time of scopes, samples of a kind, events of a name, bytes
//! allocated, held and soon freed, time on GPUs. What makes a profile smaller asks for each of them, so that nothing
//! that stands out in any one is lost.

use crate::{Profile, SampleKind, StackId};

/// Shares of a profile (0 to 1) in one respect, by call path.
pub(crate) struct Respect {
    /// What was recorded on the path itself.
    pub(crate) own: Vec<f64>,
    /// The same with all that it called: never more than its caller's.
    pub(crate) inclusive: Vec<f64>,
}

/// All respects in which the profile has anything.
pub(crate) fn respects(profile: &Profile) -> Vec<Respect> {
    let mut found = Vec::new();
    let mut take = |rows: &mut dyn Iterator<Item = (StackId, u64)>| found.extend(respect(profile, rows));
    let self_nanos = profile.scope_self_nanos();
    take(&mut profile.scopes.iter().zip(self_nanos).map(|((key, _), nanos)| (key.stack, nanos)));
    for kind in [SampleKind::Cpu, SampleKind::OffCpu, SampleKind::Wall] {
        let rows = || profile.samples.iter().filter(move |(key, _)| key.kind == kind);
        take(&mut rows().map(|(key, weight)| (key.stack, weight.nanos)));
        take(&mut rows().map(|(key, weight)| (key.stack, weight.count)));
    }
    for name in profile.events.names() {
        let rows = profile.events.iter().filter(|(key, _)| key.name == name);
        take(&mut rows.map(|(key, weight)| (key.stack, weight.events)));
    }
    take(&mut profile.heap.iter().map(|(key, site)| (key.stack, site.allocated_bytes)));
    take(&mut profile.heap.iter().map(|(key, site)| (key.stack, site.peak_bytes)));
    take(&mut profile.heap.iter().map(|(key, site)| (key.stack, site.live_bytes())));
    take(&mut profile.heap.iter().map(|(key, site)| (key.stack, site.temporary_bytes)));
    let kernels =
        profile.gpu.kernels.iter().map(|(key, durations)| (key.launched_from, durations.total_nanos));
    let copies =
        profile.gpu.copies.iter().map(|(key, copies)| (key.launched_from, copies.durations.total_nanos));
    take(&mut kernels.chain(copies).filter_map(|(stack, nanos)| Some((stack?, nanos))));
    if profile.scopes.is_empty() {
        // A timeline without statistics: the number of spans is what there is to go by.
        let spans = profile.timeline.iter().flat_map(|(_, track)| &track.spans);
        take(&mut spans.map(|span| (span.stack, 1)));
    }
    found
}

/// For each call path, its share of the profile in the respect in which that is largest.
pub(crate) fn largest_shares(profile: &Profile, respects: &[Respect]) -> Vec<f64> {
    let mut shares = vec![0.0_f64; profile.stacks.len()];
    for respect in respects {
        for (share, inclusive) in shares.iter_mut().zip(&respect.inclusive) {
            *share = share.max(*inclusive);
        }
    }
    shares
}

fn respect(profile: &Profile, rows: &mut dyn Iterator<Item = (StackId, u64)>) -> Option<Respect> {
    let mut weights = vec![0_u128; profile.stacks.len()];
    rows.for_each(|(stack, weight)| weights[stack.index()] += u128::from(weight));
    let total: u128 = weights.iter().sum();
    if total == 0 {
        return None;
    }
    let shares = |weights: &[u128]| weights.iter().map(|weight| *weight as f64 / total as f64).collect();
    let own = shares(&weights);
    for index in (0..weights.len()).rev() {
        if let Some(parent) = profile.stacks.get(StackId::from_index(index)).parent {
            weights[parent.index()] += weights[index];
        }
    }
    Some(Respect { own, inclusive: shares(&weights) })
}
