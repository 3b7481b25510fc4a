//! A chart of a run as a picture that needs no script: lines, points and fronts by two axes, or bars. The script of the page
//! shows what the point nearest to the pointer is.

use std::fmt::Write;

use super::{Axis, Chart, ChartKind, Point, Series};
use crate::axis::{Scale, mark};
use crate::html::escape::escaped;
use crate::quantity::amount;

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
/// A letter beside a point, about.
const LETTER: f64 = 6.4;
/// Of bars: the height of a row, the room for names and for values.
const ROW: f64 = 24.0;
const NAMES: f64 = 250.0;
const VALUES: f64 = 110.0;

/// Draws a chart, with its legend.
pub(super) fn draw(chart: &Chart, page: &mut String) {
    if chart.kind == ChartKind::Bars {
        return bars(chart, page);
    }
    legend(chart, page);
    let picture = Picture::of(chart);
    open(chart, HEIGHT, page);
    picture.grid(chart, page);
    // Lines lie below the points that they go through.
    let mut order: Vec<(usize, &Series)> = chart.series.iter().enumerate().collect();
    order.sort_by_key(|(_, series)| !series.is_front);
    for (at, series) in &order {
        if series.is_front || chart.kind == ChartKind::Lines {
            picture.line(*at, series, page);
        }
        // A front is a line through points of other series, which keep their colours.
        if !series.is_front || chart.kind == ChartKind::Lines {
            series.points.iter().for_each(|point| picture.dot(chart, *at, series, point, page));
        }
    }
    picture.names(&order, page);
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
    for (at, series) in chart.series.iter().enumerate() {
        let _ = write!(page, "<span class=\"{}\">{}</span>", class(at, series), escaped(&series.name));
    }
    page.push_str("</p>\n");
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
}

impl Picture {
    fn of(chart: &Chart) -> Self {
        let all = || chart.series.iter().flat_map(|series| &series.points);
        let xs: Vec<f64> = all().map(|point| point.x).collect();
        let ys: Vec<f64> = all().map(|point| point.y).collect();
        Self { x: scale(&chart.x, &xs, 0.03), y: scale(&chart.y, &ys, 0.06) }
    }

    fn x(&self, value: f64) -> f64 {
        LEFT + self.x.share(value) * (WIDTH - LEFT - RIGHT)
    }

    fn y(&self, value: f64) -> f64 {
        HEIGHT - BOTTOM - self.y.share(value) * (HEIGHT - BOTTOM - TOP)
    }

