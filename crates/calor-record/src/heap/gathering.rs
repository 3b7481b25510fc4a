//! What processes counted becomes rows of a profile: call paths with names, and what came since the last time.

use std::collections::HashMap;

use calor_heap::{Image, Mode, SiteImage};
use calor_model::HeapSite;

use crate::cpu::images::{ImageId, Images};
use crate::cpu::spaces::Location;
use crate::cpu::tally::{Step, Tally};
use crate::image::Image as File;
use crate::unwind::Unwinder;

/// The paths of one process, by their place in its region, and what was told of them.
#[derive(Debug, Default)]
pub(super) struct Told {
    sites: HashMap<Vec<u64>, SiteImage>,
}

/// Names files, and paths by them.
pub(super) struct Files<'a> {
    pub(super) images: &'a mut Images,
    pub(super) unwinder: &'a mut Unwinder,
}

/// The files of a process, by where they are loaded.
pub(super) struct Layout {
    modules: Vec<(calor_heap::Module, Option<ImageId>)>,
}

impl Layout {
    pub(super) fn of(image: &Image, files: &mut Files<'_>) -> Self {
        let module = |module: &calor_heap::Module| {
            let path = if module.path.is_empty() { &image.executable } else { &module.path };
            let own = path.rsplit('/').next() == Some(calor_preload::FILE_NAME);
            let id = (!own).then(|| files.named(path, image.process));
            (module.clone(), id)
        };
        Self { modules: image.modules.iter().map(module).collect() }
    }

    /// The steps of a path, outermost first, without those of the library itself at its end.
    pub(super) fn steps(&self, addresses: &[u64]) -> Vec<Step> {
        let mut steps = Vec::with_capacity(addresses.len() + 1);
        if addresses.len() >= calor_heap::MAX_FRAMES {
            steps.push(Step::Longer);
        }
        for &address in addresses {
            // The call is before the address that it returns to.
            let address = address - 1;
            let module = self
                .modules
                .iter()
                .find_map(|(module, image)| Some((module.address_in_file(address)?, *image)));
            match module {
                Some((address, Some(image))) => {
                    steps.push(Step::User(Location { image: Some(image), address }));
                }
                Some((_, None)) => {}
                None => steps.push(Step::User(Location { image: None, address })),
            }
        }
        // Nothing is known of who called, which is no reason not to count it.
        if steps.is_empty() {
            steps.push(Step::User(Location { image: None, address: 0 }));
        }
        steps
    }
}

impl Files<'_> {
    fn named(&mut self, path: &str, process: u32) -> ImageId {
        if let Some(known) = self.images.by_name(path) {
            return known;
        }
        let key = (path.to_owned(), (0, 0), 0);
        self.images.get_or_open(key, self.unwinder, || {
            let inside = format!("/proc/{process}/root{path}");
            let file = if std::fs::metadata(&inside).is_ok() { inside } else { path.to_owned() };
            File::open(path, std::path::Path::new(&file)).map(Some).map_err(|error| error.to_string())
        })
    }
}

impl Told {
    /// What a path did since it was last told of.
    pub(super) fn news(&mut self, now: &SiteImage, mode: Mode, tells_peak: bool) -> HeapSite {
        let before = self.sites.entry(now.addresses.clone()).or_default();
        let count = |now: f64, before: f64| (now.round() - before.round()).max(0.0) as u64;
        let live = |site: &SiteImage| site.allocated_bytes.saturating_sub(site.freed_bytes) as f64;
        // Blocks of one path are much alike, so that what is held has its part of the variance.
        let part = |site: &SiteImage, of: f64| match site.allocated_bytes {
            0 => 0.0,
            all => site.variance * of / all as f64,
        };
        let mut news = HeapSite {
            allocated_bytes: now.allocated_bytes.saturating_sub(before.allocated_bytes),
            allocated_count: count(now.allocated_count, before.allocated_count),
            freed_bytes: now.freed_bytes.saturating_sub(before.freed_bytes),
            freed_count: count(now.freed_count, before.freed_count),
            temporary_bytes: now.temporary_bytes.saturating_sub(before.temporary_bytes),
            temporary_count: now.temporary_count.saturating_sub(before.temporary_count),
            ..HeapSite::default()
        };
        if tells_peak {
            news.peak_bytes = now.peak_bytes;
            news.peak_count = now.peak_count.round() as u64;
        }
        if mode == Mode::Sampled {
            news.samples = now.samples.saturating_sub(before.samples);
            news.allocated_variance = (now.variance - before.variance).max(0.0);
            news.live_variance = part(now, live(now)) - part(before, live(before));
            news.peak_variance = if tells_peak { part(now, now.peak_bytes as f64) } else { 0.0 };
        }
        *before = now.clone();
        news
    }
}

/// The paths of a process as paths of the tally.
pub(super) fn node(layout: &Layout, site: &SiteImage, tally: &mut Tally) -> Option<u32> {
    tally.path(layout.steps(&site.addresses))
}
