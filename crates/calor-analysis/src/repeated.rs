//! Runs whose cases are repeated until their time is over, as most of `calor bench` are. Each case is given about as long, so neither
//! what all its repetitions took nor its part of the run says how slow it is.

use calor_model::Profile;

/// The label of such runs, and its value.
pub const REPEATED_BY_TIME: (&str, &str) = ("repetitions", "by time");

/// Whether all runs of a profile are such.
#[must_use]
pub fn is_repeated_by_time(profile: &Profile) -> bool {
    let (key, value) = REPEATED_BY_TIME;
    let runs = &profile.runs;
    !runs.is_empty() && runs.iter().all(|run| run.labels.get(key).is_some_and(|told| told == value))
}
