//! The heaps of all processes of a recording.

use std::collections::{BTreeMap, HashMap};
use std::ffi::OsString;
use std::io;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, Instant};

use calor_heap::{Image, Mode};
use calor_model::{
    HeapBlocks, HeapHistograms, HeapKey, HeapMode, HeapSummary, LabelTable, Profile, Recorder, Thread,
    Warning,
};
use calor_preload::Way;

use super::folded::Folded;
use super::folder::Folder;
use super::gathering::{Files, Gathering};
use super::histograms::{difference, histograms, nanos_of};
use super::interpreter::Unwatched;
use super::memory::{Resident, size};
use super::part::{self, HeapPaths, Source};
use super::points::Points;
use super::region::Region;
use super::snapshots::Snapshots;
use super::told::Told;
use super::unseen::Unseen;
use crate::call_paths::images::Images;
use crate::call_paths::naming::Naming;
use crate::call_paths::tally::Tally;
use crate::perf::clock_nanos;
use crate::python::Python;
use calor_symbols::unwind::Unwinder;

/// How often the processes are looked at.
const EVERY: Duration = Duration::from_millis(100);
/// So long for each call path passes at least between two instants at which it is noted what all of them hold, and between
/// two parts that tell of all of them: this is fifty times what it takes.
const BETWEEN_SNAPSHOTS: Duration = Duration::from_micros(2);
const BETWEEN_PARTS: Duration = Duration::from_micros(20);
/// So many call paths of processes that have ended are kept in memory before they are told of.
const MOST_KEPT: usize = 1 << 20;

/// A program's heap.
#[derive(Debug)]
pub(crate) struct HeapWatch {
    way: Way,
    paths: HeapPaths,
    folder: Folder,
    processes: BTreeMap<PathBuf, Process>,
    n_processes: u32,
    /// Call paths of all processes.
    tally: Tally,
    points: Points,
    snapshots: Snapshots,
    folded: Folded,
    peak: Option<Peak>,
    unseen: Unseen,
    interpreters: Unwatched,
    began_nanos: u64,
    looked: Option<Instant>,
    /// When a part told of call paths, or the recording began.
    told: Instant,
    /// Whether all was told.
    is_finished: bool,
}

#[derive(Debug)]
struct Process {
    /// They are counted from 0; numbers of the system are used again.
    number: u32,
    counts: Counts,
    told: Told,
    histograms: HeapHistograms,
}

/// The largest peak of a process.
#[derive(Clone, Copy, Debug)]
struct Peak {
    process: u32,
    ticks: u64,
    /// When it was: reckoned once, as two parts must not tell different times of it.
    at_nanos: Option<u64>,
    /// Whether it was told who held what.
    is_told: bool,
}

/// Where what a process counted is.
#[derive(Debug)]
enum Counts {
    /// In its file.
    Going(Region),
    /// Here, since it has ended: programs that start many others must not fill memory with their files.
    Over(Arc<Image>),
}

impl Process {
    fn image(&self) -> Option<Arc<Image>> {
        match &self.counts {
            Counts::Going(region) => region.image().ok().map(Arc::new),
            Counts::Over(image) => Some(Arc::clone(image)),
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

/// What names are found with.
pub(crate) struct Names<'a> {
    pub(crate) naming: &'a mut Naming,
    pub(crate) images: &'a mut Images,
    pub(crate) unwinder: &'a mut Unwinder,
    pub(crate) python: &'a mut Python,
}

impl HeapWatch {
    /// The recording begins: times count from here.
    pub(crate) fn begin(&mut self) {
        self.began_nanos = clock_nanos();
        self.told = Instant::now();
    }

    /// The heap of a program that is to be started.
    pub(crate) fn new(way: Way, paths: HeapPaths) -> io::Result<Self> {
        Ok(Self {
            way,
            paths,
            folder: Folder::new()?,
            processes: BTreeMap::new(),
            n_processes: 0,
            tally: Tally::default(),
            points: Points::default(),
            snapshots: Snapshots::default(),
            folded: Folded::default(),
            peak: None,
            unseen: Unseen::default(),
            interpreters: Unwatched::default(),
            began_nanos: clock_nanos(),
            looked: None,
            told: Instant::now(),
            is_finished: false,
        })
    }

    /// What the program has to find in its environment.
    pub(crate) fn environment(&self) -> Vec<(OsString, OsString)> {
        self.folder.environment(self.way)
    }

    /// Looks at all processes when it is time to, or at once.
    pub(crate) fn look(&mut self, at_once: bool) {
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
            if at_nanos >= self.snapshots.next_at_nanos(self.pause(BETWEEN_SNAPSHOTS)) {
                self.take_snapshot(at_nanos);
            }
        }
    }

    /// How long to wait when each call path is worth so much of a pause.
    fn pause(&self, for_each: Duration) -> Duration {
        let regions = self.processes.values().filter_map(Process::region);
        let n_paths = regions.map(Region::n_paths).fold(0, u32::saturating_add);
        for_each.saturating_mul(n_paths)
    }

    /// Whether so much is kept of processes that have ended that it should be told of, lest memory grow.
    pub(crate) fn is_large(&self) -> bool {
        let kept = self.processes.values().map(|process| match &process.counts {
            Counts::Over(image) => image.sites.len(),
            Counts::Going(_) => 0,
        });
        kept.sum::<usize>() > MOST_KEPT
    }

    fn find_processes(&mut self) {
        let entries = std::fs::read_dir(self.folder.path()).into_iter().flatten().flatten();
        for path in entries.map(|entry| entry.path()) {
            let is_library = path.file_name().is_some_and(|name| name == calor_preload::FILE_NAME);
            if !is_library
                && !self.processes.contains_key(&path)
                && let Ok(region) = Region::open(&path)
            {
                let process = Process {
                    number: self.n_processes,
                    counts: Counts::Going(region),
                    told: Told::default(),
                    histograms: HeapHistograms::default(),
                };
                self.n_processes += 1;
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
                Ok(image) => process.counts = Counts::Over(Arc::new(image)),
                Err(_) => unseen.see_failure(),
            }
            !matches!(process.counts, Counts::Going(_))
        });
    }

