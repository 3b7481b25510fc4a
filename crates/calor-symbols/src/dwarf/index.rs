//! Which unit covers which code, from the table that is made for it where there is one, and else from the units'
//! first entries. Nothing deeper is read.

use std::ops::Range;
use std::time::Instant;

use gimli::{DebugInfoOffset, UnitHeader, UnitType};

use super::lines;
use super::ranges::{CodeRanges, is_code};
use super::{Dwarf, DwarfError, Reader};
use crate::Map;
use crate::own_thread;

/// Ranges of units overlap when one unit declares a single range around all of its code. An address is looked for
/// in this many of them at most.
const MAX_STEPS: usize = 4_096;

#[derive(Clone, Debug)]
struct UnitRange {
    code: Range<u64>,
    /// The largest end up to here.
    reach: u64,
    unit: u32,
}

/// Where a unit stands in `.debug_info`.
#[derive(Clone, Copy, Debug)]
struct Place {
    offset: usize,
    size: usize,
}

/// The units of a file, by where they stand.
#[derive(Default, Debug)]
pub(super) struct UnitPlaces(Vec<Place>);

impl UnitPlaces {
    pub(super) fn of(dwarf: &Dwarf<'_>) -> Self {
        let mut own = Self::default();
        let mut units = dwarf.units();
        // Whatever stands behind damage is lost, what stands before it is not.
        while let Ok(Some(header)) = units.next() {
            if let Some(offset) = header.debug_info_offset() {
                own.0.push(Place { offset: offset.0, size: header.length_including_self() });
            }
        }
        own
    }

    /// The unit that holds an offset of `.debug_info`.
    pub(super) fn at(&self, offset: usize) -> Option<u32> {
        let after = self.0.partition_point(|place| place.offset <= offset);
        let unit = after.checked_sub(1)?;
        let place = self.0[unit];
        (offset - place.offset < place.size).then(|| u32::try_from(unit).ok())?
    }

    pub(super) fn header<'a>(&self, dwarf: &Dwarf<'a>, unit: u32) -> gimli::Result<UnitHeader<Reader<'a>>> {
        let offset = self.0.get(unit as usize).map_or(usize::MAX, |place| place.offset);
        dwarf.unit_header(DebugInfoOffset(offset))
    }

    fn size(&self, unit: u32) -> usize {
        self.0.get(unit as usize).map_or(0, |place| place.size)
    }
}

/// The units of a file, by where they stand and by the code they cover.
#[derive(Default, Debug)]
pub(super) struct UnitIndex {
    pub(super) places: UnitPlaces,
    ranges: Vec<UnitRange>,
}

impl UnitIndex {
    pub(super) fn build(
        dwarf: &Dwarf<'_>,
        code: &[Range<u64>],
        deadline: Instant,
    ) -> Result<Self, DwarfError> {
        let mut own = Self { places: UnitPlaces::of(dwarf), ranges: Vec::new() };
        let listed = own.take_listed(dwarf, code);
        let rest: Vec<u32> =
            (0..).zip(listed).filter(|(_, is_listed)| !is_listed).map(|(unit, _)| unit).collect();
        let n_threads = match rest.len() {
            0..256 => 1,
            _ => std::thread::available_parallelism().map_or(1, usize::from).min(super::MAX_THREADS),
        };
        if n_threads == 1 {
            own.ranges.extend(declared(dwarf, code, &own.places, &rest, deadline)?);
            own.order();
            return Ok(own);
        }
        let chunk = rest.len().div_ceil(n_threads).max(1);
        let parts: Vec<Result<Vec<UnitRange>, DwarfError>> = std::thread::scope(|scope| {
            let threads: Vec<_> = rest
                .chunks(chunk)
                .map(|units| {
                    scope.spawn(|| own_thread::run(|| declared(dwarf, code, &own.places, units, deadline)))
                })
                .collect();
            threads.into_iter().map(|thread| thread.join().unwrap_or_else(|_| Ok(Vec::new()))).collect()
        });
        for part in parts {
            own.ranges.extend(part?);
        }
        own.order();
        Ok(own)
    }

