//! What ran on GPUs: devices, kernels and copies, with the call path that launched each.

use foldhash::fast::RandomState;
use indexmap::IndexMap;

use crate::{DurationStats, LabelSetId, StackId, StringId};

/// A GPU of the machine.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct GpuDevice {
    /// Its number on the machine.
    pub index: u32,
    /// Its name.
    pub name: StringId,
    /// Its memory.
    pub memory_bytes: u64,
}

/// What a kernel row is about.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct KernelKey {
    /// The kernel's name.
    pub name: StringId,
    /// The device it ran on.
    pub device: u32,
    /// The call path that launched it; `None` when unknown.
    pub launched_from: Option<StackId>,
}

/// Which way a copy went.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug)]
#[non_exhaustive]
pub enum CopyKind {
    /// From the host to a device.
    HostToDevice,
    /// From a device to the host.
    DeviceToHost,
    /// Inside a device or between two.
    DeviceToDevice,
    /// Memory was set to a value.
    Set,
}

/// What a copy row is about.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct CopyKey {
    /// Which way.
    pub kind: CopyKind,
    /// The device.
    pub device: u32,
    /// Whether the host's side was pageable memory; `None` when unknown.
    pub is_pageable: Option<bool>,
    /// The call path that asked for it; `None` when unknown.
    pub launched_from: Option<StackId>,
}

/// Copies of one kind.
#[derive(Clone, PartialEq, Debug, Default)]
pub struct CopyStats {
    /// How long they took.
    pub durations: DurationStats,
    /// How much they moved.
    pub bytes: u64,
}

/// A scope that had GPUs do something, or around such a one.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct GpuScopeKey {
    /// Its call path.
    pub stack: StackId,
    /// Its labels.
    pub labels: LabelSetId,
}

/// What GPUs did for a scope, for what is inside it, too.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
pub struct GpuWork {
    /// How many kernels and copies.
    pub count: u64,
    /// How long they took; those that ran at the same time count each.
    pub nanos: u64,
}

/// Everything that ran on GPUs.
#[derive(Clone, Debug, Default)]
pub struct GpuTable {
    /// The devices, in order of their number.
    pub devices: Vec<GpuDevice>,
    /// Kernels by name, device and launching path.
    pub kernels: IndexMap<KernelKey, DurationStats, RandomState>,
    /// Copies by kind, device and launching path.
    pub copies: IndexMap<CopyKey, CopyStats, RandomState>,
    /// The same by scope, where labels are known as well as paths: kernels and copies are of the innermost scope alone, and
    /// those around it are told apart by their labels here.
    pub scopes: IndexMap<GpuScopeKey, GpuWork, RandomState>,
}

impl GpuTable {
    /// Adds launches of a kernel.
    pub fn add_kernel(&mut self, key: KernelKey, durations: &DurationStats) {
        self.kernels.entry(key).or_default().add(durations);
    }

    /// Adds copies.
    pub fn add_copies(&mut self, key: CopyKey, copies: &CopyStats) {
        let row = self.copies.entry(key).or_default();
        row.durations.add(&copies.durations);
        row.bytes = row.bytes.saturating_add(copies.bytes);
    }

    /// Adds what GPUs did for a scope.
    pub fn add_scope(&mut self, key: GpuScopeKey, work: GpuWork) {
        let row = self.scopes.entry(key).or_default();
        row.count = row.count.saturating_add(work.count);
        row.nanos = row.nanos.saturating_add(work.nanos);
    }

    /// Puts rows in the order of their handles.
    pub(crate) fn sort(&mut self) {
        self.kernels.sort_by_cached_key(|key, _| (key.launched_from, key.name, key.device));
        self.copies.sort_by_cached_key(|key, _| (key.launched_from, key.kind, key.device, key.is_pageable));
        self.scopes.sort_by_cached_key(|key, _| (key.stack, key.labels));
    }

    /// Whether nothing ran and no device is known.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.devices.is_empty() && self.kernels.is_empty() && self.copies.is_empty() && self.scopes.is_empty()
    }
}
