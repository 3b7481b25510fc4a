//! What ran on GPUs: devices, kernels and copies, with the call path that launched each.

use foldhash::fast::RandomState;
use indexmap::IndexMap;

use crate::{DurationStats, StackId, StringId};

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

/// Everything that ran on GPUs.
#[derive(Clone, Debug, Default)]
pub struct GpuTable {
    /// The devices, in order of their number.
    pub devices: Vec<GpuDevice>,
    /// Kernels by name, device and launching path.
    pub kernels: IndexMap<KernelKey, DurationStats, RandomState>,
    /// Copies by kind, device and launching path.
    pub copies: IndexMap<CopyKey, CopyStats, RandomState>,
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

    /// Puts kernels and copies in the order of their handles.
    pub(crate) fn sort(&mut self) {
        self.kernels.sort_by_cached_key(|key, _| (key.launched_from, key.name, key.device));
        self.copies.sort_by_cached_key(|key, _| (key.launched_from, key.kind, key.device, key.is_pageable));
    }

    /// Whether nothing ran and no device is known.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.devices.is_empty() && self.kernels.is_empty() && self.copies.is_empty()
    }
}
