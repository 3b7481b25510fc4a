//! Functions, inlined functions and lines from DWARF debug information, for the units that hold asked addresses.
//!
//! Everything that outlives a call is plain numbers: which unit covers which code. Units are read anew when an
//! address in them is asked that no earlier call answered, and what they say is kept as spans, so nothing here
//! borrows from anything else.
//!
//! All of it may be damaged. Nothing recurses, every loop reads on or ends, and work is bounded by a deadline.

mod function;
mod index;
mod inlined;
mod layout;
mod lines;
mod names;
mod ranges;
mod sections;
mod split;
mod unit;

use std::ops::Range;
use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use gimli::{EndianSlice, LittleEndian};

use super::cache::Cache;
use super::debug_file::DebugFiles;
use super::places::{Places, Span};
use crate::image::Image;
use crate::own_thread;
use index::{UnitIndex, UnitPlaces};
use sections::Sections;
use split::SplitFiles;
use unit::UnitReader;

/// How bytes are read: in place, and little endian, as all supported machines are.
type Reader<'a> = EndianSlice<'a, LittleEndian>;
type Dwarf<'a> = gimli::Dwarf<Reader<'a>>;
type UnitRef<'a, 'u> = gimli::UnitRef<'u, Reader<'a>>;

/// Debug information that takes longer than this is given up; the largest real programs need a second.
const MAX_TIME: Duration = Duration::from_secs(30);

/// Threads are worth their start from this many bytes of units on.
const PARALLEL_BYTES: usize = 2 << 20;
const MAX_THREADS: usize = 8;

/// Why debug information answers nothing.
#[derive(Debug, thiserror::Error)]
pub(super) enum DwarfError {
    #[error("it is damaged: {0}")]
    Damaged(#[from] gimli::Error),
    #[error("reading it took longer than {} s", MAX_TIME.as_secs())]
    Slow,
}

/// The debug information of one image.
#[derive(Debug)]
pub(super) struct DebugInformation {
    sections: Sections,
    supplementary: Option<Sections>,
    supplementary_places: UnitPlaces,
    package: Option<Sections>,
    /// Where split units may be that are not where their makers said.
    folders: Vec<std::path::PathBuf>,
    code: Vec<Range<u64>>,
    index: UnitIndex,
}

/// What was found for the addresses of one call.
#[derive(Default, Debug)]
pub(super) struct Found {
    /// Functions, with lines.
    pub(super) places: Places,
    /// Lines of code in no function, such as assembly; their nodes are unset.
    pub(super) lines: Vec<Span>,
    /// Functions that the unit names without their namespace, by the start of their code and their node.
    pub(super) short_names: Vec<(u64, u32)>,
    /// Split units that are not where they were said to be.
    pub(super) n_missing: usize,
    /// The first of them.
    pub(super) missing: Option<String>,
}

impl DebugInformation {
    /// Learns which unit covers which code.
    pub(super) fn open(
        image: &Arc<Image>,
        files: &DebugFiles,
        cache: Option<&Cache>,
    ) -> Result<Option<Self>, DwarfError> {
        let Some(main) = &files.main else { return Ok(None) };
        let sections = Sections::load(main, sections::Kind::Whole, cache);
        let supplementary =
            files.supplementary.as_ref().map(|file| Sections::load(file, sections::Kind::Whole, cache));
        let package = files.package.as_ref().map(|file| Sections::load(file, sections::Kind::Split, cache));
        // Code that the linker dropped has addresses outside of all that is loaded, mostly 0.
        let code = image
            .segments()
            .iter()
            .filter(|segment| segment.is_executable)
            .map(|segment| segment.address.max(1)..segment.address.saturating_add(segment.size))
            .collect();
        let folders =
            [main, image].into_iter().filter_map(|file| Some(file.file()?.parent()?.to_owned())).collect();
        let supplementary_places =
            supplementary.as_ref().map(|sections| UnitPlaces::of(&sections.dwarf())).unwrap_or_default();
        let mut own = Self {
            sections,
            supplementary,
            supplementary_places,
            package,
            folders,
            code,
            index: UnitIndex::default(),
        };
        own.index = UnitIndex::build(&own.dwarf(), &own.code, Instant::now() + MAX_TIME)?;
        Ok(Some(own))
    }

    fn dwarf(&self) -> Dwarf<'_> {
        let mut dwarf = self.sections.dwarf();
        if let Some(supplementary) = &self.supplementary {
            dwarf.set_sup(supplementary.dwarf());
        }
        dwarf
    }

    fn package(&self) -> Option<gimli::DwarfPackage<Reader<'_>>> {
        let sections = self.package.as_ref()?;
        let load = |id| gimli::Result::Ok(sections.reader(id));
        gimli::DwarfPackage::load(load, Reader::new(&[], LittleEndian)).ok()
    }

    /// What the debug information says about `asked`, which is in order.
    pub(super) fn find(&self, asked: &[u64]) -> Result<Found, DwarfError> {
        let work = self.index.units_of(asked);
        let deadline = Instant::now() + MAX_TIME;
        let n_bytes: usize = work.iter().map(|(unit, _)| self.index.size(*unit)).sum();
        let n_threads = if n_bytes < PARALLEL_BYTES {
            1
        } else {
            std::thread::available_parallelism().map_or(1, usize::from).min(MAX_THREADS).min(work.len())
        };
        let split = SplitFiles::open(self, work.iter().map(|(unit, _)| *unit));
        let package = self.package();
        let mut dwarf = self.dwarf();
        if work.len() > 1 {
            dwarf.populate_abbreviations_cache(gimli::AbbreviationsCacheStrategy::Duplicates);
        }
        let (next, results) = (AtomicUsize::new(0), Mutex::new(Vec::new()));
        let run = || {
            let mut reader = UnitReader::new(self, &dwarf, package.as_ref(), &split, deadline);
            while let Some((unit, addresses)) = work.get(next.fetch_add(1, Ordering::Relaxed)) {
                reader.read(*unit, addresses);
            }
            results.lock().unwrap_or_else(PoisonError::into_inner).push(reader.finish());
        };
        std::thread::scope(|scope| {
            for _ in 1..n_threads {
                scope.spawn(|| own_thread::run(run));
            }
            run();
        });
        let mut found = Found {
            n_missing: split.missing.len(),
            missing: split.missing.first().map(|path| path.to_string_lossy().into_owned()),
            ..Found::default()
        };
        for part in results.into_inner().unwrap_or_else(PoisonError::into_inner) {
            found.absorb(part?);
        }
        found.places.settle();
        Ok(found)
    }
}

impl Found {
    fn absorb(&mut self, other: Self) {
        let lines = other.lines.len();
        let mut places = other.places;
        // The lines refer to the strings of their thread: let them travel with the spans, and take them out again.
        places.spans.extend(other.lines);
        let moved = self.places.absorb(&places);
        self.short_names
            .extend(other.short_names.iter().map(|(begin, node)| (*begin, node.saturating_add(moved))));
        let at = self.places.spans.len() - lines;
        self.lines.extend(self.places.spans.drain(at..));
    }
}
