//! A trend in a terminal: a dot for each run, in letters of which each holds two by four of them. Levels between changes are
//! drawn where no dots are, and changes are numbered on the axis.

/// Dots in a letter.
const ACROSS: usize = 2;
const DOWN: usize = 4;
/// The first of the letters of dots.
const BLANK: u32 = 0x2800;
/// The bit of each dot: by column, from the top.
const BITS: [[u32; DOWN]; ACROSS] = [[0x01, 0x02, 0x04, 0x40], [0x08, 0x10, 0x20, 0x80]];

/// What is drawn.
pub(super) struct Plot<'p> {
    pub(super) values: &'p [Option<f64>],
    /// From which value on, to before which, and the level there.
    pub(super) levels: &'p [(usize, usize, f64)],
    /// The first values after changes.
    pub(super) changes: Vec<usize>,
    pub(super) columns: usize,
    pub(super) rows: usize,
}

/// The lines of a plot, and below them the numbers of changes; and the values at its upper and lower edge.
pub(super) struct Drawn {
    pub(super) lines: Vec<String>,
    pub(super) marks: String,
    pub(super) range: [f64; 2],
}

impl Plot<'_> {
    pub(super) fn draw(&self) -> Drawn {
        let [low, high] = self.range();
        let (n_across, n_down) = (self.columns * ACROSS, self.rows * DOWN);
        let mut bits = vec![vec![0_u32; self.columns]; self.rows];
        let down = |value: f64| {
            let share = if high > low { (high - value) / (high - low) } else { 0.5 };
            ((share * n_down as f64) as usize).min(n_down - 1)
        };
        let across = |at: usize| self.across(at).min(n_across - 1);
        for (at, value) in self.values.iter().enumerate() {
            if let Some(value) = value {
                let (x, y) = (across(at), down(value.clamp(low, high)));
                let size = self.size();
                for (x, y) in (0..size).flat_map(|dx| (0..size).map(move |dy| (x + dx, y + dy))) {
                    if let Some(letter) = bits.get_mut(y / DOWN).and_then(|row| row.get_mut(x / ACROSS)) {
                        *letter |= BITS[x % ACROSS][y % DOWN];
                    }
                }
            }
        }
        let mut letters: Vec<Vec<char>> = bits
            .iter()
            .map(|row| {
                let letter = |bits: &u32| char::from_u32(BLANK + bits).filter(|_| *bits > 0).unwrap_or(' ');
                row.iter().map(letter).collect()
            })
            .collect();
        let mut marks = vec![' '; self.columns];
        for (number, at) in self.changes.iter().enumerate() {
            let column = across(*at) / ACROSS;
            letters.iter_mut().map(|row| &mut row[column]).filter(|letter| **letter == ' ').for_each(
                |letter| {
                    *letter = '┊';
                },
            );
            marks[column] = char::from_digit((number as u32 + 1) % 36, 36).unwrap_or('+');
        }
        for (from, to, level) in self.levels {
            let row = &mut letters[down(level.clamp(low, high)) / DOWN];
            let last = across(to.saturating_sub(1)) / ACROSS;
            for letter in &mut row[across(*from) / ACROSS..=last] {
                if *letter == ' ' {
                    *letter = '┈';
                }
            }
        }
        Drawn {
            lines: letters.into_iter().map(|row| row.into_iter().collect()).collect(),
            marks: marks.into_iter().collect(),
            range: [high, low],
        }
    }

    /// Values from edge to edge; what is far off is drawn at the edge, so that the rest can be told apart.
    fn range(&self) -> [f64; 2] {
        let mut known: Vec<f64> = self.values.iter().copied().flatten().collect();
        known.sort_unstable_by(f64::total_cmp);
        let at = |share: f64| known.get(((known.len().max(1) - 1) as f64 * share).round() as usize);
        let (Some(first), Some(last)) = (known.first(), known.last()) else { return [0.0, 0.0] };
        let (low, high) = (at(0.02).unwrap_or(first), at(0.98).unwrap_or(last));
        let reach = (high - low) * 0.5;
        [first.max(low - reach), last.min(high + reach)]
    }

    /// Dots across and down that a value takes: where there is room, it is drawn larger.
    fn size(&self) -> usize {
        if self.values.len() <= self.columns { 2 } else { 1 }
    }

    /// The column of dots of a value.
    fn across(&self, at: usize) -> usize {
        let n_across = self.columns * ACROSS;
        // A few runs are not torn apart over the whole width.
        let step = ((n_across - 1) as f64 / (self.values.len().max(2) - 1) as f64).min(6.0);
        let place = (at as f64 * step) as usize;
        // Large ones fill letters.
        place - place % self.size()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_step_is_drawn_with_its_levels_and_its_number() {
        let values: Vec<Option<f64>> =
            (0..20).map(|at| Some(if at < 10 { 1.0 } else { 2.0 } + f64::from(at % 2) * 0.1)).collect();
        let levels = [(0, 10, 1.0), (10, 20, 2.0)];
        let plot = Plot { values: &values, levels: &levels, changes: vec![10], columns: 10, rows: 3 };
        let drawn = plot.draw();
        assert_eq!(drawn.lines, ["     ⠊⠊⠊⠊⠊", "     ┊    ", "⡠⡠⡠⡠⡠┊    "]);
        assert_eq!((drawn.marks.as_str(), drawn.range), ("     1    ", [2.1, 1.0]));
    }

    #[test]
    fn few_runs_are_large_and_gaps_stay_empty() {
        let values = [Some(1.0), None, Some(3.0), Some(2.0)];
        let plot = Plot { values: &values, levels: &[], changes: Vec::new(), columns: 12, rows: 2 };
        assert_eq!(plot.draw().lines, ["      ⠛     ", "⣀        ⠛  "]);
        let nothing = Plot { values: &[None; 3], levels: &[], changes: Vec::new(), columns: 4, rows: 1 };
        assert_eq!(nothing.draw().lines, ["    "]);
    }
}
