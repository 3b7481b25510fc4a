//! `co_linetable` of 3.10: pairs of bytes, how many bytes of instructions and by how much their line differs from
//! that of the ones before; -128 means that they have none.

use super::LineTable;

const NO_LINE: i8 = -128;

pub(super) fn unpack(table: &[u8], first_line: i32) -> LineTable {
    let mut lines = LineTable::default();
    let (mut start, mut line) = (0_u32, first_line);
    for &[instructions, step] in table.as_chunks::<2>().0 {
        let step = i8::from_ne_bytes([step]);
        if step != NO_LINE {
            line = line.saturating_add(step.into());
        }
        // A range without instructions only moves the line.
        if instructions > 0 {
            lines.push(start, (step != NO_LINE).then_some(line));
        }
        start = start.saturating_add(instructions.into());
    }
    lines.push(start, None);
    lines
}
