//! From figures to places in the picture: both axes are logarithmic, in whole decades.

/// The picture, and what lies around its grid.
pub(super) const WIDTH: f64 = 960.0;
pub(super) const HEIGHT: f64 = 540.0;
pub(super) const LEFT: f64 = 64.0;
pub(super) const RIGHT: f64 = 24.0;
pub(super) const TOP: f64 = 20.0;
pub(super) const BOTTOM: f64 = 48.0;

/// Both axes.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) struct Scale {
    /// Logarithms to base ten of the edges.
    x: [f64; 2],
    y: [f64; 2],
}

impl Scale {
    /// A scale on which all these intensities and rates have room.
    pub(super) fn of(intensities: &[f64], rates: &[f64]) -> Self {
        Self { x: edges(intensities, 0.08), y: edges(rates, 0.12) }
    }

    pub(super) fn x(&self, intensity: f64) -> f64 {
        let share = (intensity.log10() - self.x[0]) / (self.x[1] - self.x[0]);
        LEFT + share.clamp(-1.0, 2.0) * (WIDTH - LEFT - RIGHT)
    }

    pub(super) fn y(&self, rate: f64) -> f64 {
        let share = (rate.log10() - self.y[0]) / (self.y[1] - self.y[0]);
        HEIGHT - BOTTOM - share.clamp(-1.0, 2.0) * (HEIGHT - BOTTOM - TOP)
    }

    /// The least and the largest intensity.
    pub(super) fn intensities(&self) -> [f64; 2] {
        self.x.map(|edge| 10_f64.powf(edge))
    }

    /// The least rate.
    pub(super) fn least_rate(&self) -> f64 {
        10_f64.powf(self.y[0])
    }

    /// By how many degrees a line of one bandwidth rises.
    pub(super) fn slope_degrees(&self) -> f64 {
        let across = (WIDTH - LEFT - RIGHT) / (self.x[1] - self.x[0]);
        let up = (HEIGHT - BOTTOM - TOP) / (self.y[1] - self.y[0]);
        (up / across).atan().to_degrees()
    }

    /// The ticks of an axis: values and whether they are whole decades.
    pub(super) fn ticks(edges: [f64; 2]) -> Vec<(f64, bool)> {
        let (first, last) = (edges[0].floor() as i32, edges[1].ceil() as i32);
        let decades = (first..=last)
            .flat_map(|power| [1.0, 2.0, 5.0].map(|digit| (digit * 10_f64.powi(power), digit == 1.0)));
        let inside = |value: f64| value.log10() >= edges[0] - 1e-9 && value.log10() <= edges[1] + 1e-9;
        decades.filter(|(value, _)| inside(*value)).collect()
    }

    pub(super) fn x_ticks(&self) -> Vec<(f64, bool)> {
        Self::ticks(self.x)
    }

    pub(super) fn y_ticks(&self) -> Vec<(f64, bool)> {
        Self::ticks(self.y)
    }
}

/// Logarithms of the edges around values, with some room; at least two decades.
fn edges(values: &[f64], room: f64) -> [f64; 2] {
    let logs = values.iter().filter(|value| value.is_finite() && **value > 0.0).map(|value| value.log10());
    let (low, high) =
        logs.fold((f64::INFINITY, f64::NEG_INFINITY), |(low, high), log| (low.min(log), high.max(log)));
    let (low, high) = if low <= high { (low, high) } else { (0.0, 0.0) };
    let lack = (2.0 - (high - low)).max(0.0) / 2.0;
    let room = room * (high - low).max(2.0);
    [low - lack - room, high + lack + room]
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn everything_has_room_and_decades_are_marked() {
        let scale = Scale::of(&[0.1, 10.0], &[1e9, 1e12]);
        for (intensity, rate) in [(0.1, 1e9), (10.0, 1e12)] {
            assert!((LEFT..WIDTH - RIGHT).contains(&scale.x(intensity)), "{}", scale.x(intensity));
            assert!((TOP..HEIGHT - BOTTOM).contains(&scale.y(rate)), "{}", scale.y(rate));
        }
        assert!(scale.x(1.0) > scale.x(0.5) && scale.y(2e9) < scale.y(1e9));
        let decades: Vec<f64> = scale.x_ticks().iter().filter(|tick| tick.1).map(|tick| tick.0).collect();
        assert_eq!(decades, [0.1, 1.0, 10.0]);
    }

    #[test]
    fn nothing_to_draw_and_what_is_no_number_do_no_harm() {
        for values in [&[][..], &[f64::NAN, 0.0, -1.0, f64::INFINITY], &[1e-300, 1e300]] {
            let scale = Scale::of(values, values);
            assert!(
                scale.x(1.0).is_finite() && scale.y(1.0).is_finite() && scale.slope_degrees().is_finite()
            );
            assert!(scale.x(0.0).is_finite() || scale.x(0.0).is_nan());
        }
    }
}
