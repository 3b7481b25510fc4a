//! Reads units one after the other: the functions that hold asked addresses, what was inlined into them, and their
//! lines, laid out as spans.

use std::ops::Range;
use std::time::Instant;

use super::function::{self, Function};
use super::inlined::{self, Calls, Inlined};
use super::lines::{self, Row};
use super::names::{Home, Names};
use super::split::SplitFiles;
use super::{DebugInformation, Dwarf, DwarfError, Found, Reader, UnitRef};
use crate::symbols::Map;
use crate::symbols::places::{NONE, Places, Span};

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
        let is_held = |address: &u64| wanted.iter().any(|range| range.contains(address));
        // Code in no function, such as assembly, still has lines.
        let loose: Vec<u64> = asked.iter().copied().filter(|address| !is_held(address)).collect();
        wanted.extend(loose.iter().map(|address| *address..address.saturating_add(1)));
        join(&mut wanted);
        // Functions without lines are better than nothing.
        let rows = lines::rows(lines, &wanted).unwrap_or_default();
        let mut files = Files { lines, calls: unit, ids: Map::default() };
        for function in &functions {
            let mut calls = Calls { files: Vec::new() };
            let places = &mut self.found.places;
            let (root, inlined) =
                inlined::read(unit, function.entry, code, home, &mut self.names, places, &mut calls)?;
            for (node, file) in calls.files {
                places.nodes[node as usize].call_file = files.call(places, file);
            }
            if places.nodes[root as usize].name != NONE {
                lay_out(places, function, root, inlined, &rows, &mut files);
            }
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

/// The unit's files, named when first used. Split units count the files of calls on their own.
struct Files<'a, 'u> {
    lines: UnitRef<'a, 'u>,
    calls: UnitRef<'a, 'u>,
    ids: Map<(bool, u64), u32>,
}

impl Files<'_, '_> {
    fn row(&mut self, places: &mut Places, file: u64) -> u32 {
        self.id(places, true, file)
    }

    fn call(&mut self, places: &mut Places, file: u64) -> u32 {
        self.id(places, self.calls.line_program.is_none(), file)
    }

    fn id(&mut self, places: &mut Places, is_of_lines: bool, file: u64) -> u32 {
        let unit = if is_of_lines { self.lines } else { self.calls };
        *self
            .ids
            .entry((is_of_lines, file))
            .or_insert_with(|| lines::path(unit, file).map_or(NONE, |path| places.string(&path)))
    }
}

fn row_at(rows: &[Row], address: u64) -> Option<&Row> {
    let after = rows.partition_point(|row| row.begin <= address);
    rows[..after].last().filter(|row| address < row.end)
}

/// Puts ranges in order and joins those that touch.
fn join(ranges: &mut Vec<Range<u64>>) {
    ranges.sort_by_key(|range| range.start);
    ranges.dedup_by(|next, last| {
        let is_joined = next.start <= last.end;
        if is_joined {
            last.end = last.end.max(next.end);
        }
        is_joined
    });
}

/// Cuts a function's code at every change of line or of what is inlined.
fn lay_out(
    places: &mut Places,
    function: &Function,
    root: u32,
    mut inlined: Vec<Inlined>,
    rows: &[Row],
    files: &mut Files<'_, '_>,
) {
    inlined.sort_by_key(|it| (it.code.start, it.depth));
    let mut begun = inlined.iter().peekable();
    let mut active: Vec<&Inlined> = Vec::new();
    let mut ends: Vec<u64> = inlined.iter().map(|it| it.code.end).collect();
    ends.sort_unstable();
    let mut ends = ends.into_iter().peekable();
    for range in &function.code {
        let first = rows.partition_point(|row| row.end <= range.start);
        let mut row_at = first;
        let mut begin = range.start;
        while begin < range.end {
            while let Some(it) = begun.next_if(|it| it.code.start <= begin) {
                active.push(it);
            }
            active.retain(|it| it.code.end > begin);
            while ends.next_if(|end| *end <= begin).is_some() {}
            while rows.get(row_at).is_some_and(|row| row.end <= begin) {
                row_at += 1;
            }
            let row = rows.get(row_at).filter(|row| row.begin <= begin);
            let row_end = rows.get(row_at).map(|row| if row.begin > begin { row.begin } else { row.end });
            let next = [Some(range.end), row_end, begun.peek().map(|it| it.code.start), ends.peek().copied()];
            let end = next.into_iter().flatten().filter(|end| *end > begin).min().unwrap_or(range.end);
            let innermost = active.iter().max_by_key(|it| it.depth);
            let node = innermost.map_or(root, |it| it.node);
            let (file, line) = row.map_or((NONE, 0), |row| (files.row(places, row.file), row.line));
            match places.spans.last_mut() {
                Some(last)
                    if last.end == begin && (last.node, last.file, last.line) == (node, file, line) =>
                {
                    last.end = end;
                }
                _ => places.spans.push(Span { begin, end, node, file, line }),
            }
            begin = end;
        }
    }
}
