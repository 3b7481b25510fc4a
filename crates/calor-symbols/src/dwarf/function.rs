//! The functions of a unit that hold asked addresses. All entries of the unit are passed over once; only those of
//! functions with code are looked at.

use std::ops::Range;
use std::time::Instant;

use gimli::{Abbreviation, AttributeValue, EntriesRaw, UnitOffset};

use super::ranges::CodeRanges;
use super::{DwarfError, Reader, UnitRef};

/// A function with code.
#[derive(Debug)]
pub(super) struct Function {
    /// Its entry in the unit.
    pub(super) entry: UnitOffset,
    /// Its code, in order.
    pub(super) code: Vec<Range<u64>>,
}

impl Function {
    fn size(&self) -> u64 {
        self.code.iter().map(|range| range.end - range.start).sum()
    }
}

/// The clock is asked once for so many entries.
const ENTRIES_PER_CHECK: u32 = 1 << 16;

/// The functions that hold an address of `asked`, which is in order.
pub(super) fn holding(
    unit: UnitRef<'_, '_>,
    code: &[Range<u64>],
    asked: &[u64],
    deadline: Instant,
) -> Result<Vec<Function>, DwarfError> {
    let mut functions: Vec<Function> = Vec::new();
    // For each address its function: of several the smallest, which is the one nested in the others.
    let mut chosen: Vec<Option<usize>> = vec![None; asked.len()];
    let mut entries = unit.entries_raw(None)?;
    let mut n_entries = 0_u32;
    while !entries.is_empty() {
        n_entries = n_entries.wrapping_add(1);
        if n_entries.is_multiple_of(ENTRIES_PER_CHECK) && Instant::now() > deadline {
            return Err(DwarfError::Slow);
        }
        let entry = entries.next_offset();
        let Some(abbreviation) = entries.read_abbreviation()? else { continue };
        if abbreviation.tag() != gimli::DW_TAG_subprogram || !has_code(abbreviation) {
            skip(unit, &mut entries, abbreviation)?;
            continue;
        }
        let mut ranges = CodeRanges::default();
        for specification in abbreviation.attributes() {
            ranges.take(unit, &entries.read_attribute(*specification)?)?;
        }
        let mut function = Function { entry, code: Vec::new() };
        let mut is_asked = false;
        ranges.each(unit, code, |range| {
            let at = asked.partition_point(|address| *address < range.start);
            is_asked |= asked.get(at).is_some_and(|address| *address < range.end);
            function.code.push(range);
        })?;
        if !is_asked {
            continue;
        }
        function.code.sort_by_key(|range| range.start);
        for range in &function.code {
            let at = asked.partition_point(|address| *address < range.start);
            let held = asked[at..].iter().take_while(|address| **address < range.end).count();
            for place in &mut chosen[at..at + held] {
                if place.is_none_or(|other| function.size() < functions[other].size()) {
                    *place = Some(functions.len());
                }
            }
        }
        functions.push(function);
    }
    let mut is_chosen = vec![false; functions.len()];
    chosen.into_iter().flatten().for_each(|function| is_chosen[function] = true);
    let mut is_chosen = is_chosen.into_iter();
    functions.retain(|_| is_chosen.next().unwrap_or(false));
    Ok(functions)
}

fn has_code(abbreviation: &Abbreviation) -> bool {
    let is_code = |name| name == gimli::DW_AT_low_pc || name == gimli::DW_AT_ranges;
    abbreviation.attributes().iter().any(|specification| is_code(specification.name()))
}

/// Passes over an entry, and over all that is in it where the entry says where the next one stands and it cannot
/// hold functions with code.
fn skip<'a, 'b>(
    unit: UnitRef<'a, 'b>,
    entries: &mut EntriesRaw<'b, Reader<'a>>,
    abbreviation: &Abbreviation,
) -> gimli::Result<()> {
    let specifications = abbreviation.attributes();
    let is_skippable = abbreviation.has_children()
        && matches!(
            abbreviation.tag(),
            gimli::DW_TAG_array_type | gimli::DW_TAG_enumeration_type | gimli::DW_TAG_subroutine_type
        );
    let sibling = specifications.iter().position(|it| it.name() == gimli::DW_AT_sibling);
    let Some(at) = sibling.filter(|_| is_skippable) else {
        return entries.skip_attributes(specifications);
    };
    entries.skip_attributes(&specifications[..at])?;
    let value = entries.read_attribute(specifications[at])?.value();
    entries.skip_attributes(&specifications[at + 1..])?;
    if let AttributeValue::UnitRef(sibling) = value
        && sibling.0 > entries.next_offset().0
    {
        *entries = unit.unit.header.entries_raw(&unit.unit.abbreviations, Some(sibling))?;
    }
    Ok(())
}
