//! Which line an instruction belongs to. CPython has written that down in three ways; each is unpacked once into the
//! same rows, and looked up there.

mod lnotab;
mod locations;
mod ranges;

use super::layout::LineForm;

/// The lines of a function's instructions.
#[derive(Clone, PartialEq, Eq, Default, Debug)]
pub(crate) struct LineTable {
    rows: Vec<Row>,
}

/// From `start` on, in bytes from the first instruction, up to the next row.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
struct Row {
    start: u32,
    /// None where instructions belong to no line, as those the compiler adds.
    line: Option<u32>,
}

impl LineTable {
    /// Unpacks `table`. What makes no sense in it ends the lines there; instructions behind that have none.
    pub(crate) fn unpack(form: LineForm, table: &[u8], first_line: i32) -> Self {
        match form {
            LineForm::Lnotab => lnotab::unpack(table, first_line),
            LineForm::Ranges => ranges::unpack(table, first_line),
            LineForm::Locations => locations::unpack(table, first_line),
        }
    }

    /// The line of the instruction `offset` bytes behind the first one.
    pub(crate) fn line_at(&self, offset: u32) -> Option<u32> {
        let behind = self.rows.partition_point(|row| row.start <= offset);
        self.rows[..behind].last()?.line
    }

    /// From `start` on the line is `line`. Lines that cannot be, which only damaged tables have, are none.
    fn push(&mut self, start: u32, line: Option<i32>) {
        let line = line.and_then(|line| u32::try_from(line).ok());
        match self.rows.last_mut() {
            // Of several rows for no instruction the last one counts.
            Some(last) if last.start == start => last.line = line,
            Some(last) if last.line == line => {}
            _ => self.rows.push(Row { start, line }),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check(form: LineForm, table: &[u8], expected: &[(u32, Option<u32>)]) {
        let lines = LineTable::unpack(form, table, 10);
        for (offset, line) in expected {
            assert_eq!(lines.line_at(*offset), *line, "{form:?} {table:?} at {offset}");
        }
    }

    #[test]
    fn steps_of_3_8_go_forward_and_back() {
        check(LineForm::Lnotab, &[], &[(0, Some(10)), (1000, Some(10))]);
        check(
            LineForm::Lnotab,
            &[0, 1, 4, 2, 6, 254],
            &[(0, Some(11)), (4, Some(13)), (9, Some(13)), (10, Some(11))],
        );
        // Steps too large for a byte come in several pairs.
        check(LineForm::Lnotab, &[255, 0, 45, 127, 0, 73], &[(299, Some(10)), (300, Some(210))]);
        check(LineForm::Lnotab, &[4, 1, 6], &[(3, Some(10)), (4, Some(11)), (50, Some(11))]);
    }

    #[test]
    fn ranges_of_3_10_may_have_no_line() {
        check(
            LineForm::Ranges,
            &[4, 1, 2, 128, 6, 2],
            &[(0, Some(11)), (4, None), (6, Some(13)), (12, None)],
        );
        check(LineForm::Ranges, &[0, 127, 0, 73, 8, 0], &[(0, Some(210)), (7, Some(210)), (8, None)]);
        check(LineForm::Ranges, &[], &[(0, None)]);
    }

    #[test]
    fn locations_of_3_11_are_read_in_all_their_shapes() {
        // Short: same line, one more byte. Three units.
        check(LineForm::Locations, &[0x82, 0x11], &[(0, Some(10)), (5, Some(10)), (6, None)]);
        // One line on, two bytes of columns.
        check(LineForm::Locations, &[0x80 | 11 << 3, 4, 9], &[(0, Some(11)), (2, None)]);
        // No columns, a step of -3 and one of 100 that takes two bytes.
        let steps = [0x80 | 13 << 3, 3 << 1 | 1, 0x80 | 13 << 3, 0x40 | (200 & 0x3f), 200 >> 6];
        check(LineForm::Locations, &steps, &[(0, Some(7)), (2, Some(107)), (4, None)]);
        // Long: a step of 2, then lines, column and end column. No location follows.
        let long = [0x80 | 14 << 3, 4, 0, 1, 2, 0x80 | 15 << 3 | 1, 0x80, 0];
        check(LineForm::Locations, &long, &[(0, Some(12)), (2, None), (4, None), (6, Some(12)), (8, None)]);
    }

    #[test]
    fn lines_that_cannot_be_are_none() {
        check(LineForm::Lnotab, &[0, 200], &[(0, None)]);
        check(LineForm::Ranges, &[2, 200], &[(0, None)]);
        let far = [0x80 | 13 << 3, 0x7f, 0x7f, 0x7f, 0x7f, 0x7f, 0x7f, 0x7f, 0x7f, 0x3f];
        let lines = LineTable::unpack(LineForm::Locations, &far, i32::MIN);
        assert_eq!(lines.line_at(0), None);
    }

    proptest::proptest! {
        #[test]
        fn no_bytes_stop_the_reading(
            table in proptest::collection::vec(proptest::num::u8::ANY, 0..300),
            first_line: i32,
            offset: u32,
        ) {
            for form in [LineForm::Lnotab, LineForm::Ranges, LineForm::Locations] {
                let lines = LineTable::unpack(form, &table, first_line);
                proptest::prop_assert!(lines.rows.is_sorted_by_key(|row| row.start));
                lines.line_at(offset);
            }
        }
    }
}
