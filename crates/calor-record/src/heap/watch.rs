//! The heaps of all processes of a recording.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::io;
use std::path::PathBuf;
use std::time::{Duration, Instant};

use calor_heap::{Image, Mode, SiteImage};
use calor_model::{
    HeapBlocks, HeapHistograms, HeapKey, HeapMode, HeapSnapshot, HeapSnapshots, HeapSummary, LabelTable,
    Profile, Recorder, StackId, Thread, Warning,
};
use calor_preload::Way;

use super::folder::Folder;
use super::gathering::{Files, Gathering, Told};
use super::heap_ability;
use super::interpreter::Unwatched;
use super::memory::Resident;
use super::points::Points;
use super::region::Region;
use super::unseen::Unseen;
use crate::cpu::images::Images;
use crate::cpu::naming::Naming;
use crate::cpu::observer::Observer;
use crate::cpu::tally::Tally;
use crate::cpu::{Options, RecordError, Target};
use crate::perf::clock_nanos;
use crate::python::Python;
use crate::unwind::Unwinder;

/// How often the processes are looked at.
const EVERY: Duration = Duration::from_millis(100);

/// A program's heap.
#[derive(Debug)]
pub(crate) struct HeapWatch {
    way: Way,
    folder: Folder,
    processes: BTreeMap<PathBuf, Process>,
    /// Call paths of all processes.
    tally: Tally,
    points: Points,
    snapshots: Snapshots,
    unseen: Unseen,
    interpreters: Unwatched,
    began_nanos: u64,
    looked: Option<Instant>,
    /// Whether all was told.
    is_finished: bool,
}

#[derive(Debug)]
struct Process {
    counts: Counts,
    told: Told,
    histograms: HeapHistograms,
}

/// Where what a process counted is.
#[derive(Debug)]
enum Counts {
    /// In its file.
    Going(Region),
    /// Here, since it has ended: programs that start many others must not fill memory with their files.
    Over(Box<Image>),
}

impl Process {
    fn image(&self) -> Option<Image> {
        match &self.counts {
            Counts::Going(region) => region.image().ok(),
            Counts::Over(image) => Some(image.as_ref().clone()),
        }
    }

    /// The file, as long as it is written to.
    fn region(&self) -> Option<&Region> {
        match &self.counts {
            Counts::Going(region) => Some(region),
            Counts::Over(_) => None,
        }
    }

    fn is_over(&self) -> bool {
        self.region().is_none()
    }
}

/// What call paths held at some instants, until it goes into a profile.
#[derive(Debug, Default)]
struct Snapshots {
    /// Says when one is due; those in it are empty.
    schedule: HeapSnapshots,
    taken: Vec<(u64, Vec<(u32, HeapBlocks)>)>,
}

/// What names are found with.
pub(crate) struct Names<'a> {
    pub(crate) naming: &'a mut Naming,
    pub(crate) images: &'a mut Images,
    pub(crate) unwinder: &'a mut Unwinder,
    pub(crate) python: &'a mut Python,
}

impl HeapWatch {
    /// The heap of a program that is to be started, if it is asked for.
    pub(crate) fn of(target: &Target, options: &Options) -> Result<Option<Self>, RecordError> {
        let Some(way) = options.heap else { return Ok(None) };
        heap_ability().map_err(|why| RecordError::Option(why.to_owned()))?;
        match target {
            Target::Command(_) => Self::new(way).map(Some).map_err(RecordError::System),
            _ => Err(RecordError::Option(
                "the heap of a process that already runs cannot be watched: its blocks were allocated unseen, and \
                 putting a library into it would stop it and may break it; start it with `calor record --heap -- CMD`, \
                 or leave --heap out to sample its CPU"
                    .to_owned(),
            )),
        }
    }

    /// The recording begins: times count from here.
    pub(crate) fn begin(&mut self) {
        self.began_nanos = clock_nanos();
    }

    fn new(way: Way) -> io::Result<Self> {
        Ok(Self {
            way,
            folder: Folder::new()?,
            processes: BTreeMap::new(),
            tally: Tally::default(),
            points: Points::default(),
            snapshots: Snapshots::default(),
            unseen: Unseen::default(),
            interpreters: Unwatched::default(),
            began_nanos: clock_nanos(),
            looked: None,
            is_finished: false,
        })
    }

