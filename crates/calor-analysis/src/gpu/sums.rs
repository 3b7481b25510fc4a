//! Kernels and copies, one row for each and the line that launched it, the one with the most time first.

use std::cmp::Reverse;

use calor_model::{CopyKind, CopyStats, DurationStats, Profile, StackId, StringId};
use foldhash::fast::RandomState;
use indexmap::IndexMap;

/// A kernel that one line launched.
#[derive(Clone, PartialEq, Debug)]
pub struct KernelSum<'p> {
    /// Its name.
    pub name: &'p str,
    /// The device.
    pub device: u32,
    /// The path to the scope that launched it, or to the one around that whose line is known; `None` where nobody knows.
    pub launched_from: Option<StackId>,
    /// How often and how long it ran.
    pub durations: DurationStats,
    /// Its part of the time of all kernels.
    pub share: f64,
}

/// Copies of one kind.
#[derive(Clone, PartialEq, Debug)]
pub struct CopySum {
    /// Which way.
    pub kind: CopyKind,
    /// Whether the host's side was memory that the system may move; `None` where it has none or nobody knows.
    pub is_pageable: Option<bool>,
    /// The device.
    pub device: u32,
    /// How often, how long, and how much.
    pub stats: CopyStats,
}

/// All that GPUs did.
#[derive(Clone, PartialEq, Debug)]
pub struct GpuSums<'p> {
    /// Kernels.
    pub kernels: Vec<KernelSum<'p>>,
    /// Copies.
    pub copies: Vec<CopySum>,
    /// Time of all kernels; those that ran at the same time count each.
    pub kernel_nanos: u64,
    /// How many ran.
    pub n_kernels: u64,
}

impl<'p> GpuSums<'p> {
    /// What a profile has; `None` where nothing ran on a GPU, or nobody recorded it.
    #[must_use]
    pub fn of(profile: &'p Profile) -> Option<Self> {
        let gpu = &profile.gpu;
        if gpu.kernels.is_empty() && gpu.copies.is_empty() {
            return None;
        }
        let mut rows: IndexMap<(StringId, u32, Option<Place>), KernelSum<'p>, RandomState> =
            IndexMap::default();
        for (key, durations) in &gpu.kernels {
            let site = key.launched_from.and_then(|stack| site(profile, stack));
            let place = site.map(|stack| place(profile, stack));
            let row = rows.entry((key.name, key.device, place)).or_insert_with(|| KernelSum {
                name: profile.strings.get(key.name),
                device: key.device,
                launched_from: site,
                durations: DurationStats::default(),
                share: 0.0,
            });
            row.durations.add(durations);
        }
        let mut kernels: Vec<KernelSum<'p>> = rows.into_values().collect();
        let kernel_nanos = kernels.iter().map(|row| row.durations.total_nanos).fold(0, u64::saturating_add);
        for row in &mut kernels {
            row.share = row.durations.total_nanos as f64 / (kernel_nanos.max(1)) as f64;
        }
        kernels.sort_by_key(|row| (Reverse(row.durations.total_nanos), row.name, row.device));
        let mut sums: IndexMap<(CopyKind, u32, Option<bool>), CopyStats, RandomState> = IndexMap::default();
        for (key, copies) in &gpu.copies {
            let sum = sums.entry((key.kind, key.device, key.is_pageable)).or_default();
            sum.durations.add(&copies.durations);
            sum.bytes = sum.bytes.saturating_add(copies.bytes);
        }
        let copy = |((kind, device, is_pageable), stats)| CopySum { kind, is_pageable, device, stats };
        let mut copies: Vec<CopySum> = sums.into_iter().map(copy).collect();
        copies.sort_by_key(|row| (Reverse(row.stats.durations.total_nanos), row.kind, row.device));
        let n_kernels = kernels.iter().map(|row| row.durations.count).fold(0, u64::saturating_add);
        Some(Self { kernels, copies, kernel_nanos, n_kernels })
    }
}

/// A name at a line: what several paths have in common.
type Place = (StringId, Option<StringId>, Option<u32>);

fn place(profile: &Profile, stack: StackId) -> Place {
    let frame = profile.frames.get(profile.stacks.get(stack).frame);
    (frame.name, frame.file, frame.line)
}

/// The innermost scope around a launch whose line is known; where none is, the innermost of all.
fn site(profile: &Profile, launched_from: StackId) -> Option<StackId> {
    let around = |stack: &StackId| profile.stacks.get(*stack).parent;
    let has_line = |stack: &StackId| {
        let frame = profile.frames.get(profile.stacks.get(*stack).frame);
        frame.file.is_some() && frame.line.is_some()
    };
    let known = std::iter::successors(Some(launched_from), around).find(has_line);
    known.or(Some(launched_from))
}

#[cfg(test)]
mod tests {
    use calor_model::FrameKind;

    use super::*;
    use crate::findings::draft::Draft;

    #[test]
    fn kernels_of_one_line_are_one_row_whatever_led_to_it() {
        let mut draft = Draft::new();
        let paths = [
            &["a", "py:linear@net.py:7", "addmm"][..],
            &["b", "py:linear@net.py:7", "addmm"],
            &["b", "py:linear@net.py:9"],
        ];
        let stacks = paths.map(|path| draft.path(path, FrameKind::Scope));
        for (stack, nanos) in stacks.into_iter().zip([10, 20, 5]) {
            draft = draft.kernel_at("gemm", 1, nanos, Some(stack));
        }
        let profile = draft.kernel_at("gemm", 1, 65, None).profile();
        let sums = GpuSums::of(&profile).expect("there are kernels");
        let told: Vec<_> = sums
            .kernels
            .iter()
            .map(|row| {
                let line = row.launched_from.and_then(|stack| place(&profile, stack).2);
                (line, row.durations.count, row.durations.total_nanos, (row.share * 100.0).round())
            })
            .collect();
        assert_eq!(told, [(None, 1, 65, 65.0), (Some(7), 2, 30, 30.0), (Some(9), 1, 5, 5.0)]);
        assert_eq!((sums.n_kernels, sums.kernel_nanos), (4, 100));
    }
}
