//! What a flame graph is drawn from: the metric that was asked for at the beginning, on the threads asked for.

use anyhow::{Result, bail};
use calor_analysis::{ThreadChoice, selection};
use calor_formats::{Error, Metric};
use calor_model::Profile;
use calor_report::flame::FlameInput;

/// The metrics of a profile, the one to show first; never none.
pub(super) fn collect(
    profile: &Profile,
    asked_for: Option<Metric>,
    thread: Option<&str>,
) -> Result<FlameInput> {
    let mut input = FlameInput::of_profile(profile);
    if let Some(metric) = asked_for {
        let Some(chosen) = input.metrics.iter().position(|known| known.id == metric.word()) else {
            let words: Vec<&str> = input.metrics.iter().map(|known| known.id.as_str()).collect();
            let available = if words.is_empty() { "nothing".to_owned() } else { words.join(", ") };
            return Err(Error::MetricMissing { metric, available }.into());
        };
        input.metrics[..=chosen].rotate_right(1);
    }
    if let Some(name) = thread {
        keep_thread(profile, &mut input, name)?;
    }
    if input.metrics.is_empty() {
        bail!(
            "nothing to draw: the profile holds no scopes, samples, allocations or GPU work; \
             see `calor report` for what it does hold"
        );
    }
    Ok(input)
}

fn keep_thread(profile: &Profile, input: &mut FlameInput, name: &str) -> Result<()> {
    selection::check_thread(profile, &ThreadChoice::Named(name.to_owned()))?;
    let is_meant: Vec<bool> =
        profile.threads.iter().map(|(_, thread)| profile.strings.get(thread.name) == name).collect();
    let first = input.metrics.first().map(|metric| metric.id.clone());
    for metric in &mut input.metrics {
        metric.weights.retain(|weight| weight.thread.is_some_and(|thread| is_meant[thread.index()]));
    }
    input.metrics.retain(|metric| metric.weights.iter().any(|weight| weight.self_value > 0));
    // Another metric than the chosen one would be a surprise.
    if let Some(first) = first
        && input.metric(&first).is_none()
    {
        bail!("thread `{name}` has no {first}: choose another --thread or --metric");
    }
    Ok(())
}
