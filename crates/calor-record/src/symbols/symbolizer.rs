//! Answers which functions are at an address: from what is already known, else from debug information, else from
//! the symbol table.

use std::io;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::time::{Duration, Instant};

use super::cache::Cache;
use super::debug_file::DebugFiles;
use super::demangle::readable;
use super::dwarf::{DebugInformation, Found};
use super::places::{NONE, Places, Span};
use super::shortcoming::{Evidence, Shortcoming};
use super::symbol_table::{self, Table};
use super::{Map, Symbol, SymbolOptions};
use crate::image::Image;

/// Images that were resolved faster than this are resolved again rather than kept on the disk.
const CHEAP: Duration = Duration::from_millis(5);

/// Names for addresses of any number of images.
#[derive(Debug)]
pub struct Symbolizer {
    options: SymbolOptions,
    cache: Option<Cache>,
    /// By the place of the image in memory, which stays its own as long as it is held here.
    images: Map<usize, Known>,
}

/// What is known of one image.
#[derive(Debug)]
struct Known {
    image: Arc<Image>,
    files: DebugFiles,
    places: Places,
    /// Debug information, once it was asked; `None` in it when there is none.
    information: Option<Option<DebugInformation>>,
    evidence: Evidence,
    /// How long it took to learn what was not in the cache.
    cost: Duration,
    is_changed: bool,
}

impl Symbolizer {
    /// Makes one that knows nothing yet. Nothing is opened before the first address is asked.
    #[must_use]
    pub fn new(options: SymbolOptions) -> Self {
        let cache = options.cache.as_ref().map(|folder| Cache::new(folder, options.cache_bytes));
        Self { options, cache, images: Map::default() }
    }

    /// The functions at addresses, by the image's own reckoning, in the order given. A return address has to be
    /// moved back by one before, into the call. Outermost first: the function, then what was inlined into it.
    /// Nothing where nothing is known.
    pub fn resolve(&mut self, image: &Arc<Image>, addresses: &[u64]) -> Vec<Vec<Symbol>> {
        let cache = self.cache.as_ref();
        let known = self.images.entry(Arc::as_ptr(image).addr()).or_insert_with(|| Known::new(image, cache));
        let mut missing: Vec<u64> =
            addresses.iter().copied().filter(|address| known.places.find(*address).is_none()).collect();
        if !missing.is_empty() {
            missing.sort_unstable();
            missing.dedup();
            known.learn(&missing);
        }
        let inlines = self.options.inlines;
        let symbols =
            |address: &u64| known.places.find(*address).map(|span| known.places.symbols(span, inlines));
        addresses.iter().map(|address| symbols(address).unwrap_or_default()).collect()
    }

    /// What was missing in the images that were asked about, and what to do about it.
    #[must_use]
    pub fn shortcomings(&self) -> Vec<Shortcoming> {
        let mut shortcomings: Vec<Shortcoming> = self
            .images
            .values()
            .filter_map(|known| known.evidence.shortcoming(&known.image, &known.files))
            .collect();
        shortcomings.sort_by(|a, b| a.image.cmp(&b.image));
        shortcomings
    }

    /// Writes what was costly to find into the cache.
    ///
    /// # Errors
    /// If the folder cannot be made or written to. The cache stays as it was then.
    pub fn save(&mut self) -> io::Result<()> {
        let Some(cache) = &self.cache else { return Ok(()) };
        let mut is_written = false;
        for known in self.images.values_mut().filter(|known| known.is_changed && known.cost > CHEAP) {
            cache.write(&known.image, &known.files, &known.places)?;
            (known.is_changed, is_written) = (false, true);
        }
        if is_written { cache.trim() } else { Ok(()) }
    }
}

impl Known {
    fn new(image: &Arc<Image>, cache: Option<&Cache>) -> Self {
        let begin = Instant::now();
        let files = DebugFiles::of(image);
        let places = cache.and_then(|cache| cache.read(image, &files)).unwrap_or_default();
        Self {
            image: Arc::clone(image),
            evidence: Evidence::default(),
            information: None,
            is_changed: false,
            cost: begin.elapsed(),
            files,
            places,
        }
    }

    /// Finds out about addresses, in order, of which nothing is known.
    fn learn(&mut self, asked: &[u64]) {
        let begin = Instant::now();
        if self.places.is_full() {
            self.places = Places::default();
        }
        // What is read comes from anywhere. The readers are written not to panic; should one do so all the same,
        // a profile without some names is better than none.
        let found = catch_unwind(AssertUnwindSafe(|| self.debug_information(asked)))
            .unwrap_or_else(|_| Err("its debug information could not be understood".to_owned()));
        let mut found = found.unwrap_or_else(|why| {
            self.evidence.unreadable = Some(why);
            Found::default()
        });
        self.evidence.missing_split = self.evidence.missing_split.take().or(found.missing.take());
        let rest: Vec<u64> =
            asked.iter().copied().filter(|address| found.places.find(*address).is_none()).collect();
        self.names(&rest, &mut found);
        let n_spans = found.places.spans.len();
        let unknown = rest.iter().filter(|address| {
            let at = found.places.spans[..n_spans].partition_point(|span| span.begin <= **address);
            !found.places.spans[..at].last().is_some_and(|span| **address < span.end)
        });
        let unknown: Vec<Span> = unknown
            .map(|address| Span { begin: *address, end: address + 1, node: NONE, file: NONE, line: 0 })
            .collect();
        self.evidence.n_unknown += unknown.len();
        found.places.spans.extend(unknown);
        self.places.absorb(found.places);
        self.places.settle();
        self.cost += begin.elapsed();
        // Without a part of the debug information there is less to keep than there could be.
        self.is_changed = found.n_missing == 0 && self.evidence.unreadable.is_none();
    }

    fn debug_information(&mut self, asked: &[u64]) -> Result<Found, String> {
        let information = match &mut self.information {
            Some(information) => information,
            unopened => {
                // Once is enough, also when it fails.
                let information = unopened.insert(None);
                *information =
                    DebugInformation::open(&self.image, &self.files).map_err(|error| error.to_string())?;
                information
            }
        };
        match information {
            Some(information) => information.find(asked).map_err(|error| error.to_string()),
            None => Ok(Found::default()),
        }
    }

    /// Names the rest of the addresses by the symbol tables.
    fn names(&mut self, rest: &[u64], found: &mut Found) {
        let Found { places, lines, .. } = found;
        let debug_file = self.files.main.as_ref().filter(|main| !Arc::ptr_eq(main, &self.image));
        let tables = [
            (Some(&self.image), Table::Full),
            (debug_file, Table::Full),
            (Some(&self.image), Table::Dynamic),
        ];
        let mut rest = rest.to_vec();
        for (image, table) in tables {
            let Some(image) = image.filter(|_| !rest.is_empty()) else { continue };
            let names = symbol_table::find(image.bytes(), table, &rest);
            for (address, named) in rest.iter().zip(&names) {
                let Some(named) = named else { continue };
                if places.spans.last().is_some_and(|last| last.begin == named.begin && last.end == named.end)
                {
                    continue;
                }
                let node = places.function(&readable(named.name));
                match lines.iter().find(|line| line.begin == *address) {
                    Some(line) => places.spans.push(Span { node, ..*line }),
                    None => places.spans.push(Span {
                        begin: named.begin,
                        end: named.end,
                        node,
                        file: NONE,
                        line: 0,
                    }),
                }
            }
            let mut is_named = names.iter().map(Option::is_some);
            rest.retain(|_| !is_named.next().unwrap_or(false));
        }
        places.settle();
    }
}