    /// What the program has to find in its environment.
    pub(crate) fn environment(&self) -> Vec<(OsString, OsString)> {
        self.folder.environment(self.way)
    }

    /// Looks at all processes when it is time to, or at once.
    pub(crate) fn look(&mut self, at_once: bool, names: &mut Names<'_>) {
        if !at_once && self.looked.is_some_and(|looked| looked.elapsed() < EVERY) {
            return;
        }
        self.looked = Some(Instant::now());
        self.find_processes();
        self.settle_processes();
        let at_nanos = clock_nanos().saturating_sub(self.began_nanos);
        let (mut live, mut resident, mut is_alive) = (0, 0, false);
        for region in self.processes.values().filter_map(Process::region) {
            let (Some(held), Some(pid)) = (region.live_bytes(), region.process()) else {
                continue;
            };
            // What a process that has ended did not free is nobody's any more.
            let Some(memory) = Resident::of(pid) else { continue };
            self.unseen.see(pid, memory, held);
            is_alive = true;
            live += held;
            resident += memory.all;
        }
        if is_alive {
            self.points.add(at_nanos, live, resident);
            if at_nanos >= self.snapshots.schedule.next_at_nanos() {
                self.take_snapshot(at_nanos, names);
            }
        }
    }

    fn find_processes(&mut self) {
        let entries = std::fs::read_dir(self.folder.path()).into_iter().flatten().flatten();
        for path in entries.map(|entry| entry.path()) {
            let is_library = path.file_name().is_some_and(|name| name == calor_preload::FILE_NAME);
            if !is_library
                && !self.processes.contains_key(&path)
                && let Ok(region) = Region::open(&path)
            {
                let counts = Counts::Going(region);
                let process =
                    Process { counts, told: Told::default(), histograms: HeapHistograms::default() };
                self.processes.insert(path, process);
            }
        }
    }

    /// A process that had no room for its counts leaves an empty file.
    fn count_failures(&mut self) {
        let entries = std::fs::read_dir(self.folder.path()).into_iter().flatten().flatten();
        let empty = entries.filter(|entry| entry.metadata().is_ok_and(|metadata| metadata.len() == 0));
        empty.for_each(|_| self.unseen.see_failure());
    }

    /// Takes what processes counted that have ended, and removes their files.
    fn settle_processes(&mut self) {
        let unseen = &mut self.unseen;
        self.processes.retain(|path, process| {
            let Counts::Going(region) = &process.counts else { return true };
            if !region.is_over() {
                return true;
            }
            let image = region.image();
            // A file that cannot be removed goes with the folder.
            let _ = std::fs::remove_file(path);
            match image {
                Ok(image) => process.counts = Counts::Over(Box::new(image)),
                Err(_) => unseen.see_failure(),
            }
            !matches!(process.counts, Counts::Going(_))
        });
    }

    fn take_snapshot(&mut self, at_nanos: u64, names: &mut Names<'_>) {
        let mut rows = Vec::new();
        for process in self.processes.values_mut() {
            let Some(Ok(image)) = process.region().map(Region::image) else { continue };
            if Resident::of(image.process).is_none() {
                continue;
            }
            let mut gathering = Gathering::of(&image, &mut process.told, names.files());
            for site in &image.sites {
                let bytes = site.allocated_bytes.saturating_sub(site.freed_bytes);
                let count = (site.allocated_count - site.freed_count).round().max(0.0) as u64;
                if count > 0
                    && let Some(node) = gathering.node(site, &mut self.tally)
                {
                    rows.push((node, HeapBlocks { count, bytes }));
                }
            }
        }
        self.snapshots.schedule.push(HeapSnapshot::new(at_nanos));
        self.snapshots.taken.push((at_nanos, rows));
        let kept: Vec<u64> = self.snapshots.schedule.iter().map(|snapshot| snapshot.at_nanos).collect();
        self.snapshots.taken.retain(|(at_nanos, _)| kept.contains(at_nanos));
    }

