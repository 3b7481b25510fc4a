//! The heap of this very process, as the SDK's allocator counted it.

use calor_heap::{Image, Mode};
use calor_model::{
    HeapBlocks, HeapHistograms, HeapKey, HeapMode, HeapSite, HeapSnapshot, HeapSummary, LabelTable, Profile,
    StackId,
};

use super::gathering::{Files, Gathering};
use super::histograms::{difference, histograms, nanos_of};
use super::memory::Resident;
use super::told::Told;
use super::watch::all_threads;
use crate::call_paths::images::Images;
use crate::call_paths::naming::Naming;
use crate::call_paths::tally::Tally;
use crate::perf::clock_nanos;
use crate::python::Python;
use calor_symbols::unwind::Unwinder;
use calor_symbols::{SymbolOptions, Symbolizer};

/// The heap of this process, told part by part: each time what came since the last one.
#[derive(Debug)]
pub struct OwnHeap {
    images: Images,
    unwinder: Unwinder,
    python: Python,
    naming: Naming,
    tally: Tally,
    told: Told,
    histograms: HeapHistograms,
    /// The processor's ticks at the peak that was last told of, and the same as a time.
    peak: Option<(u64, Option<u64>)>,
}

impl Default for OwnHeap {
    fn default() -> Self {
        Self::new()
    }
}

impl OwnHeap {
    /// Of which nothing was told yet.
    #[must_use]
    pub fn new() -> Self {
        Self {
            images: Images::default(),
            unwinder: Unwinder::new(),
            python: Python::default(),
            naming: Naming::new(Symbolizer::new(SymbolOptions::default()), false),
            tally: Tally::default(),
            told: Told::default(),
            histograms: HeapHistograms::default(),
            peak: None,
        }
    }

    /// Adds to a profile what came since the last time. `at_nanos` is now, from the start of the run.
    pub fn tell(&mut self, image: &Image, at_nanos: u64, profile: &mut Profile) {
        self.rows(image, None, at_nanos, profile);
    }

    /// The same, with who holds what now, and beside it the memory of the process.
    pub fn tell_moment(&mut self, image: &Image, at_nanos: u64, profile: &mut Profile) {
        self.rows(image, Some(HeapSnapshot::new(at_nanos)), at_nanos, profile);
        let live = image.sites.iter().map(|site| held(site).bytes).fold(0, u64::saturating_add);
        profile.push_heap_point(
            at_nanos,
            Some(live),
            Resident::of(image.region.process).map(|memory| memory.all),
        );
    }

    fn rows(
        &mut self,
        image: &Image,
        mut snapshot: Option<HeapSnapshot>,
        at_nanos: u64,
        profile: &mut Profile,
    ) {
        let is_new_peak = self.peak.is_none_or(|(ticks, _)| ticks != image.peak_ticks);
        if is_new_peak {
            let began = clock_nanos().saturating_sub(at_nanos);
            let at = nanos_of(image, image.peak_ticks).map(|nanos| nanos.saturating_sub(began));
            self.peak = Some((image.peak_ticks, at));
        }
        let files =
            Files { images: &mut self.images, unwinder: &mut self.unwinder, python: &mut self.python };
        let mut gathering = Gathering::of(image, &mut self.told, files);
        let mut rows = Vec::new();
        for site in &image.sites {
            let news = gathering.told.news(site, image.mode, is_new_peak);
            gathering.told.keep(site, 0);
            let held = if snapshot.is_some() { held(site) } else { HeapBlocks::default() };
            if (news != HeapSite::default() || !held.is_empty())
                && let Some(node) = gathering.node(site, &mut self.tally)
            {
                rows.push((node, news, held));
            }
        }
        let stacks = self.naming.stacks(&self.tally, &self.images, &self.python.functions, profile);
        let thread = all_threads(profile, image.region.process);
        for (node, news, held) in rows {
            let Some(stack) = stacks[node as usize].and_then(|stack| without_own(profile, stack)) else {
                continue;
            };
            if news != HeapSite::default() {
                profile.heap.add(HeapKey { stack, thread, labels: LabelTable::none() }, &news);
            }
            if let Some(snapshot) = &mut snapshot
                && !held.is_empty()
            {
                snapshot.add(stack, held);
            }
        }
        let now = histograms(image);
        profile.heap.histograms.add(&difference(&now, &self.histograms));
        self.histograms = now;
        profile.heap.summary = Some(self.summary(image));
        if let Some(snapshot) = snapshot {
            profile.heap.snapshots.add(snapshot);
        }
    }

    fn summary(&self, image: &Image) -> HeapSummary {
        let mode = if image.mode == Mode::Exact { HeapMode::Exact } else { HeapMode::Sampled };
        let mut summary = HeapSummary::new(mode, image.peak_bytes, self.peak.and_then(|(_, at)| at));
        summary.sampling_bytes = Some(image.sampling_bytes).filter(|_| mode == HeapMode::Sampled);
        summary.leaked = image.region.has_ended.then(|| {
            let mut sum = HeapBlocks::default();
            image.sites.iter().for_each(|site| sum.add(held(site)));
            sum
        });
        summary
    }
}

fn held(site: &calor_heap::SiteImage) -> HeapBlocks {
    HeapBlocks {
        count: (site.allocated_count - site.freed_count).round().max(0.0) as u64,
        bytes: site.allocated_bytes.saturating_sub(site.freed_bytes),
    }
}

/// How the file of the Python package's native module begins: it stands before the interpreter's allocators.
const PYTHON_MODULE: &str = "_calor.";

/// The path without the allocator's own functions at its end.
fn without_own(profile: &Profile, stack: StackId) -> Option<StackId> {
    let mut at = Some(stack);
    while let Some(stack) = at {
        let row = profile.stacks.get(stack);
        let frame = profile.frames.get(row.frame);
        let name = profile.strings.get(frame.name);
        let module = frame.module.map_or("", |module| profile.strings.get(module));
        let is_own = ["calor::heap::", "calor_heap::", "calor_paths::"].iter().any(|own| name.contains(own));
        if !is_own && !module.rsplit('/').next().is_some_and(|file| file.starts_with(PYTHON_MODULE)) {
            break;
        }
        at = row.parent;
    }
    at
}
