//! When and of what a trace is: its first and last time, its run as far as it tells, and the names of its processes.

use std::collections::BTreeMap;

use calor_model::Run;

use super::number;
use super::text::{entries, entry, text};
use super::words;

#[derive(Debug, Default)]
pub(super) struct Origin {
    /// The first and the last time that was met.
    range: Option<(i64, i64)>,
    /// What the clock of the trace counts from, in nanoseconds since 1970.
    base_unix_nanos: Option<u64>,
    /// What a trace of ours says about its run; its clock counts from the start of the run.
    ours: Option<Run>,
    processes: BTreeMap<String, String>,
}

impl Origin {
    /// Takes notice of a time.
    pub(super) fn meet(&mut self, at: i64, end: i64) {
        self.range = Some(match self.range {
            Some((first, last)) => (first.min(at), last.max(end)),
            None => (at, end),
        });
    }

    /// Something that stands beside the events.
    pub(super) fn property(&mut self, name: &str, raw: &str) {
        match name {
            // As the profiler of PyTorch writes it, and VizTracer.
            "baseTimeNanoseconds" => self.base_unix_nanos = number::whole(raw),
            "viztracer_metadata" => {
                let base = entry(raw, "baseTimeNanoseconds").and_then(number::whole);
                self.base_unix_nanos = base.or(self.base_unix_nanos);
            }
            words::RUN => {
                let mut run = Run::default();
                for (key, value) in entries(raw) {
                    match (&*key, number::whole(value)) {
                        (words::STARTED_AT, Some(nanos)) => run.started_at_unix_nanos = nanos,
                        (words::DURATION, Some(nanos)) => run.duration_nanos = nanos,
                        (words::COMMAND, _) => run.command = Some(text(value).into_owned()),
                        _ => {}
                    }
                }
                self.ours = Some(run);
            }
            _ => {}
        }
    }

    pub(super) fn process_name(&mut self, pid: &str, name: &str) {
        self.processes.insert(pid.to_owned(), name.to_owned());
    }

    /// Where the run's clock starts, on the clock of the trace.
    pub(super) fn start(&self) -> i64 {
        let first = self.range.map_or(0, |(first, _)| first);
        if self.ours.is_some() { first.min(0) } else { first }
    }

    /// The last time of the trace.
    pub(super) fn end(&self) -> i64 {
        self.range.map_or(0, |(_, last)| last)
    }

    /// The run.
    pub(super) fn run(self) -> Run {
        let seen = self.start().abs_diff(self.end());
        if let Some(run) = self.ours {
            return Run { duration_nanos: run.duration_nanos.max(seen), ..run };
        }
        let started = self.base_unix_nanos.and_then(|base| base.checked_add_signed(self.start()));
        let mut run =
            Run { started_at_unix_nanos: started.unwrap_or(0), duration_nanos: seen, ..Run::default() };
        if self.processes.len() == 1 {
            run.command = self.processes.into_values().next();
        } else {
            let label = |(pid, name)| (format!("process {pid}"), name);
            run.labels = self.processes.into_iter().map(label).collect();
        }
        run
    }
}
