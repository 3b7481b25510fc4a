//! What processes counted becomes rows of a profile: call paths with names, and what came since the last time.

use std::collections::HashMap;

use calor_heap::{Image, Mode, SiteImage};
use calor_model::HeapSite;

use super::door;
use crate::cpu::images::{ImageId, Images};
use crate::cpu::spaces::Location;
use crate::cpu::tally::{Step, Tally};
use crate::image::Image as File;
use crate::python::{NativeFrame, Part, Python, Written};
use crate::unwind::Unwinder;

/// The paths of one process by their numbers, what was told of them, and what they are called.
#[derive(Debug, Default)]
pub(super) struct Told {
    sites: HashMap<u32, SiteImage>,
    nodes: HashMap<u32, Option<u32>>,
    functions: Written,
}

/// Names files, and paths by them.
pub(super) struct Files<'a> {
    pub(super) images: &'a mut Images,
    pub(super) unwinder: &'a mut Unwinder,
    pub(super) python: &'a mut Python,
}

/// The paths of a process on their way into a tally.
pub(super) struct Gathering<'a> {
    /// The files of the process, by where they are loaded.
    modules: Vec<(calor_heap::Module, Option<ImageId>)>,
    pub(super) told: &'a mut Told,
    files: Files<'a>,
}

impl<'a> Gathering<'a> {
    pub(super) fn of(image: &Image, told: &'a mut Told, mut files: Files<'a>) -> Self {
        let module = |module: &calor_heap::Module| {
            let path = if module.path.is_empty() { &image.executable } else { &module.path };
            let own = path.rsplit('/').next() == Some(calor_preload::FILE_NAME);
            let id = (!own).then(|| files.named(path, image.process));
            (module.clone(), id)
        };
        let modules = image.modules.iter().map(module).collect();
        told.functions.read(image.interpreter.as_ref(), &image.functions, &mut files.python.functions);
        Self { modules, told, files }
    }

    /// The interpreters of Python among the files.
    pub(super) fn interpreters(&mut self) -> Vec<String> {
        let images = &self.files.images;
        let image = |file| images.opened(ImageId::of_number(file)).image.clone();
        let files = self.modules.iter().filter_map(|(_, id)| id.map(ImageId::number));
        files.filter_map(|file| self.files.python.interpreter_in(file, image)).collect()
    }

    /// A path as one of the tally.
    pub(super) fn node(&mut self, site: &SiteImage, tally: &mut Tally) -> Option<u32> {
        if let Some(known) = self.told.nodes.get(&site.number) {
            return *known;
        }
        let node = tally.path(self.steps(site));
        self.told.nodes.insert(site.number, node);
        node
    }

    /// The steps of a path, outermost first, without those of the library itself at its end.
    fn steps(&mut self, site: &SiteImage) -> Vec<Step> {
        let located = site.addresses.iter().rev().filter_map(|&address| self.location(address));
        let locations: Vec<Location> = located.collect();
        let mut steps = if site.python.is_empty() {
            locations.into_iter().map(Step::User).collect()
        } else {
            self.steps_of_both(&locations, site)
        };
        if site.addresses.len() >= calor_heap::MAX_FRAMES {
            steps.push(Step::Longer);
        }
        if self.is_mapping(site) {
            steps.insert(0, Step::Mapping);
        }
        // Nothing is known of who called, which is no reason not to count it.
        if steps.is_empty() {
            steps.push(Step::User(Location { image: None, address: 0 }));
        }
        steps.reverse();
        steps
    }

    /// Whether a path ends in the library where it maps memory for the program.
    fn is_mapping(&self, site: &SiteImage) -> bool {
        let Some(&innermost) = site.addresses.last() else { return false };
        let own = self.modules.iter().filter(|(_, image)| image.is_none());
        own.filter_map(|(module, _)| module.address_in_file(innermost)).any(door::is_mapping)
    }

    /// The same, innermost first, with Python functions in the place of the native ones that run them.
    fn steps_of_both(&mut self, locations: &[Location], site: &SiteImage) -> Vec<Step> {
        let native = |location: &Location| {
            let file = location.image?.number();
            Some(NativeFrame { file, address: location.address, bias: 0 })
        };
        let native: Vec<Option<NativeFrame>> = locations.iter().map(native).collect();
        let python = site.python.iter().rev();
        let python: Vec<(Part, bool)> =
            python.map(|frame| (self.told.functions.part(*frame), frame.is_outermost)).collect();
        let images = &self.files.images;
        let image = |file| images.opened(ImageId::of_number(file)).image.clone();
        let parts = self.files.python.place(&native, &python, image);
        let step = |part| match part {
            Part::Native(index) => Step::User(locations[index]),
            Part::Python(function, line) => Step::Python(function, line),
            Part::Unnamed | Part::Unverified | Part::Longer => Step::PythonUnnamed,
        };
        parts.into_iter().map(step).collect()
    }

    /// What a return address stands for; `None` for those of the library itself.
    fn location(&self, address: u64) -> Option<Location> {
        // The call is before the address that it returns to.
        let address = address.wrapping_sub(1);
        let module =
            self.modules.iter().find_map(|(module, image)| Some((module.address_in_file(address)?, *image)));
        match module {
            Some((address, Some(image))) => Some(Location { image: Some(image), address }),
            Some((_, None)) => None,
            None => Some(Location { image: None, address }),
        }
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
        let before = self.sites.entry(now.number).or_default();
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
        // Where it is need not be kept.
        *before = SiteImage { addresses: Vec::new(), python: Vec::new(), ..now.clone() };
        news
    }
}
