//! A chart of a run as a picture that needs no script: lines, points and fronts by two axes, or bars. The script of the page
//! shows what the point nearest to the pointer is.

mod bars;
mod names;

use std::fmt::Write;

use calor_analysis::quantity::amount;

use super::{Axis, Chart, ChartKind, Point, Series};
use crate::axis::{Scale, mark};
use crate::html::escape::escaped;

pub(super) use bars::bar_rows;

const WIDTH: f64 = 960.0;
const HEIGHT: f64 = 380.0;
const LEFT: f64 = 72.0;
const RIGHT: f64 = 36.0;
const TOP: f64 = 16.0;
const BOTTOM: f64 = 48.0;
/// Colours that can be told apart; further series begin again, with dashes.
const COLOURS: usize = 8;
/// Values to the right that are marked themselves, such as the sizes that were measured.
const OWN_MARKS: usize = 12;
/// Marks nearer to each other than this run into each other.
const MARK_WIDTH: f64 = 44.0;
/// Of lines, the room to the right of their ends, where their names are.
const ENDS: f64 = 76.0;
/// Draws a chart, with its legend.
pub(super) fn draw(chart: &Chart, page: &mut String) {
    if chart.kind == ChartKind::Bars {
        return bars::draw(chart, page);
    }
    legend(chart, page);
    let picture = Picture::of(chart);
    open(chart, HEIGHT, page);
    picture.grid(chart, page);
    // Lines lie below the points that they go through.
    let mut order: Vec<(usize, &Series)> = chart.series.iter().enumerate().collect();
    order.sort_by_key(|(_, series)| !series.is_front);
    for (at, series) in &order {
        if is_level(chart, series) {
            picture.level(series, page);
            continue;
        }
        if series.is_front || chart.kind == ChartKind::Lines {
            picture.line(*at, series, page);
        }
    }
    // No line lies over a point. A front is a line through points of other series, which keep their colours.
    let has_dots = |series: &Series| match chart.kind {
        ChartKind::Lines => !is_level(chart, series),
        _ => !series.is_front,
    };
    for (at, series) in order.iter().filter(|(_, series)| has_dots(series)) {
        series.points.iter().for_each(|point| picture.dot(chart, *at, series, point, page));
    }
    picture.names(chart, &order, page);
    page.push_str("</svg>\n");
}

fn open(chart: &Chart, height: f64, page: &mut String) {
    let spoken = format!("{}: {} by {}", chart.title, chart.y.label, chart.x.label);
    let _ = writeln!(
        page,
        "<svg class=\"plot\" viewBox=\"0 0 {WIDTH} {height:.0}\" role=\"img\" aria-label=\"{}\">",
        escaped(&spoken)
    );
}

fn legend(chart: &Chart, page: &mut String) {
    if chart.series.len() < 2 {
        return;
    }
    page.push_str("<p class=\"keys plot-keys\">");
    for (at, series) in chart.series.iter().enumerate().filter(|(_, series)| !is_level(chart, series)) {
        let _ = write!(page, "<span class=\"{}\">{}</span>", class(at, series), escaped(&series.name));
    }
    // Levels look alike, and have their names in the picture.
    let levels = chart.series.iter().filter(|series| is_level(chart, series));
    let levels: Vec<&str> = levels.map(|series| series.name.as_str()).collect();
    if !levels.is_empty() {
        let _ = write!(page, "<span class=\"level\">{}</span>", escaped(&levels.join(", ")));
    }
    page.push_str("</p>\n");
}

/// Whether a series is what lines are held against, rather than one of them.
fn is_level(chart: &Chart, series: &Series) -> bool {
    chart.kind == ChartKind::Lines && series.is_front
}

fn class(at: usize, series: &Series) -> String {
    let front = if series.is_front { " front" } else { "" };
    let again = if at >= COLOURS { " again" } else { "" };
    format!("s{}{again}{front}", at % COLOURS)
}

