//! Names in a picture, beside what they are of.

use std::fmt::Write;

use super::{BOTTOM, HEIGHT, LEFT, Picture, WIDTH, class};
use crate::bench::{Chart, ChartKind, Point, Series};
use crate::html::escape::escaped;

/// Lines of letters nearer to each other than this run into each other.
pub(super) const APART: f64 = 13.0;
/// A letter beside a point, about.
const LETTER: f64 = 6.4;

/// What may be written beside a point.
struct Name<'n> {
    at: [f64; 2],
    text: &'n str,
    class: &'static str,
}

impl Picture {
    /// Names as far as they do not run into each other, into points or into levels: of lines at their ends, of points those on fronts
    /// first.
    pub(super) fn names(&self, chart: &Chart, order: &[(usize, &Series)], page: &mut String) {
        let of = |is_front: bool| {
            order.iter().filter(move |(_, series)| series.is_front == is_front).map(|(_, series)| *series)
        };
        let dots = order.iter().filter(|(_, series)| !series.is_front).flat_map(|(_, series)| &series.points);
        let dots: Vec<[f64; 2]> = dots.map(|point| self.at(point)).collect();
        let names: Vec<Name<'_>> = match chart.kind {
            ChartKind::Lines => {
                self.ends(chart, page);
                let levels = of(true).filter_map(|series| {
                    let [x, y] = self.at(series.points.first()?);
                    Some(Name { at: [x - 4.0, y], text: &series.name, class: "level" })
                });
                levels.collect()
            }
            _ if of(true).next().is_none() => Vec::new(),
            _ => {
                let all = of(true).chain(of(false)).flat_map(|series| &series.points);
                let all = all.filter_map(|point| Some((self.at(point), point.label.as_deref()?)));
                all.map(|(at, text)| Name { at, text, class: "point" }).collect()
            }
        };
        // From, to, and the line that the letters stand on.
        let mut taken: Vec<[f64; 3]> = Vec::new();
        let mut named: Vec<&str> = Vec::new();
        for Name { at: [x, y], text, class } in names {
            if named.contains(&text) {
                continue;
            }
            let room = text.chars().count() as f64 * LETTER;
            let is_free = |[from, to, line]: &[f64; 3]| {
                let is_apart = |[a, b, at]: &[f64; 3]| to < a || from > b || (at - line).abs() > APART;
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
            let place = places.into_iter().map(|([from, to], line)| [from, to, line]).find(is_free);
            let Some([from, to, line]) = place else { continue };
            taken.push([from, to, line]);
            named.push(text);
            let length =
                if class == "point" { format!(" textLength=\"{:.1}\"", to - from) } else { String::new() };
            let _ = writeln!(
                page,
                "<text class=\"{class}\" x=\"{from:.1}\" y=\"{line:.1}\"{length}>{}</text>",
                escaped(text)
            );
        }
    }

    /// Names of lines that reach the right, beside it in the order of their ends, and in their colours.
    fn ends(&self, chart: &Chart, page: &mut String) {
        let lines = chart.series.iter().enumerate().filter(|(_, series)| !series.is_front);
        let ends = lines.filter_map(|(at, series)| Some((at, series, self.at(series.points.last()?))));
        let mut ends: Vec<(usize, &Series, [f64; 2])> = ends.collect();
        let right = ends.iter().map(|(_, _, [x, _])| *x).fold(LEFT, f64::max);
        let has_room = |name: &str| name.chars().count() as f64 * LETTER <= WIDTH - right - 8.0;
        ends.retain(|(_, series, [x, _])| right - x < 1.0 && has_room(&series.name));
        if chart.series.len() < 2 || ends.is_empty() {
            return;
        }
        ends.sort_by(|(_, _, [_, a]), (_, _, [_, b])| a.total_cmp(b));
        let mut lines: Vec<f64> = ends.iter().map(|(_, _, [_, y])| y + 4.0).collect();
        for at in 1..lines.len() {
            lines[at] = lines[at].max(lines[at - 1] + APART);
        }
        // What was pushed below the picture pushes the others up.
        let mut most = HEIGHT - BOTTOM;
        for line in lines.iter_mut().rev() {
            *line = line.min(most);
            most = *line - APART;
        }
        for ((at, series, _), line) in ends.iter().zip(lines) {
            let _ = writeln!(
                page,
                "<text class=\"end {}\" x=\"{:.1}\" y=\"{line:.1}\">{}</text>",
                class(*at, series),
                right + 8.0,
                escaped(&series.name)
            );
        }
    }

    fn at(&self, point: &Point) -> [f64; 2] {
        [self.x(point.x), self.y(point.y)]
    }
}
