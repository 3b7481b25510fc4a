//! Commands that are over before there is something to measure.

use calor_model::Warning;

use super::Middle;
use super::outcome::{MeasuredSeries, name};
use crate::Metric;

/// Below this, in nanoseconds, much of what is measured is the start of a process: `sh -c true` takes about one millisecond.
const SHORTEST: f64 = 5_000_000.0;

/// What warns of such commands.
pub(super) const TOO_SHORT: &str = "too_short";

/// What stands in the warning where another metric helps.
pub(super) const WAITS: &str = "they mostly wait, so compare with `--metric wall`";

const LONGER: &str = "let each do its work several times, as in `for i in $(seq 100); do ...; done`, until it takes 5 ms \
                      or more";

/// What to know of commands that hardly take any of the time that decides.
#[must_use]
pub fn too_short(series: &[MeasuredSeries], metric: Metric) -> Option<Warning> {
    if !matches!(metric, Metric::Cpu | Metric::Wall) {
        return None;
    }
    let medians = |metric: Metric| -> Vec<f64> {
        let values = series.iter().find(|series| series.metric == metric).map(|series| &series.values);
        let middles = values.into_iter().flatten().map(|values| Middle::of(values));
        middles.map(|middle| middle.map_or(f64::NAN, |middle| middle.median)).collect()
    };
    let taken = medians(metric);
    let brief = taken.iter().enumerate().filter(|(_, median)| **median < SHORTEST);
    let brief: Vec<String> =
        brief.map(|(at, median)| format!("{} takes {}", name(at), metric.text(*median))).collect();
    if brief.is_empty() {
        return None;
    }
    let waits = metric == Metric::Cpu && medians(Metric::Wall).iter().all(|median| *median >= SHORTEST);
    let remedy = match waits {
        true => format!("{WAITS}; or {LONGER}"),
        false => LONGER.to_owned(),
    };
    let (brief, name) = (brief.join(", "), metric.name());
    let message =
        format!("too short to time well: {brief} of {name}, much of it to start a process; {remedy}");
    Some(Warning::new(TOO_SHORT, message))
}

/// Why a command cannot be compared at all.
#[must_use]
pub fn unmeasurable(name: char, metric: Metric) -> String {
    format!("command {name} is too short: no {} of it could be measured; {LONGER}", metric.name())
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(metric: Metric, cpu: [f64; 2], wall: [f64; 2]) -> Option<String> {
        let series = |metric, values: [f64; 2]| MeasuredSeries {
            metric,
            values: values.map(|value| vec![value * 1e6]).to_vec(),
        };
        let series = [series(Metric::Cpu, cpu), series(Metric::Wall, wall)];
        too_short(&series, metric).map(|warning| warning.message)
    }

    #[test]
    fn short_commands_are_named_with_what_to_do() {
        assert_eq!(check(Metric::Cpu, [5.0, 9.0], [5.0, 9.0]), None);
        assert_eq!(check(Metric::Wall, [1.0, 1.0], [80.0, 90.0]), None);
        assert_eq!(check(Metric::Rss, [1.0, 1.0], [1.0, 1.0]), None);
        let told = check(Metric::Cpu, [1.0, 9.0], [2.0, 9.0]).unwrap();
        assert!(told.contains("A takes 1.00 ms of CPU time") && told.contains("several times"), "{told}");
        let told = check(Metric::Cpu, [1.0, 2.0], [500.0, 900.0]).unwrap();
        assert!(told.contains("B takes 2.00 ms") && told.contains("--metric wall"), "{told}");
    }
}
