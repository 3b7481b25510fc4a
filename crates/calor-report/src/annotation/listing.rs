//! Loops beside the instructions of a function.

use calor_analysis::AnnotatedInstruction;

/// Loops that are drawn beside an instruction: the innermost ones.
pub(super) const MOST_LOOPS: usize = 3;

/// The loops around an instruction as lines of a drawing, outermost first: where each begins, goes on and ends.
pub(super) fn loop_marks(code: &[AnnotatedInstruction<'_>], index: usize, deepest: usize) -> String {
    let own = &code[index].loops;
    let outer = own.len().saturating_sub(MOST_LOOPS);
    let is_in = |other: Option<usize>, id: usize| {
        other.and_then(|other| code.get(other)).is_some_and(|other| other.loops.contains(&id))
    };
    let mark = |id: &usize| match (is_in(index.checked_sub(1), *id), is_in(Some(index + 1), *id)) {
        (true, true) => '│',
        (false, true) => '┌',
        (true, false) => '└',
        (false, false) => '╶',
    };
    let marks: String = own[outer..].iter().map(mark).collect();
    let blank = deepest.min(MOST_LOOPS).saturating_sub(own.len() - outer);
    marks + &" ".repeat(blank)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn code() -> Vec<AnnotatedInstruction<'static>> {
        let instruction = |index: usize| AnnotatedInstruction {
            address: index as u64,
            text: String::new(),
            count: 0,
            loops: match index {
                0 | 9.. => vec![],
                2..=4 => vec![0, 1],
                _ => vec![0],
            },
            function: None,
            file: None,
            line: None,
        };
        (0..10).map(instruction).collect()
    }

    #[test]
    fn loops_are_drawn_where_they_begin_go_on_and_end() {
        let code = code();
        let marks: Vec<String> = (0..10).map(|index| loop_marks(&code, index, 2)).collect();
        assert_eq!(marks, ["  ", "┌ ", "│┌", "││", "│└", "│ ", "│ ", "│ ", "└ ", "  "]);
    }
}
