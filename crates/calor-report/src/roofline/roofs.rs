//! The roofs of the picture: a slope for each tier of memory up to the peak, and peaks of one core, of all cores and of
//! narrower vectors. Names are for later: nothing lies over them.

use std::fmt::Write;

use calor_analysis::quantity::giga;
use calor_analysis::{MachineRoof, RoofCores, RoofNumber, RoofTier, RooflineAnswer};

use super::label::Taken;
use super::scale::{LEFT, RIGHT, Scale, WIDTH};
use crate::html::escape::escaped;

/// The width of a letter of the names.
const LETTER: f64 = 6.4;
/// The height of a name.
const LINE: f64 = 13.0;
/// From the end of a slope to its name.
const ALONG: f64 = 16.0;
/// Slopes that are closer have their names on different sides.
const CLOSE: f64 = 20.0;
/// Peaks of other widths are drawn where they are lower than this part of the best.
const LOWER: f64 = 0.9;
/// All cores are drawn where they do so many times what one does.
const HIGHER: f64 = 1.1;

/// Writes them, and apart from them their names; returns where those stand.
pub(super) fn draw(
    facts: &RooflineAnswer<'_>,
    scale: &Scale,
    out: &mut String,
    names: &mut String,
) -> Vec<Taken> {
    let (roof, number) = (facts.roof, facts.found.number);
    let Some(peak) = roof.peak(number, RoofCores::One) else { return Vec::new() };
    let nearest = roof.tiers.iter().map(|tier| tier.bytes_per_s).fold(0.0, f64::max);
    let [low, _] = scale.intensities();
    let from = |rate: f64| if nearest > 0.0 { (rate / nearest).max(low) } else { low };
    let of_number = || roof.peaks.iter().filter(|one| one.number == number);
    // Of widths that are as good the narrowest.
    let width = of_number().find(|one| one.flops_per_s >= 0.99 * peak).map_or("", |one| one.width.as_str());
    let title = format!("{} GFLOP/s, {} {width}", giga(peak), number.word());
    let mut flats = vec![Flat { class: "roof", rate: peak, from: from(peak), title }];
    if let Some(all) = roof.peak(number, RoofCores::All).filter(|all| *all > HIGHER * peak) {
        let title = format!("{} GFLOP/s, all cores", giga(all));
        flats.push(Flat { class: "roof all", rate: all, from: from(all), title });
    }
    flats.extend(of_number().filter(|other| other.flops_per_s < LOWER * peak).map(|other| Flat {
        class: "roof lower",
        rate: other.flops_per_s,
        from: from(other.flops_per_s),
        title: format!("{} {}", giga(other.flops_per_s), other.width),
    }));
    for other in facts.numbers().filter(|other| *other != number) {
        flats.extend(roof.peak(other, RoofCores::One).map(|rate| Flat {
            class: "roof lower",
            rate,
            from: from(rate),
            title: format!("{} GFLOP/s, {}", giga(rate), other.word()),
        }));
    }
    apart(&mut flats, scale);
    let slopes: Vec<Slope> = roof.tiers.iter().map(|tier| Slope::new(tier, peak, scale)).collect();
    let of_all: Vec<Slope> =
        roof.tiers.iter().filter_map(|tier| Slope::of_all_cores(tier, roof, number, scale)).collect();
    slopes.iter().chain(&of_all).for_each(|slope| slope.line(out));
    flats.iter().for_each(|flat| flat.line(scale, out));
    let mut taken: Vec<Taken> = flats.iter().map(|flat| flat.name(scale, names)).collect();
    for (at, slope) in slopes.iter().enumerate() {
        let is_close = at > 0 && slope.from[1] - slopes[at - 1].from[1] < CLOSE;
        // What all cores get from main memory lies just above its line, and nothing lies below.
        let is_last = at + 1 == slopes.len() && !of_all.is_empty();
        taken.extend(slope.name(is_close || is_last, scale.slope_degrees(), names));
    }
    taken.extend(of_all.iter().flat_map(|slope| slope.name_at_end(scale.slope_degrees(), out)));
    taken
}

/// A tier: a line from the left or the lower edge up to the peak.
struct Slope {
    class: &'static str,
    from: [f64; 2],
    to: [f64; 2],
    title: String,
}

impl Slope {
    fn new(tier: &RoofTier, peak: f64, scale: &Scale) -> Self {
        Self::of_rate(
            "roof",
            format!("{} {} GB/s", tier.name, giga(tier.bytes_per_s)),
            tier.bytes_per_s,
            peak,
            scale,
        )
    }

