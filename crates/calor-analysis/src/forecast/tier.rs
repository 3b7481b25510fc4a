//! The tiers of memory, and how much slower work is whose data no longer fits one.

use super::candidate::Candidates;
use super::curve::Curve;
use super::{ForecastOptions, SizePoint, check};
use crate::Error;

/// A tier of memory: a cache, or main memory.
#[derive(Clone, PartialEq, Debug)]
pub struct MemoryTier {
    /// What it is called, such as `L2`.
    pub name: String,
    /// How much fits.
    pub bytes: u64,
    /// How fast a core reads from it, as measured.
    pub bytes_per_s: f64,
}

/// A tier that the working set no longer fits.
#[derive(Clone, PartialEq, Debug)]
pub struct Crossing {
    /// The tier that it fits at the largest size measured.
    pub from: String,
    /// The one that it needs at the size of the forecast; `None` when it fits none.
    pub to: Option<String>,
    /// The working set at the largest size measured, and at the size of the forecast.
    pub bytes: [u64; 2],
}

/// How work reaches its data.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) enum Access {
    /// It does not depend on it.
    Flat,
    /// All of it, again and again: what does not fit a tier comes whole from the next.
    Streamed,
    /// Here and there: as much as fits comes from the nearest tier.
    Gathered,
}

/// How far work that is bound by memory is slower than the tier allows: where more than this share of a tier's rate is
/// reached, the work is taken to be bound by it. One pass over all data counts, so that work with several looks slower.
const BOUND_SHARE: f64 = 0.3;
/// What is thought of each kind of access where all data is in one tier and nothing else tells.
const UNTOLD: [f64; 3] = [0.7, 0.15, 0.15];
const BOUND: [f64; 3] = [0.1, 0.7, 0.2];

/// What sizes of memory differ by at least.
const FOOTPRINT_NOISE: f64 = 0.003;

/// The tiers with what is known of the working set.
pub(super) struct Tiers {
    tiers: Vec<MemoryTier>,
    footprint: Option<Candidates>,
    /// What is thought of flat, streamed and gathered access.
    priors: [f64; 3],
}

impl Tiers {
    pub(super) fn none() -> Self {
        Self { tiers: Vec::new(), footprint: None, priors: [1.0, 0.0, 0.0] }
    }

    pub(super) fn of(options: &ForecastOptions, measured: &[SizePoint], at: f64) -> Result<Self, Error> {
        if options.footprint.is_empty() || options.tiers.is_empty() {
            return Ok(Self::none());
        }
        check(&options.footprint, at)?;
        let mut tiers = options.tiers.clone();
        tiers.sort_by_key(|tier| tier.bytes);
        if let Some(tier) = tiers.iter().find(|tier| tier.bytes_per_s.is_nan() || tier.bytes_per_s <= 0.0) {
            return Err(Error::ForecastPoint { found: tier.bytes_per_s });
        }
        let footprint = Some(Candidates::fitted(&options.footprint, &Self::none(), FOOTPRINT_NOISE, true));
        let mut this = Self { tiers, footprint, priors: UNTOLD };
        if this.is_bound(measured) {
            this.priors = BOUND;
        }
        Ok(this)
    }

    /// The kinds of access that matter.
    pub(super) fn accesses(&self) -> &'static [Access] {
        match self.tiers.len() < 2 || self.footprint.is_none() {
            true => &[Access::Flat],
            false => &[Access::Flat, Access::Streamed, Access::Gathered],
        }
    }

    /// How much longer the same work takes with the data of each size, by kind of access.
    pub(super) fn slowness_at(&self, sizes: impl IntoIterator<Item = f64>) -> Vec<[f64; 3]> {
        let of = |size: f64| {
            let bytes = self.bytes_at(size);
            [Access::Flat, Access::Streamed, Access::Gathered].map(|access| self.slowness(access, bytes))
        };
        sizes.into_iter().map(of).collect()
    }

    /// What is thought of a curve's kind of access before it is fitted.
    pub(super) fn prior(&self, curve: &Curve) -> f64 {
        if curve.terms.is_empty() { 1.0 } else { self.priors[curve.access as usize] }
    }

    /// How much longer the same work takes than with data in the smallest tier.
    fn slowness(&self, access: Access, bytes: Option<f64>) -> f64 {
        let (Some(bytes), [first, ..]) = (bytes, &self.tiers[..]) else { return 1.0 };
        let slowness = |tier: &MemoryTier| first.bytes_per_s / tier.bytes_per_s;
        match access {
            Access::Flat => 1.0,
            Access::Streamed => slowness(self.tier_of(bytes).unwrap_or(&self.tiers[self.tiers.len() - 1])),
            Access::Gathered => {
                let (mut sum, mut reached) = (0.0, 0.0_f64);
                for (place, tier) in self.tiers.iter().enumerate() {
                    let is_last = place + 1 == self.tiers.len();
                    let until = if is_last { 1.0 } else { (tier.bytes as f64 / bytes).min(1.0) };
                    // Single accesses wait for memory: between tiers that differs about as the square of the rates.
                    sum += (until - reached).max(0.0) * slowness(tier).powi(2);
                    reached = reached.max(until);
                }
                sum
            }
        }
    }

    /// The tiers that are left between the largest size measured and another.
    pub(super) fn crossings(&self, measured: &[SizePoint], at: f64) -> Vec<Crossing> {
        let largest = measured.iter().fold(0.0, |largest, point| f64::max(largest, point.size));
        let (Some(before), Some(after)) = (self.bytes_at(largest), self.bytes_at(at)) else {
            return Vec::new();
        };
        let left = self.tiers.iter().enumerate().filter(|(_, tier)| {
            let capacity = tier.bytes as f64;
            before <= capacity && after > capacity
        });
        left.map(|(place, tier)| Crossing {
            from: tier.name.clone(),
            to: self.tiers.get(place + 1).map(|next| next.name.clone()),
            bytes: [before as u64, after as u64],
        })
        .collect()
    }

    fn bytes_at(&self, size: f64) -> Option<f64> {
        let footprint = self.footprint.as_ref()?;
        // What was measured is known better than any curve.
        let known = footprint.points.iter().filter(|point| point.size == size);
        let (sum, count) = known.fold((0.0, 0_u32), |(sum, count), point| (sum + point.value, count + 1));
        if count > 0 {
            return Some(sum / f64::from(count));
        }
        Some(footprint.mean(size, &Self::none()))
    }

    /// The smallest tier that holds so many bytes.
    fn tier_of(&self, bytes: f64) -> Option<&MemoryTier> {
        self.tiers.iter().find(|tier| tier.bytes as f64 >= bytes)
    }

    /// Whether the data is gone through at nearly the rate of the tier it is in, at the largest size measured.
    fn is_bound(&self, measured: &[SizePoint]) -> bool {
        let largest = measured.iter().max_by(|a, b| a.size.total_cmp(&b.size));
        let Some((point, bytes)) = largest.and_then(|point| Some((point, self.bytes_at(point.size)?))) else {
            return false;
        };
        let rate = bytes / (point.value * 1e-9);
        self.tier_of(bytes).is_some_and(|tier| rate > BOUND_SHARE * tier.bytes_per_s)
    }
}
