//! Lays a function out as spans: its code, cut at every change of line or of what is inlined.

use std::ops::Range;

use super::UnitRef;
use super::function::Function;
use super::inlined::Inlined;
use super::lines::{self, Row};
use crate::Map;
use crate::places::{NONE, Places, Span};

/// The unit's files, named when first used. Split units count the files of calls on their own.
pub(super) struct Files<'a, 'u> {
    pub(super) lines: UnitRef<'a, 'u>,
    pub(super) calls: UnitRef<'a, 'u>,
    pub(super) ids: Map<(bool, u64), u32>,
}

impl Files<'_, '_> {
    pub(super) fn row(&mut self, places: &mut Places, file: u64) -> u32 {
        self.id(places, true, file)
    }

    pub(super) fn call(&mut self, places: &mut Places, file: u64) -> u32 {
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

pub(super) fn row_at(rows: &[Row], address: u64) -> Option<&Row> {
    let after = rows.partition_point(|row| row.begin <= address);
    rows[..after].last().filter(|row| address < row.end)
}

/// Whether an address is in one of the ranges, which are in order and without overlap.
pub(super) fn is_held(ranges: &[Range<u64>], address: u64) -> bool {
    let after = ranges.partition_point(|range| range.start <= address);
    ranges[..after].last().is_some_and(|range| address < range.end)
}

/// Puts ranges in order and joins those that touch.
pub(super) fn join(ranges: &mut Vec<Range<u64>>) {
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
pub(super) fn lay_out(
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
