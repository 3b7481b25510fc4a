//! The call paths of a process on their way into a profile: what the addresses and Python frames of its tree stand for,
//! and which places the paths have in a tree of both languages.

use calor_heap::{Image, SiteImage};
use calor_paths::{Module, PathTree, PythonFrame};

use super::door;
use super::fold::Entry;
use super::frames::{Frames, Met};
use super::paths::{Outer, Paths};
use super::told::Told;
use crate::call_paths::images::{ImageId, Images};
use crate::call_paths::spaces::Location;
use crate::call_paths::tally::{Step, Tally};
use crate::python::{NativeFrame, Part, Python};
use calor_symbols::image::Image as File;
use calor_symbols::unwind::Unwinder;

/// Names files, and paths by them.
pub(super) struct Files<'a> {
    pub(super) images: &'a mut Images,
    pub(super) unwinder: &'a mut Unwinder,
    pub(super) python: &'a mut Python,
}

/// The paths of a process.
pub(super) struct Gathering<'a> {
    image: &'a Image,
    /// The files of the process, by where they are loaded.
    modules: Vec<(Module, Option<ImageId>)>,
    pub(super) told: &'a mut Told,
    files: Files<'a>,
    frames: Option<Frames>,
    paths: Paths,
}

impl<'a> Gathering<'a> {
    pub(super) fn of(image: &'a Image, told: &'a mut Told, mut files: Files<'a>) -> Self {
        let module = |module: &Module| {
            let path = if module.path.is_empty() { &image.region.executable } else { &module.path };
            let own = path.rsplit('/').next() == Some(calor_preload::FILE_NAME);
            let id = (!own).then(|| files.named(path, image.region.process));
            (module.clone(), id)
        };
        let modules = image.region.modules.iter().map(module).collect();
        told.functions.read(image.region.interpreter.as_ref(), &image.region.functions);
        Self { image, modules, told, files, frames: None, paths: Paths::default() }
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
        let frames = self.frames();
        let number = self.number(Outer::of(site, &frames), &frames);
        self.frames = Some(frames);
        let node = tally.path(shown(self.paths.steps(number)));
        self.told.nodes.insert(site.number, node);
        node
    }

    /// All paths, each with what it weighs. Of those that have a frame which weighs less than `least` with all that is
    /// below it, only the part outside of that is looked at, unless `least` is 0.
    pub(super) fn entries(&mut self, weights: &[f64], least: f64) -> Vec<Entry> {
        let frames = self.frames();
        let kept = heavy_nodes(self.image, weights, least);
        let mut entries = Vec::with_capacity(weights.len());
        for (site, weight) in self.image.sites.iter().zip(weights) {
            let path = Outer::of(site, &frames);
            let outer = outer_part(path, &kept, &self.image.region.paths, &frames);
            let node = self.number(outer, &frames);
            entries.push(Entry { node, weight: *weight, is_folded: outer != path });
        }
        self.frames = Some(frames);
        entries
    }

    /// The tree that entries have their places in.
    pub(super) fn into_paths(self) -> Paths {
        self.paths
    }

    fn frames(&mut self) -> Frames {
        let tree = &self.image.region.paths;
        self.frames.take().unwrap_or_else(|| Frames::of(tree, |word| self.meet(word)))
    }

    fn number(&mut self, path: Outer, frames: &Frames) -> u32 {
        let (functions, table) = (&mut self.told.functions, &mut self.files.python.functions);
        self.paths.number(path, &self.image.region.paths, frames, |frame| {
            match functions.part(frame, table) {
                Part::Python(function, line) => {
                    table.is_shown(function).then_some(Step::Python(function, line))
                }
                _ => Some(Step::PythonUnnamed),
            }
        })
    }

    fn meet(&mut self, word: u64) -> Met {
        if let Some(frame) = PythonFrame::unpacked(word) {
            return Met::Python(frame);
        }
        let Some(location) = self.location(word) else { return Met::Own { maps: self.is_mapping(word) } };
        let native = location.image.map(|image| NativeFrame {
            file: image.number(),
            address: location.address,
            bias: 0,
        });
        let images = &self.files.images;
        let image = |file| images.opened(ImageId::of_number(file)).image.clone();
        Met::Native(location, self.files.python.standing(native, image))
    }

    /// Whether an address is in the library where it maps memory for the program.
    fn is_mapping(&self, address: u64) -> bool {
        let own = self.modules.iter().filter(|(_, image)| image.is_none());
        own.filter_map(|(module, _)| module.address_in_file(address)).any(door::is_mapping)
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

/// Steps of a path; where nothing is known of who called, that is no reason not to count it.
pub(super) fn shown(steps: Vec<Step>) -> Vec<Step> {
    match steps.is_empty() {
        true => vec![Step::User(Location { image: None, address: 0 })],
        false => steps,
    }
}

/// The part of a path whose frames are kept in the tree of their own language: what is further in weighs too little.
fn outer_part(path: Outer, kept: &[u32], tree: &PathTree, frames: &Frames) -> Outer {
    let kept = |node: u32| kept.get(node as usize).copied().unwrap_or(node);
    let (native, _) = path.nodes();
    let path = if kept(native) == native { path } else { path.up_to(kept(native), frames) };
    let (_, python) = path.nodes();
    if kept(python) == python { path } else { path.up_to_python(kept(python), tree, frames) }
}

/// For each node the nearest one, itself or further out, that weighs at least so much with all below it; 0 where there is
/// none. Empty where all do.
fn heavy_nodes(image: &Image, weights: &[f64], least: f64) -> Vec<u32> {
    if least == 0.0 {
        return Vec::new();
    }
    let (tree, last) = (&image.region.paths, image.region.paths.last());
    let mut sums = vec![0.0_f32; last as usize + 1];
    for (site, weight) in image.sites.iter().zip(weights).filter(|(site, _)| site.native <= last) {
        sums[site.native as usize] += *weight as f32;
        if (1..=last).contains(&site.python) {
            sums[site.python as usize] += *weight as f32;
        }
    }
    for node in (1..=last).rev() {
        let sum = sums[node as usize];
        sums[tree.parent(node) as usize] += sum;
    }
    let mut kept = vec![0; last as usize + 1];
    for node in 1..=last {
        let above = kept[tree.parent(node) as usize];
        kept[node as usize] = if sums[node as usize] < least as f32 { above } else { node };
    }
    kept
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
