//! `co_lnotab` of 3.8 and 3.9: pairs of bytes, by how much the instructions and the lines go on. Lines may go back.

use super::LineTable;

pub(super) fn unpack(table: &[u8], first_line: i32) -> LineTable {
    let mut lines = LineTable::default();
    let (mut start, mut line) = (0_u32, first_line);
    lines.push(start, Some(line));
    for &[instructions, step] in table.as_chunks::<2>().0 {
        start = start.saturating_add(instructions.into());
        line = line.saturating_add(i8::from_ne_bytes([step]).into());
        lines.push(start, Some(line));
    }
    lines
}
