//! The picture: operations for each byte across, operations a second up, both logarithmic. Tiers of memory are slopes, peaks
//! are flat, and a scope is a dot as large as its part of the time. A thin line leads from it up to its roof.

use std::fmt::Write;

use calor_analysis::quantity::{duration, giga, percent};
use calor_analysis::{RooflineAnswer, RooflinePoint};

use super::label::place;
use super::roofs;
use super::scale::{BOTTOM, HEIGHT, LEFT, RIGHT, Scale, TOP, WIDTH};
use crate::html::escape::escaped;
use crate::section::roofline::{figure, limit, name, of_roof, roof};
use crate::text::printable::cut_back;

/// Scopes beyond these are too many to be told apart.
const MOST_DOTS: usize = 200;
/// Names that are written beside dots, and how long they may be.
const MOST_NAMES: usize = 14;
const LONGEST_NAME: usize = 28;
/// The largest dot, which stands for all of the time, and the smallest.
const LARGEST: f64 = 18.0;
const SMALLEST: f64 = 4.0;
/// From so much of its roof on a scope has little to gain there; below the other one it has much.
const NEAR: f64 = 0.7;
const FAR: f64 = 0.3;
/// More decades than these have no lines between them.
const FEW_DECADES: usize = 7;

/// Writes the picture. Its colours are those of `picture.css`.
pub(super) fn draw(facts: &RooflineAnswer<'_>, out: &mut String) {
    let dots = dots(facts);
    let scale = scale(facts, &dots);
    let label = escaped(&spoken(facts, dots.len()));
    let _ = writeln!(
        out,
        "<svg xmlns=\"http://www.w3.org/2000/svg\" class=\"roofline\" viewBox=\"0 0 {WIDTH} {HEIGHT}\" role=\"img\" \
         aria-label=\"{label}\">"
    );
    out.push_str("<rect class=\"page\" width=\"100%\" height=\"100%\"/>\n");
    grid(&scale, out);
    let mut names = String::new();
    let mut taken = roofs::draw(facts, &scale, out, &mut names);
    gaps(&dots, &scale, out);
    let circles: Vec<[f64; 3]> = dots.iter().map(|dot| circle(&scale, dot)).collect();
    taken.extend(circles.iter().map(|[x, y, radius]| [x - radius, y - radius, x + radius, y + radius]));
    // The largest first, so that small ones lie on top of them and can be pointed at.
    for (dot, [x, y, radius]) in dots.iter().zip(&circles) {
        let _ = writeln!(
            out,
            "<circle class=\"{}\" cx=\"{x:.1}\" cy=\"{y:.1}\" r=\"{radius:.1}\"><title>{}</title></circle>",
            standing(dot.point),
            escaped(&told(facts, dot.point))
        );
    }
    // Over the dots, which are pointed at through them.
    out.push_str(&names);
    let room = [LEFT + 2.0, TOP, WIDTH - RIGHT, HEIGHT - BOTTOM];
    for (dot, circle) in dots.iter().zip(&circles).take(MOST_NAMES) {
        let name = cut_back(&name(facts, dot.point).leaf, LONGEST_NAME);
        if let Some(place) = place(&name, *circle, room, &mut taken) {
            let _ = writeln!(
                out,
                "<text class=\"name\" x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"{}\">{}</text>",
                place.x,
                place.y,
                place.anchor,
                escaped(&name)
            );
        }
    }
    if dots.is_empty() {
        let _ = writeln!(
            out,
            "<text class=\"empty\" x=\"{:.0}\" y=\"{:.0}\" text-anchor=\"middle\">no scope told both its operations and its \
             bytes</text>",
            (LEFT + WIDTH - RIGHT) / 2.0,
            HEIGHT - BOTTOM - 24.0
        );
    }
    out.push_str("</svg>\n");
}

/// A scope that has a place: it told operations and bytes, and took time.
struct Dot<'f> {
    point: &'f RooflinePoint,
    intensity: f64,
    rate: f64,
}

fn dots<'f>(facts: &'f RooflineAnswer<'_>) -> Vec<Dot<'f>> {
    let dot =
        |point: &'f RooflinePoint| Some(Dot { point, intensity: point.intensity?, rate: point.flops_per_s? });
    facts.found.points.iter().filter_map(dot).take(MOST_DOTS).collect()
}

fn scale(facts: &RooflineAnswer<'_>, dots: &[Dot<'_>]) -> Scale {
    let (roof, number) = (facts.roof, facts.found.number);
    let ridges = roof.tiers.iter().filter_map(|tier| roof.ridge(number, tier));
    let intensities: Vec<f64> = ridges
        .flat_map(|ridge| [ridge / 4.0, ridge * 3.0])
        .chain(dots.iter().map(|dot| dot.intensity))
        .collect();
    let peaks = roof.peaks.iter().filter(|peak| facts.numbers().any(|number| number == peak.number));
    let peaks =
        peaks.flat_map(|peak| [Some(peak.flops_per_s), peak.all_cores_flops_per_s].into_iter().flatten());
    let rates: Vec<f64> = peaks.chain(dots.iter().map(|dot| dot.rate)).collect();
    Scale::of(&intensities, &rates)
}

