//! What GPUs did, as programs read it.

use calor_analysis::{CopySum, GpuSums, KernelSum};
use calor_model::{CopyKind, GpuDevice, Profile};
use serde::Serialize;

/// Devices, kernels and copies.
#[derive(Serialize)]
pub(crate) struct WireGpu<'r> {
    devices: Vec<Device<'r>>,
    kernels: Vec<Kernel<'r>>,
    copies: Vec<Copies>,
}

#[derive(Serialize)]
struct Device<'r> {
    index: u32,
    name: &'r str,
    memory_bytes: u64,
}

#[derive(Serialize)]
struct Kernel<'r> {
    name: &'r str,
    count: u64,
    total_ns: u64,
    mean_ns: Option<u64>,
    min_ns: u64,
    max_ns: u64,
    p95_ns: Option<u64>,
    /// Its part of the time of all kernels.
    share: f64,
    device: u32,
    #[serde(skip_serializing_if = "Option::is_none")]
    launched_from: Option<Place<'r>>,
}

#[derive(Serialize)]
struct Place<'r> {
    function: &'r str,
    #[serde(skip_serializing_if = "Option::is_none")]
    file: Option<&'r str>,
    #[serde(skip_serializing_if = "Option::is_none")]
    line: Option<u32>,
}

#[derive(Serialize)]
struct Copies {
    kind: &'static str,
    count: u64,
    bytes: u64,
    total_ns: u64,
    device: u32,
    #[serde(skip_serializing_if = "Option::is_none")]
    pageable: Option<bool>,
}

impl<'r> WireGpu<'r> {
    /// The first of its kernels, or all.
    pub(crate) fn new(profile: &'r Profile, gpu: &'r GpuSums<'_>, top: Option<usize>) -> Self {
        let device = |device: &GpuDevice| Device {
            index: device.index,
            name: profile.strings.get(device.name),
            memory_bytes: device.memory_bytes,
        };
        let kernels = gpu.kernels.iter().take(top.unwrap_or(usize::MAX));
        Self {
            devices: profile.gpu.devices.iter().map(device).collect(),
            kernels: kernels.map(|kernel| Kernel::new(profile, kernel)).collect(),
            copies: gpu.copies.iter().map(Copies::new).collect(),
        }
    }
}

impl<'r> Kernel<'r> {
    fn new(profile: &'r Profile, sum: &KernelSum<'r>) -> Self {
        let durations = &sum.durations;
        let place = |stack| {
            let frame = profile.frames.get(profile.stacks.get(stack).frame);
            Place {
                function: profile.strings.get(frame.name),
                file: frame.file.map(|file| profile.strings.get(file)),
                line: frame.line,
            }
        };
        Self {
            name: sum.name,
            count: durations.count,
            total_ns: durations.total_nanos,
            mean_ns: durations.mean_nanos().map(super::whole),
            min_ns: durations.min_nanos,
            max_ns: durations.max_nanos,
            p95_ns: durations.quantile_nanos(0.95).map(super::whole),
            share: sum.share,
            device: sum.device,
            launched_from: sum.launched_from.map(place),
        }
    }
}

impl Copies {
    fn new(sum: &CopySum) -> Self {
        Self {
            kind: word(sum.kind),
            count: sum.stats.durations.count,
            bytes: sum.stats.bytes,
            total_ns: sum.stats.durations.total_nanos,
            device: sum.device,
            pageable: sum.is_pageable,
        }
    }
}

fn word(kind: CopyKind) -> &'static str {
    match kind {
        CopyKind::HostToDevice => "host_to_device",
        CopyKind::DeviceToHost => "device_to_host",
        CopyKind::DeviceToDevice => "device_to_device",
        CopyKind::Set => "set",
        _ => "other",
    }
}
