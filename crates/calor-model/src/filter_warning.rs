//! Where a filtered profile is not exactly what was asked for, because some tables lack what the filter goes by.

use crate::rewrite::{Selection, clip};
use crate::{Profile, Warning};

impl Profile {
    /// What has to be said about the part of this profile that `selection` keeps.
    pub(crate) fn filter_warnings(&self, selection: &Selection) -> Vec<Warning> {
        let mut warnings = Vec::new();
        let mut warn = |applies: bool, code, message: &str, count: Option<usize>| {
            if applies {
                warnings.push(Warning { count: count.map(|n| n as u64), ..Warning::new(code, message) });
            }
        };
        let has_gpu_rows = !self.gpu.kernels.is_empty() || !self.gpu.copies.is_empty();
        let has_gpu_scopes = !self.gpu.scopes.is_empty();
        if let Some(range) = &selection.range {
            let tracks = self.timeline.iter().filter(|(thread, _)| selection.keeps_thread(*thread));
            let spans = tracks.flat_map(|(_, track)| &track.spans);
            let n_cut = spans.filter(|span| clip(span, range).is_some_and(|part| part != **span)).count();
            let n_timeless = self.samples.iter().filter(|(key, _)| key.at_nanos.is_none()).count();
            let from_timeline = selection.omits_scopes;
            warn(
                from_timeline,
                "scopes_from_timeline",
                "scope statistics were computed from the spans in the time range; calls whose spans were not \
                 kept are missing, as are labels, work and memory",
                None,
            );
            warn(
                from_timeline && n_cut > 0,
                "spans_cut",
                "spans that cross an edge of the time range count with the part inside it",
                Some(n_cut),
            );
            warn(
                !from_timeline && !self.scopes.is_empty(),
                "scopes_of_whole_run",
                "scope statistics carry no time and cover the whole run; record a timeline, and ask for no \
                 label, to have them for the time range",
                None,
            );
            warn(
                n_timeless > 0,
                "samples_of_whole_run",
                "samples without a time cover the whole run, not the time range",
                Some(n_timeless),
            );
            warn(
                !self.events.is_empty(),
                "events_of_whole_run",
                "events carry no time and cover the whole run, not the time range",
                None,
            );
            warn(
                !self.heap.is_empty(),
                "heap_of_whole_run",
                "heap figures carry no time and cover the whole run, not the time range",
                None,
            );
            let keeps_launches = has_gpu_rows && selection.labels.is_none();
            let keeps_gpu_scopes = has_gpu_scopes && !selection.omits_scopes;
            warn(
                selection.threads.is_none() && (keeps_launches || keeps_gpu_scopes),
                "gpu_of_whole_run",
                "GPU figures carry no time and cover the whole run, not the time range",
                None,
            );
        }
        let is_partial =
            selection.range.is_some() || selection.threads.is_some() || selection.labels.is_some();
        warn(
            is_partial && !self.code.is_empty(),
            "code_of_whole_run",
            "samples by instruction carry neither time, threads nor labels and cover the whole run",
            None,
        );
        warn(
            (has_gpu_rows || has_gpu_scopes) && selection.threads.is_some(),
            "gpu_left_out",
            "GPU figures carry no threads and were left out; filter by function or label to keep them",
            None,
        );
        warn(
            has_gpu_rows && selection.threads.is_none() && selection.labels.is_some(),
            "gpu_left_out",
            "kernels and copies of GPUs carry no labels and were left out; what each scope had GPUs do is kept. Filter by function to \
             keep all",
            None,
        );
        warn(
            !self.heap.snapshots.is_empty() && (selection.threads.is_some() || selection.labels.is_some()),
            "heap_snapshots_left_out",
            "snapshots of the heap carry neither threads nor labels and were left out, so growth is not told; \
             filter by function or time to keep them",
            None,
        );
        warn(
            selection.labels.is_some() && self.timeline.n_spans() > 0,
            "spans_left_out",
            "spans carry no labels and were left out; filter by thread or time to keep them",
            None,
        );
        warnings
    }
}
