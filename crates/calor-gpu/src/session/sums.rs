//! What GPUs did, added up by kernel, device and origin.

use std::collections::HashMap;
use std::num::NonZeroU32;

use calor_demangle::readable;
use calor_model::DurationStats;
use foldhash::fast::RandomState;
use indexmap::IndexSet;

use crate::activity::{Activity, Copy, Kernel, Way};
use crate::launches::Origin;

/// Rows of kernels that are kept; kernels at further places are counted.
const MAX_ROWS: usize = 1 << 16;
/// Names that are kept, which templates make many of.
const MAX_NAMES: usize = 1 << 14;
/// Longer names are cut.
const MOST_OF_NAME: usize = 4_096;

/// Copies of one kind from one origin.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct CopyRow {
    /// Which way they went.
    pub way: Way,
    /// Whether the host's memory may be moved by the system; `None` where the host has no part in it.
    pub is_pageable: Option<bool>,
    /// The device.
    pub device: u32,
    /// What asked for them; `None` where that is not known.
    pub origin: Option<NonZeroU32>,
}

/// The same of kernels, by the number of their name.
type KernelRow = (usize, u32, Option<NonZeroU32>);

/// All of it.
#[derive(Clone, Default, Debug)]
pub struct Sums {
    names: IndexSet<Box<[u8]>, RandomState>,
    kernels: HashMap<KernelRow, DurationStats, RandomState>,
    copies: HashMap<CopyRow, (DurationStats, u64), RandomState>,
    /// Kernels and copies that are in no row, or in one without an origin, because there were too many.
    pub n_over_limit: u64,
    /// Those whose launch was not seen.
    pub n_unplaced: u64,
    /// Records that CUPTI had no room for, those without times, and those that could not be read.
    pub n_lost: u64,
    /// What was not done when recording ended.
    pub n_unfinished: u64,
    /// Copies inside of the host's memory that CUDA was asked for: they are none of a GPU's.
    pub n_on_host: u64,
}