    fn take_snapshot(&mut self, at_nanos: u64) {
        let held = self.processes.values().filter_map(|process| {
            let region = process.region()?;
            Resident::of(region.process()?)?;
            Some((process.number, region.held().ok()?))
        });
        let held = held.collect();
        self.snapshots.take(at_nanos, held);
    }

    /// Adds what was counted since the last time. `is_last` when the recording has ended.
    pub(crate) fn write(&mut self, profile: &mut Profile, is_last: bool, names: &mut Names<'_>) {
        let is_last = is_last && !std::mem::replace(&mut self.is_finished, is_last);
        self.look(true);
        self.unseen.see_threads(profile);
        for run in &mut profile.runs {
            run.recorders.insert(Recorder::Heap);
        }
        self.points.write(profile);
        let is_early = self.told.elapsed() < self.pause(BETWEEN_PARTS) && !self.is_large();
        if is_early && !is_last {
            return;
        }
        let images: Vec<(PathBuf, Arc<Image>)> = self
            .processes
            .iter()
            .filter_map(|(path, process)| Some((path.clone(), process.image()?)))
            .collect();
        let images = without_what_is_gone(images);
        let largest = images.iter().map(|(_, image)| image).max_by_key(|image| image.peak_bytes).cloned();
        let is_new_peak = largest.as_ref().is_some_and(|largest| self.meet_peak(largest, is_last));
        let teller = largest.as_ref().filter(|_| is_new_peak);
        self.write_rows(profile, &images, teller, is_last, names);
        // What has ended is told of once and then forgotten.
        let is_told = |path: &PathBuf| is_last || self.processes.get(path).is_some_and(Process::is_over);
        let told: Vec<&Image> =
            images.iter().filter(|(path, _)| is_told(path)).map(|(_, image)| &**image).collect();
        if let Some(largest) = &largest {
            self.write_summary(profile, largest, &told);
        }
        for image in told {
            self.unseen.see_image(image);
            let mut told = Told::default();
            self.interpreters.see(image, &mut Gathering::of(image, &mut told, names.files()));
        }
        self.processes.retain(|_, process| !process.is_over());
        if is_last {
            self.count_failures();
            self.unseen.warn(profile);
            self.interpreters.warn(profile);
            self.warn_of_peak(profile);
            self.folded.warn(profile);
        }
        self.told = Instant::now();
    }

    /// Notes the peak of the largest process, and whether it is to be told who held what then.
    fn meet_peak(&mut self, largest: &Image, is_last: bool) -> bool {
        let (process, ticks) = (largest.region.process, largest.peak_ticks);
        // A peak that was told of is not told again: it might be of other places, and then count twice.
        let known = self.peak.filter(|peak| (peak.process, peak.ticks) == (process, ticks));
        let at = nanos_of(largest, ticks).map(|at| at.saturating_sub(self.began_nanos));
        let mut peak = known.unwrap_or(Peak { process, ticks, at_nanos: at, is_told: false });
        let was_told = peak.is_told;
        // While a program runs, a new peak may come when half of the old one has been read.
        let held = largest.sites.iter().map(|site| site.peak_bytes).fold(0, u64::saturating_add);
        peak.is_told |= is_last || largest.mode == Mode::Sampled || held == largest.peak_bytes;
        self.peak = Some(peak);
        peak.is_told && !was_told
    }

