//! What is told about a conversion, because the result has no place for it: what was not seen when it was recorded, and
//! what the format leaves out.

use std::path::Path;

use calor_analysis::quantity;
use calor_formats::{Coverage, Format, Metric};
use calor_model::Profile;

use crate::{news, output};

/// Below this share nobody would see in a picture that something is missing.
const WORTH_TELLING: f64 = 0.005;

/// Tells what is missing from a result.
pub(super) fn tell(profile: &Profile, format: Format, metric: Option<Metric>, out: Option<&Path>) {
    match format {
        // These carry the warnings themselves.
        Format::Native | Format::Json => {}
        Format::Chrome | Format::Speedscope | Format::Firefox => {
            news::short_warnings(profile, |_| false);
            if metric.unwrap_or_else(|| Metric::default_for(profile)) == Metric::Scopes {
                tell_of_spans(profile, format);
            }
        }
        // No span would be in these anyway.
        _ => news::short_warnings(profile, |code| code.starts_with("spans_")),
    }
    // What goes into a pipe is for the next tool, and not kept in the place of the profile.
    if out.is_none_or(output::is_standard) {
        return;
    }
    tell_of_left_out(profile, format, metric);
    let metric = metric.unwrap_or_else(|| Metric::default_for(profile));
    if format == Format::Chrome && metric == Metric::Scopes && profile.timeline.n_spans() > 0 {
        news::say(
            "note: read again, chrome gives the statistics of its spans: each is rounded to a nanosecond, so totals may \
             differ by as much for every call",
        );
    }
    if format == Format::Folded && metric != Metric::Cpu {
        let unit = if metric.unit() == "bytes" { "bytes" } else { "nanoseconds" };
        news::say(format_args!(
            "note: folded stacks carry no unit: these are {unit} of {metric}, and are taken for CPU samples when read \
             again; calor and pprof keep what they are"
        ));
    }
}

/// One line with all that the format has no place for.
fn tell_of_left_out(profile: &Profile, format: Format, metric: Option<Metric>) {
    let left_out = calor_formats::left_out(profile, format, metric);
    let words = match left_out.as_slice() {
        [] => return,
        [only] => (*only).to_owned(),
        [most @ .., last] => format!("{} or {last}", most.join(", ")),
    };
    let is_metric = left_out.last().is_some_and(|word| word.parse::<Metric>().is_ok());
    let advice = if is_metric { "; --metric chooses which number is written" } else { "" };
    news::say(format_args!("note: {format} holds no {words}: left out{advice}"));
}

fn tell_of_spans(profile: &Profile, format: Format) {
    let coverage = Coverage::of(profile);
    let share = coverage.missing_share();
    if share < WORTH_TELLING {
        return;
    }
    let where_whole = match format {
        Format::Speedscope => "the sums beside the events are whole",
        Format::Firefox => "the samples beside the markers are whole",
        _ => "`calor report` shows all of it",
    };
    let time = |nanos: u64| quantity::duration(nanos as f64);
    news::say(format_args!(
        "warning: {:.1} % of the time in scopes, {} of {}, has no span and is missing from the timeline of the \
         result; {where_whole}",
        100.0 * share,
        time(coverage.missing_nanos),
        time(coverage.recorded_nanos),
    ));
}
