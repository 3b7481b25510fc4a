//! Student's distribution, by which a mean or a slope of few values is judged.

use super::gamma::ln_gamma;
use super::normal;

/// Beyond so many degrees of freedom the normal distribution is the same to six digits.
const NORMAL_FROM: f64 = 1e6;

/// The 97.5 % quantile for so many degrees of freedom, `None` for none.
#[must_use]
pub fn t_975(degrees: usize) -> Option<f64> {
    (degrees > 0).then(|| t_quantile(0.025, degrees as f64))
}

/// The probability of a value above `t` for so many degrees of freedom, which need not be whole.
pub(crate) fn t_upper_tail(t: f64, degrees: f64) -> f64 {
    if degrees > NORMAL_FROM {
        return normal::upper_tail(t);
    }
    let tail = 0.5 * incomplete_beta(degrees / (degrees + t * t), degrees / 2.0, 0.5);
    if t > 0.0 { tail } else { 1.0 - tail }
}

/// The value above which `tail` of the distribution lies.
pub(crate) fn t_quantile(tail: f64, degrees: f64) -> f64 {
    if tail > 0.5 {
        return -t_quantile(1.0 - tail, degrees);
    }
    if degrees > NORMAL_FROM || tail <= 0.0 {
        return normal::upper_quantile(tail);
    }
    // The distribution has heavier tails than the normal one, so its quantile lies beyond.
    let mut low = normal::upper_quantile(tail).max(0.0);
    let mut high = (2.0 * low).max(1.0);
    while t_upper_tail(high, degrees) > tail && high < 1e12 {
        low = high;
        high *= 2.0;
    }
    // Bisection finds a digit in three steps and cannot fail; Newton's steps inside the bracket find the rest.
    let constant = ln_gamma((degrees + 1.0) / 2.0)
        - ln_gamma(degrees / 2.0)
        - 0.5 * (degrees * std::f64::consts::PI).ln();
    let density = |t: f64| (constant - (degrees + 1.0) / 2.0 * (t * t / degrees).ln_1p()).exp();
    let mut t = 0.5 * (low + high);
    for _ in 0..60 {
        let excess = t_upper_tail(t, degrees) - tail;
        if excess > 0.0 {
            low = t;
        } else {
            high = t;
        }
        let next = t + excess / density(t);
        let next = if next > low && next < high { next } else { 0.5 * (low + high) };
        if (next - t).abs() <= 1e-12 * t.abs() {
            return next;
        }
        t = next;
    }
    t
}

/// The regularised incomplete beta function, by its continued fraction (Lentz's way of evaluating it).
fn incomplete_beta(x: f64, a: f64, b: f64) -> f64 {
    if x <= 0.0 {
        return 0.0;
    }
    if x >= 1.0 {
        return 1.0;
    }
    if x > (a + 1.0) / (a + b + 2.0) {
        return 1.0 - incomplete_beta(1.0 - x, b, a);
    }
    let front = (ln_gamma(a + b) - ln_gamma(a) - ln_gamma(b) + a * x.ln() + b * (-x).ln_1p()).exp() / a;
    let away_from_zero = |value: f64| if value.abs() < 1e-300 { 1e-300 } else { value };
    let (mut c, mut d) = (1.0, 1.0 / away_from_zero(1.0 - (a + b) * x / (a + 1.0)));
    let mut fraction = d;
    for number in 1..500 {
        let m = f64::from(number);
        let even = m * (b - m) * x / ((a + 2.0 * m - 1.0) * (a + 2.0 * m));
        let odd = -(a + m) * (a + b + m) * x / ((a + 2.0 * m) * (a + 2.0 * m + 1.0));
        let mut change = 1.0;
        for term in [even, odd] {
            d = 1.0 / away_from_zero(1.0 + term * d);
            c = away_from_zero(1.0 + term / c);
            change = c * d;
            fraction *= change;
        }
        if (change - 1.0).abs() < 1e-15 {
            break;
        }
    }
    front * fraction
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn quantiles_are_those_of_the_tables() {
        for (degrees, tail, expected) in [
            (1.0, 0.025, 12.706_204_736),
            (2.0, 0.025, 4.302_652_73),
            (5.0, 0.005, 4.032_142_984),
            (9.0, 0.05, 1.833_112_933),
            (30.0, 0.025, 2.042_272_456),
            (200.0, 0.000_1, 3.789_170),
            (4.5, 0.025, 2.659),
        ] {
            let found = t_quantile(tail, degrees);
            assert!((found / expected - 1.0).abs() < 1e-4, "{degrees} {tail}: {found}");
            assert!((t_upper_tail(found, degrees) / tail - 1.0).abs() < 1e-9);
            assert!((t_quantile(1.0 - tail, degrees) + found).abs() < 1e-6 * found);
        }
        assert!(t_975(0).is_none() && t_quantile(0.5, 7.0).abs() < 1e-12);
    }

    #[test]
    fn many_degrees_of_freedom_are_the_normal_distribution() {
        assert!((t_quantile(0.025, 1e5) - 1.959_98).abs() < 1e-4);
        assert!((t_quantile(0.025, 1e9) - 1.959_964).abs() < 1e-6);
    }
}