impl Sums {
    /// Whether nothing ran.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        let n_others = [self.n_over_limit, self.n_lost, self.n_unfinished, self.n_on_host];
        self.kernels.is_empty() && self.copies.is_empty() && n_others == [0; 4]
    }

    /// Kernels: name as people write it, device, origin, and how long they ran.
    pub fn kernels(&self) -> impl Iterator<Item = (String, u32, Option<NonZeroU32>, &DurationStats)> {
        let names: Vec<String> =
            self.names.iter().map(|name| readable(&String::from_utf8_lossy(name)).into_owned()).collect();
        self.kernels.iter().map(move |(&(name, device, origin), durations)| {
            (names.get(name).cloned().unwrap_or_default(), device, origin, durations)
        })
    }

    /// Copies, how long they took, and bytes.
    pub fn copies(&self) -> impl Iterator<Item = (&CopyRow, &DurationStats, u64)> {
        self.copies.iter().map(|(row, (durations, bytes))| (row, durations, *bytes))
    }

    /// Where all of it was launched, as far as that is known; places may come more than once.
    pub fn places(&self) -> impl Iterator<Item = NonZeroU32> {
        let of_kernels = self.kernels.keys().map(|(_, _, origin)| *origin);
        of_kernels.chain(self.copies.keys().map(|row| row.origin)).flatten()
    }

    /// Numbers of devices that did something.
    #[must_use]
    pub fn devices(&self) -> Vec<u32> {
        let kernels = self.kernels.keys().map(|(_, device, _)| *device);
        let mut devices: Vec<u32> = kernels.chain(self.copies.keys().map(|row| row.device)).collect();
        devices.sort_unstable();
        devices.dedup();
        devices
    }

    /// Adds something that was launched at an origin: into a row, or to one count.
    pub(super) fn add(&mut self, activity: Activity<'_>, origin: Origin) {
        let known = match origin {
            Origin::Known(origin) => Some(origin),
            Origin::Unknown | Origin::NoRoom => None,
            Origin::NotRecorded => return,
        };
        let is_in_row = match activity {
            Activity::Kernel(kernel) => self.add_kernel(&kernel, known),
            Activity::Copy(copy) => self.add_copy(&copy, known),
        };
        match origin {
            _ if !is_in_row => self.n_over_limit += 1,
            Origin::NoRoom => self.n_over_limit += 1,
            Origin::Unknown => self.n_unplaced += 1,
            Origin::Known(_) | Origin::NotRecorded => {}
        }
    }

    /// Whether there was room for it.
    fn add_kernel(&mut self, kernel: &Kernel<'_>, origin: Option<NonZeroU32>) -> bool {
        let name = &kernel.name[..kernel.name.len().min(MOST_OF_NAME)];
        let known = self.names.get_index_of(name);
        let is_new = known.is_none_or(|name| !self.kernels.contains_key(&(name, kernel.device, origin)));
        if is_new && (self.is_full() || (known.is_none() && self.names.len() >= MAX_NAMES)) {
            return false;
        }
        let name = known.unwrap_or_else(|| self.names.insert_full(name.into()).0);
        self.kernels.entry((name, kernel.device, origin)).or_default().record(kernel.nanos);
        true
    }

    /// The same of a copy.
    fn add_copy(&mut self, copy: &Copy, origin: Option<NonZeroU32>) -> bool {
        let row = CopyRow { way: copy.way, is_pageable: copy.is_pageable, device: copy.device, origin };
        if self.is_full() && !self.copies.contains_key(&row) {
            return false;
        }
        let (durations, bytes) = self.copies.entry(row).or_default();
        durations.record(copy.nanos);
        *bytes = bytes.saturating_add(copy.bytes);
        true
    }

    fn is_full(&self) -> bool {
        self.kernels.len() + self.copies.len() >= MAX_ROWS
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn kernel(name: &[u8], nanos: u64) -> Activity<'_> {
        Activity::Kernel(Kernel { name, device: 0, nanos })
    }

    #[test]
    fn kernels_add_up_by_name_and_place_and_have_readable_names() {
        let mut sums = Sums::default();
        let here = Origin::Known(NonZeroU32::MIN);
        sums.add(kernel(b"_Z4gemmIfEvPT_", 20), here);
        sums.add(kernel(b"_Z4gemmIfEvPT_", 30), here);
        sums.add(kernel(b"copy", 5), Origin::Unknown);
        sums.add(kernel(b"copy", 500), Origin::NotRecorded);
        let mut rows: Vec<_> = sums
            .kernels()
            .map(|(name, _, origin, durations)| {
                (name, origin.is_some(), durations.count, durations.total_nanos)
            })
            .collect();
        rows.sort();
        let expected =
            [("copy".to_owned(), false, 1, 5), ("void gemm<float>(float*)".to_owned(), true, 2, 50)];
        assert_eq!(rows, expected);
        assert_eq!((sums.n_unplaced, sums.n_over_limit, sums.devices()), (1, 0, vec![0]));
    }

    #[test]
    fn copies_add_up_their_bytes() {
        let mut sums = Sums::default();
        let copy = Copy { way: Way::ToDevice, is_pageable: Some(true), device: 1, bytes: 100, nanos: 7 };
        (0..3).for_each(|_| sums.add(Activity::Copy(copy), Origin::Known(NonZeroU32::MIN)));
        let rows: Vec<_> =
            sums.copies().map(|(row, durations, bytes)| (row.way, durations.count, bytes)).collect();
        assert_eq!(rows, [(Way::ToDevice, 3, 300)]);
    }

    #[test]
    fn rows_are_bounded_and_what_is_beyond_is_counted() {
        let mut sums = Sums::default();
        let origin = |number: u32| Origin::Known(NonZeroU32::new(number).expect("not zero"));
        (1..=MAX_ROWS as u32 + 10).for_each(|number| sums.add(kernel(b"k", 1), origin(number)));
        assert_eq!((sums.kernels().count(), sums.n_over_limit), (MAX_ROWS, 10));
        // What is neither in a row nor at an origin counts once.
        sums.add(kernel(b"k", 1), Origin::NoRoom);
        sums.add(kernel(b"k", 1), Origin::Unknown);
        assert_eq!((sums.n_over_limit, sums.n_unplaced), (12, 0));
    }
}
