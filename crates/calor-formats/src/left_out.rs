//! What a profile has and a format has no place for, in words: whoever converts shall know what the result lacks.

use calor_model::{Host, Profile};

use crate::{Format, Metric};

/// Something that a profile may have beside the values of its call paths.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Content {
    Timeline,
    Marks,
    Instants,
    Percentiles,
    Calls,
    Threads,
    Labels,
    Work,
    Counters,
    Code,
    Events,
    HeapSnapshots,
    Host,
}

const ALL: [Content; 13] = [
    Content::Timeline,
    Content::Marks,
    Content::Instants,
    Content::Percentiles,
    Content::Calls,
    Content::Threads,
    Content::Labels,
    Content::Work,
    Content::Counters,
    Content::Code,
    Content::Events,
    Content::HeapSnapshots,
    Content::Host,
];

/// What of a profile is left out when it is written in a format, filled with the metric that was asked for, if one was.
/// The last of it are metrics.
#[must_use]
pub fn left_out(profile: &Profile, format: Format, metric: Option<Metric>) -> Vec<&'static str> {
    if format == Format::Native {
        return Vec::new();
    }
    let filled = metric.unwrap_or_else(|| Metric::default_for(profile));
    let contents = ALL.into_iter().filter(|content| content.is_in(profile) && !content.fits(format, filled));
    let metrics =
        Metric::available(profile).into_iter().filter(|one| !has_room(format, metric, filled, *one));
    contents.map(|content| content.words(format)).chain(metrics.map(Metric::word)).collect()
}

/// Whether a format that was asked for `asked_for` and is filled with `filled` holds the values of `metric`.
fn has_room(format: Format, asked_for: Option<Metric>, filled: Metric, metric: Metric) -> bool {
    match format {
        Format::Csv | Format::Json => true,
        Format::Pprof if asked_for.is_none() => true,
        Format::Chrome if asked_for.is_none() => metric == filled || metric == Metric::Gpu,
        _ => metric == filled,
    }
}

impl Content {
    /// Whether a profile has it.
    fn is_in(self, profile: &Profile) -> bool {
        let mut scopes = profile.scopes.iter().map(|(_, stats)| stats);
        match self {
            Self::Timeline => profile.timeline.n_spans() > 0,
            Self::Marks => profile.timeline.n_marks() > 0,
            Self::Instants => profile.samples.iter().any(|(key, _)| key.at_nanos.is_some()),
            Self::Percentiles => scopes.any(|stats| !stats.timed.histogram().is_empty()),
            Self::Calls => scopes.any(|stats| stats.calls > 0) || !profile.samples.is_empty(),
            Self::Threads => profile.threads.len() > 1,
            Self::Labels => profile.labels.iter().any(|(_, set)| !set.is_empty()),
            Self::Work => scopes.any(|stats| !stats.work.is_empty()),
            Self::Counters => !profile.counters.is_empty(),
            Self::Code => !profile.code.is_empty(),
            Self::Events => !profile.events.is_empty(),
            Self::HeapSnapshots => !profile.heap.snapshots.is_empty(),
            Self::Host => profile.runs.iter().any(|run| run.host != Host::default()),
        }
    }

    /// Whether a format that is filled with a metric holds it.
    fn fits(self, format: Format, filled: Metric) -> bool {
        let is_of_scopes = filled == Metric::Scopes;
        match format {
            Format::Pprof => matches!(self, Self::Calls | Self::Threads | Self::Labels),
            Format::Speedscope => match self {
                Self::Timeline | Self::Percentiles => is_of_scopes,
                Self::Calls | Self::Threads => true,
                _ => false,
            },
            Format::Chrome => match self {
                Self::Timeline | Self::Percentiles => is_of_scopes,
                Self::Marks | Self::Calls | Self::Threads | Self::Counters => true,
                _ => false,
            },
            Format::Firefox => {
                use Content::{Calls, Code, Events, HeapSnapshots, Labels, Percentiles, Work};
                !matches!(self, Percentiles | Calls | Labels | Work | Code | Events | HeapSnapshots)
            }
            Format::Csv => matches!(self, Self::Percentiles | Self::Calls | Self::Work),
            Format::Json => {
                matches!(self, Self::Percentiles | Self::Calls | Self::Work | Self::Events | Self::Host)
            }
            _ => false,
        }
    }

    fn words(self, format: Format) -> &'static str {
        match self {
            Self::Timeline => "timeline",
            Self::Marks => "marks",
            Self::Instants => "times of samples",
            Self::Percentiles => "percentiles",
            Self::Calls => "numbers of calls",
            Self::Threads if format == Format::Json => "threads of each path",
            Self::Threads => "threads",
            Self::Labels => "labels",
            Self::Work => "work of scopes",
            Self::Counters => "counters",
            Self::Code => "machine code",
            Self::Events => "events of call paths",
            Self::HeapSnapshots => "snapshots of the heap",
            Self::Host => "host",
        }
    }
}

#[cfg(test)]
mod tests {
    use calor_model::{
        FrameKind, LabelTable, Run, SampleKey, SampleKind, SampleWeight, ScopeKey, ScopeStats, Span,
    };

    use super::*;

    fn profile() -> Profile {
        let mut profile = Profile::default();
        let thread = profile.intern_thread(1, 1, "main");
        profile.intern_thread(1, 2, "other");
        let stack = profile.intern_named_path(&["run"], FrameKind::Scope).expect("a path of one");
        let labels = LabelTable::none();
        let mut stats = ScopeStats { calls: 1, total_nanos: 9, ..ScopeStats::default() };
        stats.timed.record(9);
        profile.scopes.add(ScopeKey { stack, thread, labels }, stats);
        profile.timeline.track_mut(thread).spans.push(Span { start_nanos: 0, duration_nanos: 9, stack });
        let key = SampleKey { kind: SampleKind::Cpu, stack, thread, labels, at_nanos: None };
        profile.samples.add(key, SampleWeight { count: 1, nanos: 5 });
        profile.runs.push(Run { host: Host { os: "linux".to_owned(), ..Host::default() }, ..Run::default() });
        profile
    }

    #[test]
    fn what_a_format_has_no_place_for_is_named_and_nothing_else() {
        for (format, metric, expected) in [
            (Format::Native, None, &[][..]),
            (Format::Pprof, None, &["timeline", "percentiles", "host"]),
            (Format::Pprof, Some(Metric::Cpu), &["timeline", "percentiles", "host", "scopes"]),
            (
                Format::Folded,
                None,
                &["timeline", "percentiles", "numbers of calls", "threads", "host", "cpu"],
            ),
            (Format::Speedscope, None, &["host", "cpu"]),
            (Format::Speedscope, Some(Metric::Cpu), &["timeline", "percentiles", "host", "scopes"]),
            (Format::Chrome, None, &["host", "cpu"]),
            (Format::Firefox, None, &["percentiles", "numbers of calls", "cpu"]),
            (Format::Csv, None, &["timeline", "threads", "host"]),
            (Format::Json, None, &["timeline", "threads of each path"]),
        ] {
            assert_eq!(left_out(&profile(), format, metric), expected, "{format} {metric:?}");
        }
        for format in Format::ALL {
            assert!(left_out(&Profile::default(), format, None).is_empty(), "{format}");
        }
    }
}
