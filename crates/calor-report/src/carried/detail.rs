//! What can be missed when there is no room for all of a profile: machine code, when samples and counters were taken,
//! and the percentiles of what took little time.

use calor_analysis::workload::phases;
use calor_model::{
    CodeTable, CounterTable, DurationStats, Profile, SampleKey, SampleTable, ScopeTable, Warning,
};

/// The same profile without the machine code of its functions.
pub(super) fn without_code(mut profile: Profile) -> Profile {
    let n_gone = profile.code.len() as u64;
    if n_gone > 0 {
        profile.code = CodeTable::default();
        let message = "a report has no room for machine code: it was left out, so `calor annotate` shows lines alone; \
                       give the profile itself to see instructions";
        profile.warn(Warning::counted("report_code_left_out", message, n_gone));
    }
    profile
}

/// The same profile without the instants of samples, and without counters over time.
pub(super) fn without_instants(mut profile: Profile) -> Profile {
    let mut samples = SampleTable::default();
    let mut n_gone = 0;
    for (key, weight) in profile.samples.iter() {
        n_gone += u64::from(key.at_nanos.is_some());
        samples.add(SampleKey { at_nanos: None, ..key }, weight);
    }
    if n_gone > 0 {
        profile.samples = samples;
        let message = "a report has no room for when each sample was taken: samples of a call path were added up; give \
                       the profile itself to see them";
        profile.warn(Warning::counted("report_instants_left_out", message, n_gone));
    }
    if !profile.counters.is_empty() {
        profile.counters = CounterTable::default();
        let message = "a report has no room for counters over time: they were left out; give the profile itself to see them";
        profile.warn(Warning::new("report_counters_left_out", message));
    }
    profile
}

/// The same profile without the histograms of a share of its scopes: those that took the least time. Those that models are
/// compared by are few, and keep them.
pub(super) fn without_histograms(mut profile: Profile, share: f64) -> Profile {
    let mut totals: Vec<u64> = profile.scopes.iter().map(|(_, stats)| stats.total_nanos).collect();
    totals.sort_unstable();
    let n_gone = (totals.len() as f64 * share).ceil() as usize;
    let Some(&most) = n_gone.checked_sub(1).and_then(|last| totals.get(last)) else { return profile };
    let mut scopes = ScopeTable::default();
    scopes.reserve(profile.scopes.len());
    let mut n_lost = 0;
    let needed = phases(&profile);
    for (key, stats) in profile.scopes.iter() {
        let mut stats = stats.clone();
        if stats.total_nanos <= most && !needed.contains(&key.stack) && !stats.timed.histogram().is_empty() {
            stats.timed = without_histogram(&stats.timed);
            n_lost += 1;
        }
        scopes.add(key, stats);
    }
    profile.scopes = scopes;
    if n_lost == 0 {
        return profile;
    }
    let message = "a report has no room for the percentiles of short scopes: they were left out; give the profile itself \
                   to see them";
    profile.warn(Warning::counted("report_percentiles_left_out", message, n_lost));
    profile
}

fn without_histogram(whole: &DurationStats) -> DurationStats {
    let mut stats = DurationStats::default();
    stats.count = whole.count;
    stats.total_nanos = whole.total_nanos;
    stats.min_nanos = whole.min_nanos;
    stats.max_nanos = whole.max_nanos;
    stats.squared_deviations = whole.squared_deviations;
    stats
}
