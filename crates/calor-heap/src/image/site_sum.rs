//! The counters of one call path, which threads keep each for itself, added up; and what is the profiler's own set apart.

use std::collections::BTreeMap;
use std::mem::offset_of;

use calor_paths::{ImageError, Words};

use super::SiteImage;
use crate::layout::{Counters, Mode};
use crate::sampled::PARTS;

/// Call paths on which the profiler itself was at work, by number: few.
pub(super) type OwnSums = BTreeMap<u32, SiteSum>;

/// Adds to the program's call paths what the profiler's threads freed of them, and leaves out those that are the
/// profiler's: a path belongs to whoever allocated on it, wherever its blocks are freed.
pub(super) fn sort_out(sums: &mut [SiteSum], own: OwnSums) {
    for (site, own) in own {
        let is_own = own.allocated[1] != 0;
        let Some(sum) = sums.get_mut(site as usize) else { continue };
        if is_own && sum.allocated[1] == 0 {
            *sum = SiteSum::default();
        } else if !is_own && sum.is_used() {
            sum.join(&own);
        }
    }
}

/// The counters of all threads for one call path: of each alone, frees may be more than allocations.
#[derive(Clone, Default)]
pub(super) struct SiteSum {
    allocated: [u64; 2],
    freed: [u64; 2],
    peak: [i64; 2],
    extra_bytes: u64,
    variance: f64,
    extra_count: u64,
}

impl SiteSum {
    /// Whether anybody allocated or freed there.
    pub(super) fn is_used(&self) -> bool {
        self.allocated[1] != 0 || self.freed[1] != 0
    }

    pub(super) fn add(
        &mut self,
        words: &Words<'_>,
        at: usize,
        epoch: u32,
        mode: Mode,
    ) -> Result<(), ImageError> {
        let allocated = [
            words.at(at + offset_of!(Counters, allocated_bytes))?,
            words.at(at + offset_of!(Counters, allocated_count))?,
        ];
        let freed = [
            words.at(at + offset_of!(Counters, freed_bytes))?,
            words.at(at + offset_of!(Counters, freed_count))?,
        ];
        let noted = [
            words.at(at + offset_of!(Counters, peak_bytes))?,
            words.at(at + offset_of!(Counters, peak_count))?,
        ];
        let is_noted = words.half(at + offset_of!(Counters, epoch))? == epoch;
        for which in 0..2 {
            self.allocated[which] = self.allocated[which].wrapping_add(allocated[which]);
            self.freed[which] = self.freed[which].wrapping_add(freed[which]);
            let present = allocated[which].wrapping_sub(freed[which]);
            let peak = if is_noted { noted[which] } else { present };
            self.peak[which] = self.peak[which].wrapping_add(peak as i64);
        }
        let extra = words.at(at + offset_of!(Counters, extra))?;
        match mode {
            Mode::Exact => self.extra_bytes = self.extra_bytes.wrapping_add(extra),
            Mode::Sampled => self.variance += f64::from_bits(extra),
        }
        self.extra_count += u64::from(words.half(at + offset_of!(Counters, extra_count))?);
        Ok(())
    }

    /// Adds what others counted for the same path.
    fn join(&mut self, other: &Self) {
        for which in 0..2 {
            self.allocated[which] = self.allocated[which].wrapping_add(other.allocated[which]);
            self.freed[which] = self.freed[which].wrapping_add(other.freed[which]);
            self.peak[which] = self.peak[which].wrapping_add(other.peak[which]);
        }
        self.extra_bytes = self.extra_bytes.wrapping_add(other.extra_bytes);
        self.variance += other.variance;
        self.extra_count += other.extra_count;
    }

    pub(super) fn finished(self, mode: Mode) -> SiteImage {
        let parts = if mode == Mode::Exact { 1.0 } else { PARTS };
        let is_exact = mode == Mode::Exact;
        SiteImage {
            number: 0,
            native: 0,
            python: 0,
            allocated_bytes: self.allocated[0],
            allocated_count: self.allocated[1] as f64 / parts,
            freed_bytes: self.freed[0],
            freed_count: self.freed[1] as f64 / parts,
            peak_bytes: self.peak[0].max(0) as u64,
            peak_count: self.peak[1].max(0) as f64 / parts,
            temporary_bytes: self.extra_bytes,
            temporary_count: if is_exact { self.extra_count } else { 0 },
            samples: if is_exact { 0 } else { self.extra_count },
            variance: self.variance,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn sum(allocated: u64, freed: u64) -> SiteSum {
        let blocks = |bytes: u64| [bytes, bytes / 8];
        SiteSum { allocated: blocks(allocated), freed: blocks(freed), ..SiteSum::default() }
    }

    #[test]
    fn a_path_is_of_whoever_allocated_on_it_wherever_its_blocks_are_freed() {
        let mut sums = [sum(0, 0), sum(800, 0), sum(0, 160), sum(80, 80), sum(8, 0)];
        sort_out(
            &mut sums,
            OwnSums::from([(1, sum(0, 320)), (2, sum(400, 240)), (4, sum(16, 16)), (5, sum(8, 8))]),
        );
        let left = (0..).zip(&sums).filter(|(_, sum)| sum.is_used());
        let left: Vec<_> = left.map(|(site, sum)| (site, sum.allocated[0], sum.freed[0])).collect();
        assert_eq!(left, [(1, 800, 320), (3, 80, 80), (4, 8, 0)]);
    }
}
