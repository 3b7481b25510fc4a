//! Reads units one after the other: the functions that hold asked addresses, what was inlined into them, and their
//! lines.

use std::ops::Range;
use std::time::Instant;

use gimli::AttributeValue;

use super::function;
use super::inlined::{self, Calls};
use super::layout::{Files, is_held, join, lay_out, row_at};
use super::lines;
use super::names::{Home, Names};
use super::split::SplitFiles;
use super::{DebugInformation, Dwarf, DwarfError, Found, Reader, UnitRef};
use crate::Map;
use crate::places::{NONE, Span};

/// One thread's share of the work.
pub(super) struct UnitReader<'d, 'a> {
    information: &'d DebugInformation,
    dwarf: &'d Dwarf<'a>,
    package: Option<&'d gimli::DwarfPackage<Reader<'a>>>,
    split: &'a SplitFiles,
    names: Names<'d, 'a>,
    found: Found,
    deadline: Instant,
    error: Option<DwarfError>,
    n_read: usize,
}

impl<'d, 'a> UnitReader<'d, 'a> {
    pub(super) fn new(
        information: &'d DebugInformation,
        dwarf: &'d Dwarf<'a>,
        package: Option<&'d gimli::DwarfPackage<Reader<'a>>>,
        split: &'a SplitFiles,
        deadline: Instant,
    ) -> Self {
        Self {
            information,
            dwarf,
            package,
            split,
            names: Names::new(dwarf, &information.index.places, &information.supplementary_places),
            found: Found::default(),
            deadline,
            error: None,
            n_read: 0,
        }
    }

    /// Reads what a unit says about `asked`, which is in order.
    pub(super) fn read(&mut self, unit: u32, asked: &[u64]) {
        if Instant::now() > self.deadline {
            self.error = Some(DwarfError::Slow);
            return;
        }
        match self.try_read(unit, asked) {
            Ok(()) => self.n_read += 1,
            Err(error) => self.error = Some(error),
        }
    }

    /// What was found. Damage in some units is an error only when it left nothing.
    pub(super) fn finish(self) -> Result<Found, DwarfError> {
        match self.error {
            Some(error) if self.n_read == 0 => Err(error),
            _ => Ok(self.found),
        }
    }

    fn try_read(&mut self, unit: u32, asked: &[u64]) -> Result<(), DwarfError> {
        let dwarf = self.dwarf;
        let unit = dwarf.unit(self.information.index.places.header(dwarf, unit)?)?;
        let own = unit.unit_ref(dwarf);
        let Some(id) = unit.dwo_id else {
            return self.read_parts(own, own, Home::Main, asked);
        };
        // Where the other part is missing, the lines are here all the same.
        let Some(other) = self.split.find(self.package, dwarf, id) else {
            return self.read_parts(own, own, Home::Main, asked);
        };
        let Some(header) = other.units().next()? else { return Ok(()) };
        let mut entries = other.unit(header)?;
        entries.copy_relocated_attributes(&unit);
        self.read_parts(entries.unit_ref(&other), own, Home::Split, asked)
    }

    /// Reads functions from `unit` and lines from `lines`, which is the same unless the unit was split.
    fn read_parts(
        &mut self,
        unit: UnitRef<'a, '_>,
        lines: UnitRef<'a, '_>,
        home: Home,
        asked: &[u64],
    ) -> Result<(), DwarfError> {
        let code = &self.information.code;
        let functions = function::holding(unit, code, asked, self.deadline)?;
        let mut wanted: Vec<Range<u64>> = functions.iter().flat_map(|it| it.code.iter().cloned()).collect();
        join(&mut wanted);
        // Code in no function, such as assembly, still has lines.
        let loose: Vec<u64> = asked.iter().copied().filter(|address| !is_held(&wanted, *address)).collect();
        wanted.extend(loose.iter().map(|address| *address..address.saturating_add(1)));
        join(&mut wanted);
        // Functions without lines are better than nothing.
        let rows = lines::rows(lines, &wanted).unwrap_or_default();
        let has_namespaces = has_namespaces(unit).unwrap_or(false);
        let mut files = Files { lines, calls: unit, ids: Map::default() };
        for function in &functions {
            let mut calls = Calls { files: Vec::new() };
            let places = &mut self.found.places;
            // A damaged function costs its own names, not those of the whole unit.
            let Ok(tree) =
                inlined::read(unit, function.entry, code, home, &mut self.names, places, &mut calls)
            else {
                continue;
            };
            for (node, file) in calls.files {
                places.nodes[node as usize].call_file = files.call(places, file);
            }
            let Some(root) = tree.root else { continue };
            if tree.is_short && has_namespaces {
                let begins = function.code.iter().map(|range| (range.start, root));
                self.found.short_names.extend(begins);
            }
            lay_out(places, function, root, tree.inlined, &rows, &mut files);
        }
        for address in loose {
            if let Some(row) = row_at(&rows, address) {
                let file = files.row(&mut self.found.places, row.file);
                let span = Span { begin: address, end: address + 1, node: NONE, file, line: row.line };
                self.found.lines.push(span);
            }
        }
        Ok(())
    }
}

/// Whether the unit's language has namespaces that the linker's names tell and the entries' names do not.
fn has_namespaces(unit: UnitRef<'_, '_>) -> gimli::Result<bool> {
    let mut entries = unit.entries_raw(None)?;
    let Some(first) = entries.read_abbreviation()? else { return Ok(false) };
    for specification in first.attributes() {
        if let AttributeValue::Language(language) = entries.read_attribute(*specification)?.value() {
            let plain = [gimli::DW_LANG_C, gimli::DW_LANG_C89, gimli::DW_LANG_C99, gimli::DW_LANG_C11];
            return Ok(!plain.contains(&language) && language != gimli::DW_LANG_Mips_Assembler);
        }
    }
    Ok(false)
}
