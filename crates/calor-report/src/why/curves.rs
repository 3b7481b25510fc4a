//! Nanoseconds for each element over the size, both logarithmic, one line a side. Dashes mark the sizes from which on data
//! no longer fits a tier of memory, and a ring the size that is explained.

use std::fmt::Write;

use calor_analysis::quantity::{bytes, duration};
use calor_analysis::{Why, WhyEvidence, WhyPoint};

use crate::axis;
use crate::html::escape::escaped;

const WIDTH: f64 = 960.0;
const HEIGHT: f64 = 400.0;
const LEFT: f64 = 76.0;
const RIGHT: f64 = 40.0;
const TOP: f64 = 34.0;
const BOTTOM: f64 = 48.0;
/// Marks at the left, at most.
const TICKS: usize = 24;

pub(super) fn draw(evidence: &WhyEvidence, why: Option<&Why>) -> String {
    let points: Vec<&WhyPoint> = evidence.points.iter().filter(|point| point.size > 0.0).collect();
    let each = |point: &WhyPoint, side: usize| point.nanos(evidence.clock)[side] / point.size;
    let sizes: Vec<f64> = points.iter().map(|point| point.size).collect();
    let values: Vec<f64> = points.iter().flat_map(|point| [each(point, 0), each(point, 1)]).collect();
    let scale = Scale { x: axis::Scale::log(&sizes, 0.03), y: axis::Scale::log(&values, 0.08) };
    let mut svg = format!(
        "<p class=\"intro\">{} of an element, by how many a call has. <span class=\"key a\">A</span> <span class=\"key b\">B</span>\
         </p>\n<svg class=\"curves\" viewBox=\"0 0 {WIDTH} {HEIGHT}\" role=\"img\" aria-label=\"Time of an element by size, of A and \
         B\">\n",
        escaped(if evidence.clock.word() == "cpu" { "CPU time" } else { "Wall time" })
    );
    grid(&scale, &sizes, &mut svg);
    tiers(evidence, &points, &scale, &mut svg);
    for (side, class) in ["a", "b"].into_iter().enumerate() {
        let mut path = String::new();
        for (at, point) in points.iter().enumerate() {
            let (x, y) = (scale.x(point.size), scale.y(each(point, side)));
            let _ = write!(path, "{}{x:.1} {y:.1}", if at == 0 { 'M' } else { 'L' });
        }
        let _ = writeln!(svg, "<path class=\"curve {class}\" d=\"{path}\"/>");
        for point in &points {
            dot(evidence, point, side, class, why, &scale, &mut svg);
        }
    }
    svg.push_str("</svg>\n");
    svg
}

fn dot(
    evidence: &WhyEvidence,
    point: &WhyPoint,
    side: usize,
    class: &str,
    why: Option<&Why>,
    scale: &Scale,
    svg: &mut String,
) {
    let nanos = point.nanos(evidence.clock);
    let each = nanos[side] / point.size;
    let name = ['A', 'B'][side];
    let told = format!(
        "{name} at size {}\n{} a call, {} an element\nB takes {:.2} times as long as A",
        shown(point.size),
        duration(nanos[side]),
        duration(each),
        nanos[1] / nanos[0].max(f64::MIN_POSITIVE)
    );
    let is_explained = why.is_some_and(|why| why.size == point.size);
    let (x, y) = (scale.x(point.size), scale.y(each));
    if is_explained {
        let _ = writeln!(svg, "<circle class=\"ring\" cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"9\"/>");
    }
    let _ = writeln!(
        svg,
        "<circle class=\"dot {class}\" cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"4.5\"><title>{}</title></circle>",
        escaped(&told)
    );
}

fn grid(scale: &Scale, sizes: &[f64], svg: &mut String) {
    let (right, bottom) = (WIDTH - RIGHT, HEIGHT - BOTTOM);
    for size in sizes {
        let x = scale.x(*size);
        let _ = writeln!(
            svg,
            "<path class=\"grid fine\" d=\"M{x:.1} {TOP}V{bottom}\"/><text x=\"{x:.1}\" y=\"{:.1}\" text-anchor=\"middle\">{}</text>",
            bottom + 17.0,
            shown(*size)
        );
    }
    for value in scale.y.ticks(TICKS) {
        let y = scale.y(value);
        let _ = writeln!(
            svg,
            "<path class=\"grid\" d=\"M{LEFT} {y:.1}H{right}\"/><text x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"end\">{}</text>",
            LEFT - 7.0,
            y + 4.0,
            escaped(&duration(value))
        );
    }
    let _ = writeln!(
        svg,
        "<text class=\"axis\" x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"middle\">elements of a call</text>",
        (LEFT + right) / 2.0,
        HEIGHT - 9.0
    );
}

/// Where data leaves a tier.
fn tiers(evidence: &WhyEvidence, points: &[&WhyPoint], scale: &Scale, svg: &mut String) {
    let Some((roof, each)) =
        evidence.roof.as_ref().zip(points.last().and_then(|last| Some(last.bytes? / last.size)))
    else {
        return;
    };
    let [first, last] = scale.x.ends();
    for (at, tier) in roof.tiers.iter().enumerate() {
        let Some(room) = tier.bytes.filter(|_| each > 0.0) else { continue };
        let size = room as f64 / each;
        if size <= first || size >= last {
            continue;
        }
        let x = scale.x(size);
        // Names of tiers that lie close together stand above each other.
        let y = TOP - 6.0 - 13.0 * (at % 2) as f64;
        let told = format!("{} ends ({})", tier.name, bytes(room));
        let anchor = if x > WIDTH - RIGHT - 60.0 { "end" } else { "middle" };
        let _ = writeln!(
            svg,
            "<path class=\"tier\" d=\"M{x:.1} {TOP}V{:.1}\"/><text class=\"tier\" x=\"{x:.1}\" y=\"{y:.1}\" \
             text-anchor=\"{anchor}\">{}</text>",
            HEIGHT - BOTTOM,
            escaped(&told)
        );
    }
}

struct Scale {
    x: axis::Scale,
    y: axis::Scale,
}

impl Scale {
    fn x(&self, size: f64) -> f64 {
        LEFT + self.x.share(size) * (WIDTH - LEFT - RIGHT)
    }

    fn y(&self, nanos: f64) -> f64 {
        HEIGHT - BOTTOM - self.y.share(nanos) * (HEIGHT - BOTTOM - TOP)
    }
}

/// A size in few letters.
fn shown(size: f64) -> String {
    let whole = size.round() as u64;
    match whole {
        whole if whole >= 1 << 20 && whole.is_multiple_of(1 << 20) => format!("{}M", whole >> 20),
        whole if whole >= 1 << 10 && whole.is_multiple_of(1 << 10) => format!("{}k", whole >> 10),
        whole => whole.to_string(),
    }
}
