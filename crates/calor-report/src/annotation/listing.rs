//! Which instructions of a function are shown: the hottest, with some around them, and a mark where others were left out.

use std::ops::Range;

use calor_analysis::{AnnotatedCode, AnnotatedInstruction};

/// Loops that are drawn beside an instruction: the innermost ones.
pub(super) const MOST_LOOPS: usize = 3;

/// Stretches of instructions: those with the `top` most samples and `context` on either side.
pub(super) fn stretches(code: &AnnotatedCode<'_>, top: usize, context: usize) -> Vec<Range<usize>> {
    let mut hot: Vec<usize> =
        (0..code.instructions.len()).filter(|index| code.instructions[*index].count > 0).collect();
    hot.sort_by_key(|index| (std::cmp::Reverse(code.instructions[*index].count), *index));
    hot.truncate(top);
    hot.sort_unstable();
    let mut stretches: Vec<Range<usize>> = Vec::new();
    for index in hot {
        let range = index.saturating_sub(context)..(index + context + 1).min(code.instructions.len());
        match stretches.last_mut() {
            // A mark takes a line itself.
            Some(last) if range.start <= last.end + 1 => last.end = range.end,
            _ => stretches.push(range),
        }
    }
    stretches
}

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

    fn code(counts: &[u64]) -> AnnotatedCode<'static> {
        let instruction = |(index, count): (usize, &u64)| AnnotatedInstruction {
            address: index as u64,
            text: String::new(),
            count: *count,
            loops: match index {
                0 | 9.. => vec![],
                2..=4 => vec![0, 1],
                _ => vec![0],
            },
            function: None,
            file: None,
            line: None,
        };
        AnnotatedCode {
            function: "f",
            start: 0,
            size: 0,
            n_known: 0,
            n_samples: counts.iter().sum(),
            n_beyond: 0,
            instructions: counts.iter().enumerate().map(instruction).collect(),
        }
    }

    #[test]
    fn the_hottest_are_shown_with_those_around_them() {
        let code = code(&[0, 9, 0, 0, 0, 0, 0, 0, 0, 5, 1]);
        let shown = |top, context| {
            let stretches = stretches(&code, top, context).into_iter();
            stretches.map(|range| (range.start, range.end)).collect::<Vec<_>>()
        };
        assert_eq!(shown(2, 1), [(0, 3), (8, 11)]);
        assert_eq!(shown(1, 0), [(1, 2)]);
        assert_eq!(shown(3, 3), [(0, 11)], "a gap of one line is no gap");
        assert_eq!(shown(0, 3), []);
    }

    #[test]
    fn loops_are_drawn_where_they_begin_go_on_and_end() {
        let code = code(&[0; 10]);
        let marks: Vec<String> = (0..10).map(|index| loop_marks(&code.instructions, index, 2)).collect();
        assert_eq!(marks, ["  ", "┌ ", "│┌", "││", "│└", "│ ", "│ ", "│ ", "└ ", "  "]);
    }
}