/// What the pointer finds.
fn told(chart: &Chart, series: &Series, point: &Point) -> String {
    let name = point.label.as_ref().filter(|label| **label != series.name);
    let name = name.map_or_else(|| series.name.clone(), |label| format!("{}: {label}", series.name));
    format!("{name}\n{}: {}\n{}: {}", chart.y.label, amount(point.y), chart.x.label, mark(point.x))
}

struct Picture {
    x: Scale,
    y: Scale,
    /// Where the picture ends.
    right: f64,
}

impl Picture {
    fn of(chart: &Chart) -> Self {
        let all = || chart.series.iter().flat_map(|series| &series.points);
        let xs: Vec<f64> = all().map(|point| point.x).collect();
        let ys: Vec<f64> = all().map(|point| point.y).collect();
        let right =
            WIDTH - if chart.kind == ChartKind::Lines && chart.series.len() > 1 { ENDS } else { RIGHT };
        Self { x: scale(&chart.x, &xs, 0.03), y: scale(&chart.y, &ys, 0.06), right }
    }

    fn x(&self, value: f64) -> f64 {
        LEFT + self.x.share(value) * (self.right - LEFT)
    }

    fn y(&self, value: f64) -> f64 {
        HEIGHT - BOTTOM - self.y.share(value) * (HEIGHT - BOTTOM - TOP)
    }

    fn grid(&self, chart: &Chart, page: &mut String) {
        let (right, bottom) = (self.right, HEIGHT - BOTTOM);
        let mut last = f64::NEG_INFINITY;
        for value in self.marks_right(chart) {
            let x = self.x(value);
            let _ = write!(page, "<path class=\"grid fine\" d=\"M{x:.1} {TOP}V{bottom}\"/>");
            if x - last >= MARK_WIDTH {
                last = x;
                let _ = write!(
                    page,
                    "<text x=\"{x:.1}\" y=\"{:.1}\" text-anchor=\"middle\">{}</text>",
                    bottom + 17.0,
                    mark(value)
                );
            }
            page.push('\n');
        }
        for value in self.y.ticks(8) {
            let y = self.y(value);
            let _ = writeln!(
                page,
                "<path class=\"grid\" d=\"M{LEFT} {y:.1}H{right}\"/><text x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"end\">{}</text>",
                LEFT - 7.0,
                y + 4.0,
                mark(value)
            );
        }
        let _ = writeln!(
            page,
            "<text class=\"axis\" x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"middle\">{}</text>\
             <text class=\"axis\" transform=\"translate(14 {:.1}) rotate(-90)\" text-anchor=\"middle\">{}</text>",
            f64::midpoint(LEFT, right),
            HEIGHT - 9.0,
            escaped(&chart.x.label),
            f64::midpoint(TOP, bottom),
            escaped(&chart.y.label)
        );
    }

    fn marks_right(&self, chart: &Chart) -> Vec<f64> {
        let mut own: Vec<f64> =
            chart.series.iter().flat_map(|series| &series.points).map(|point| point.x).collect();
        own.retain(|value| value.is_finite());
        own.sort_by(f64::total_cmp);
        own.dedup();
        if chart.kind != ChartKind::Lines {
            own.clear();
        }
        chart.x.marks(&self.x, &own, OWN_MARKS)
    }

    fn line(&self, at: usize, series: &Series, page: &mut String) {
        let path = self.path(series);
        let _ = writeln!(page, "<path class=\"curve {}\" d=\"{path}\"/>", class(at, series));
    }

    fn level(&self, series: &Series, page: &mut String) {
        let told = series.points.iter().find_map(|point| point.label.as_deref()).unwrap_or(&series.name);
        let path = self.path(series);
        let _ = writeln!(page, "<path class=\"level\" d=\"{path}\"><title>{}</title></path>", escaped(told));
    }

    fn path(&self, series: &Series) -> String {
        let mut path = String::new();
        for (place, point) in series.points.iter().enumerate() {
            let letter = if place == 0 { 'M' } else { 'L' };
            let _ = write!(path, "{letter}{:.1} {:.1}", self.x(point.x), self.y(point.y));
        }
        path
    }

