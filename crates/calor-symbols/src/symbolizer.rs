//! Answers which functions are at an address: from what is already known, else from debug information, else from
//! the symbol table.

use std::io;
use std::ops::Range;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::time::{Duration, Instant};

use calor_demangle::{demangle, is_mangled, readable};

use super::cache::Cache;
use super::debug_file::DebugFiles;
use super::dwarf::{DebugInformation, Found};
use super::mini;
use super::places::{NONE, Places, Span};
use super::python_types::PythonTypes;
use super::shortcoming::{Evidence, Shortcoming};
use super::symbol_table::{self, Table};
use super::{Map, Symbol, SymbolOptions};
use crate::image::Image;
use crate::unwind::FunctionStarts;

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
    /// What of it is not in the cache; as long as it can be put behind what is there.
    fresh: Option<Places>,
    /// Debug information, once it was asked; `None` in it when there is none.
    information: Option<Option<DebugInformation>>,
    /// The small packed symbol table, likewise.
    mini: Option<Option<Arc<Image>>>,
    /// The types of an interpreter, likewise.
    python: Option<Option<PythonTypes>>,
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
            known.learn(&missing, cache);
        }
        let inlines = self.options.inlines;
        let symbols =
            |address: &u64| known.places.find(*address).map(|span| known.places.symbols(span, inlines));
        addresses.iter().map(|address| symbols(address).unwrap_or_default()).collect()
    }

    /// The code around an address that belongs to the same function, as far as it is known from earlier questions.
    pub fn range_of(&self, image: &Arc<Image>, address: u64) -> Option<Range<u64>> {
        self.images.get(&Arc::as_ptr(image).addr())?.places.function_around(address)
    }

    /// What is known of the code in a range from earlier questions: pieces in order, each with the innermost function it
    /// is of and its line.
    pub fn pieces(&self, image: &Arc<Image>, range: Range<u64>) -> Vec<(Range<u64>, Symbol)> {
        let Some(known) = self.images.get(&Arc::as_ptr(image).addr()) else { return Vec::new() };
        let inlines = self.options.inlines;
        let piece = |span: &Span| {
            let symbol = known.places.symbols(span, inlines).pop()?;
            Some((span.begin.max(range.start)..span.end.min(range.end), symbol))
        };
        known.places.within(&range).iter().filter_map(piece).collect()
    }

    /// What was missing in the images that were asked about, and what to do about it.
    #[must_use]
    pub fn shortcomings(&self) -> Vec<Shortcoming> {
        self.shortcomings_of(|_| true)
    }

    /// The same of images by whose names they are wanted: what to do about one may be costly to find out.
    pub fn shortcomings_of(&self, is_wanted: impl Fn(&str) -> bool) -> Vec<Shortcoming> {
        let wanted = self.images.values().filter(|known| is_wanted(known.image.name()));
        let mut shortcomings: Vec<Shortcoming> =
            wanted.filter_map(|known| known.evidence.shortcoming(&known.image, &known.files)).collect();
        shortcomings.sort_by(|a, b| a.image.cmp(&b.image));
        shortcomings
    }

    /// Writes what was costly to find into the cache.
    ///
    /// # Errors
    /// If the folder cannot be made or written to. The cache stays as it was then.
    pub fn save(&mut self) -> io::Result<()> {
        let Some(cache) = &self.cache else { return Ok(()) };
        // Whoever read debug information may have kept what was unpacked of it.
        let mut is_written = self.images.values().any(|known| matches!(known.information, Some(Some(_))));
        let cheap = self.options.cache_from;
        for known in self.images.values_mut().filter(|known| known.is_changed && known.cost >= cheap) {
            let is_appended =
                known.fresh.as_ref().is_some_and(|fresh| cache.append(&known.image, &known.files, fresh));
            if is_appended {
                known.fresh = Some(Places::default());
            } else {
                cache.write(&known.image, &known.files, &known.places)?;
                is_written = true;
            }
            known.is_changed = false;
        }
        if is_written { cache.trim() } else { Ok(()) }
    }
}

impl Known {
    fn new(image: &Arc<Image>, cache: Option<&Cache>) -> Self {
        let begin = Instant::now();
        let files = DebugFiles::of(image);
        let kept = cache.and_then(|cache| cache.read(image, &files));
        let (places, is_open) = kept.unwrap_or_default();
        Self {
            image: Arc::clone(image),
            evidence: Evidence::default(),
            information: None,
            mini: None,
            python: None,
            is_changed: false,
            cost: begin.elapsed(),
            files,
            places,
            fresh: is_open.then(Places::default),
        }
    }

