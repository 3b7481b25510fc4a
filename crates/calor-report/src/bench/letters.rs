//! A chart of a run in letters, for a terminal: each series has a letter, lines and fronts are dotted, what is not on a front is
//! small; bars are bars.

use std::fmt::Write;

use calor_analysis::quantity::amount;

use super::plot::bar_rows;
use super::{Axis, Chart, ChartKind, Point, Series};
use crate::axis::{Scale, mark};
use crate::text::palette::Palette;
use crate::text::printable::{cut_back, printable, width};

/// Lines of a picture.
const ROWS: usize = 12;
/// It is no wider than this: a line's slope has to be seen at a glance.
const MOST_COLUMNS: usize = 96;
/// Of bars: the longest.
const MOST_BAR: usize = 40;
const MOST_NAME: usize = 32;
/// Values to the right that are marked themselves, such as the sizes that were measured.
const OWN_MARKS: usize = 8;
/// Parts of a letter.
const PARTS: [char; 7] = ['▏', '▎', '▍', '▌', '▋', '▊', '▉'];
/// Where several series have a point.
const SEVERAL: char = '*';

/// Draws a chart in at most so many columns.
pub(super) fn draw(chart: &Chart, columns: usize, palette: Palette, page: &mut String) {
    if chart.series.iter().all(|series| series.points.is_empty()) {
        return;
    }
    match chart.kind {
        ChartKind::Bars => bars(chart, columns, palette, page),
        ChartKind::Lines | ChartKind::Points => picture(chart, columns, palette, page),
    }
}

fn picture(chart: &Chart, columns: usize, palette: Palette, page: &mut String) {
    let all = || chart.series.iter().flat_map(|series| &series.points);
    let [xs, ys]: [Vec<f64>; 2] =
        [all().map(|point| point.x).collect(), all().map(|point| point.y).collect()];
    let (x, y) = (scale(&chart.x, &xs), scale(&chart.y, &ys));
    let rows: Vec<(usize, String)> =
        y.ticks(5).into_iter().map(|value| (ROWS - 1 - place(y.share(value), ROWS), mark(value))).collect();
    let side = rows.iter().map(|(_, text)| width(text)).max().unwrap_or(0);
    let across = columns.min(MOST_COLUMNS).saturating_sub(side + 5).max(16);
    let mut cells = vec![vec![' '; across]; ROWS];
    let at = |point: &Point| (place(x.share(point.x), across), ROWS - 1 - place(y.share(point.y), ROWS));
    for series in chart.series.iter().filter(|series| series.is_front || chart.kind == ChartKind::Lines) {
        for pair in series.points.windows(2) {
            dots(&mut cells, at(&pair[0]), at(&pair[1]));
        }
    }
    let mut is_on_front = vec![vec![false; across]; ROWS];
    for (column, row) in fronts(chart).flat_map(|series| &series.points).map(at) {
        is_on_front[row][column] = true;
    }
    let mut has_several = false;
    for (number, series) in
        chart.series.iter().enumerate().filter(|(_, series)| !is_line_alone(chart, series))
    {
        for point in &series.points {
            let (column, row) = at(point);
            let letter = if is_small(chart, point) {
                letter(chart, number).to_ascii_lowercase()
            } else {
                letter(chart, number)
            };
            let cell = &mut cells[row][column];
            let is_beaten = letter.is_lowercase() && is_on_front[row][column];
            if !is_beaten {
                let is_taken = !matches!(*cell, ' ' | '·') && *cell != letter;
                has_several |= is_taken;
                *cell = if is_taken { SEVERAL } else { letter };
            }
        }
    }
    let _ = writeln!(page, "  {}", palette.quiet(&printable(&chart.y.label)));
    for (row, letters) in cells.iter().enumerate() {
        let text = rows.iter().find(|(at, _)| *at == row).map_or("", |(_, text)| text.as_str());
        let line: String = letters.iter().collect();
        let edge = palette.quiet(&format!(
            "{}{text} {}",
            " ".repeat(side - width(text)),
            if text.is_empty() { '│' } else { '┤' }
        ));
        let _ = writeln!(page, "  {edge}{}", line.trim_end());
    }
    let _ = writeln!(page, "  {}", palette.quiet(&format!("{} └{}", " ".repeat(side), "─".repeat(across))));
    let marks = marks(chart, &x, &xs, across);
    let _ = writeln!(page, "  {}", palette.quiet(&format!("{}  {marks}", " ".repeat(side))));
    let label = printable(&chart.x.label);
    let blank = " ".repeat(side + 2 + across.saturating_sub(width(&label)));
    let _ = writeln!(page, "  {}", palette.quiet(&format!("{blank}{label}")));
    legend(chart, columns, has_several, palette, page);
}

