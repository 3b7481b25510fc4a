//! Of more spans than there is room for, the longest: at first sight the others are too narrow to be seen.

use calor_model::{Profile, Span, Timeline, Warning};

/// Says which spans are among the longest, in one walk over all of them.
pub(crate) struct Longest {
    /// Spans that took longer are kept.
    pub(crate) threshold_nanos: u64,
    /// Of those that took exactly as long, so many.
    n_ties: usize,
}

impl Longest {
    /// The `keep` longest of the spans for which `choose` holds.
    pub(crate) fn of<'t>(spans: impl Iterator<Item = &'t Span>, keep: usize) -> Self {
        let mut durations: Vec<u64> = spans.map(|span| span.duration_nanos).collect();
        if keep == 0 {
            return Self { threshold_nanos: u64::MAX, n_ties: 0 };
        }
        if keep >= durations.len() {
            return Self { threshold_nanos: 0, n_ties: usize::MAX };
        }
        let (longer, &mut threshold_nanos, _) = durations.select_nth_unstable_by(keep - 1, |a, b| b.cmp(a));
        let n_longer = longer.iter().filter(|nanos| **nanos > threshold_nanos).count();
        Self { threshold_nanos, n_ties: keep - n_longer }
    }

    /// Whether the next span of the walk is one of them.
    pub(crate) fn keeps(&mut self, span: &Span) -> bool {
        match span.duration_nanos.cmp(&self.threshold_nanos) {
            std::cmp::Ordering::Greater => true,
            std::cmp::Ordering::Equal if self.n_ties > 0 => {
                self.n_ties -= 1;
                true
            }
            _ => false,
        }
    }
}

/// The same profile with its `keep` longest spans alone, and a warning about the others.
pub(super) fn keep_longest(profile: &Profile, keep: usize) -> Profile {
    let n_all = profile.timeline.n_spans();
    let mut longest = Longest::of(profile.timeline.iter().flat_map(|(_, track)| &track.spans), keep);
    let mut timeline = Timeline::default();
    timeline.links.clone_from(&profile.timeline.links);
    for (thread, track) in profile.timeline.iter() {
        let into = timeline.track_mut(thread);
        into.spans = track.spans.iter().filter(|span| longest.keeps(span)).copied().collect();
        into.marks.clone_from(&track.marks);
    }
    let mut small = Profile {
        strings: profile.strings.clone(),
        frames: profile.frames.clone(),
        stacks: profile.stacks.clone(),
        threads: profile.threads.clone(),
        labels: profile.labels.clone(),
        scopes: profile.scopes.clone(),
        samples: profile.samples.clone(),
        code: profile.code.clone(),
        events: profile.events.clone(),
        heap: profile.heap.clone(),
        gpu: profile.gpu.clone(),
        counters: profile.counters.clone(),
        runs: profile.runs.clone(),
        warnings: profile.warnings.clone(),
        timeline,
    };
    let n_gone = (n_all - small.timeline.n_spans()) as u64;
    if n_gone > 0 {
        let message = "a report has no room for the whole timeline: its shortest spans were left out, while statistics \
                       hold all calls; give the profile itself to see them";
        small.warn(Warning::counted("report_spans_left_out", message, n_gone));
    }
    small
}
