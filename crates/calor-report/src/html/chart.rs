//! Values over time as a picture that needs no script: lines over a grid, by one scale.

use std::fmt::Write;

use calor_analysis::quantity::{bytes, duration};

use super::escape::escaped;
use crate::document::{Chart, Series};

/// The picture and what lies around its grid.
const WIDTH: f64 = 640.0;
const HEIGHT: f64 = 250.0;
const LEFT: f64 = 62.0;
const RIGHT: f64 = 14.0;
const TOP: f64 = 14.0;
const BOTTOM: f64 = 26.0;
/// Parts of the axes, about.
const PARTS: u64 = 4;
/// Points of a line: more than these cannot be told apart.
const MOST_POINTS: usize = 512;

pub(super) fn draw(chart: &Chart, page: &mut String) {
    let scale = Scale::of(chart);
    let _ = write!(
        page,
        "<figure>\n<svg viewBox=\"0 0 {WIDTH} {HEIGHT}\" role=\"img\" aria-label=\"{}\">\n",
        escaped(&spoken(chart))
    );
    scale.grid(page);
    for series in &chart.series {
        line(series, &scale, page);
    }
    if let Some(series) = chart.series.iter().find(|series| series.is_filled) {
        mark_most(series, &scale, page);
    }
    page.push_str("</svg>\n<figcaption>");
    for series in chart.series.iter().rev() {
        let (class, largest) = (class_of(series), series.points.iter().map(|point| point.1).max());
        let last = series.points.last().map_or(0, |point| point.1);
        let mark = if series.is_estimated { "~" } else { "" };
        let said = format!(
            "{}: most {mark}{}, at the end {mark}{}",
            series.name,
            bytes(largest.unwrap_or(0)),
            bytes(last)
        );
        let _ = write!(page, "<span class=\"key{class}\">{}</span>", escaped(&said));
    }
    page.push_str("</figcaption>\n</figure>\n");
}

fn spoken(chart: &Chart) -> String {
    let names: Vec<&str> = chart.series.iter().rev().map(|series| series.name).collect();
    let (first, last) = chart.span();
    format!("{} from {} to {}", names.join(" and "), duration(first as f64), duration(last as f64))
}

fn class_of(series: &Series) -> &'static str {
    if series.is_filled { " filled" } else { "" }
}

/// From values to places in the picture.
struct Scale {
    first: u64,
    last: u64,
    /// Where the grid ends, and its steps.
    top_bytes: u64,
    step_bytes: u64,
}

impl Scale {
    fn of(chart: &Chart) -> Self {
        let (first, last) = chart.span();
        let most = chart.most().max(1);
        // Steps are powers of two, as sizes are told in those.
        let step_bytes = most.div_ceil(PARTS).checked_next_power_of_two().unwrap_or(1 << 62);
        let top_bytes = most.div_ceil(step_bytes).saturating_mul(step_bytes);
        Self { first, last, top_bytes, step_bytes }
    }

    fn x(&self, at_nanos: u64) -> f64 {
        let share = (at_nanos - self.first) as f64 / (self.last - self.first).max(1) as f64;
        LEFT + share * (WIDTH - LEFT - RIGHT)
    }

    fn y(&self, bytes: u64) -> f64 {
        HEIGHT - BOTTOM - bytes as f64 / self.top_bytes as f64 * (HEIGHT - TOP - BOTTOM)
    }

