//! Which instructions of a function are worth showing: the hottest, with some around them.

use std::ops::Range;

use super::AnnotatedCode;

impl AnnotatedCode<'_> {
    /// Stretches of instructions: those with the `top` most samples and `context` on either side.
    #[must_use]
    pub fn stretches(&self, top: usize, context: usize) -> Vec<Range<usize>> {
        let mut hot: Vec<usize> =
            (0..self.instructions.len()).filter(|index| self.instructions[*index].count > 0).collect();
        hot.sort_by_key(|index| (std::cmp::Reverse(self.instructions[*index].count), *index));
        hot.truncate(top);
        hot.sort_unstable();
        let mut stretches: Vec<Range<usize>> = Vec::new();
        for index in hot {
            let range = index.saturating_sub(context)..(index + context + 1).min(self.instructions.len());
            match stretches.last_mut() {
                // A mark takes a line itself.
                Some(last) if range.start <= last.end + 1 => last.end = range.end,
                _ => stretches.push(range),
            }
        }
        stretches
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::AnnotatedInstruction;

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
            let stretches = code.stretches(top, context).into_iter();
            stretches.map(|range| (range.start, range.end)).collect::<Vec<_>>()
        };
        assert_eq!(shown(2, 1), [(0, 3), (8, 11)]);
        assert_eq!(shown(1, 0), [(1, 2)]);
        assert_eq!(shown(3, 3), [(0, 11)], "a gap of one line is no gap");
        assert_eq!(shown(0, 3), []);
    }
}
