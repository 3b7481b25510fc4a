//! Values over time in letters: one line a series, of blocks that are as high as the largest value in their stretch of
//! time, all by one scale.

use std::fmt::Write;

use calor_analysis::quantity::{bytes, duration};

use super::palette::Palette;
use super::printable::width;
use crate::document::{Chart, Series};

/// Stretches of time that are drawn at most: more say no more.
const MOST_STRETCHES: usize = 64;
/// Letters by height.
const BLOCKS: [char; 9] = [' ', '▁', '▂', '▃', '▄', '▅', '▆', '▇', '█'];

pub(crate) fn draw(chart: &Chart, columns: usize, palette: Palette, page: &mut String) {
    let name_width = chart.series.iter().map(|series| width(series.name)).max().unwrap_or(0);
    let most = chart.most();
    // Room for names and for what is said behind.
    let n_stretches = columns.saturating_sub(name_width + 30).clamp(8, MOST_STRETCHES);
    let span = chart.span();
    for series in &chart.series {
        let line: String =
            stretches(series, span, n_stretches).iter().map(|value| block(*value, most)).collect();
        let largest = series.points.iter().map(|(_, bytes)| *bytes).max().unwrap_or(0);
        let last = series.points.last().map_or(0, |(_, bytes)| *bytes);
        let blank = " ".repeat(name_width - width(series.name));
        let mark = if series.is_estimated { "~" } else { "" };
        let said = format!("most {mark}{}, last {mark}{}", bytes(largest), bytes(last));
        let _ = writeln!(page, "  {}{blank}  {line}  {}", series.name, palette.quiet(&said));
    }
    let (first, last) = span;
    let (from, to) = (duration(first as f64), duration(last as f64));
    let gap = n_stretches.saturating_sub(width(&from) + width(&to));
    let scale = format!("{}{from}{}{to}", " ".repeat(name_width + 4), " ".repeat(gap));
    let _ = writeln!(page, "{}", palette.quiet(&scale));
}

/// The largest value of each stretch; one without a point has that of the one before.
fn stretches(series: &Series, (first, last): (u64, u64), n_stretches: usize) -> Vec<u64> {
    let length = ((last - first) / n_stretches as u64).saturating_add(1);
    let mut values: Vec<Option<u64>> = vec![None; n_stretches];
    for (at, bytes) in &series.points {
        let place = usize::try_from((at - first) / length).unwrap_or(usize::MAX).min(n_stretches - 1);
        values[place] = values[place].max(Some(*bytes));
    }
    let mut before = 0;
    let filled = values.into_iter().map(|value| {
        before = value.unwrap_or(before);
        before
    });
    filled.collect()
}

fn block(value: u64, most: u64) -> char {
    let height = value as f64 / most.max(1) as f64 * (BLOCKS.len() - 1) as f64;
    // What is there is seen.
    BLOCKS[(height.round() as usize).max(usize::from(value > 0)).min(BLOCKS.len() - 1)]
}

#[cfg(test)]
mod tests {
    use super::*;

    fn series(points: &[(u64, u64)]) -> Series {
        Series { name: "heap", is_filled: true, is_estimated: false, points: points.to_vec() }
    }

    #[test]
    fn a_stretch_is_as_high_as_its_largest_value_and_one_without_a_point_as_the_one_before() {
        let values = stretches(&series(&[(0, 1), (5, 9), (10, 2), (79, 4)]), (0, 79), 8);
        assert_eq!(values, [9, 2, 2, 2, 2, 2, 2, 4]);
        assert_eq!(stretches(&series(&[(7, 3)]), (7, 7), 8), [3; 8]);
    }

    #[test]
    fn all_series_have_one_scale_and_what_is_small_is_seen() {
        let chart = Chart { series: vec![series(&[(0, 1), (1000, 800)]), series(&[(0, 400), (1000, 400)])] };
        let mut page = String::new();
        draw(&chart, 60, Palette { is_coloured: false }, &mut page);
        let lines: Vec<&str> = page.lines().collect();
        assert!(
            lines[0].contains('▁') && lines[0].contains('█') && lines[0].contains("most 800 B"),
            "{page}"
        );
        assert!(lines[1].contains('▄') && !lines[1].contains('█'), "{page}");
        assert!(lines[2].trim().starts_with("0 ns") && lines[2].ends_with("1.00 µs"), "{page}");
        assert!(lines.iter().all(|line| width(line) <= 60), "{page}");
    }
}
