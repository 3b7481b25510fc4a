//! Sums of GPUs as rows of a profile.

use std::collections::HashMap;
use std::num::NonZeroU32;

use calor_model::{CopyKey, CopyKind, CopyStats, GpuDevice, KernelKey, Profile, StackId};
use calor_record::gpu::{Sums, Way, devices};

use crate::recorder::convert::Converter;

use super::paths;

/// Adds all rows.
pub(super) fn add(sums: &Sums, profile: &mut Profile) {
    let mut stacks: HashMap<NonZeroU32, Option<StackId>> = HashMap::new();
    let mut stack = |profile: &mut Profile, place: Option<NonZeroU32>| {
        let number = place?;
        *stacks.entry(number).or_insert_with(|| Converter::new(profile).stack(&paths::sites(number)))
    };
    for (name, device, place, durations) in sums.kernels() {
        let launched_from = stack(profile, place);
        let name = profile.strings.intern(&name);
        profile.gpu.add_kernel(KernelKey { name, device, launched_from }, durations);
    }
    for (row, durations, bytes) in sums.copies() {
        let launched_from = stack(profile, row.place);
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