    /// Adds what was counted since the last time. `is_last` when the recording has ended.
    pub(crate) fn write(&mut self, profile: &mut Profile, is_last: bool, names: &mut Names<'_>) {
        let is_last = is_last && !std::mem::replace(&mut self.is_finished, is_last);
        self.look(true, names);
        let images: Vec<(PathBuf, Image)> = self
            .processes
            .iter()
            .filter_map(|(path, process)| Some((path.clone(), process.image()?)))
            .collect();
        let largest = images.iter().max_by_key(|(_, image)| image.peak_bytes).map(|(path, _)| path.clone());
        let mut rows = Vec::new();
        for (path, image) in &images {
            let is_let_go = became_another(image, &images);
            let Some(process) = self.processes.get_mut(path) else { continue };
            let mut gathering = Gathering::of(image, &mut process.told, names.files());
            for site in &image.sites {
                let Some(node) = gathering.node(site, &mut self.tally) else { continue };
                let tells_peak = largest.as_ref() == Some(path);
                let news = match is_let_go {
                    true => gathering.told.news(&let_go(site), image.mode, tells_peak),
                    false => gathering.told.news(site, image.mode, tells_peak),
                };
                rows.push((image.process, node, news));
            }
            let (now, before) = (histograms(image), &mut process.histograms);
            profile.heap.histograms.add(&difference(&now, before));
            *before = now;
        }
        let stacks = names.naming.stacks(&self.tally, names.images, &names.python.functions, profile);
        for (pid, node, site) in rows {
            let Some(stack) = stacks[node as usize] else { continue };
            let thread = all_threads(profile, pid);
            profile.heap.add(HeapKey { stack, thread, labels: LabelTable::none() }, &site);
        }
        // What has ended is told of once and then forgotten.
        let is_told = |path: &PathBuf| is_last || self.processes.get(path).is_some_and(Process::is_over);
        let told: Vec<&Image> =
            images.iter().filter(|(path, _)| is_told(path)).map(|(_, image)| image).collect();
        self.write_summary(profile, &images, &told);
        for image in told {
            self.unseen.see_image(image);
            let mut told = Told::default();
            self.interpreters.see(image, &mut Gathering::of(image, &mut told, names.files()));
        }
        self.processes.retain(|_, process| !process.is_over());
        self.points.write(profile);
        self.write_snapshots(profile, &stacks);
        self.unseen.see_threads(profile);
        if is_last {
            self.count_failures();
            self.unseen.warn(profile);
            self.interpreters.warn(profile);
            self.warn_of_peak(profile);
        }
        for run in &mut profile.runs {
            run.recorders.insert(Recorder::Heap);
        }
    }

    fn write_summary(&self, profile: &mut Profile, images: &[(PathBuf, Image)], told: &[&Image]) {
        let Some((_, largest)) = images.iter().max_by_key(|(_, image)| image.peak_bytes) else { return };
        let mode = if largest.mode == Mode::Exact { HeapMode::Exact } else { HeapMode::Sampled };
        let peak_at = nanos_of(largest, largest.peak_ticks).map(|at| at.saturating_sub(self.began_nanos));
        let mut summary = HeapSummary::new(mode, largest.peak_bytes, peak_at);
        summary.sampling_bytes = Some(largest.sampling_bytes).filter(|_| mode == HeapMode::Sampled);
        let ended = told.iter().filter(|image| image.has_ended);
        summary.leaked = ended.flat_map(|image| &image.sites).fold(None, |sum, site| {
            let mut sum = sum.unwrap_or(HeapBlocks::default());
            sum.add(HeapBlocks {
                count: (site.allocated_count - site.freed_count).round().max(0.0) as u64,
                bytes: site.allocated_bytes.saturating_sub(site.freed_bytes),
            });
            Some(sum)
        });
        profile.heap.summary = Some(summary);
    }

    /// The peaks of several processes were at different moments.
    fn warn_of_peak(&self, profile: &mut Profile) {
        let (n, largest) = self.unseen.watched();
        let together = self.points.most_bytes();
        // Where the looks missed what they held together, that several held much says enough.
        if n > 1 && (together > largest || self.unseen.n_large() > 1) {
            profile.warn(Warning::new(
                "heap_peak_of_one",
                format!(
                    "{n} processes were watched: the peak of {}, and what was held at it, is that of the \
                     largest one; all together held {} at one of the looks every 100 ms",
                    mebibytes(largest),
                    mebibytes(together.max(largest)),
                ),
            ));
        }
    }

