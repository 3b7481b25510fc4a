//! Bars: a row for each point, under each other.

use std::fmt::Write;

use calor_analysis::quantity::amount;

use super::{WIDTH, class, legend, open, scale};
use crate::bench::{Chart, Point, Series};
use crate::html::escape::escaped;

/// Of bars: the height of a row, the room for names and for values.
const ROW: f64 = 24.0;
const NAMES: f64 = 250.0;
const VALUES: f64 = 110.0;

/// The points of all series, those of one name beside each other, in the order in which names come first.
pub(in crate::bench) fn bar_rows(chart: &Chart) -> Vec<(usize, &Series, &Point)> {
    let rows = chart.series.iter().enumerate();
    let rows = rows.flat_map(|(at, series)| series.points.iter().map(move |point| (at, series, point)));
    let mut rows: Vec<(usize, &Series, &Point)> = rows.collect();
    let names: Vec<Option<String>> = rows.iter().map(|(_, _, point)| point.label.clone()).collect();
    rows.sort_by_key(|(_, _, point)| names.iter().position(|name| *name == point.label));
    rows
}

/// A row for each point, under each other.
pub(super) fn draw(chart: &Chart, page: &mut String) {
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
    use super::super::tests::{chart, series};
    use super::*;
    use crate::bench::ChartKind;

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
