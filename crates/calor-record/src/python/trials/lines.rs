//! Lines of thousands of functions, compared with what each interpreter says itself.

use super::{answer, from_hex, interpreters};
use crate::python::layout::{Layout, LineForm};
use crate::python::lines::LineTable;

#[test]
fn lines_are_those_the_interpreter_tells() {
    for installed in interpreters() {
        let form = Layout::of(installed.version).map_or(LineForm::Locations, |layout| layout.code.line_form);
        let answer = answer(&installed.program, include_str!("lines.py"));
        assert!(answer.lines().count() > 500, "{} told of few functions", installed.version);
        for function in answer.lines() {
            check(form, function);
        }
    }
}

#[track_caller]
fn check(form: LineForm, function: &str) {
    let mut words = function.split(' ');
    let mut next = || words.next().expect("four words a line");
    let (table, first_line, n_bytes, told) = (next(), next(), next(), next());
    let first_line: i32 = first_line.parse().expect("a line");
    let lines = LineTable::unpack(form, &from_hex(table.trim_matches('-')), first_line);
    let told: Vec<(u32, Option<u32>)> = told.split(',').map(start_and_line).collect();
    for offset in (0..n_bytes.parse().expect("a size")).step_by(2) {
        let expected = told.iter().rev().find(|(start, _)| *start <= offset).expect("lines begin at 0").1;
        assert_eq!(lines.line_at(offset), expected, "at {offset} of {function}");
    }
}

fn start_and_line(text: &str) -> (u32, Option<u32>) {
    let (start, line) = text.split_once(':').expect("a colon");
    (start.parse().expect("an offset"), line.parse().ok())
}
