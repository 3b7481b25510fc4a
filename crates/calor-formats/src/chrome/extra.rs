//! What some events say beyond their time: a kernel which call launched it, a launch which kernels it led to, and
//! one of our own totals how many calls it stands for. The call path of each is known only when all are nested.

use std::collections::HashMap;

use calor_model::{
    CopyKey, CopyKind, CopyStats, DurationStats, FrameKind, KernelKey, Profile, ScopeStats, StackId, StringId,
};
use foldhash::fast::RandomState;

use super::event::Event;
use super::gpu_use::GpuUse;
use super::number;
use super::text::{entries, text};
use super::words;
use crate::Metric;

/// One event that says more, and the call path it turned out to be on.
struct Extra {
    about: About,
    stack: Option<StackId>,
}

enum About {
    /// A call of the driver that leads to work on a GPU of the same number.
    Launch { correlation: u64 },
    /// Work on a GPU.
    Work { work: Work, device: u32, correlation: Option<u64>, nanos: u64 },
    /// All calls on a path, as we write them.
    Totals(Box<ScopeStats>),
    /// What a metric other than scopes weighs on a path, as we write it.
    Weight { metric: Metric, count: u64, own: u64 },
    /// A caller that nothing is told of.
    Caller,
    /// All runs of a kernel or copies of a kind, as we write them.
    WorkTotals { work: Work, device: u32, durations: Box<DurationStats> },
}

#[derive(Clone, Copy)]
enum Work {
    Kernel(StringId),
    Copy { kind: CopyKind, is_pageable: Option<bool>, bytes: u64 },
}

/// All that was said.
#[derive(Default)]
pub(super) struct Extras {
    rows: Vec<Extra>,
    gpu_use: GpuUse,
}

impl Extras {
    /// Keeps what an event from `at` to `end` says, if it says something, and hands out its row.
    pub(super) fn keep(
        &mut self,
        event: &Event<'_>,
        (at, end): (i64, i64),
        profile: &mut Profile,
    ) -> Option<u32> {
        let nanos = at.abs_diff(end);
        let about = match &*text(event.category) {
            "cuda_runtime" | "cuda_driver" => About::Launch { correlation: argument(event, "correlation")? },
            category @ ("kernel" | "gpu_memcpy" | "gpu_memset") => {
                let name = text(event.name);
                let work = match category {
                    "kernel" => Work::Kernel(profile.strings.intern(&name)),
                    _ => copy(event, copy_kind(&name), &name),
                };
                let device = argument(event, "device").and_then(|device| device.try_into().ok());
                let (device, correlation) = (device.unwrap_or(0), argument(event, "correlation"));
                self.gpu_use.add(device, at, end);
                About::Work { work, device, correlation, nanos }
            }
            category if category.starts_with(words::TOTALS) => {
                let stats = totals(event, nanos);
                if argument(event, words::CALLS) == Some(0) {
                    About::Caller
                } else if words::kind(category) != FrameKind::Gpu {
                    About::Totals(Box::new(stats))
                } else {
                    let name = text(event.name);
                    let work = match argument(event, words::BYTES) {
                        None => Work::Kernel(profile.strings.intern(&name)),
                        Some(_) => copy(event, copy_kind(&name), &name),
                    };
                    let device = argument(event, words::DEVICE).and_then(|device| device.try_into().ok());
                    About::WorkTotals { work, device: device.unwrap_or(0), durations: Box::new(stats.timed) }
                }
            }
            category if category.starts_with(words::WEIGHTS) => weight(event).unwrap_or(About::Caller),
            _ => return None,
        };
        let row = u32::try_from(self.rows.len()).ok().filter(|&row| row < u32::MAX)?;
        self.rows.push(Extra { about, stack: None });
        Some(row)
    }

    /// The call path that the event of a row is on.
    pub(super) fn tell(&mut self, row: u32, stack: StackId) {
        if let Some(extra) = self.rows.get_mut(row as usize) {
            extra.stack = Some(stack);
        }
    }

    /// Whether a row stands for more than one call.
    pub(super) fn is_totals(&self, row: u32) -> bool {
        let about = self.rows.get(row as usize).map(|extra| &extra.about);
        matches!(
            about,
            Some(About::Totals(_) | About::WorkTotals { .. } | About::Weight { .. } | About::Caller)
        )
    }

