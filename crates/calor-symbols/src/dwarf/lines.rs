//! Lines of the source, from a unit's line program. The program runs from its start to its end; only the rows of
//! wanted code are kept.

use std::borrow::Cow;
use std::ops::Range;

use super::UnitRef;
use super::ranges::is_code;

/// A piece of code from one line.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(super) struct Row {
    pub(super) begin: u64,
    pub(super) end: u64,
    /// The number of its file in the unit's table.
    pub(super) file: u64,
    /// 0 when it has none.
    pub(super) line: u32,
}

/// The rows of the `wanted` code, which is in order and without overlap. Rows of one piece of code are in order.
pub(super) fn rows(unit: UnitRef<'_, '_>, wanted: &[Range<u64>]) -> gimli::Result<Vec<Row>> {
    let mut kept = Vec::new();
    let Some(program) = unit.line_program.clone() else { return Ok(kept) };
    let mut rows = program.rows();
    let mut last: Option<Row> = None;
    let mut at = 0;
    while let Some((_, row)) = rows.next_row()? {
        let address = row.address();
        match last {
            // Addresses rise within a sequence; a new one may begin anywhere.
            None => at = wanted.partition_point(|range| range.end <= address),
            Some(last) if wanted.get(at).is_some_and(|range| address > range.start) => {
                while let Some(range) = wanted.get(at) {
                    let (begin, end) = (last.begin.max(range.start), address.min(range.end));
                    if begin < end {
                        kept.push(Row { begin, end, ..last });
                    }
                    if range.end > address {
                        break;
                    }
                    at += 1;
                }
            }
            Some(_) => {}
        }
        let line = row.line().and_then(|line| u32::try_from(line.get()).ok()).unwrap_or(0);
        last = (!row.end_sequence()).then_some(Row {
            begin: address,
            end: address,
            file: row.file_index(),
            line,
        });
    }
    kept.sort_by_key(|row| row.begin);
    Ok(kept)
}

/// Calls `each` for the code that a unit has lines for.
pub(super) fn each_sequence(
    unit: UnitRef<'_, '_>,
    code: &[Range<u64>],
    mut each: impl FnMut(Range<u64>),
) -> gimli::Result<()> {
    let Some(program) = unit.line_program.clone() else { return Ok(()) };
    let mut rows = program.rows();
    let mut begin = None;
    while let Some((_, row)) = rows.next_row()? {
        let first = *begin.get_or_insert(row.address());
        if row.end_sequence() {
            if first < row.address() && is_code(code, first) {
                each(first..row.address());
            }
            begin = None;
        }
    }
    Ok(())
}

/// The path of a file of the unit's table, as whole as the compiler left it.
pub(super) fn path(unit: UnitRef<'_, '_>, file: u64) -> Option<String> {
    let header = unit.line_program.as_ref()?.header();
    let entry = header.file(file)?;
    let text = |value| Some(unit.attr_string(value).ok()?.to_string_lossy());
    let name = text(entry.path_name())?;
    let mut path = unit.comp_dir.map(|folder| folder.to_string_lossy()).unwrap_or_default().into_owned();
    // Folder 0 is the one the compiler ran in; from DWARF 5 on it is written out again.
    let folder: Option<Cow<'_, str>> = match entry.directory_index() {
        0 => None,
        _ => entry.directory(header).and_then(text),
    };
    for piece in folder.iter().chain([&name]) {
        if piece.starts_with('/') {
            path.clear();
        } else if !path.is_empty() && !path.ends_with('/') {
            path.push('/');
        }
        path.push_str(piece);
    }
    Some(path)
}