    fn grid(&self, chart: &Chart, page: &mut String) {
        let (right, bottom) = (WIDTH - RIGHT, HEIGHT - BOTTOM);
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
        let mut path = String::new();
        for (place, point) in series.points.iter().enumerate() {
            let letter = if place == 0 { 'M' } else { 'L' };
            let _ = write!(path, "{letter}{:.1} {:.1}", self.x(point.x), self.y(point.y));
        }
        let _ = writeln!(page, "<path class=\"curve {}\" d=\"{path}\"/>", class(at, series));
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

    /// Names beside points, those on fronts first, as far as they do not run into each other or into other points.
    fn names(&self, order: &[(usize, &Series)], page: &mut String) {
        let fronts =
            || order.iter().filter(|(_, series)| series.is_front).flat_map(|(_, series)| &series.points);
        if fronts().next().is_none() {
            return;
        }
        let others =
            || order.iter().filter(|(_, series)| !series.is_front).flat_map(|(_, series)| &series.points);
        let dots: Vec<[f64; 2]> = others().map(|point| [self.x(point.x), self.y(point.y)]).collect();
        // From, to, and the line that the letters stand on.
        let mut taken: Vec<[f64; 3]> = Vec::new();
        let mut named: Vec<&str> = Vec::new();
        for point in fronts().chain(others()) {
            let Some(label) = point.label.as_deref().filter(|label| !named.contains(label)) else { continue };
            let (x, y) = (self.x(point.x), self.y(point.y));
            let room = label.chars().count() as f64 * LETTER;
            let is_free = |[from, to, line]: &[f64; 3]| {
                let is_apart = |[a, b, at]: &[f64; 3]| to < a || from > b || (at - line).abs() > 13.0;
                let is_clear = |[dot_x, dot_y]: &[f64; 2]| {
                    dot_x + 5.0 < *from
                        || dot_x - 5.0 > *to
                        || dot_y + 5.0 < line - 9.0
                        || dot_y - 5.0 > *line
                };
                *from >= LEFT && *to <= WIDTH && taken.iter().all(is_apart) && dots.iter().all(is_clear)
            };
            let (right, left) = ([x + 8.0, x + 8.0 + room], [x - 8.0 - room, x - 8.0]);
            let places = [(right, y - 5.0), (left, y - 5.0), (right, y + 14.0), (left, y + 14.0)];
            let place = places.map(|([from, to], line)| [from, to, line]).into_iter().find(is_free);
            let Some([from, to, line]) = place else { continue };
            taken.push([from, to, line]);
            named.push(label);
            let _ = writeln!(
                page,
                "<text class=\"point\" x=\"{from:.1}\" y=\"{line:.1}\" textLength=\"{:.1}\">{}</text>",
                to - from,
                escaped(label)
            );
        }
    }
}

fn scale(axis: &Axis, values: &[f64], room: f64) -> Scale {
    if axis.is_log { Scale::log(values, room) } else { Scale::linear(values, room) }
}

/// The points of all series, those of one name beside each other, in the order in which names come first.
pub(super) fn bar_rows(chart: &Chart) -> Vec<(usize, &Series, &Point)> {
    let rows = chart.series.iter().enumerate();
    let rows = rows.flat_map(|(at, series)| series.points.iter().map(move |point| (at, series, point)));
    let mut rows: Vec<(usize, &Series, &Point)> = rows.collect();
    let names: Vec<Option<String>> = rows.iter().map(|(_, _, point)| point.label.clone()).collect();
    rows.sort_by_key(|(_, _, point)| names.iter().position(|name| *name == point.label));
    rows
}

/// A row for each point, under each other.
fn bars(chart: &Chart, page: &mut String) {
    legend(chart, page);
    let rows = bar_rows(chart);
    let values: Vec<f64> = rows.iter().map(|(_, _, point)| point.y).collect();
    let scale = scale(&chart.y, &values, 0.0);
    open(chart, rows.len() as f64 * ROW + 4.0, page);
    for (place, (at, series, point)) in rows.iter().enumerate() {
        let name = match &point.label {
            Some(label) if chart.series.len() > 1 => format!("{label}, {}", series.name),
            Some(label) => label.clone(),
            None => series.name.clone(),
        };
        let y = place as f64 * ROW;
        let long = (scale.share(point.y) * (WIDTH - NAMES - VALUES)).max(1.0);
        let _ = writeln!(
            page,
            "<g><title>{}</title><text x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"end\">{}</text>\
             <rect class=\"{}\" x=\"{NAMES}\" y=\"{:.1}\" width=\"{long:.1}\" height=\"{:.1}\" rx=\"2\"/>\
             <text x=\"{:.1}\" y=\"{:.1}\">{} {}</text></g>",
            escaped(&format!("{name}\n{} {}", amount(point.y), chart.y.label)),
            NAMES - 8.0,
            y + 16.0,
            escaped(&name),
            class(*at, series),
            y + 4.0,
            ROW - 8.0,
            NAMES + long + 7.0,
            y + 16.0,
            amount(point.y),
            escaped(&chart.y.label)
        );
    }
    page.push_str("</svg>\n");
}

#[cfg(test)]
mod tests {
    use super::*;

    fn series(name: &str, is_front: bool, points: &[(f64, f64, &str)]) -> Series {
        let points =
            points.iter().map(|(x, y, label)| Point { x: *x, y: *y, label: Some((*label).to_owned()) });
        Series { name: name.to_owned(), points: points.collect(), is_front }
    }

    fn chart(kind: ChartKind, series: Vec<Series>) -> Chart {
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
    fn bars_of_one_name_lie_beside_each_other() {
        let small = series("small", false, &[(0.0, 5.0, "mlp"), (0.0, 3.0, "qkv")]);
        let medium = series("medium", false, &[(0.0, 6.0, "qkv"), (0.0, 4.0, "mlp")]);
        let chart = chart(ChartKind::Bars, vec![small, medium]);
        let rows: Vec<String> = bar_rows(&chart)
            .iter()
            .map(|(_, series, point)| format!("{} {}", point.label.as_deref().unwrap_or(""), series.name))
            .collect();
        assert_eq!(rows, ["mlp small", "mlp medium", "qkv small", "qkv medium"]);
    }
}
