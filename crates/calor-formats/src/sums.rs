//! Sums that are larger than can be counted. Weights of a file may add up to more than 64 bits hold; sums that stop there
//! in silence would make shares of more than the whole.

use calor_model::{Profile, SampleTable, SampleWeight, Warning};

/// Cuts samples where their sum goes beyond what can be counted, and tells of sums that do.
pub(crate) fn bound(profile: &mut Profile) {
    let n_cut = bound_samples(profile);
    let most = profile.scopes.iter().map(|(_, stats)| u128::from(stats.inclusive_nanos())).sum();
    // Self times take a walk of all paths, so only where those with callees are too large already.
    let scopes =
        if is_too_large(most) { profile.scope_self_nanos().into_iter().map(u128::from).sum() } else { 0 };
    let bytes = profile.heap.iter().map(|(_, site)| u128::from(site.allocated_bytes)).sum();
    let n_sums = [scopes, bytes].into_iter().filter(|sum: &u128| is_too_large(*sum)).count();
    if n_cut + n_sums as u64 > 0 {
        let message = "values add up to more than can be counted (2^64): those that go beyond were cut, so shares and \
                       sums are wrong; check the unit of the values";
        profile.warn(Warning::counted("values_too_large", message, n_cut + n_sums as u64));
    }
}

/// A sum that reached the largest number may have stopped there.
fn is_too_large(sum: u128) -> bool {
    sum >= u128::from(u64::MAX)
}

/// Cuts rows from the one on with which the sum of all kinds would be too large. How many were cut.
fn bound_samples(profile: &mut Profile) -> u64 {
    let sum = |of: fn(SampleWeight) -> u64| profile.samples.iter().map(|(_, row)| u128::from(of(row))).sum();
    if !is_too_large(sum(|row| row.nanos)) && !is_too_large(sum(|row| row.count)) {
        return 0;
    }
    let mut left = SampleWeight { count: u64::MAX, nanos: u64::MAX };
    let mut bounded = SampleTable::default();
    let mut n_cut = 0;
    for (key, weight) in profile.samples.iter() {
        let kept = SampleWeight { count: weight.count.min(left.count), nanos: weight.nanos.min(left.nanos) };
        left = SampleWeight { count: left.count - kept.count, nanos: left.nanos - kept.nanos };
        n_cut += u64::from(kept != weight || kept.nanos == u64::MAX || kept.count == u64::MAX);
        bounded.add(key, kept);
    }
    profile.samples = bounded;
    n_cut
}
