//! `co_linetable` since 3.11: entries of several bytes, of which only the first has its highest bit set. It tells the
//! shape of the entry and how many units of instructions it is for; lines are differences, columns are passed over.

use super::LineTable;

/// Instructions come in units of so many bytes.
const UNIT_BYTES: u32 = 2;

pub(super) fn unpack(table: &[u8], first_line: i32) -> LineTable {
    let mut lines = LineTable::default();
    let (mut start, mut line) = (0_u32, first_line);
    let mut rest = table;
    while let Some((&head, after)) = rest.split_first() {
        if head & 0x80 == 0 {
            break;
        }
        let end = after.iter().position(|byte| byte & 0x80 != 0).unwrap_or(after.len());
        let (body, next) = after.split_at(end);
        rest = next;
        let step = match head >> 3 & 0xf {
            0..=9 => Some(0),
            shape @ 10..=12 => Some(i32::from(shape) - 10),
            // Without columns, and with everything.
            13 | 14 => Some(signed(body)),
            _ => None,
        };
        line = line.saturating_add(step.unwrap_or(0));
        lines.push(start, step.map(|_| line));
        start = start.saturating_add((u32::from(head & 7) + 1) * UNIT_BYTES);
    }
    lines.push(start, None);
    lines
}

/// The number at the start of `body`: six bits a byte, the lowest first; a seventh bit says that more follow. Of the
/// whole the lowest bit is the sign.
fn signed(body: &[u8]) -> i32 {
    let mut number = 0_u32;
    for (place, byte) in body.iter().enumerate() {
        let shift = u32::try_from(place * 6).unwrap_or(u32::MAX);
        number |= u32::from(byte & 0x3f).checked_shl(shift).unwrap_or(0);
        if byte & 0x40 == 0 {
            break;
        }
    }
    let size = i32::try_from(number >> 1).unwrap_or(i32::MAX);
    if number & 1 == 1 { -size } else { size }
}