    /// The statistics of a row that stands for all calls on a path.
    pub(super) fn totals(&self, row: u32) -> Option<&ScopeStats> {
        match &self.rows.get(row as usize)?.about {
            About::Totals(stats) => Some(stats),
            _ => None,
        }
    }

    /// The metric, the count and the self value of a row that stands for what weighs on a path.
    pub(super) fn weight(&self, row: u32) -> Option<(Metric, u64, u64)> {
        match self.rows.get(row as usize)?.about {
            About::Weight { metric, count, own } => Some((metric, count, own)),
            _ => None,
        }
    }

    /// How busy GPUs were over time, with times counted from `origin`.
    pub(super) fn add_gpu_use(&mut self, origin: i64, profile: &mut Profile) {
        std::mem::take(&mut self.gpu_use).finish(origin, profile);
    }

    /// Adds what ran on GPUs to the profile, each with the path that launched it.
    pub(super) fn add_gpu_work(&self, profile: &mut Profile) {
        let mut launches: HashMap<u64, StackId, RandomState> = HashMap::default();
        for extra in &self.rows {
            if let (About::Launch { correlation }, Some(stack)) = (&extra.about, extra.stack) {
                launches.insert(*correlation, stack);
            }
        }
        for extra in &self.rows {
            let (work, device, launched_from, durations) = match &extra.about {
                About::Work { work, device, correlation, nanos } => {
                    let launched_from = correlation.and_then(|number| launches.get(&number)).copied();
                    let mut durations = DurationStats::default();
                    durations.record(*nanos);
                    (*work, *device, launched_from, durations)
                }
                About::WorkTotals { work, device, durations } => {
                    (*work, *device, None, (**durations).clone())
                }
                _ => continue,
            };
            match work {
                Work::Kernel(name) => {
                    profile.gpu.add_kernel(KernelKey { name, device, launched_from }, &durations);
                }
                Work::Copy { kind, is_pageable, bytes } => {
                    let key = CopyKey { kind, device, is_pageable, launched_from };
                    profile.gpu.add_copies(key, &CopyStats { durations, bytes });
                }
            }
        }
    }
}

fn argument(event: &Event<'_>, key: &str) -> Option<u64> {
    entries(event.args).into_iter().find(|(name, _)| name == key).and_then(|(_, value)| number::whole(value))
}

fn copy(event: &Event<'_>, kind: CopyKind, name: &str) -> Work {
    let is_pageable =
        if name.contains("Pageable") { Some(true) } else { name.contains("Pinned").then_some(false) };
    Work::Copy { kind, is_pageable, bytes: argument(event, "bytes").unwrap_or(0) }
}

fn copy_kind(name: &str) -> CopyKind {
    if name.contains("HtoD") {
        CopyKind::HostToDevice
    } else if name.contains("DtoH") {
        CopyKind::DeviceToHost
    } else if name.contains("Memset") {
        CopyKind::Set
    } else {
        CopyKind::DeviceToDevice
    }
}

fn weight(event: &Event<'_>) -> Option<About> {
    let entries = entries(event.args);
    let metric = entries.iter().find(|(key, _)| key == words::METRIC)?;
    let metric = text(metric.1).parse().ok()?;
    let (count, own) = (argument(event, words::COUNT).unwrap_or(0), argument(event, words::OWN)?);
    Some(About::Weight { metric, count, own })
}

fn totals(event: &Event<'_>, nanos: u64) -> ScopeStats {
    let mut stats = ScopeStats { total_nanos: nanos, ..ScopeStats::default() };
    let (mut min, mut max) = (None, None);
    for (key, value) in entries(event.args) {
        match (&*key, number::whole(value)) {
            (words::CALLS, Some(calls)) => stats.calls = calls,
            (words::TOTAL_NANOS, Some(total)) => stats.total_nanos = total,
            (words::MIN_NANOS, found) => min = found,
            (words::MAX_NANOS, found) => max = found,
            _ => {}
        }
    }
    if let (Some(min_nanos), Some(max_nanos)) = (min, max) {
        (stats.timed.count, stats.timed.total_nanos) = (stats.calls, stats.total_nanos);
        (stats.timed.min_nanos, stats.timed.max_nanos) = (min_nanos, max_nanos);
    }
    stats
}
