//! What every reader of somebody else's format owes the model: a run that the rest can be told to belong to, sums that
//! can be counted, and a refusal where a file holds something and nothing of it is of use.

use std::collections::BTreeSet;

use calor_model::{
    HeapKey, HeapMode, HeapSite, HeapSummary, Profile, Recorder, Run, RunId, SampleKey, SampleKind,
    SampleWeight,
};

use crate::{Error, Format, Metric, sums};

/// Gives a profile that was read from `bytes` its run: the id follows from the content, so that a file that is
/// read twice is one run and two files are two; what recorded follows from what the profile holds.
/// `run` is what the format itself tells, if it tells something.
pub(crate) fn finish(profile: &mut Profile, bytes: &[u8], run: Run) {
    let mut recorders: BTreeSet<Recorder> = run.recorders.clone();
    if !profile.scopes.is_empty() || !profile.timeline.is_empty() {
        recorders.insert(Recorder::Scopes);
    }
    for (key, _) in profile.samples.iter() {
        match key.kind {
            SampleKind::OffCpu => recorders.insert(Recorder::OffCpu),
            _ => recorders.insert(Recorder::Cpu),
        };
    }
    if !profile.heap.is_empty() {
        recorders.insert(Recorder::Heap);
    }
    if !profile.gpu.is_empty() {
        recorders.insert(Recorder::Gpu);
    }
    if !profile.counters.is_empty() {
        recorders.insert(Recorder::Counters);
    }
    profile.runs = vec![Run { id: RunId(fingerprint(bytes)), recorders, ..run }];
    profile.timeline.sort();
    profile.counters.sort();
    sums::bound(profile);
}

/// Adds a self value of a metric to the table that the metric is of. What ran on a GPU has no thread there, so it becomes
/// samples like the rest.
pub(crate) fn add_weight(profile: &mut Profile, metric: Metric, key: HeapKey, value: u64, count: u64) {
    let kind = match metric {
        Metric::Allocated | Metric::Peak | Metric::Live | Metric::Temporary => {
            let mut site = HeapSite { allocated_bytes: value, allocated_count: count, ..HeapSite::default() };
            if metric == Metric::Peak {
                (site.peak_bytes, site.peak_count) = (value, count);
            }
            if metric == Metric::Temporary {
                (site.freed_bytes, site.freed_count) = (value, count);
                (site.temporary_bytes, site.temporary_count) = (value, count);
            }
            profile.heap.add(key, &site);
            let unknown = HeapSummary::new(HeapMode::Sampled, 0, None);
            profile.heap.summary.get_or_insert(unknown);
            return;
        }
        Metric::OffCpu => SampleKind::OffCpu,
        Metric::Wall => SampleKind::Wall,
        _ => SampleKind::Cpu,
    };
    let HeapKey { stack, thread, labels } = key;
    let key = SampleKey { kind, stack, thread, labels, at_nanos: None };
    profile.samples.add(key, SampleWeight { count, nanos: value });
}

/// Refuses a profile that has nothing in it because all that the file holds was left out. One that is empty because
/// there was nothing to read is fine.
pub(crate) fn refuse_useless(profile: &Profile, format: Format) -> Result<(), Error> {
    let left_out = profile.warnings.iter().filter_map(|warning| Some((&warning.message, warning.count?)));
    let reasons: Vec<String> =
        left_out.map(|(message, count)| format!("{message} ({count} times)")).collect();
    if profile.is_empty() && !reasons.is_empty() {
        return Err(Error::NothingUsable { format, why: reasons.join("; ") });
    }
    Ok(())
}

/// A number that two different contents share by accident only; not made to withstand somebody who tries.
fn fingerprint(bytes: &[u8]) -> u128 {
    // The multiplier of the 128-bit FNV hash, here over words of eight bytes.
    const PRIME: u128 = 0x0000_0000_0100_0000_0000_0000_0000_013B;
    let mut hash = bytes.len() as u128 | 1 << 127;
    for word in bytes.chunks(8) {
        let mut padded = [0; 8];
        padded[..word.len()].copy_from_slice(word);
        hash = (hash ^ u128::from(u64::from_le_bytes(padded))).wrapping_mul(PRIME);
        hash ^= hash >> 67;
    }
    hash
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_change_anywhere_changes_the_fingerprint() {
        let bytes: Vec<u8> = (0..100).collect();
        let whole = fingerprint(&bytes);
        assert_eq!(whole, fingerprint(&bytes.clone()));
        for at in 0..bytes.len() {
            let mut changed = bytes.clone();
            changed[at] ^= 1;
            assert_ne!(fingerprint(&changed), whole, "byte {at}");
            assert_ne!(fingerprint(&bytes[..at]), whole, "the first {at} bytes");
        }
    }
}
