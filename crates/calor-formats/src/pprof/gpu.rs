//! What ran on GPUs as samples: kernels and copies are leaves of the call paths that launched them, and labels
//! say what a call path cannot.

use std::io::Write;

use calor_model::{CopyKind, FrameKind, StackId};

use super::labels::{COPY_KINDS, GPU_COPY, GPU_DEVICE, GPU_MEMORY};
use super::message::field;
use super::role::Role;
use super::tables::Place;
use super::writer::Writer;
use crate::Error;

impl<W: Write> Writer<'_, W> {
    /// Writes all kernels and copies, if they are asked for.
    pub(super) fn gpu(&mut self) -> Result<(), Error> {
        if !self.roles.contains(&Role::GpuNanos) {
            return Ok(());
        }
        let profile = self.profile;
        for (key, durations) in &profile.gpu.kernels {
            self.start_sample();
            self.add_value(Role::GpuCount, durations.count);
            self.add_value(Role::GpuNanos, durations.total_nanos);
            self.gpu_sample(profile.strings.get(key.name), key.device, key.launched_from)?;
        }
        for (key, copies) in &profile.gpu.copies {
            self.start_sample();
            self.add_value(Role::GpuCount, copies.durations.count);
            self.add_value(Role::GpuNanos, copies.durations.total_nanos);
            self.add_value(Role::GpuBytes, copies.bytes);
            let word = COPY_KINDS.iter().find(|(kind, _)| *kind == key.kind).map_or("copy", |(_, word)| word);
            self.sample.labels.push(self.tables.text_label(GPU_COPY, word));
            if let Some(is_pageable) = key.is_pageable {
                let word = if is_pageable { "pageable" } else { "pinned" };
                self.sample.labels.push(self.tables.text_label(GPU_MEMORY, word));
            }
            self.gpu_sample(copy_name(key.kind), key.device, key.launched_from)?;
        }
        Ok(())
    }

    fn gpu_sample(&mut self, name: &str, device: u32, launched_from: Option<StackId>) -> Result<(), Error> {
        let place = Place { name, kind: FrameKind::Gpu, module: None, file: None, line: None };
        let (mapping, line) = (self.tables.mapping(&place), self.tables.line(&place));
        self.sample.location_ids.push(self.tables.location(mapping, vec![line]));
        if let Some(stack) = launched_from {
            self.locations.extend(&mut self.sample.location_ids, stack, &mut self.tables);
        }
        self.sample.labels.push(self.tables.number_label(GPU_DEVICE, i64::from(device)));
        self.output.message(field::SAMPLE, &self.sample)
    }
}

fn copy_name(kind: CopyKind) -> &'static str {
    match kind {
        CopyKind::HostToDevice => "copy host to device",
        CopyKind::DeviceToHost => "copy device to host",
        CopyKind::DeviceToDevice => "copy device to device",
        CopyKind::Set => "set memory",
        _ => "copy",
    }
}
