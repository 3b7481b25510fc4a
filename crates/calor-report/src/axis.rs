//! An axis of a picture: from values to places along it, by equal steps or by factors, with marks at round values. What is
//! drawn, in a page or in letters, is for others.

/// The least that an axis of factors spans, in decades: what differs by less would look far apart.
const LEAST_DECADES: f64 = 0.5;

/// An axis.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(crate) struct Scale {
    /// The edges; of an axis of factors their logarithms to base ten.
    edges: [f64; 2],
    is_log: bool,
}

impl Scale {
    /// An axis of factors on which all values have room, and `room` as a part of it at each end.
    pub(crate) fn log(values: &[f64], room: f64) -> Self {
        let logs: Vec<f64> = values.iter().filter(|value| **value > 0.0).map(|value| value.log10()).collect();
        let (low, high) = ends(&logs).unwrap_or((0.0, 0.0));
        let lack = (LEAST_DECADES - (high - low)).max(0.0) / 2.0;
        let room = room * (high - low).max(1.0);
        Self { edges: [low - lack - room, high + lack + room], is_log: true }
    }

    /// An axis of equal steps. It begins at nothing unless a value is below: lengths are compared by eye.
    pub(crate) fn linear(values: &[f64], room: f64) -> Self {
        let (low, high) = ends(values).unwrap_or((0.0, 1.0));
        let (low, high) = (low.min(0.0), high.max(0.0));
        let (low, high) = if high > low { (low, high) } else { (low, low + 1.0) };
        let room = room * (high - low);
        Self { edges: [if low < 0.0 { low - room } else { 0.0 }, high + room], is_log: false }
    }

    /// Where a value stands: 0 at the low end, 1 at the high one.
    pub(crate) fn share(&self, value: f64) -> f64 {
        let [low, high] = self.edges;
        let place = if self.is_log { value.max(f64::MIN_POSITIVE).log10() } else { value };
        if place.is_nan() { 0.0 } else { ((place - low) / (high - low)).clamp(0.0, 1.0) }
    }

    /// The values at the ends.
    pub(crate) fn ends(&self) -> [f64; 2] {
        if self.is_log { self.edges.map(|edge| 10_f64.powf(edge)) } else { self.edges }
    }

    /// Round values, about `most` of them at most.
    pub(crate) fn ticks(&self, most: usize) -> Vec<f64> {
        if self.is_log { self.factors(most.max(2)) } else { self.steps(most.max(2)) }
    }

    /// Powers of two on an axis of factors, at most so many.
    pub(crate) fn powers_of_two(&self, most: usize) -> Vec<f64> {
        let [low, high] = self.edges.map(|edge| edge / 2_f64.log10());
        let powers = |every: i32| -> Vec<f64> {
            let all = (low.ceil() as i32..=high.floor() as i32).filter(|power| power.rem_euclid(every) == 0);
            all.map(|power| 2_f64.powi(power)).collect()
        };
        (1..).map(powers).find(|ticks| ticks.len() <= most.max(2)).unwrap_or_default()
    }

    fn factors(&self, most: usize) -> Vec<f64> {
        let [low, high] = self.edges;
        let decades = |digits: &[f64], every: i32| -> Vec<f64> {
            let powers =
                (low.floor() as i32..=high.ceil() as i32).filter(|power| power.rem_euclid(every) == 0);
            let values = powers.flat_map(|power| digits.iter().map(move |digit| digit * 10_f64.powi(power)));
            values.filter(|value| (low - 1e-9..=high + 1e-9).contains(&value.log10())).collect()
        };
        let finest = decades(&[1.0, 2.0, 5.0], 1);
        if finest.len() <= most {
            return finest;
        }
        (1..).map(|every| decades(&[1.0], every)).find(|ticks| ticks.len() <= most).unwrap_or_default()
    }