fn grid(scale: &Scale, out: &mut String) {
    let (right, bottom) = (WIDTH - RIGHT, HEIGHT - BOTTOM);
    let is_shown = |ticks: &[(f64, bool)], is_decade: bool| {
        is_decade || ticks.iter().filter(|tick| tick.1).count() <= FEW_DECADES
    };
    let ticks = scale.x_ticks();
    for (value, is_decade) in ticks.iter().copied().filter(|tick| is_shown(&ticks, tick.1)) {
        let (x, class) = (scale.x(value), if is_decade { "grid" } else { "grid fine" });
        let _ = writeln!(out, "<path class=\"{class}\" d=\"M{x:.1} {TOP}V{bottom}\"/>");
        let _ = writeln!(
            out,
            "<text class=\"tick\" x=\"{x:.1}\" y=\"{:.1}\" text-anchor=\"middle\">{}</text>",
            bottom + 17.0,
            short(value)
        );
    }
    let ticks = scale.y_ticks();
    for (value, is_decade) in ticks.iter().copied().filter(|tick| is_shown(&ticks, tick.1)) {
        let (y, class) = (scale.y(value), if is_decade { "grid" } else { "grid fine" });
        let _ = writeln!(out, "<path class=\"{class}\" d=\"M{LEFT} {y:.1}H{right}\"/>");
        let _ = writeln!(
            out,
            "<text class=\"tick\" x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"end\">{}</text>",
            LEFT - 7.0,
            y + 4.0,
            short(value / 1e9)
        );
    }
    let middle = (TOP + bottom) / 2.0;
    let _ = writeln!(
        out,
        "<text class=\"axis\" x=\"{:.1}\" y=\"{:.1}\" text-anchor=\"middle\">operations for each byte (FLOP/B)</text>\n\
         <text class=\"axis\" x=\"14\" y=\"{middle:.1}\" text-anchor=\"middle\" transform=\"rotate(-90 14 {middle:.1})\">GFLOP/s</text>",
        (LEFT + right) / 2.0,
        HEIGHT - 9.0
    );
}

/// A round number in few letters.
fn short(value: f64) -> String {
    match value {
        value if !(0.001..1e6).contains(&value) => format!("{value:.0e}"),
        value if value >= 1.0 => format!("{value:.0}"),
        value => format!("{value:.3}").trim_end_matches('0').to_owned(),
    }
}

/// From each dot to its roof.
fn gaps(dots: &[Dot<'_>], scale: &Scale, out: &mut String) {
    for dot in dots.iter().take(MOST_NAMES) {
        let Some(most) = dot.point.attainable_flops_per_s.filter(|most| *most > dot.rate) else { continue };
        let (x, y1, y2) = (scale.x(dot.intensity), scale.y(dot.rate), scale.y(most));
        let _ = writeln!(out, "<path class=\"gap\" d=\"M{x:.1} {y1:.1}V{y2:.1}\"/>");
    }
}

fn circle(scale: &Scale, dot: &Dot<'_>) -> [f64; 3] {
    let radius = (LARGEST * dot.point.share.clamp(0.0, 1.0).sqrt()).max(SMALLEST);
    [scale.x(dot.intensity), scale.y(dot.rate), radius]
}

/// How near its roof a scope is, for its colour.
fn standing(point: &RooflinePoint) -> &'static str {
    match point.roof_share {
        Some(share) if share >= NEAR => "near",
        Some(share) if share < FAR => "far",
        Some(_) => "between",
        None => "unknown",
    }
}

/// What a dot tells when pointed at.
fn told(facts: &RooflineAnswer<'_>, point: &RooflinePoint) -> String {
    let mut lines = vec![name(facts, point).path()];
    let rates = [
        point.flops_per_s.map(|rate| format!("{} GFLOP/s", giga(rate))),
        point.bytes_per_s.map(|rate| format!("{} GB/s", giga(rate))),
        point.intensity.map(|intensity| format!("{} FLOP/B", figure(intensity))),
    ];
    lines.push(rates.into_iter().flatten().collect::<Vec<_>>().join(", "));
    if let (Some(share), Some(roof)) = (point.roof_share, roof(point)) {
        let limit = limit(facts, point).map(|limit| format!(", limited by {limit}")).unwrap_or_default();
        lines.push(format!("{} of its roof of {roof}{limit}", of_roof(share)));
    }
    let nanos = facts.tree.node(point.node).inclusive_nanos as f64;
    lines.push(format!("{} of the time, {}", percent(point.share), duration(nanos)));
    lines.join("\n")
}

fn spoken(facts: &RooflineAnswer<'_>, n_dots: usize) -> String {
    let subject = facts.subject();
    format!("Roofline of {subject}: {n_dots} scopes by operations for each byte and operations a second")
}
