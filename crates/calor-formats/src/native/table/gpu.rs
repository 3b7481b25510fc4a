//! The GPU table: devices, kernels and copies.

use calor_model::{CopyKey, CopyKind, CopyStats, GpuDevice, KernelKey, Profile};

use super::super::decoder::Decoder;
use super::super::encoder::Encoder;
use super::{durations, warn_of_unknown};
use crate::Error;

/// Bytes that a device, a kernel and a copy take at least.
const DEVICE_BYTES: usize = 3;
const KERNEL_BYTES: usize = 3 + durations::ROW_BYTES;
const COPY_BYTES: usize = 5 + durations::ROW_BYTES;

/// The kinds of copies, by their number in a file.
const COPY_KINDS: [CopyKind; 4] =
    [CopyKind::HostToDevice, CopyKind::DeviceToHost, CopyKind::DeviceToDevice, CopyKind::Set];

/// Whether the host's side was pageable, by number.
const PAGEABLE: [Option<bool>; 3] = [None, Some(false), Some(true)];

pub(in super::super) fn encode(encoder: &mut Encoder<'_>) {
    let gpu = &encoder.profile.gpu;
    encoder.count(gpu.devices.len());
    for device in &gpu.devices {
        encoder.varint(u64::from(device.index));
        encoder.strings("device name", [device.name]);
        encoder.varint(device.memory_bytes);
    }
    encoder.count(gpu.kernels.len());
    encoder.strings("kernel name", gpu.kernels.keys().map(|key| key.name));
    encoder.column(gpu.kernels.keys().map(|key| u64::from(key.device)));
    encoder.optional_stacks("kernel stack", gpu.kernels.keys().map(|key| key.launched_from));
    durations::encode(encoder, gpu.kernels.values());

    encoder.count(gpu.copies.len());
    for key in gpu.copies.keys() {
        encoder.byte(COPY_KINDS.iter().position(|kind| *kind == key.kind).map_or(u8::MAX, |at| at as u8));
    }
    for key in gpu.copies.keys() {
        encoder.byte(key.is_pageable.map_or(0, |is_pageable| 1 + u8::from(is_pageable)));
    }
    encoder.column(gpu.copies.keys().map(|key| u64::from(key.device)));
    encoder.optional_stacks("copy stack", gpu.copies.keys().map(|key| key.launched_from));
    encoder.column(gpu.copies.values().map(|copies| copies.bytes));
    durations::encode(encoder, gpu.copies.values().map(|copies| &copies.durations));
}

pub(in super::super) fn decode(decoder: &mut Decoder<'_>, profile: &mut Profile) -> Result<(), Error> {
    let n_devices = decoder.count("devices", DEVICE_BYTES)?;
    profile.gpu.devices = decoder.rows(n_devices, |decoder| {
        Ok(GpuDevice {
            index: decoder.u32("device number")?,
            name: decoder.string("device name", profile)?,
            memory_bytes: decoder.varint("device memory")?,
        })
    })?;
    decode_kernels(decoder, profile)?;
    decode_copies(decoder, profile)
}

fn decode_kernels(decoder: &mut Decoder<'_>, profile: &mut Profile) -> Result<(), Error> {
    let n_rows = decoder.count("kernels", KERNEL_BYTES)?;
    let names = decoder.rows(n_rows, |decoder| decoder.string("kernel name", profile))?;
    let devices = decoder.rows(n_rows, |decoder| decoder.u32("kernel device"))?;
    let stacks = decoder.rows(n_rows, |decoder| decoder.optional_stack("kernel stack", profile))?;
    for (row, durations) in durations::decode(decoder, n_rows)?.into_iter().enumerate() {
        let key = KernelKey { name: names[row], device: devices[row], launched_from: stacks[row] };
        if profile.gpu.kernels.insert(key, durations).is_some() {
            return Err(decoder.refuse("kernels", "every row once", format!("row {row} again")));
        }
    }
    Ok(())
}

fn decode_copies(decoder: &mut Decoder<'_>, profile: &mut Profile) -> Result<(), Error> {
    let n_rows = decoder.count("copies", COPY_BYTES)?;
    let kinds = decoder.bytes("copy kinds", n_rows)?;
    let pageable = decoder.bytes("pageable copies", n_rows)?;
    let devices = decoder.rows(n_rows, |decoder| decoder.u32("copy device"))?;
    let stacks = decoder.rows(n_rows, |decoder| decoder.optional_stack("copy stack", profile))?;
    let bytes = decoder.column("bytes copied", n_rows)?;
    let mut n_unknown = 0;
    for (row, durations) in durations::decode(decoder, n_rows)?.into_iter().enumerate() {
        let Some(&kind) = COPY_KINDS.get(usize::from(kinds[row])) else {
            n_unknown += 1;
            continue;
        };
        let Some(&is_pageable) = PAGEABLE.get(usize::from(pageable[row])) else {
            let found = pageable[row].to_string();
            return Err(decoder.refuse("pageable copies", "0 unknown, 1 no or 2 yes", found));
        };
        let key = CopyKey { kind, device: devices[row], is_pageable, launched_from: stacks[row] };
        let copies = CopyStats { durations, bytes: bytes[row] };
        if profile.gpu.copies.insert(key, copies).is_some() {
            return Err(decoder.refuse("copies", "every row once", format!("row {row} again")));
        }
    }
    warn_of_unknown(profile, "kinds of copies", n_unknown);
    Ok(())
}