    fn steps(&self, most: usize) -> Vec<f64> {
        let [low, high] = self.edges;
        let rough = (high - low) / most as f64;
        let power = 10_f64.powf(rough.log10().floor());
        let digit = [1.0, 2.0, 5.0, 10.0].into_iter().find(|digit| digit * power >= rough).unwrap_or(10.0);
        let step = digit * power;
        let first = (low / step).ceil();
        let values = (0..=most).map(|at| (first + at as f64) * step);
        values.filter(|value| *value <= high + step * 1e-9).collect()
    }
}

/// The least and the largest of the values that are numbers.
fn ends(values: &[f64]) -> Option<(f64, f64)> {
    let known = values.iter().filter(|value| value.is_finite());
    known.fold(None, |ends, value| match ends {
        None => Some((*value, *value)),
        Some((low, high)) => Some((low.min(*value), high.max(*value))),
    })
}

/// A value beside an axis, in few letters. Large multiples of 1,024 are sizes, and told as such: `64 Ki`.
pub(crate) fn mark(value: f64) -> String {
    const KI: u64 = 1 << 10;
    const MI: u64 = 1 << 20;
    let whole = if value.fract() == 0.0 && (0.0..1e15).contains(&value) { value as u64 } else { 0 };
    match whole {
        0 => calor_analysis::quantity::amount(value).replace(".00", ""),
        whole if whole >= MI && whole.is_multiple_of(MI) => format!("{} Mi", whole / MI),
        whole if whole >= 8 * KI && whole.is_multiple_of(KI) => format!("{} Ki", whole / KI),
        whole if whole < 10_000 => whole.to_string(),
        _ => calor_analysis::quantity::amount(value).replace(".0 ", " ").replace(".00 ", " "),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn factors_are_marked_by_decades_and_between_them_where_there_is_room() {
        let scale = Scale::log(&[10.0, 1000.0], 0.0);
        assert_eq!(scale.ticks(9), [10.0, 20.0, 50.0, 100.0, 200.0, 500.0, 1000.0]);
        assert_eq!(scale.ticks(4), [10.0, 100.0, 1000.0]);
        assert!((scale.share(100.0) - 0.5).abs() < 1e-9);
        assert_eq!((scale.share(1.0), scale.share(1e9), scale.share(-3.0)), (0.0, 1.0, 0.0));
        assert!(Scale::log(&[1e-300, 1e300], 0.0).ticks(6).len() <= 6);
    }

    #[test]
    fn sizes_are_marked_by_powers_of_two() {
        let scale = Scale::log(&[12_800.0, 135_000_000.0], 0.0);
        let marks: Vec<String> = scale.powers_of_two(6).into_iter().map(mark).collect();
        assert_eq!(marks, ["32 Ki", "256 Ki", "2 Mi", "16 Mi", "128 Mi"]);
        assert!(Scale::log(&[1e-300, 1e300], 0.0).powers_of_two(6).len() <= 6);
    }

    #[test]
    fn equal_steps_begin_at_nothing() {
        let scale = Scale::linear(&[3.0, 9.5], 0.0);
        assert_eq!(scale.ticks(5), [0.0, 2.0, 4.0, 6.0, 8.0]);
        assert_eq!((scale.share(0.0), scale.share(9.5)), (0.0, 1.0));
        assert_eq!(Scale::linear(&[-1.0, 1.0], 0.0).ticks(4), [-1.0, -0.5, 0.0, 0.5, 1.0]);
    }

    #[test]
    fn nothing_to_draw_and_what_is_no_number_do_no_harm() {
        for values in [&[][..], &[f64::NAN, f64::INFINITY], &[0.0], &[5.0]] {
            for scale in [Scale::log(values, 0.1), Scale::linear(values, 0.1)] {
                assert!(scale.share(5.0).is_finite() && scale.share(f64::NAN) == 0.0);
                assert!(scale.ticks(5).iter().all(|tick| tick.is_finite()), "{scale:?}");
            }
        }
    }

    #[test]
    fn marks_are_short() {
        let marks = [0.0, 0.25, 128.0, 1024.0, 65536.0, 1_048_576.0, 20_000.0, 1.5e6].map(mark);
        assert_eq!(marks, ["0", "0.25", "128", "1024", "64 Ki", "1 Mi", "20 k", "1.50 M"]);
    }
}