    fn dot(&self, chart: &Chart, at: usize, series: &Series, point: &Point, page: &mut String) {
        let _ = writeln!(
            page,
            "<circle class=\"dot {}\" cx=\"{:.1}\" cy=\"{:.1}\" r=\"4.5\"><title>{}</title></circle>",
            class(at, series),
            self.x(point.x),
            self.y(point.y),
            escaped(&told(chart, series, point))
        );
    }
}

fn scale(axis: &Axis, values: &[f64], room: f64) -> Scale {
    if axis.is_log { Scale::log(values, room) } else { Scale::linear(values, room) }
}

#[cfg(test)]
mod tests {
    use super::*;

    pub(super) fn series(name: &str, is_front: bool, points: &[(f64, f64, &str)]) -> Series {
        let points =
            points.iter().map(|(x, y, label)| Point { x: *x, y: *y, label: Some((*label).to_owned()) });
        Series { name: name.to_owned(), points: points.collect(), is_front }
    }

    pub(super) fn chart(kind: ChartKind, series: Vec<Series>) -> Chart {
        let (x, y) = (Axis::linear("MB/s"), Axis::linear("ratio"));
        Chart { title: "speed".to_owned(), kind, x, y, series, note: None }
    }

    #[test]
    fn a_front_is_a_line_whose_points_keep_the_colour_of_their_series_and_all_points_have_titles() {
        let front = series("front", true, &[(1.0, 9.0, "zstd 9"), (9.0, 1.0, "lz4 1")]);
        let zstd = series("zstd", false, &[(1.0, 9.0, "zstd 9"), (2.0, 2.0, "zstd 1")]);
        let lz4 = series("lz4", false, &[(9.0, 1.0, "lz4 1")]);
        let mut page = String::new();
        draw(&chart(ChartKind::Points, vec![front, zstd, lz4]), &mut page);
        assert_eq!(
            (page.matches("<circle").count(), page.matches("class=\"curve s0 front\"").count()),
            (3, 1)
        );
        assert!(!page.contains("dot s0"), "{page}");
        assert_eq!(page.matches("<title>").count(), 3);
        for name in [">zstd 9</text>", ">zstd 1</text>", ">lz4 1</text>"] {
            assert_eq!(page.matches(name).count(), 1, "{name}: {page}");
        }
    }

    #[test]
    fn lines_have_their_names_at_their_ends_and_levels_are_dashed_and_none_of_them() {
        let dot =
            series("dot", false, &[(1.0, 9.0, "dot avx2 f32 256: 9 GB/s"), (9.0, 5.0, "dot avx2 f32 1024")]);
        let sum = series("sum", false, &[(1.0, 2.0, "sum avx2"), (9.0, 4.9, "sum avx2")]);
        let level = series("L1", true, &[(1.0, 8.0, "L1: 8 GB/s"), (9.0, 8.0, "")]);
        let mut page = String::new();
        draw(&chart(ChartKind::Lines, vec![dot, sum, level]), &mut page);
        assert_eq!(page.matches("<circle").count(), 4, "{page}");
        assert_eq!(page.matches("<path class=\"level\"").count(), 1);
        assert!(page.contains("<span class=\"level\">L1</span>") && !page.contains("s2"), "{page}");
        // No label of a point is drawn; the names of both ends are, apart from each other.
        assert!(!page.contains("GB/s</text>"), "{page}");
        let lines: Vec<f64> = ["dot", "sum"].map(|name| line_of(&page, name)).into();
        assert!((lines[0] - lines[1]).abs() >= names::APART, "{page}");
        assert_eq!(page.matches("class=\"level\" x=").count(), 1);
    }

    /// The line that a name stands on.
    fn line_of(page: &str, name: &str) -> f64 {
        let before = page.split(&format!(">{name}</text>")).next().expect("split gives one");
        let (_, y) = before.rsplit_once(" y=\"").expect("it has a line");
        y.split('"').next().and_then(|y| y.parse().ok()).expect("it is a number")
    }
}
