//! One part of a profile: what the call paths of all processes did since the last one. Where there are many paths, those
//! that matter in no respect are folded into their callers before anything is named, so that the size of a profile and the
//! work for it follow what matters, and not how many paths there were.

use calor_heap::{Image, SiteImage};
use calor_model::HeapSite;
use foldhash::fast::RandomState;
use hashbrown::HashMap;

use super::fold::{Entry, Fold, NONE, Target, least_weight};
use super::folded::Folded;
use super::gathering::{Gathering, shown};
use super::paths::Paths;
use super::told::Told;
use super::watch::Names;
use crate::call_paths::tally::{Step, Tally};

/// Up to so many paths nothing is folded.
const FEW: usize = 2000;
/// What is at least such a part of all in some respect is not folded, unless there is too much of it.
const NOTABLE: f64 = 1e-4;
/// Rows that the last part has at most. A row and its part of the tables of frames and stacks take some 20 bytes.
const MOST_ROWS: usize = 2000;
/// The same of an earlier part: a long recording has several.
const MOST_EARLY_ROWS: usize = 500;
/// The same of what is held at an instant, of which there are many.
const MOST_HELD_ROWS: usize = 150;

/// Which call paths are kept.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
#[non_exhaustive]
pub enum HeapPaths {
    /// Those that matter in some respect; the others are told of as part of their callers. All, if there are few.
    #[default]
    Heavy,
    /// All of them.
    All,
}

/// A process that is to be told of.
pub(super) struct Source<'a> {
    pub(super) image: &'a Image,
    pub(super) told: &'a mut Told,
    /// Whether what its paths held at the peak is told.
    pub(super) tells_peak: bool,
    /// Whether it is told of for the last time.
    pub(super) is_last: bool,
    /// What its paths held at instants that are not settled: bytes by number.
    pub(super) held: Vec<u64>,
}

/// What is told.
#[derive(Debug, Default)]
pub(super) struct Part {
    /// Process, place in the tally, and what happened there.
    pub(super) rows: Vec<(u32, u32, HeapSite)>,
    /// For each process the places of what its paths held.
    pub(super) held: Vec<HeldPlaces>,
    /// For each process what was folded.
    pub(super) folded: Vec<Folded>,
    /// Whether anything may have been folded.
    pub(super) is_folding: bool,
}

/// Where what paths of a process held is told of, by their numbers.
#[derive(Debug, Default)]
pub(super) struct HeldPlaces {
    places: Vec<Option<u32>>,
    others: Option<u32>,
}

impl HeldPlaces {
    pub(super) fn of(&self, site: u32) -> Option<u32> {
        self.places.get(site as usize).copied().flatten().or(self.others)
    }
}

/// The respects that paths are looked at in: bytes and blocks allocated, bytes held now, at the peak and over time,
/// and bytes freed at once.
type Respects = [f64; 6];

/// A process on its way.
struct Gathered {
    paths: Paths,
    fold: Fold,
    held: Fold,
}