/// Marks below the picture, as far as they do not run into each other.
fn marks(chart: &Chart, x: &Scale, xs: &[f64], across: usize) -> String {
    let mut own: Vec<f64> = xs.iter().copied().filter(|value| value.is_finite()).collect();
    own.sort_by(f64::total_cmp);
    own.dedup();
    if chart.kind != ChartKind::Lines {
        own.clear();
    }
    let values = chart.x.marks(x, &own, OWN_MARKS);
    let mut line = String::new();
    for value in values {
        let (text, column) = (mark(value), place(x.share(value), across));
        let from = column.saturating_sub(width(&text) / 2).min(across.saturating_sub(width(&text)));
        if line.is_empty() || from > width(&line) + 1 {
            line += &" ".repeat(from - width(&line));
            line += &text;
        }
    }
    line
}

fn legend(chart: &Chart, columns: usize, has_several: bool, palette: Palette, page: &mut String) {
    let mut keys: Vec<String> = Vec::new();
    if chart.series.len() > 1 || chart.series.iter().any(|series| !series.name.is_empty()) {
        let key = |(at, series): (usize, &Series)| match is_line_alone(chart, series) {
            true => format!("· {}", printable(&series.name)),
            false => format!("{} {}", letter(chart, at), printable(&series.name)),
        };
        keys.extend(chart.series.iter().enumerate().map(key));
    }
    let has_small = chart.series.iter().flat_map(|series| &series.points).any(|point| is_small(chart, point));
    keys.extend(has_small.then(|| "small letters: not on it".to_owned()));
    keys.extend(has_several.then(|| format!("{SEVERAL} several")));
    let mut line = String::new();
    for key in keys {
        if !line.is_empty() && width(&line) + 3 + width(&key) > columns.saturating_sub(2) {
            let _ = writeln!(page, "  {}", palette.quiet(&line));
            line.clear();
        }
        if !line.is_empty() {
            line += "   ";
        }
        line += &key;
    }
    if !line.is_empty() {
        let _ = writeln!(page, "  {}", palette.quiet(&line));
    }
}

/// The letter of a series.
fn letter(chart: &Chart, number: usize) -> char {
    let n_before = chart.series[..number].iter().filter(|series| !is_line_alone(chart, series)).count();
    char::from(b'A' + u8::try_from(n_before % 26).unwrap_or(0))
}

/// Whether a series is a line through points of others, which keep their letters.
fn is_line_alone(chart: &Chart, series: &Series) -> bool {
    chart.kind == ChartKind::Points && series.is_front
}

fn fronts(chart: &Chart) -> impl Iterator<Item = &Series> {
    chart.series.iter().filter(|series| is_line_alone(chart, series))
}

/// Whether a point is not on the front that there is.
fn is_small(chart: &Chart, point: &Point) -> bool {
    let is_it = |other: &Point| other.x.total_cmp(&point.x).is_eq() && other.y.total_cmp(&point.y).is_eq();
    fronts(chart).next().is_some() && !fronts(chart).flat_map(|series| &series.points).any(is_it)
}

/// The cell of a place along an axis.
fn place(share: f64, cells: usize) -> usize {
    ((share * (cells - 1) as f64).round() as usize).min(cells - 1)
}

/// Dots between two cells, where nothing is.
fn dots(cells: &mut [Vec<char>], from: (usize, usize), to: (usize, usize)) {
    let steps = from.0.abs_diff(to.0).max(from.1.abs_diff(to.1)).max(1);
    let between = |a: usize, b: usize, step: usize| {
        (a as f64 + (b as f64 - a as f64) * step as f64 / steps as f64).round() as usize
    };
    for step in 1..steps {
        let cell = &mut cells[between(from.1, to.1, step)][between(from.0, to.0, step)];
        if *cell == ' ' {
            *cell = '·';
        }
    }
}

fn scale(axis: &Axis, values: &[f64]) -> Scale {
    if axis.is_log { Scale::log(values, 0.0) } else { Scale::linear(values, 0.0) }
}

fn bars(chart: &Chart, columns: usize, palette: Palette, page: &mut String) {
    let rows: Vec<(String, f64)> = bar_rows(chart)
        .into_iter()
        .map(|(_, series, point)| (bar_name(chart, series, point), point.y))
        .collect();
    let values: Vec<f64> = rows.iter().map(|(_, value)| *value).collect();
    let scale = scale(&chart.y, &values);
    let names = rows.iter().map(|(name, _)| width(name)).max().unwrap_or(0).min(MOST_NAME);
    let beside = rows.iter().map(|(_, value)| width(&amount(*value))).max().unwrap_or(0);
    let long = columns.saturating_sub(names + beside + width(&chart.y.label) + 7).clamp(8, MOST_BAR);
    for (name, value) in rows {
        let name = cut_back(&printable(&name), names);
        let eighths = (scale.share(value) * (long * 8) as f64).round() as usize;
        let mut bar = "█".repeat(eighths / 8);
        bar.extend(eighths.checked_rem(8).filter(|rest| *rest > 0).map(|rest| PARTS[rest - 1]));
        let blank = " ".repeat(names - width(&name));
        let said = palette.quiet(&format!("{} {}", amount(value), printable(&chart.y.label)));
        let _ = writeln!(page, "  {name}{blank}  {bar} {said}");
    }
}

