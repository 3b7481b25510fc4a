//! What others would say, on the same measurements.

use calor_analysis::SizePoint;

/// A straight line through the logarithms of sizes and times.
pub(crate) fn power_law(points: &[SizePoint], at: f64) -> f64 {
    let logs: Vec<(f64, f64)> = points.iter().map(|point| (point.size.ln(), point.value.ln())).collect();
    let [constant, slope] = line(&logs);
    (constant + slope * at.ln()).exp()
}

/// Exponents of the size and of its logarithm in the performance model normal form.
const EXPONENTS: [f64; 19] = [
    0.0,
    0.25,
    1.0 / 3.0,
    0.5,
    2.0 / 3.0,
    0.75,
    1.0,
    1.25,
    4.0 / 3.0,
    1.5,
    5.0 / 3.0,
    1.75,
    2.0,
    2.25,
    7.0 / 3.0,
    2.5,
    8.0 / 3.0,
    2.75,
    3.0,
];
const LOGARITHMS: [i32; 3] = [0, 1, 2];

/// The one term, with a constant, whose fits without one size each are nearest to that size.
pub(crate) fn normal_form(points: &[SizePoint], at: f64) -> f64 {
    let mut sizes: Vec<f64> = points.iter().map(|point| point.size).collect();
    sizes.sort_unstable_by(f64::total_cmp);
    sizes.dedup();
    let terms = EXPONENTS.iter().flat_map(|exponent| LOGARITHMS.map(|logarithm| (*exponent, logarithm)));
    let value = |term: (f64, i32), size: f64| size.powf(term.0) * size.log2().powi(term.1);
    let fitted = |term: (f64, i32), but: Option<f64>| {
        let chosen = points.iter().filter(|point| Some(point.size) != but);
        line(&chosen.map(|point| (value(term, point.size), point.value)).collect::<Vec<_>>())
    };
    // The symmetric mean of relative errors.
    let error = |term: (f64, i32)| -> f64 {
        let of_point = |point: &SizePoint| {
            let [constant, slope] = fitted(term, Some(point.size));
            let said = constant + slope * value(term, point.size);
            2.0 * (said - point.value).abs() / (said.abs() + point.value)
        };
        points.iter().map(of_point).sum()
    };
    let best = terms.filter(|term| *term != (0.0, 0)).min_by(|a, b| error(*a).total_cmp(&error(*b)));
    let term = best.expect("there are terms");
    let [constant, slope] = fitted(term, None);
    constant + slope * value(term, at)
}

/// Constant and slope of the straight line with the least squares.
fn line(points: &[(f64, f64)]) -> [f64; 2] {
    let n = points.len() as f64;
    let (x, y) = points.iter().fold((0.0, 0.0), |(x, y), point| (x + point.0 / n, y + point.1 / n));
    let (mut above, mut below) = (0.0, 0.0);
    for point in points {
        above += (point.0 - x) * (point.1 - y);
        below += (point.0 - x).powi(2);
    }
    let slope = if below > 0.0 { above / below } else { 0.0 };
    [y - slope * x, slope]
}

#[cfg(test)]
mod tests {
    use super::*;

    fn points(of: fn(f64) -> f64) -> Vec<SizePoint> {
        [10.0, 20.0, 40.0, 60.0, 80.0].map(|size| SizePoint { size, value: of(size) }).to_vec()
    }

    #[test]
    fn each_is_right_about_what_it_can_say() {
        let near = |said: f64, truth: f64| assert!((said / truth - 1.0).abs() < 1e-6, "{said} {truth}");
        near(power_law(&points(|n| 3.0 * n.powf(1.7)), 320.0), 3.0 * 320_f64.powf(1.7));
        near(normal_form(&points(|n| 500.0 + 2.0 * n * n.log2()), 320.0), 500.0 + 640.0 * 320_f64.log2());
        near(normal_form(&points(|n| 500.0 + 2.0 * n * n), 320.0), 500.0 + 2.0 * 320.0 * 320.0);
    }
}