    fn grid(&self, page: &mut String) {
        let mut size = 0_u64;
        while size <= self.top_bytes {
            let y = self.y(size);
            let _ = writeln!(
                page,
                "<line class=\"grid\" x1=\"{LEFT}\" x2=\"{:.1}\" y1=\"{y:.1}\" y2=\"{y:.1}\"/>\
                 <text x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"end\">{}</text>",
                WIDTH - RIGHT,
                LEFT - 6.0,
                y + 4.0,
                escaped(&bytes(size))
            );
            match size.checked_add(self.step_bytes) {
                Some(next) => size = next,
                None => break,
            }
        }
        for part in 0..=PARTS {
            let at = self.first
                + ((u128::from(self.last - self.first) * u128::from(part)) / u128::from(PARTS)) as u64;
            let anchor = match part {
                0 => "start",
                PARTS => "end",
                _ => "middle",
            };
            let _ = writeln!(
                page,
                "<text x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"{anchor}\">{}</text>",
                self.x(at),
                HEIGHT - 8.0,
                escaped(&duration(at as f64))
            );
        }
    }
}

fn line(series: &Series, scale: &Scale, page: &mut String) {
    let points = thinned(&series.points);
    let (Some(first), Some(last)) = (points.first(), points.last()) else { return };
    let mut path = String::new();
    for (index, (at, bytes)) in points.iter().enumerate() {
        let letter = if index == 0 { 'M' } else { 'L' };
        let _ = write!(path, "{letter}{:.1} {:.1}", scale.x(*at), scale.y(*bytes));
    }
    if series.is_filled {
        let bottom = scale.y(0);
        let _ = writeln!(
            page,
            "<path class=\"below\" d=\"{path}L{:.1} {bottom:.1}L{:.1} {bottom:.1}Z\"/>",
            scale.x(last.0),
            scale.x(first.0)
        );
    }
    let _ = writeln!(page, "<path class=\"series{}\" d=\"{path}\"/>", class_of(series));
}

/// Where the line is highest, and how high.
fn mark_most(series: &Series, scale: &Scale, page: &mut String) {
    let most = series.points.iter().reduce(|most, point| if point.1 > most.1 { point } else { most });
    let Some((at, size)) = most else { return };
    let (x, y) = (scale.x(*at), scale.y(*size));
    let mark = if series.is_estimated { "~" } else { "" };
    let hint = format!("{mark}{} at {}", bytes(*size), duration(*at as f64));
    let _ = writeln!(
        page,
        "<circle class=\"most\" cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"3.2\"><title>{}</title></circle>",
        escaped(&hint)
    );
}

/// Few enough points for a line, each the largest of those it stands for.
fn thinned(points: &[(u64, u64)]) -> Vec<(u64, u64)> {
    let n_each = points.len().div_ceil(MOST_POINTS).max(1);
    let largest =
        |some: &[(u64, u64)]| *some.iter().max_by_key(|point| point.1).expect("a chunk has a point");
    points.chunks(n_each).map(largest).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn picture(points: Vec<(u64, u64)>) -> String {
        let mut page = String::new();
        draw(
            &Chart { series: vec![Series { name: "heap", is_filled: true, is_estimated: false, points }] },
            &mut page,
        );
        page
    }

    #[test]
    fn the_grid_is_in_steps_of_powers_of_two_and_reaches_over_the_largest_value() {
        let page = picture(vec![(0, 10 << 20), (5, 100 << 20)]);
        for size in ["0 B", "32.0 MiB", "64.0 MiB", "96.0 MiB", "128 MiB"] {
            assert!(page.contains(&format!(">{size}<")), "{size}: {page}");
        }
        assert!(!page.contains("160 MiB"));
    }

    #[test]
    fn odd_series_are_drawn_without_a_number_that_is_none() {
        for points in [vec![], vec![(7, 0)], vec![(0, u64::MAX), (u64::MAX, u64::MAX)], vec![(3, 1), (3, 2)]]
        {
            let page = picture(points);
            assert!(!page.contains("NaN") && !page.contains("inf"), "{page}");
        }
    }

    #[test]
    fn a_long_series_keeps_its_peak() {
        let points: Vec<_> = (0..5_000).map(|at| (at, if at == 1_777 { 999 } else { at % 7 })).collect();
        let thin = thinned(&points);
        assert!(thin.len() <= MOST_POINTS && thin.contains(&(1_777, 999)));
    }
}