    /// What call paths did, and what they held at some instants. `teller` tells of what was held at the peak.
    fn write_rows(
        &mut self,
        profile: &mut Profile,
        images: &[(PathBuf, Arc<Image>)],
        teller: Option<&Arc<Image>>,
        is_last: bool,
        names: &mut Names<'_>,
    ) {
        let mut sources = Vec::with_capacity(images.len());
        let mut processes = Vec::with_capacity(images.len());
        let mut images = images.iter().peekable();
        for (path, process) in &mut self.processes {
            let Some((_, image)) = images.next_if(|(of, _)| of == path) else { continue };
            let now = histograms(image);
            profile.heap.histograms.add(&difference(&now, &process.histograms));
            process.histograms = now;
            let is_last = is_last || process.is_over();
            processes.push((process.number, is_last));
            sources.push(Source {
                image,
                told: &mut process.told,
                tells_peak: teller.is_some_and(|teller| Arc::ptr_eq(teller, image)),
                is_last,
                held: self.snapshots.held_by(process.number),
            });
        }
        let part = part::tell(&mut sources, self.paths, &mut self.tally, names);
        for (index, (process, is_last)) in processes.into_iter().enumerate() {
            self.folded.add(part.folded[index], is_last);
            // Places of small paths change from part to part, so that instants wait for the last one.
            if is_last || !part.is_folding {
                self.snapshots.settle(process, |site| part.held[index].of(site));
            }
        }
        let writes_snapshots = is_last || !part.is_folding;
        let mut tally = Tally::default();
        let mut nodes: HashMap<u32, Option<u32>> = HashMap::new();
        let places = part.rows.iter().map(|(_, place, _)| *place);
        for place in places.chain(self.snapshots.places().filter(|_| writes_snapshots)) {
            nodes.entry(place).or_insert_with(|| tally.path(self.tally.path_of(place).into_iter().rev()));
        }
        let stacks = names.naming.stacks(&tally, names.images, &names.python.functions, profile);
        let stack = |place: u32| nodes.get(&place).copied().flatten().and_then(|node| stacks[node as usize]);
        for (pid, place, site) in part.rows {
            let Some(stack) = stack(place) else { continue };
            let thread = all_threads(profile, pid);
            profile.heap.add(HeapKey { stack, thread, labels: LabelTable::none() }, &site);
        }
        if writes_snapshots {
            self.snapshots.write(profile, stack);
        }
    }

    fn write_summary(&self, profile: &mut Profile, largest: &Image, told: &[&Image]) {
        let mode = if largest.mode == Mode::Exact { HeapMode::Exact } else { HeapMode::Sampled };
        let peak_at = self.peak.and_then(|peak| peak.at_nanos);
        let mut summary = HeapSummary::new(mode, largest.peak_bytes, peak_at);
        summary.sampling_bytes = Some(largest.sampling_bytes).filter(|_| mode == HeapMode::Sampled);
        // One that held nothing, or nothing that is seen, has ended as well.
        let mut ended = told.iter().filter(|image| image.region.has_ended).peekable();
        summary.leaked = ended.peek().is_some().then(|| {
            let mut sum = HeapBlocks::default();
            for site in ended.flat_map(|image| &image.sites) {
                sum.add(HeapBlocks {
                    count: (site.allocated_count - site.freed_count).round().max(0.0) as u64,
                    bytes: site.allocated_bytes.saturating_sub(site.freed_bytes),
                });
            }
            sum
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
                    size(largest),
                    size(together.max(largest)),
                ),
            ));
        }
    }
}

impl Names<'_> {
    pub(super) fn files(&mut self) -> Files<'_> {
        Files { images: self.images, unwinder: self.unwinder, python: self.python }
    }
}

/// A process that became another program, which is watched too, has let go of all that it held.
fn without_what_is_gone(mut images: Vec<(PathBuf, Arc<Image>)>) -> Vec<(PathBuf, Arc<Image>)> {
    let began = |image: &Image| (image.region.started_ticks, image.region.started_nanos);
    let mut last: HashMap<u32, (u64, u64)> = HashMap::new();
    for (_, image) in &images {
        let last = last.entry(image.region.process).or_default();
        *last = began(image).max(*last);
    }
    for (_, image) in images.iter_mut().filter(|(_, image)| !image.region.has_ended) {
        if last.get(&image.region.process).is_some_and(|last| *last > began(image)) {
            for site in &mut Arc::make_mut(image).sites {
                (site.freed_bytes, site.freed_count) = (site.allocated_bytes, site.allocated_count);
            }
        }
    }
    images
}

/// Rows are of processes: counters of a thread are handed on to the next.
pub(super) fn all_threads(profile: &mut Profile, pid: u32) -> calor_model::ThreadId {
    let name = profile.strings.intern("(all threads)");
    profile.threads.intern(Thread { pid, tid: 0, name })
}
