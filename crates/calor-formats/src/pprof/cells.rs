//! The numbers of a profile as values of samples: what each call path, thread and set of labels has of each
//! role, in one order, so that rows of different tables about the same place become one sample.

use calor_model::{LabelSetId, Profile, SampleKind, StackId, ThreadId};

use super::role::Role;
use crate::{Error, Metric};

/// One number of a profile.
#[derive(Clone, Copy, Debug)]
pub(super) struct Cell {
    pub(super) stack: StackId,
    pub(super) thread: ThreadId,
    pub(super) labels: LabelSetId,
    pub(super) role: Role,
    pub(super) value: u64,
}

impl Cell {
    /// What a sample is told by.
    pub(super) fn place(&self) -> (StackId, ThreadId, LabelSetId) {
        (self.stack, self.thread, self.labels)
    }
}

/// The roles that are written of a profile: all it has something for, or those of one metric.
pub(super) fn roles(profile: &Profile, asked_for: Option<Metric>) -> Result<Vec<Role>, Error> {
    let metrics = match asked_for {
        Some(_) => vec![Metric::choose(asked_for, profile)?],
        None => Metric::available(profile),
    };
    let has_wall = profile.samples.iter().any(|(key, _)| key.kind == SampleKind::Wall);
    let has_temporary =
        profile.heap.iter().any(|(_, site)| site.temporary_bytes > 0 || site.temporary_count > 0);
    let mut roles = Vec::new();
    for metric in metrics {
        match metric {
            Metric::Scopes => roles.extend([Role::ScopeCalls, Role::ScopeNanos]),
            Metric::Cpu => roles.extend([Role::CpuCount, Role::CpuNanos]),
            Metric::OffCpu => roles.extend([Role::OffCpuCount, Role::OffCpuNanos]),
            // The sum of the others is written only for who asks for it.
            Metric::Wall if has_wall || asked_for.is_some() => {
                roles.extend([Role::WallCount, Role::WallNanos]);
            }
            Metric::Wall => {}
            Metric::Gpu => {
                roles.extend([Role::GpuCount, Role::GpuNanos]);
                roles.extend((!profile.gpu.copies.is_empty()).then_some(Role::GpuBytes));
            }
            Metric::Allocated => {
                roles.extend([Role::AllocatedCount, Role::AllocatedBytes]);
                // A reader that is not told what is held cannot know that nothing is.
                roles.extend([Role::LiveCount, Role::LiveBytes, Role::PeakCount, Role::PeakBytes]);
                if has_temporary {
                    roles.extend([Role::TemporaryCount, Role::TemporaryBytes]);
                }
            }
            Metric::Live => roles.extend([Role::LiveCount, Role::LiveBytes]),
            Metric::Peak => roles.extend([Role::PeakCount, Role::PeakBytes]),
            Metric::Temporary => roles.extend([Role::TemporaryCount, Role::TemporaryBytes]),
        }
    }
    roles.sort_unstable();
    roles.dedup();
    Ok(roles)
}

/// The role of the value that a metric is about.
pub(super) fn value_role(metric: Metric) -> Role {
    match metric {
        Metric::Scopes => Role::ScopeNanos,
        Metric::Cpu => Role::CpuNanos,
        Metric::OffCpu => Role::OffCpuNanos,
        Metric::Wall => Role::WallNanos,
        Metric::Allocated => Role::AllocatedBytes,
        Metric::Live => Role::LiveBytes,
        Metric::Peak => Role::PeakBytes,
        Metric::Temporary => Role::TemporaryBytes,
        Metric::Gpu => Role::GpuNanos,
    }
}

/// The numbers of these roles that are not 0, except those of GPUs, sorted by what a sample is told by.
pub(super) fn cells(profile: &Profile, roles: &[Role]) -> Vec<Cell> {
    let mut cells = Vec::new();
    let mut push = |(stack, thread, labels), role: Role, value: u64| {
        if value > 0 && roles.contains(&role) {
            cells.push(Cell { stack, thread, labels, role, value });
        }
    };
    let has_wall = profile.samples.iter().any(|(key, _)| key.kind == SampleKind::Wall);
    for (key, weight) in profile.samples.iter() {
        let place = (key.stack, key.thread, key.labels);
        let (count, nanos) = match key.kind {
            SampleKind::Cpu => (Role::CpuCount, Role::CpuNanos),
            SampleKind::OffCpu => (Role::OffCpuCount, Role::OffCpuNanos),
            _ => (Role::WallCount, Role::WallNanos),
        };
        push(place, count, weight.count);
        push(place, nanos, weight.nanos);
        if !has_wall {
            push(place, Role::WallCount, weight.count);
            push(place, Role::WallNanos, weight.nanos);
        }
    }
    for ((key, stats), self_nanos) in profile.scopes.iter().zip(profile.scope_self_nanos()) {
        let place = (key.stack, key.thread, key.labels);
        push(place, Role::ScopeCalls, stats.calls);
        push(place, Role::ScopeNanos, self_nanos);
    }
    for (key, site) in profile.heap.iter() {
        for (role, value) in [
            (Role::AllocatedCount, site.allocated_count),
            (Role::AllocatedBytes, site.allocated_bytes),
            (Role::LiveCount, site.live_count()),
            (Role::LiveBytes, site.live_bytes()),
            (Role::PeakCount, site.peak_count),
            (Role::PeakBytes, site.peak_bytes),
            (Role::TemporaryCount, site.temporary_count),
            (Role::TemporaryBytes, site.temporary_bytes),
        ] {
            push((key.stack, key.thread, key.labels), role, value);
        }
    }
    cells.sort_unstable_by_key(|cell| (cell.place(), cell.role));
    cells
}