    fn order(&mut self) {
        self.ranges.sort_by_key(|range| (range.code.start, range.unit));
        let mut reach = 0;
        for range in &mut self.ranges {
            reach = reach.max(range.code.end);
            range.reach = reach;
        }
    }

    /// Takes the ranges of `.debug_aranges`, and returns the units that it lists.
    fn take_listed(&mut self, dwarf: &Dwarf<'_>, code: &[Range<u64>]) -> Vec<bool> {
        let mut listed = vec![false; self.places.0.len()];
        let mut headers = dwarf.debug_aranges.headers();
        while let Ok(Some(header)) = headers.next() {
            let Some(unit) = self.places.at(header.debug_info_offset().0) else { continue };
            let mut entries = header.entries();
            while let Some(entry) = entries.next().transpose() {
                // An entry whose end overflows is skipped; the iterator itself ends at real damage.
                let Ok(entry) = entry else { continue };
                let range = entry.range();
                if range.begin < range.end && is_code(code, range.begin) {
                    self.ranges.push(UnitRange { code: range.begin..range.end, reach: 0, unit });
                    listed[unit as usize] = true;
                }
            }
        }
        listed
    }

    /// How many bytes a unit takes.
    pub(super) fn size(&self, unit: u32) -> usize {
        self.places.size(unit)
    }

    /// The units that cover the addresses, each with its addresses in order; large units first, so that no thread
    /// is left with one at the end.
    pub(super) fn units_of(&self, asked: &[u64]) -> Vec<(u32, Vec<u64>)> {
        let mut units: Map<u32, Vec<u64>> = Map::default();
        for address in asked {
            for unit in self.covering(*address) {
                let addresses = units.entry(unit).or_default();
                if addresses.last() != Some(address) {
                    addresses.push(*address);
                }
            }
        }
        let mut units: Vec<_> = units.into_iter().collect();
        units.sort_by_key(|(unit, _)| (std::cmp::Reverse(self.size(*unit)), *unit));
        units
    }

    fn covering(&self, address: u64) -> impl Iterator<Item = u32> {
        let after = self.ranges.partition_point(|range| range.code.start <= address);
        self.ranges[..after]
            .iter()
            .rev()
            .take(MAX_STEPS)
            .take_while(move |range| range.reach > address)
            .filter(move |range| address < range.code.end)
            .map(|range| range.unit)
    }
}

/// The ranges that the units' first entries declare.
fn declared(
    dwarf: &Dwarf<'_>,
    code: &[Range<u64>],
    places: &UnitPlaces,
    units: &[u32],
    deadline: Instant,
) -> Result<Vec<UnitRange>, DwarfError> {
    let mut ranges = Vec::new();
    for unit in units {
        if Instant::now() > deadline {
            return Err(DwarfError::Slow);
        }
        let Ok(header) = places.header(dwarf, *unit) else { continue };
        let is_meant = !matches!(header.type_(), UnitType::Type { .. } | UnitType::Partial);
        let each = |code| ranges.push(UnitRange { code, reach: 0, unit: *unit });
        if is_meant {
            // A unit that cannot be read covers nothing; the others are none the worse for it.
            declared_by(dwarf, code, header, each).ok();
        }
    }
    Ok(ranges)
}

fn declared_by(
    dwarf: &Dwarf<'_>,
    code: &[Range<u64>],
    header: UnitHeader<Reader<'_>>,
    mut each: impl FnMut(Range<u64>),
) -> gimli::Result<()> {
    let unit = dwarf.unit(header)?;
    let unit = unit.unit_ref(dwarf);
    let mut entries = unit.entries_raw(None)?;
    let Some(first) = entries.read_abbreviation()? else { return Ok(()) };
    if first.tag() == gimli::DW_TAG_partial_unit || first.tag() == gimli::DW_TAG_type_unit {
        return Ok(());
    }
    let mut ranges = CodeRanges::default();
    for specification in first.attributes() {
        ranges.take(unit, &entries.read_attribute(*specification)?)?;
    }
    let mut is_any = false;
    ranges.each(unit, code, |range| {
        is_any = true;
        each(range);
    })?;
    // Some assemblers write lines and no ranges.
    if !is_any && !ranges.is_any() {
        lines::each_sequence(unit, code, each)?;
    }
    Ok(())
}