    /// Finds out about addresses, in order, of which nothing is known.
    fn learn(&mut self, asked: &[u64], cache: Option<&Cache>) {
        let begin = Instant::now();
        if self.places.is_full() {
            (self.places, self.fresh) = (Places::default(), None);
        }
        // What is read comes from anywhere. The readers are written not to panic; should one do so all the same,
        // a profile without some names is better than none.
        let found = catch_unwind(AssertUnwindSafe(|| self.debug_information(asked, cache)))
            .unwrap_or_else(|_| Err("its debug information could not be understood".to_owned()));
        let mut found = found.unwrap_or_else(|why| {
            self.evidence.unreadable = Some(why);
            Found::default()
        });
        self.evidence.missing_split = self.evidence.missing_split.take().or(found.missing.take());
        let rest: Vec<u64> =
            asked.iter().copied().filter(|address| found.places.find(*address).is_none()).collect();
        let named = catch_unwind(AssertUnwindSafe(|| {
            self.names(&rest, &mut found);
            self.full_names(&mut found);
        }));
        if named.is_err() {
            self.evidence.unreadable = Some("its symbol table could not be understood".to_owned());
            found.places.settle();
        }
        let unknown: Vec<Span> = rest
            .iter()
            .filter(|address| found.places.find(**address).is_none())
            .map(|address| Span {
                begin: *address,
                end: address.saturating_add(1),
                node: NONE,
                file: NONE,
                line: 0,
            })
            .collect();
        self.evidence.n_unknown += unknown.len();
        found.places.spans.extend(unknown);
        if let Some(fresh) = &mut self.fresh {
            fresh.absorb(&found.places);
            fresh.settle();
        }
        self.places.absorb(&found.places);
        self.places.settle();
        self.cost += begin.elapsed();
        // Without a part of the debug information there is less to keep than there could be.
        self.is_changed = found.n_missing == 0 && self.evidence.unreadable.is_none();
    }

    fn debug_information(&mut self, asked: &[u64], cache: Option<&Cache>) -> Result<Found, String> {
        let information = match &mut self.information {
            Some(information) => information,
            unopened => {
                // Once is enough, also when it fails.
                let information = unopened.insert(None);
                *information = DebugInformation::open(&self.image, &self.files, cache)
                    .map_err(|error| error.to_string())?;
                information
            }
        };
        match information {
            Some(information) => information.find(asked).map_err(|error| error.to_string()),
            None => Ok(Found::default()),
        }
    }

    /// Gives functions that debug information knows only by their short name the whole name of the symbol table.
    fn full_names(&self, found: &mut Found) {
        found.short_names.sort_unstable();
        let asked: Vec<u64> = found.short_names.iter().map(|(begin, _)| *begin).collect();
        if asked.is_empty() {
            return;
        }
        let debug_file = self.files.main.as_ref().filter(|main| !Arc::ptr_eq(main, &self.image));
        for image in [Some(&self.image), debug_file].into_iter().flatten() {
            let names = symbol_table::find(image.bytes(), Table::Full, &asked);
            for ((begin, node), named) in found.short_names.iter().zip(names) {
                // A part that was split off has a name of its own, which is not that of the function.
                if let Some(named) = named.filter(|it| it.begin == *begin && !it.name.contains(".cold"))
                    && is_mangled(named.name)
                    && let Some(full) = demangle(named.name)
                {
                    found.places.rename(*node, &full);
                }
            }
        }
    }

    /// Names the rest of the addresses by the symbol tables.
    fn names(&mut self, rest: &[u64], found: &mut Found) {
        if rest.is_empty() {
            return;
        }
        let Found { places, lines, .. } = found;
        lines.sort_by_key(|line| line.begin);
        // It has what was stripped, so it is of use only where something was.
        let mini = self.mini.get_or_insert_with(|| mini::open(&self.image)).as_ref();
        let debug_file = self.files.main.as_ref().filter(|main| !Arc::ptr_eq(main, &self.image));
        let tables = [
            (Some(&self.image), Table::Full),
            (debug_file, Table::Full),
            (mini, Table::Full),
            (Some(&self.image), Table::Dynamic),
        ];
        let mut rest = rest.to_vec();
        for (image, table) in tables {
            let Some(image) = image.filter(|_| !rest.is_empty()) else { continue };
            let names = symbol_table::find(image.bytes(), table, &rest);
            for (address, named) in rest.iter().zip(&names) {
                let Some(named) = named else { continue };
                let whole = Span { begin: named.begin, end: named.end, node: NONE, file: NONE, line: 0 };
                // Where code in no function has lines, they are known for each address alone.
                let span = match lines.binary_search_by_key(address, |line| line.begin) {
                    Ok(at) => lines[at],
                    Err(_) if !lines.is_empty() => {
                        Span { begin: *address, end: address.saturating_add(1), ..whole }
                    }
                    Err(_) => whole,
                };
                let is_new =
                    places.spans.last().is_none_or(|last| (last.begin, last.end) != (span.begin, span.end));
                if is_new {
                    let node = places.function(&readable(named.name));
                    places.spans.push(Span { node, ..span });
                }
            }
            let mut is_named = names.iter().map(Option::is_some);
            rest.retain(|_| !is_named.next().unwrap_or(false));
        }
        if !rest.is_empty()
            && let Some(types) = self.python.get_or_insert_with(|| PythonTypes::of(&self.image))
        {
            let mut functions = FunctionStarts::new(&self.image);
            for address in rest {
                let is_new =
                    places.spans.last().is_none_or(|last| !(last.begin..last.end).contains(&address));
                if let Some((begin, end, name)) = types.find(&mut functions, address).filter(|_| is_new) {
                    let node = places.function(name);
                    places.spans.push(Span { begin, end, node, file: NONE, line: 0 });
                }
            }
        }
        places.settle();
    }
}