fn bar_name(chart: &Chart, series: &Series, point: &Point) -> String {
    match &point.label {
        Some(label) if chart.series.len() > 1 => format!("{label}, {}", series.name),
        Some(label) => label.clone(),
        None => series.name.clone(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn chart(kind: ChartKind) -> Chart {
        let series = |name: &str, factor: f64, is_front| Series {
            name: name.to_owned(),
            points: [128.0, 256.0, 512.0]
                .map(|x| Point { x, y: x * factor, label: Some(format!("at {x}")) })
                .into(),
            is_front,
        };
        Chart {
            title: "speed".to_owned(),
            kind,
            x: Axis::log("size"),
            y: Axis::log("GFLOP/s"),
            series: vec![series("naive", 0.01, false), series("blocked", 0.1, true)],
            note: None,
        }
    }

    fn drawn(kind: ChartKind, columns: usize) -> String {
        let mut page = String::new();
        draw(&chart(kind), columns, Palette { is_coloured: false }, &mut page);
        page
    }

    #[test]
    fn every_line_fits_and_every_point_is_there() {
        for kind in [ChartKind::Lines, ChartKind::Points, ChartKind::Bars] {
            for columns in [60, 80, 120] {
                let page = drawn(kind, columns);
                assert!(page.lines().all(|line| width(line) <= columns), "{columns}:\n{page}");
            }
        }
        let page = drawn(ChartKind::Lines, 80);
        let picture: Vec<&str> = page.lines().take(ROWS + 1).skip(1).collect();
        let count = |letter| picture.iter().flat_map(|line| line.chars()).filter(|c| *c == letter).count();
        assert_eq!((count('A'), count('B')), (3, 3), "{page}");
        assert!(
            page.contains("128") && page.contains("512") && page.contains("A naive   B blocked"),
            "{page}"
        );
    }

    #[test]
    fn points_are_joined_where_they_are_a_front_alone() {
        // Not on the front, it is small.
        let naive_row =
            |page: &str| page.lines().skip(1).find(|line| line.contains('a')).unwrap().contains('·');
        assert!(drawn(ChartKind::Points, 80).contains('·'));
        assert!(!naive_row(&drawn(ChartKind::Points, 80)));
    }

    #[test]
    fn points_on_a_front_keep_the_letter_of_their_series_and_others_are_small() {
        let series = |name: &str, is_front, points: &[(f64, f64)]| Series {
            name: name.to_owned(),
            points: points.iter().map(|(x, y)| Point { x: *x, y: *y, label: None }).collect(),
            is_front,
        };
        let zstd = [(1.0, 9.0), (2.0, 3.0), (3.0, 6.0)];
        // The last of lz4 shares its cell with one of zstd that is not on the front.
        let lz4 = [(9.0, 1.0), (5.0, 1.5), (2.0, 3.01)];
        let front = series("front", true, &[zstd[0], zstd[2], lz4[0]]);
        let shown = |of_lz4: &[(f64, f64)]| {
            let (x, y) = (Axis::linear("MB/s"), Axis::linear("ratio"));
            let series = vec![front.clone(), series("zstd", false, &zstd), series("lz4", false, of_lz4)];
            let chart =
                Chart { title: "speed".to_owned(), kind: ChartKind::Points, x, y, series, note: None };
            let mut page = String::new();
            draw(&chart, 80, Palette { is_coloured: false }, &mut page);
            let picture: String = page.lines().take(ROWS + 1).skip(1).collect();
            let count = |letter| picture.chars().filter(|c| *c == letter).count();
            (['A', 'a', 'B', 'b', '*'].map(count), page)
        };
        let (counts, page) = shown(&lz4[..2]);
        assert_eq!(counts, [2, 1, 1, 1, 0], "{page}");
        assert!(page.contains("· front   A zstd   B lz4   small letters: not on it"), "{page}");
        let (counts, page) = shown(&lz4);
        assert_eq!(counts, [2, 0, 1, 1, 1], "{page}");
        assert!(page.contains("* several"), "{page}");
    }

    #[test]
    fn what_is_no_number_is_drawn_without_harm() {
        let mut odd = chart(ChartKind::Lines);
        odd.series[0].points[0].y = f64::NAN;
        odd.series[1].points[2].x = f64::INFINITY;
        let mut page = String::new();
        draw(&odd, 80, Palette { is_coloured: false }, &mut page);
        assert!(!page.contains("NaN") && !page.contains("inf"), "{page}");
    }
}