/// Tells of processes; paths have their places in `tally`.
pub(super) fn tell(
    sources: &mut [Source<'_>],
    which: HeapPaths,
    tally: &mut Tally,
    names: &mut Names<'_>,
) -> Part {
    let mut totals = Respects::default();
    for source in sources.iter() {
        for respects in source.respects() {
            totals.iter_mut().zip(respects).for_each(|(sum, respect)| *sum += respect);
        }
    }
    let n_paths: usize = sources.iter().map(|source| source.image.sites.len()).sum();
    let is_folding = which == HeapPaths::Heavy && n_paths > FEW;
    let least = if is_folding { NOTABLE } else { 0.0 };
    let mut gathered = Vec::with_capacity(sources.len());
    for source in sources.iter_mut() {
        let weights: Vec<f64> = source.respects().map(|respects| weight(&respects, &totals)).collect();
        let mut gathering = Gathering::of(source.image, source.told, names.files());
        let entries = gathering.entries(&weights, least);
        let paths = gathering.into_paths();
        let held = |(entry, respects): (&Entry, Respects)| Entry {
            weight: part_of(respects[HELD], totals[HELD]),
            ..*entry
        };
        let held = entries.iter().zip(source.respects()).map(held).collect();
        gathered.push(Gathered {
            fold: Fold::new(paths.parents().to_vec(), entries),
            held: Fold::new(paths.parents().to_vec(), held),
            paths,
        });
    }
    let (mut least, mut least_held) = (0.0, 0.0);
    if is_folding {
        let is_early = sources.iter().all(|source| !source.is_last);
        let most_rows = if is_early { MOST_EARLY_ROWS } else { MOST_ROWS };
        least = least_weight(gathered.iter().map(|it| &it.fold), NOTABLE, most_rows);
        least_held = least_weight(gathered.iter().map(|it| &it.held), NOTABLE, MOST_HELD_ROWS);
    }
    let mut part = Part { is_folding, ..Part::default() };
    for (source, gathered) in sources.iter_mut().zip(gathered) {
        part.add(source, gathered, least, least_held, tally);
    }
    part
}

impl Source<'_> {
    fn news(&self, site: &SiteImage) -> HeapSite {
        self.told.news(site, self.image.mode, self.tells_peak)
    }

    /// What each path did, in the order of the image.
    fn respects(&self) -> impl Iterator<Item = Respects> {
        self.image.sites.iter().map(|site| {
            let news = self.news(site);
            let held = self.held.get(site.number as usize).copied().unwrap_or(0);
            let live = site.allocated_bytes.saturating_sub(site.freed_bytes);
            [news.allocated_bytes, news.allocated_count, live, news.peak_bytes, news.temporary_bytes, held]
                .map(|figure| figure as f64)
        })
    }
}

/// Which of the respects is what was held over time.
const HELD: usize = 5;

fn weight(respects: &Respects, totals: &Respects) -> f64 {
    respects.iter().zip(totals).map(|(figure, total)| part_of(*figure, *total)).sum()
}

fn part_of(figure: f64, total: f64) -> f64 {
    if total > 0.0 { figure / total } else { 0.0 }
}

impl Part {
    fn add(
        &mut self,
        source: &mut Source<'_>,
        gathered: Gathered,
        least: f64,
        least_held: f64,
        tally: &mut Tally,
    ) {
        let Gathered { paths, fold, held } = gathered;
        let mut places = Places { paths, tally, known: HashMap::default() };
        let mut folded = Folded::default();
        for (site, target) in source.image.sites.iter().zip(fold.targets(least)) {
            let news = source.news(site);
            folded.see(news.allocated_bytes, target.is_folded);
            let Some(place) = places.of(target) else { continue };
            let rows = &mut self.rows;
            source.told.place(site, news, place, |place, news| {
                rows.push((source.image.region.process, place, news));
            });
            if !source.is_last {
                source.told.keep(site, place);
            }
        }
        self.folded.push(folded);
        let mut of_held = HeldPlaces::default();
        if !source.held.is_empty() {
            of_held.places.resize(source.held.len(), None);
            for (site, target) in source.image.sites.iter().zip(held.targets(least_held)) {
                if let Some(place) = of_held.places.get_mut(site.number as usize) {
                    *place = places.of(target);
                }
            }
            of_held.others = places.of(Target { node: NONE, is_folded: true });
        }
        self.held.push(of_held);
    }
}

/// The places of paths in a tally.
struct Places<'a> {
    paths: Paths,
    tally: &'a mut Tally,
    known: HashMap<Target, Option<u32>, RandomState>,
}

impl Places<'_> {
    fn of(&mut self, target: Target) -> Option<u32> {
        *self.known.entry(target).or_insert_with(|| {
            let mut steps = self.paths.steps(target.node);
            if target.is_folded {
                steps.push(Step::Folded);
            }
            self.tally.path(shown(steps))
        })
    }
}