    /// What all cores get from a tier; `None` where that is not known, or no more than what one gets.
    fn of_all_cores(tier: &RoofTier, roof: &MachineRoof, number: RoofNumber, scale: &Scale) -> Option<Self> {
        let rate = tier.all_cores_bytes_per_s.filter(|all| *all > HIGHER * tier.bytes_per_s)?;
        let peak = roof.peak(number, RoofCores::All).or_else(|| roof.peak(number, RoofCores::One))?;
        Some(Self::of_rate(
            "roof all",
            format!("{} {} GB/s, all cores", tier.name, giga(rate)),
            rate,
            peak,
            scale,
        ))
    }

    fn of_rate(class: &'static str, title: String, rate: f64, peak: f64, scale: &Scale) -> Self {
        let [low, high] = scale.intensities();
        let place = |intensity: f64| [scale.x(intensity), scale.y(intensity * rate)];
        Self {
            class,
            from: place(low.max(scale.least_rate() / rate)),
            to: place((peak / rate).min(high)),
            title,
        }
    }

    fn line(&self, out: &mut String) {
        let ([x1, y1], [x2, y2]) = (self.from, self.to);
        let _ = writeln!(out, "<path class=\"{}\" d=\"M{x1:.1} {y1:.1}L{x2:.1} {y2:.1}\"/>", self.class);
    }

    /// Its name along the line from its lower end on.
    fn name(&self, is_below: bool, degrees: f64, out: &mut String) -> Vec<Taken> {
        let away = if is_below { 14.0 } else { -5.0 };
        let rise = ALONG * degrees.to_radians().tan();
        self.name_from([self.from[0] + ALONG, self.from[1] - rise + away], degrees, out)
    }

    /// Its name along the line up to its upper end.
    fn name_at_end(&self, degrees: f64, out: &mut String) -> Vec<Taken> {
        let length = self.title.chars().count() as f64 * LETTER + ALONG;
        let (sine, cosine) = degrees.to_radians().sin_cos();
        self.name_from([self.to[0] - length * cosine, self.to[1] + length * sine - 5.0], degrees, out)
    }

    /// A turned name takes a row of small squares.
    fn name_from(&self, [x, y]: [f64; 2], degrees: f64, out: &mut String) -> Vec<Taken> {
        let (sine, cosine) = degrees.to_radians().sin_cos();
        let _ = writeln!(
            out,
            "<text class=\"roof-name\" x=\"{x:.1}\" y=\"{y:.1}\" transform=\"rotate({:.1} {x:.1} {y:.1})\">{}</text>",
            -degrees,
            escaped(&self.title)
        );
        let n_letters = self.title.chars().count();
        let square = |letter: usize| {
            let along = letter as f64 * LETTER;
            let (x, y) = (x + along * cosine, y - along * sine);
            [x, y - 11.0, x + LETTER, y]
        };
        (0..n_letters).map(square).collect()
    }
}

/// Leaves out peaks whose names would lie over each other: what is drawn first stays.
fn apart(flats: &mut Vec<Flat>, scale: &Scale) {
    let mut rows: Vec<f64> = Vec::new();
    flats.retain(|flat| {
        let y = scale.y(flat.rate);
        let is_free = rows.iter().all(|row| (row - y).abs() >= LINE);
        if is_free {
            rows.push(y);
        }
        is_free
    });
}

/// A peak: a line from an intensity on, with its name at the right end.
struct Flat {
    class: &'static str,
    rate: f64,
    from: f64,
    title: String,
}

impl Flat {
    fn line(&self, scale: &Scale, out: &mut String) {
        let (x, y) = (scale.x(self.from).max(LEFT), scale.y(self.rate));
        let _ = writeln!(out, "<path class=\"{}\" d=\"M{x:.1} {y:.1}H{:.1}\"/>", self.class, WIDTH - RIGHT);
    }

    fn name(&self, scale: &Scale, out: &mut String) -> Taken {
        let (right, y) = (WIDTH - RIGHT - 4.0, scale.y(self.rate) - 5.0);
        let _ = writeln!(
            out,
            "<text class=\"roof-name\" x=\"{right:.1}\" y=\"{y:.1}\" text-anchor=\"end\">{}</text>",
            escaped(&self.title)
        );
        [right - self.title.chars().count() as f64 * LETTER, y - 12.0, right, y + 3.0]
    }
}
