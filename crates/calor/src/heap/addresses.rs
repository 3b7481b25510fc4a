//! What call paths did, by addresses, where names are not to be had.

use std::collections::HashMap;

use calor_heap::{Image, Mode, SiteImage};
use calor_model::{
    Frame, FrameKind, HeapBlocks, HeapKey, HeapMode, HeapSite, HeapSnapshot, HeapSummary, LabelTable,
    Profile, StackId, Warning,
};

/// What was told so far.
#[derive(Default)]
pub(crate) struct Naming {
    told: HashMap<u32, HeapSite>,
    peak_ticks: Option<u64>,
}

impl Naming {
    /// Adds to a profile what came since the last time. `at_nanos` is now, from the start of the run.
    pub(crate) fn tell(&mut self, image: &Image, _at_nanos: u64, profile: &mut Profile) {
        self.rows(image, None, profile);
    }

    /// The same, with who holds what now.
    pub(crate) fn tell_moment(&mut self, image: &Image, at_nanos: u64, profile: &mut Profile) {
        self.rows(image, Some(HeapSnapshot::new(at_nanos)), profile);
    }

    fn rows(&mut self, image: &Image, mut snapshot: Option<HeapSnapshot>, profile: &mut Profile) {
        if self.peak_ticks.is_none() {
            profile.warn(Warning::new(
                "names_not_built_in",
                "functions have addresses instead of names: names are found on x86-64 Linux only",
            ));
        }
        let is_new_peak = self.peak_ticks.replace(image.peak_ticks) != Some(image.peak_ticks);
        let thread = profile.intern_thread(image.region.process, 0, "(all threads)");
        for site in &image.sites {
            let Some(stack) = stack(site, image, profile) else { continue };
            let now = row(site, image.mode);
            let before = self.told.insert(site.number, now).unwrap_or_default();
            let news = since(&now, &before, is_new_peak);
            profile.heap.add(HeapKey { stack, thread, labels: LabelTable::none() }, &news);
            if let Some(snapshot) = &mut snapshot
                && now.live_count() > 0
            {
                snapshot.add(stack, HeapBlocks { count: now.live_count(), bytes: now.live_bytes() });
            }
        }
        let mode = if image.mode == Mode::Exact { HeapMode::Exact } else { HeapMode::Sampled };
        let mut summary = HeapSummary::new(mode, image.peak_bytes, None);
        summary.sampling_bytes = Some(image.sampling_bytes).filter(|_| mode == HeapMode::Sampled);
        profile.heap.summary = Some(summary);
        if let Some(snapshot) = snapshot {
            profile.heap.snapshots.add(snapshot);
        }
    }
}

fn stack(site: &SiteImage, image: &Image, profile: &mut Profile) -> Option<StackId> {
    let mut stack = None;
    for address in image.addresses(site) {
        let module = image.region.modules.iter().find(|module| (module.start..module.end).contains(&address));
        let (file, bias) = module.map_or(("", 0), |module| (module.path.as_str(), module.bias));
        let file = if file.is_empty() { image.region.executable.as_str() } else { file };
        let short = file.rsplit('/').next().unwrap_or(file);
        let name = profile.strings.intern(&format!("{short}+{:#x}", address.wrapping_sub(bias)));
        let frame = profile.frames.intern(Frame::new(name, FrameKind::Native));
        stack = Some(profile.stacks.intern(stack, frame));
    }
    stack
}

fn row(site: &SiteImage, mode: Mode) -> HeapSite {
    // Blocks of one path are much alike, so that what is held has its part of the variance.
    let part = |bytes: u64| match (mode, site.allocated_bytes) {
        (Mode::Exact, _) | (_, 0) => 0.0,
        (Mode::Sampled, all) => site.variance * bytes as f64 / all as f64,
    };
    HeapSite {
        allocated_bytes: site.allocated_bytes,
        allocated_count: site.allocated_count.round() as u64,
        freed_bytes: site.freed_bytes,
        freed_count: site.freed_count.round() as u64,
        peak_bytes: site.peak_bytes,
        peak_count: site.peak_count.round() as u64,
        temporary_bytes: site.temporary_bytes,
        temporary_count: site.temporary_count,
        samples: site.samples,
        allocated_variance: part(site.allocated_bytes),
        live_variance: part(site.allocated_bytes.saturating_sub(site.freed_bytes)),
        peak_variance: part(site.peak_bytes),
    }
}

fn since(now: &HeapSite, before: &HeapSite, tells_peak: bool) -> HeapSite {
    let peak = |figure: u64| if tells_peak { figure } else { 0 };
    HeapSite {
        allocated_bytes: now.allocated_bytes.saturating_sub(before.allocated_bytes),
        allocated_count: now.allocated_count.saturating_sub(before.allocated_count),
        freed_bytes: now.freed_bytes.saturating_sub(before.freed_bytes),
        freed_count: now.freed_count.saturating_sub(before.freed_count),
        peak_bytes: peak(now.peak_bytes),
        peak_count: peak(now.peak_count),
        temporary_count: now.temporary_count.saturating_sub(before.temporary_count),
        temporary_bytes: now.temporary_bytes.saturating_sub(before.temporary_bytes),
        samples: now.samples.saturating_sub(before.samples),
        allocated_variance: (now.allocated_variance - before.allocated_variance).max(0.0),
        live_variance: now.live_variance - before.live_variance,
        peak_variance: if tells_peak { now.peak_variance } else { 0.0 },
    }
}
