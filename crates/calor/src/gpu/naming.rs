//! Sums of GPUs as rows of a profile.

use std::collections::HashMap;
use std::num::NonZeroU32;

use calor_gpu::Way;
use calor_gpu::session::{Sums, devices};
use calor_model::{
    CopyKey, CopyKind, CopyStats, DurationStats, GpuDevice, GpuScopeKey, GpuTable, GpuWork, KernelKey,
    LabelSetId, Profile, StackId,
};

use crate::recorder::convert::Converter;

use super::paths;

/// Adds all rows.
pub(super) fn add(sums: &Sums, profile: &mut Profile) {
    let places = Places::new(sums, profile);
    for (name, device, place, durations) in sums.kernels() {
        let launched_from = places.add(&mut profile.gpu, place, durations);
        let name = profile.strings.intern(&name);
        profile.gpu.add_kernel(KernelKey { name, device, launched_from }, durations);
    }
    for (row, durations, bytes) in sums.copies() {
        let launched_from = places.add(&mut profile.gpu, row.origin, durations);
        let kind = match row.way {
            Way::ToDevice => CopyKind::HostToDevice,
            Way::ToHost => CopyKind::DeviceToHost,
            Way::Inside => CopyKind::DeviceToDevice,
            Way::Fill => CopyKind::Set,
        };
        let key = CopyKey { kind, device: row.device, is_pageable: row.is_pageable, launched_from };
        profile.gpu.add_copies(key, &CopyStats { durations: durations.clone(), bytes });
    }
    for device in devices(&sums.devices()) {
        let name = profile.strings.intern(&device.name);
        let device = GpuDevice { index: device.index, name, memory_bytes: device.memory_bytes };
        if !profile.gpu.devices.contains(&device) {
            profile.gpu.devices.push(device);
        }
    }
}

/// The scopes around each place, outermost first.
struct Places(HashMap<NonZeroU32, Vec<(StackId, LabelSetId)>>);

impl Places {
    fn new(sums: &Sums, profile: &mut Profile) -> Self {
        let mut converter = Converter::new(profile);
        let mut scopes = HashMap::new();
        for number in sums.places() {
            scopes.entry(number).or_insert_with(|| converter.path(&paths::sites(number)));
        }
        Self(scopes)
    }

    /// Counts work for all scopes around a launch; the innermost of them.
    fn add(
        &self,
        gpu: &mut GpuTable,
        place: Option<NonZeroU32>,
        durations: &DurationStats,
    ) -> Option<StackId> {
        let scopes = self.0.get(&place?)?;
        let work = GpuWork { count: durations.count, nanos: durations.total_nanos };
        for &(stack, labels) in scopes {
            gpu.add_scope(GpuScopeKey { stack, labels }, work);
        }
        scopes.last().map(|scope| scope.0)
    }
}