    fn write_snapshots(&mut self, profile: &mut Profile, stacks: &[Option<StackId>]) {
        for (at_nanos, rows) in self.snapshots.taken.drain(..) {
            let mut snapshot = HeapSnapshot::new(at_nanos);
            for (node, blocks) in rows {
                if let Some(stack) = stacks[node as usize] {
                    snapshot.add(stack, blocks);
                }
            }
            profile.heap.snapshots.add(snapshot);
        }
    }
}

impl<'a> Names<'a> {
    pub(crate) fn of(naming: &'a mut Naming, observer: &'a mut Observer) -> Self {
        Self {
            naming,
            images: &mut observer.images,
            unwinder: &mut observer.unwinder,
            python: &mut observer.python,
        }
    }
}

impl Names<'_> {
    fn files(&mut self) -> Files<'_> {
        Files { images: self.images, unwinder: self.unwinder, python: self.python }
    }
}

/// Whether a process became another program, which is watched too: then all that it held is gone.
fn became_another(image: &Image, images: &[(PathBuf, Image)]) -> bool {
    let is_next = |other: &Image| {
        other.process == image.process
            && (other.started_ticks, other.started_nanos) > (image.started_ticks, image.started_nanos)
    };
    !image.has_ended && images.iter().any(|(_, other)| is_next(other))
}

/// The same path, of which nothing is held any more.
fn let_go(site: &SiteImage) -> SiteImage {
    SiteImage { freed_bytes: site.allocated_bytes, freed_count: site.allocated_count, ..site.clone() }
}

/// As people read it.
fn mebibytes(bytes: u64) -> String {
    format!("{:.1} MiB", bytes as f64 / 1_048_576.0)
}

/// Rows are of processes: counters of a thread are handed on to the next.
pub(super) fn all_threads(profile: &mut Profile, pid: u32) -> calor_model::ThreadId {
    let name = profile.strings.intern("(all threads)");
    profile.threads.intern(Thread { pid, tid: 0, name })
}

/// The steady clock at an instant of the processor's.
pub(super) fn nanos_of(image: &Image, ticks: u64) -> Option<u64> {
    let scale = nanos_per_tick(image)?;
    let ticks = ticks.checked_sub(image.started_ticks)?;
    Some(image.started_nanos + (ticks as f64 * scale) as u64)
}

fn nanos_per_tick(image: &Image) -> Option<f64> {
    let ticks = calor_heap::ticks().checked_sub(image.started_ticks)?;
    let nanos = clock_nanos().checked_sub(image.started_nanos)?;
    (ticks > 0).then(|| nanos as f64 / ticks as f64)
}

pub(super) fn histograms(image: &Image) -> HeapHistograms {
    let mut histograms = HeapHistograms { are_lifetimes_sampled: true, ..HeapHistograms::default() };
    for (bucket, &(count, bytes)) in (0..).zip(&image.sizes) {
        histograms.sizes.add_bucket(bucket, HeapBlocks { count, bytes });
    }
    let scale = nanos_per_tick(image).unwrap_or(1.0);
    for (bucket, &(count, bytes)) in image.lifetimes.iter().enumerate() {
        // The middle of the bucket stands for all in it.
        let ticks = if bucket == 0 { 0.0 } else { 0.75 * (1u64 << bucket) as f64 };
        histograms.lifetimes.record((ticks * scale) as u64, HeapBlocks { count, bytes });
    }
    histograms
}

/// What came between two looks.
pub(super) fn difference(now: &HeapHistograms, before: &HeapHistograms) -> HeapHistograms {
    let mut news = HeapHistograms { are_lifetimes_sampled: true, ..HeapHistograms::default() };
    for (new, now, before) in [
        (&mut news.sizes, &now.sizes, &before.sizes),
        (&mut news.lifetimes, &now.lifetimes, &before.lifetimes),
    ] {
        for (bucket, blocks) in now.iter() {
            let earlier =
                before.iter().find(|(other, _)| *other == bucket).map_or(HeapBlocks::default(), |it| it.1);
            new.add_bucket(
                bucket,
                HeapBlocks {
                    count: blocks.count.saturating_sub(earlier.count),
                    bytes: blocks.bytes.saturating_sub(earlier.bytes),
                },
            );
        }
    }
    news
}
