//! A trend as a drawing: a dot for each run, which tells about itself, levels between changes, and of each change its place
//! and the interval in which the level after it lies.

use std::fmt::Write;

use calor_analysis::history::{History, HistorySeries};

use super::words;
use crate::html::escape::escaped;

const WIDTH: f64 = 1_000.0;
const HEIGHT: f64 = 220.0;
/// Room for the scale, and for the days below.
const LEFT: f64 = 70.0;
const BOTTOM: f64 = 24.0;
const TOP: f64 = 18.0;
const RIGHT: f64 = 10.0;

/// The drawing of a series.
pub(super) fn draw(history: &History, series: &HistorySeries, out: &mut String) {
    let scale = Scale::of(series);
    let label = escaped(&format!("{}: {}", words::title(series), words::standing(history, series)));
    let _ = writeln!(
        out,
        "<svg class=\"trend\" viewBox=\"0 0 {WIDTH} {HEIGHT}\" role=\"img\" aria-label=\"{label}\">"
    );
    for value in scale.ticks() {
        let y = scale.y(value);
        let text = escaped(&words::figure(history, value));
        let _ = writeln!(
            out,
            "<path class=\"grid\" d=\"M{LEFT} {y:.1}H{:.1}\"/><text class=\"tick\" x=\"{:.1}\" y=\"{:.1}\">{text}</text>",
            WIDTH - RIGHT,
            LEFT - 6.0,
            y + 4.0
        );
    }
    for (number, change) in series.changes.iter().enumerate() {
        let to = series.changes.get(number + 1).map_or(series.values.len(), |next| next.at);
        let [low, high] = change.change.interval.map(|bound| scale.y(change.levels[0] * (1.0 + bound)));
        let (from, until) = (scale.x(change.at), scale.x(to.saturating_sub(1)));
        let way = if change.change.effect > 0.0 { "worse" } else { "better" };
        let _ = writeln!(
            out,
            "<rect class=\"interval {way}\" x=\"{from:.1}\" y=\"{high:.1}\" width=\"{:.1}\" height=\"{:.1}\"/>",
            (until - from).max(2.0),
            (low - high).max(1.0)
        );
    }
    for (from, to, level) in series.levels() {
        let (y, x1, x2) = (scale.y(level), scale.x(from), scale.x(to.saturating_sub(1)));
        let _ = writeln!(out, "<path class=\"level\" d=\"M{x1:.1} {y:.1}H{x2:.1}\"/>");
    }
    for (number, change) in series.changes.iter().enumerate() {
        let x = (scale.x(change.at) + scale.x(change.before)) / 2.0;
        let commit = words::commit(&history.runs[change.at]).unwrap_or_default();
        let name = escaped(&format!("{} {commit}", number + 1));
        // Near the right edge there is no room behind it.
        let (anchor, shift) = if x > WIDTH - 120.0 { ("end", -4.0) } else { ("start", 4.0) };
        let _ = writeln!(
            out,
            "<path class=\"change\" d=\"M{x:.1} {:.1}V{:.1}\"/><text class=\"commit\" text-anchor=\"{anchor}\" x=\"{:.1}\" \
             y=\"{:.1}\">{name}</text>",
            TOP - 12.0,
            HEIGHT - BOTTOM,
            x + shift,
            TOP - 5.0
        );
    }
    dots(history, series, &scale, out);
    for (run, anchor, x) in [
        (history.runs.first(), "start", LEFT),
        (history.runs.last().filter(|_| history.runs.len() > 1), "end", WIDTH - RIGHT),
    ] {
        if let Some(run) = run {
            let day = escaped(&words::day(run));
            let _ = writeln!(
                out,
                "<text class=\"day\" text-anchor=\"{anchor}\" x=\"{x}\" y=\"{}\">{day}</text>",
                HEIGHT - 6.0
            );
        }
    }
    out.push_str("</svg>\n");
}

fn dots(history: &History, series: &HistorySeries, scale: &Scale, out: &mut String) {
    let radius = if series.values.len() > 300 { 1.8 } else { 3.0 };
    for ((at, run), value) in history.runs.iter().enumerate().zip(&series.values) {
        let Some(value) = value else { continue };
        let commit = words::commit(run).map(|commit| format!(", commit {commit}")).unwrap_or_default();
        let figure = words::figure(history, *value);
        let told = escaped(&format!("{figure}\n{}, run {}{commit}", words::minute(run), run.id));
        let _ = writeln!(
            out,
            "<circle cx=\"{:.1}\" cy=\"{:.1}\" r=\"{radius}\"><title>{told}</title></circle>",
            scale.x(at),
            scale.y(*value)
        );
    }
}

/// Where values and runs are in a drawing.
struct Scale {
    low: f64,
    high: f64,
    n: usize,
}

impl Scale {
    fn of(series: &HistorySeries) -> Self {
        let known = || series.values.iter().copied().flatten();
        let (low, high) = (known().fold(f64::INFINITY, f64::min), known().fold(0.0, f64::max));
        // A series that hardly moves is drawn as one.
        let least = (0.02 * high).max(1.0);
        let room = ((high - low).max(least) - (high - low)) / 2.0 + 0.04 * (high - low).max(least);
        let low = if low.is_finite() { (low - room).max(0.0) } else { 0.0 };
        Self { low, high: high + room, n: series.values.len() }
    }

    fn x(&self, at: usize) -> f64 {
        let share = if self.n > 1 { at as f64 / (self.n - 1) as f64 } else { 0.5 };
        LEFT + 6.0 + share * (WIDTH - LEFT - RIGHT - 12.0)
    }

    fn y(&self, value: f64) -> f64 {
        let share = ((value - self.low) / (self.high - self.low)).clamp(0.0, 1.0);
        HEIGHT - BOTTOM - share * (HEIGHT - BOTTOM - TOP)
    }

    /// Four or so round values.
    fn ticks(&self) -> Vec<f64> {
        let step = round_step((self.high - self.low) / 4.0);
        let first = (self.low / step).ceil();
        (0..8)
            .map(|number| (first + f64::from(number)) * step)
            .take_while(|tick| *tick <= self.high)
            .collect()
    }
}

/// 1, 2 or 5 and zeros, at least so much.
fn round_step(least: f64) -> f64 {
    let power = 10_f64.powf(least.max(1e-9).log10().floor());
    [1.0, 2.0, 5.0, 10.0].into_iter().map(|digit| digit * power).find(|step| *step >= least).unwrap_or(power)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn steps_of_a_scale_are_round() {
        for (least, expected) in [(0.9, 1.0), (1.1, 2.0), (2.1, 5.0), (5.1, 10.0), (230.0, 500.0)] {
            assert!((round_step(least) / expected - 1.0).abs() < 1e-9, "{least}");
        }
    }
}
