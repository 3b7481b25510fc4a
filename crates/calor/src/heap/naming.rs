//! A profile of what call paths did, with the names of their functions where the feature `sampling` brings what is needed
//! for that.

use calor_heap::Image;
use calor_model::Profile;

/// The profile of all call paths.
#[cfg(all(feature = "sampling", target_os = "linux", target_arch = "x86_64"))]
pub(super) fn profile(image: &Image) -> Profile {
    calor_record::heap_profile(image)
}

/// The profile of all call paths, by addresses.
#[cfg(not(all(feature = "sampling", target_os = "linux", target_arch = "x86_64")))]
pub(super) fn profile(image: &Image) -> Profile {
    use calor_model::{Frame, FrameKind, HeapKey, HeapMode, HeapSite, HeapSummary, LabelTable, Warning};
    let mut profile = Profile::default();
    let thread = profile.intern_thread(image.process, u64::from(image.process), "(all threads)");
    for site in &image.sites {
        let mut stack = None;
        for &address in &site.addresses {
            let module = image.modules.iter().find(|module| (module.start..module.end).contains(&address));
            let (file, bias) = module.map_or(("", 0), |module| (module.path.as_str(), module.bias));
            let file = if file.is_empty() { image.executable.as_str() } else { file };
            let short = file.rsplit('/').next().unwrap_or(file);
            let name = profile.strings.intern(&format!("{short}+{:#x}", address.wrapping_sub(bias)));
            let frame = profile.frames.intern(Frame::new(name, FrameKind::Native));
            stack = Some(profile.stacks.intern(stack, frame));
        }
        let Some(stack) = stack else { continue };
        let row = HeapSite {
            allocated_bytes: site.allocated_bytes,
            allocated_count: site.allocated_count.round() as u64,
            freed_bytes: site.freed_bytes,
            freed_count: site.freed_count.round() as u64,
            peak_bytes: site.peak_bytes,
            peak_count: site.peak_count.round() as u64,
            temporary_bytes: site.temporary_bytes,
            temporary_count: site.temporary_count,
            samples: site.samples,
            allocated_variance: site.variance,
            ..HeapSite::default()
        };
        profile.heap.add(HeapKey { stack, thread, labels: LabelTable::none() }, &row);
    }
    let is_exact = image.mode == calor_heap::Mode::Exact;
    let mode = if is_exact { HeapMode::Exact } else { HeapMode::Sampled };
    profile.heap.summary = Some(HeapSummary::new(mode, image.peak_bytes, None));
    profile.warn(Warning::new(
        "names_not_built_in",
        "functions have addresses instead of names: build calor with its feature `sampling`",
    ));
    profile
}
