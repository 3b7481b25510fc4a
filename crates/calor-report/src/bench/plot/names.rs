//! Names in a picture, beside what they are of.

use std::fmt::Write;

use super::{BOTTOM, HEIGHT, LEFT, Picture, WIDTH, class};
use crate::bench::{Chart, ChartKind, Point, Series};
use crate::html::escape::escaped;

/// Lines of letters nearer to each other than this run into each other.
pub(super) const APART: f64 = 13.0;
/// A letter beside a point, about.
const LETTER: f64 = 6.4;

/// Where along a level its name may begin, from its left end on, as parts of its length.
const ALONG: [f64; 6] = [0.0, 0.15, 0.3, 0.45, 0.6, 0.75];

/// What may be written beside one of some places.
struct Name<'n> {
    at: Vec<[f64; 2]>,
    text: &'n str,
    class: &'static str,
}

impl Name<'_> {
    /// Where it may stand, the best first: from, to, and the line that the letters stand on.
    fn places(&self) -> impl Iterator<Item = [f64; 3]> + '_ {
        let room = self.text.chars().count() as f64 * LETTER;
        self.at.iter().flat_map(move |[x, y]| {
            let (right, left) = ([x + 8.0, x + 8.0 + room], [x - 8.0 - room, x - 8.0]);
            [(right, y - 5.0), (left, y - 5.0), (right, y + 14.0), (left, y + 14.0)]
                .map(|([from, to], line)| [from, to, line])
        })
    }
}

impl Picture {
    /// Names as far as they do not run into each other, into points or into levels: of lines at their ends, of points those on fronts
    /// first. Where there is a place beside all lines, it is that.
    pub(super) fn names(&self, chart: &Chart, order: &[(usize, &Series)], page: &mut String) {
        let of = |is_front: bool| {
            order.iter().filter(move |(_, series)| series.is_front == is_front).map(|(_, series)| *series)
        };
        let dots = order.iter().filter(|(_, series)| !series.is_front).flat_map(|(_, series)| &series.points);
        let dots: Vec<[f64; 2]> = dots.map(|point| self.at(point)).collect();
        let is_drawn = |series: &&Series| series.is_front || chart.kind == ChartKind::Lines;
        let joined = order.iter().map(|(_, series)| *series).filter(is_drawn);
        let lines: Vec<[[f64; 2]; 2]> = joined
            .flat_map(|series| series.points.windows(2))
            .map(|pair| [self.at(&pair[0]), self.at(&pair[1])])
            .collect();
        let names: Vec<Name<'_>> = match chart.kind {
            ChartKind::Lines => {
                self.ends(chart, page);
                let levels = of(true).filter_map(|series| {
                    let [x, y] = self.at(series.points.first()?);
                    let length = self.at(series.points.last()?)[0] - x;
                    let at = ALONG.map(|part| [x - 4.0 + part * length, y]).into();
                    Some(Name { at, text: &series.name, class: "level" })
                });
                levels.collect()
            }
            _ if of(true).next().is_none() => Vec::new(),
            _ => {
                let all = of(true).chain(of(false)).flat_map(|series| &series.points);
                let all = all.filter_map(|point| Some((self.at(point), point.label.as_deref()?)));
                all.map(|(at, text)| Name { at: vec![at], text, class: "point" }).collect()
            }
        };
        let mut taken: Vec<[f64; 3]> = Vec::new();
        let mut named: Vec<&str> = Vec::new();
        for name in names {
            let Name { text, class, .. } = name;
            if named.contains(&text) {
                continue;
            }
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
            let is_crossed = |place: &[f64; 3]| lines.iter().any(|line| crosses(place, line));
            let free: Vec<[f64; 3]> = name.places().filter(is_free).collect();
            let place = free.iter().find(|place| !is_crossed(place)).or(free.first());
            let Some([from, to, line]) = place.copied() else { continue };
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

/// Whether a line goes through a name.
fn crosses([from, to, base]: &[f64; 3], [[x1, y1], [x2, y2]]: &[[f64; 2]; 2]) -> bool {
    let ([x1, y1], [x2, y2]) = if x1 <= x2 { ([x1, y1], [x2, y2]) } else { ([x2, y2], [x1, y1]) };
    if x2 < from || x1 > to {
        return false;
    }
    let at = |x: f64| if x2 > x1 { y1 + (y2 - y1) * ((x - x1) / (x2 - x1)).clamp(0.0, 1.0) } else { *y1 };
    // Straight up, it is all of it.
    let [a, b] = if x2 > x1 { [at(*from), at(*to)] } else { [*y1, *y2] };
    a.min(b) <= base + 2.0 && a.max(b) >= base - 9.0
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_line_goes_through_a_name_or_past_it() {
        let name = [100.0, 150.0, 50.0];
        for (line, expected) in [
            ([[0.0, 45.0], [200.0, 45.0]], true),
            ([[0.0, 60.0], [200.0, 60.0]], false),
            ([[200.0, 0.0], [0.0, 100.0]], true),
            ([[0.0, 0.0], [99.0, 45.0]], false),
            ([[120.0, 0.0], [120.0, 200.0]], true),
            ([[120.0, 60.0], [120.0, 200.0]], false),
        ] {
            assert_eq!(crosses(&name, &line), expected, "{line:?}");
        }
    }
}
