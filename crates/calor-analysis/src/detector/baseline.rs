//! What calls of each size took when all was well, and how much windows differ then.

use super::CallWindow;
use super::window::SizedCalls;
use crate::Error;

/// Fewer windows than this do not say how much they differ.
const FEWEST_WINDOWS: usize = 8;

/// What calls of one scope usually take, by their size. One for each hour of the week, or one for all: that is up to who
/// makes them.
#[derive(Clone, PartialEq, Debug)]
pub struct CallBaseline {
    levels: Vec<Level>,
    /// By how much the logarithm of the time grows with that of the size.
    slope: f64,
    /// The variance of one call.
    call_variance: f64,
    /// The variance of windows beyond what their calls explain.
    window_variance: f64,
}

/// What calls of about one size usually take.
#[derive(Clone, Copy, PartialEq, Debug)]
struct Level {
    place: usize,
    /// From how many calls it is known.
    n: f64,
    /// The mean logarithm of their size.
    size: f64,
    /// The mean logarithm of their time.
    time: f64,
}

impl Level {
    fn of(place: usize, calls: SizedCalls) -> Self {
        let n = calls.n as f64;
        Self { place, n, size: calls.sizes / n, time: calls.logs / n }
    }
}

/// How a window differs from what is usual.
#[derive(Clone, Copy, PartialEq, Debug)]
pub(super) struct Residual {
    /// The mean logarithm above what is usual for calls of their sizes.
    pub(super) centre: f64,
    /// Its standard deviation when all is well.
    pub(super) deviation: f64,
}

impl CallBaseline {
    /// From windows of good times.
    ///
    /// # Errors
    /// Fewer than eight windows with calls.
    pub fn of(windows: &[CallWindow]) -> Result<Self, Error> {
        let windows: Vec<&CallWindow> = windows.iter().filter(|window| window.n_calls() > 0).collect();
        if windows.len() < FEWEST_WINDOWS {
            return Err(Error::ShortBaseline { expected: FEWEST_WINDOWS, found: windows.len() });
        }
        let mut all = CallWindow::default();
        windows.iter().for_each(|window| all.merge(window));
        let levels: Vec<Level> = all.by_size().map(|(place, calls)| Level::of(place, calls)).collect();
        let squares = all
            .by_size()
            .map(|(_, calls)| (calls.squares - calls.logs * calls.logs / calls.n as f64).max(0.0));
        let degrees = (all.n_calls() as f64 - levels.len() as f64).max(1.0);
        let call_variance = squares.sum::<f64>() / degrees;
        let mut baseline = Self { slope: slope(&levels), levels, call_variance, window_variance: 0.0 };
        let by_calls: Vec<f64> =
            windows.iter().map(|window| call_variance / window.n_calls() as f64).collect();
        let centres = windows.iter().map(|window| baseline.centre(window).powi(2));
        let excess = centres.zip(&by_calls).map(|(square, by_calls)| square - by_calls).sum::<f64>();
        baseline.window_variance = (excess / (windows.len() - 1) as f64).max(0.0);
        Ok(baseline)
    }

    pub(super) fn residual(&self, window: &CallWindow) -> Residual {
        let variance = self.call_variance / window.n_calls().max(1) as f64 + self.window_variance;
        // A program that always takes the same still has a clock that does not.
        Residual { centre: self.centre(window), deviation: variance.sqrt().max(1e-4) }
    }

    fn centre(&self, window: &CallWindow) -> f64 {
        let above = window.by_size().map(|(place, calls)| {
            let now = Level::of(place, calls);
            now.n * (now.time - self.usual(&now))
        });
        above.sum::<f64>() / window.n_calls().max(1) as f64
    }

    /// The usual logarithm of the time of calls of this size: that of the nearest size that was seen, and from there along
    /// the line, since calls that stand together are not all of one size.
    fn usual(&self, calls: &Level) -> f64 {
        let nearest = self.levels.iter().min_by_key(|level| level.place.abs_diff(calls.place));
        nearest.map_or(0.0, |level| {
            let is_sized = level.place > 0 && calls.place > 0;
            level.time + if is_sized { self.slope * (calls.size - level.size) } else { 0.0 }
        })
    }
}

/// The line of least squares through levels, weighed by calls.
fn slope(levels: &[Level]) -> f64 {
    // Calls of no known size are on no line.
    let sized = || levels.iter().filter(|level| level.place > 0);
    let n: f64 = sized().map(|level| level.n).sum();
    let mean = |of: fn(&Level) -> f64| sized().map(|level| level.n * of(level)).sum::<f64>() / n;
    let (size, time) = (mean(|level| level.size), mean(|level| level.time));
    let square: f64 = sized().map(|level| level.n * (level.size - size).powi(2)).sum();
    let product: f64 = sized().map(|level| level.n * (level.size - size) * (level.time - time)).sum();
    if square > 0.0 { product / square } else { 0.0 }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn window(calls: &[(u64, u64)]) -> CallWindow {
        let mut window = CallWindow::default();
        calls.iter().for_each(|(size, nanos)| window.add(*size, *nanos));
        window
    }

    #[test]
    fn calls_are_compared_with_those_of_their_size_and_others_by_the_line() {
        let good = vec![window(&[(100, 1_000), (100, 1_100), (400, 4_000), (400, 4_400)]); 10];
        let baseline = CallBaseline::of(&good).unwrap();
        let centre = |calls: &[(u64, u64)]| baseline.residual(&window(calls)).centre;
        assert!(centre(&[(400, 4_195)]).abs() < 0.01 && centre(&[(100, 1_049)]).abs() < 0.01);
        assert!((centre(&[(400, 8_390)]) - 2_f64.ln()).abs() < 0.01);
        // Twice the size was seen never, and takes twice as long.
        assert!(centre(&[(800, 8_390)]).abs() < 0.01);
    }

    #[test]
    fn a_short_baseline_is_refused() {
        let error = CallBaseline::of(&vec![window(&[(1, 1)]); 7]).unwrap_err();
        assert!(
            error.to_string().contains("at least 8 windows with calls for a baseline, found 7"),
            "{error}"
        );
        assert!(CallBaseline::of(&vec![CallWindow::default(); 20]).is_err());
    }
}
