//! Looks at the heap while the program runs.

#[cfg(feature = "report")]
use calor_analysis::{HeapOrder, HeapSide, heap_difference};
use calor_heap::{Image, Mode, SiteImage};
use calor_model::Profile;

use super::naming::Naming;
use super::tracked::TRACKER;
use super::{is_installed, told};
use crate::own_memory::{as_own, hand_out};

#[cfg(feature = "report")]
pub use calor_analysis::{HeapChange, HeapDifference};

/// Why the heap cannot be looked at.
#[derive(Clone, PartialEq, Eq, Debug, thiserror::Error)]
#[non_exhaustive]
pub enum HeapError {
    /// The program's allocator is another one.
    #[error(
        "the program's allocator is not calor::Alloc, so nothing is known of its heap: add `#[global_allocator] static \
         ALLOCATOR: calor::Alloc = calor::Alloc::system();`"
    )]
    NotInstalled,
    /// It keeps no call paths, or had no memory for them.
    #[error(
        "call paths of blocks are not kept: make the allocator with calor::Alloc::new or calor::Alloc::exact"
    )]
    NotTracked,
}

/// The heap when it was largest.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct Peak {
    /// Bytes that were held.
    pub bytes: u64,
    /// Whether that is to the byte, or estimated from sampled blocks.
    pub is_exact: bool,
}

/// Whether scopes know what they allocate.
pub(crate) fn counts_scopes() -> bool {
    is_installed() || told::has_counted()
}

/// What was counted so far.
pub(crate) fn image() -> Result<Image, HeapError> {
    if !is_installed() {
        return told::image().ok_or(HeapError::NotInstalled);
    }
    TRACKER.image().map_err(|_| HeapError::NotTracked)
}

/// The largest the heap was so far.
///
/// # Errors
/// When the allocator is not [`Alloc`](super::Alloc), or keeps no call paths.
pub fn peak() -> Result<Peak, HeapError> {
    as_own(|| {
        let image = image()?;
        Ok(Peak { bytes: image.peak_bytes, is_exact: image.mode == Mode::Exact })
    })
}

/// Bytes that are held now; an estimate unless the allocator was made by [`Alloc::exact`](super::Alloc::exact).
///
/// # Errors
/// As for [`peak`].
pub fn live_bytes() -> Result<u64, HeapError> {
    as_own(|| {
        let held = |site: &SiteImage| site.allocated_bytes.saturating_sub(site.freed_bytes);
        Ok(image()?.sites.iter().map(held).sum())
    })
}

/// What every call path allocated, freed, holds and held at the peak, as a profile that can be written, reported and
/// compared like any other. It is the program's from then on: a later one counts what this one takes.
///
/// # Errors
/// As for [`peak`].
pub fn snapshot() -> Result<Profile, HeapError> {
    let profile = as_own(|| {
        let image = image()?;
        let mut run = crate::process::run([calor_model::Recorder::Heap]);
        run.cost.memory_bytes = Some(image.own_bytes);
        let mut profile = Profile::default();
        Naming::default().tell(&image, run.duration_nanos, &mut profile);
        profile.runs.push(run);
        Ok(profile)
    })?;
    Ok(hand_out(profile))
}

/// Adds the heap to a profile of this process, where call paths of blocks are kept: what was counted since the last
/// [`reset`](crate::reset), where others tell of blocks.
#[cfg(feature = "report")]
pub fn add_to(profile: &mut Profile) {
    let Ok(mut image) = image() else { return };
    told::leave_out_earlier(&mut image);
    Naming::default().tell(&image, profile.duration_nanos(), profile);
    for run in &mut profile.runs {
        run.recorders.insert(calor_model::Recorder::Heap);
        run.cost.memory_bytes = Some(image.own_bytes);
    }
}

/// What call paths hold more, and what less, in the later of two snapshots.
#[cfg(feature = "report")]
#[must_use]
pub fn diff(before: &Profile, after: &Profile) -> HeapDifference {
    heap_difference(HeapSide::Run(before, HeapOrder::Live), HeapSide::Run(after, HeapOrder::Live))
}
