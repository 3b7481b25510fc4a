//! Windows one after the other against a baseline: raising an alarm when calls stay slower, closing it when they are not.

use std::collections::VecDeque;

use super::{CallBaseline, CallWindow};
use crate::verdict::Change;

/// When to raise an alarm.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct DetectorOptions {
    /// Windows with fewer calls than this are passed over.
    pub min_calls: u64,
    /// Calls have to be slower by more than this part, with 95 % certainty.
    pub margin: f64,
    /// They have to take so many nanoseconds more in each second.
    pub min_impact_nanos: f64,
    /// How many standard deviations a window may lie above what is usual before it counts, by Page's rule (1954). Half of the
    /// shift that is to be found soonest.
    pub slack: f64,
    /// At which sum of what counts an alarm is raised. With a slack of 0.5, 5 is once in some 930 windows of a program that
    /// did not change, even without the other conditions.
    pub threshold: f64,
    /// Over how many windows the effect has to hold.
    pub n_long: usize,
    /// After so many windows that are as usual an alarm is closed.
    pub n_close: usize,
}

impl Default for DetectorOptions {
    fn default() -> Self {
        Self {
            min_calls: 200,
            margin: 0.05,
            min_impact_nanos: 1e6,
            slack: 0.5,
            threshold: 5.0,
            n_long: 5,
            n_close: 3,
        }
    }
}

/// Calls that are slower than they were.
#[derive(Clone, Copy, PartialEq, Debug)]
pub struct Alarm {
    /// By how much, over the last windows.
    pub change: Change,
    /// Nanoseconds more in each second, over the last windows.
    pub impact_nanos: f64,
    /// How many windows, with enough calls, ago it began.
    pub n_windows: usize,
}

/// What a window came to.
#[derive(Clone, Copy, PartialEq, Debug)]
pub enum Signal {
    /// Too few calls to say anything.
    TooFewCalls,
    /// All is as usual, or not certain yet.
    Quiet,
    /// Calls became slower.
    Opened(Alarm),
    /// They still are.
    Open(Alarm),
    /// It went away. The alarm is as it was last.
    Closed(Alarm),
}

/// Watches one scope.
///
/// ```
/// use calor_analysis::{CallBaseline, CallWindow, Detector, DetectorOptions, Signal};
///
/// // A minute of a service whose calls take 10 µs for each row, some a little more and some a little less.
/// let minute = |slower: f64| {
///     let mut window = CallWindow::default();
///     for call in 0..600 {
///         let rows = 100 + call % 400;
///         let wobble = 0.9 + 0.02 * (call * 7 % 11) as f64;
///         window.add(rows, (10_000.0 * rows as f64 * wobble * slower) as u64);
///     }
///     window
/// };
/// let good: Vec<CallWindow> = (0..60).map(|at| minute(1.0 + 0.01 * (at % 3) as f64)).collect();
/// let mut detector = Detector::new(CallBaseline::of(&good)?, DetectorOptions::default());
///
/// assert_eq!(detector.observe(&minute(1.01), 60.0), Signal::Quiet);
/// let told: Vec<Signal> = (0..10).map(|_| detector.observe(&minute(1.3), 60.0)).collect();
/// let alarm = told.iter().find_map(|signal| match signal {
///     Signal::Opened(alarm) => Some(alarm),
///     _ => None,
/// });
/// let alarm = alarm.expect("calls that take a third longer are noticed");
/// assert!(alarm.change.effect > 0.2);
///
/// // It closes by itself, once calls are as they were.
/// let told: Vec<Signal> = (0..10).map(|_| detector.observe(&minute(1.0), 60.0)).collect();
/// assert!(told.iter().any(|signal| matches!(signal, Signal::Closed(_))));
/// assert!(detector.alarm().is_none());
/// # Ok::<(), calor_analysis::Error>(())
/// ```
#[derive(Clone, Debug)]
pub struct Detector {
    baseline: CallBaseline,
    options: DetectorOptions,
    /// What counts so far, in standard deviations.
    sum: f64,
    /// Windows since that was 0.
    n_rising: usize,
    /// The last windows, with their length in seconds.
    recent: VecDeque<(CallWindow, f64)>,
    open: Option<Alarm>,
    /// Windows in a row that were as usual.
    n_usual: usize,
}

impl Detector {
    /// Watches against a baseline.
    #[must_use]
    pub fn new(baseline: CallBaseline, options: DetectorOptions) -> Self {
        let recent = VecDeque::new();
        Self { baseline, options, sum: 0.0, n_rising: 0, recent, open: None, n_usual: 0 }
    }

    /// The alarm that is open.
    #[must_use]
    pub fn alarm(&self) -> Option<&Alarm> {
        self.open.as_ref()
    }

    /// Takes the calls of a window that was so many seconds long, and says what they came to.
    pub fn observe(&mut self, window: &CallWindow, seconds: f64) -> Signal {
        if window.n_calls() < self.options.min_calls.max(1) {
            return Signal::TooFewCalls;
        }
        let residual = self.baseline.residual(window);
        // One window alone, however far off, is not yet a trend.
        let rise =
            (residual.centre / residual.deviation).min(self.options.threshold / 2.0) - self.options.slack;
        // What went up without end would take as long to come down again.
        self.sum = (self.sum + rise).clamp(0.0, 2.0 * self.options.threshold);
        self.n_rising = if self.sum > 0.0 { self.n_rising + 1 } else { 0 };
        self.recent.push_back((window.clone(), seconds));
        if self.recent.len() > self.options.n_long.max(1) {
            self.recent.pop_front();
        }
        let is_over = residual.centre > self.options.margin.ln_1p();
        self.n_usual = if is_over { 0 } else { self.n_usual + 1 };
        let now = self.measured();
        match self.open {
            None if self.sum > self.options.threshold && is_over && self.matters(&now) => {
                self.open = Some(now);
                Signal::Opened(now)
            }
            None => Signal::Quiet,
            Some(before) if self.n_usual >= self.options.n_close.max(1) => {
                self.open = None;
                self.sum = 0.0;
                self.n_rising = 0;
                Signal::Closed(before)
            }
            Some(before) => {
                let alarm = Alarm { n_windows: before.n_windows + 1, ..now };
                self.open = Some(alarm);
                Signal::Open(alarm)
            }
        }
    }

    fn matters(&self, alarm: &Alarm) -> bool {
        alarm.change.interval[0] > self.options.margin && alarm.impact_nanos >= self.options.min_impact_nanos
    }

    /// The last windows together, or as many of them as the rise has lasted.
    fn measured(&self) -> Alarm {
        let mut all = CallWindow::default();
        let (mut n, mut seconds, mut variance) = (0_usize, 0.0, 0.0);
        for (window, length) in self.recent.iter().rev().take(self.n_rising.max(1)) {
            all.merge(window);
            seconds += length;
            variance += self.baseline.residual(window).deviation.powi(2);
            n += 1;
        }
        let centre = self.baseline.residual(&all).centre;
        let reach = 1.959_964 * variance.sqrt() / n.max(1) as f64;
        let more = all.total_nanos() * (1.0 - (-centre).exp());
        Alarm {
            change: Change::from_logs(centre, centre - reach, centre + reach),
            impact_nanos: if seconds > 0.0 { more / seconds } else { 0.0 },
            n_windows: self.n_rising,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::chance::Chance;
    use crate::noise::gauss;

    /// A service whose calls take time in proportion to their size, and whose machine wanders from window to window.
    struct Service {
        chance: Chance,
        /// Sizes are around two to the power of this.
        size: f64,
        slower: f64,
        n_calls: usize,
    }

    impl Service {
        fn new(seed: u64) -> Self {
            Self { chance: Chance::new(seed), size: 8.0, slower: 1.0, n_calls: 300 }
        }

        fn window(&mut self) -> CallWindow {
            let machine = 0.02 * gauss(&mut self.chance);
            let mut window = CallWindow::default();
            for _ in 0..self.n_calls {
                let size = (self.size + gauss(&mut self.chance)).exp2();
                let noise = machine + 0.3 * gauss(&mut self.chance);
                window.add(size as u64, (1_000.0 * size * self.slower * noise.exp()) as u64);
            }
            window
        }

        fn detector(&mut self, options: DetectorOptions) -> Detector {
            let good: Vec<CallWindow> = (0..50).map(|_| self.window()).collect();
            Detector::new(CallBaseline::of(&good).unwrap(), options)
        }
    }

    fn n_opened(service: &mut Service, detector: &mut Detector, n_windows: usize) -> usize {
        let windows = (0..n_windows).map(|_| service.window());
        windows.filter(|window| matches!(detector.observe(window, 10.0), Signal::Opened(_))).count()
    }

    #[test]
    fn a_service_that_did_not_change_raises_nothing_whatever_the_size_of_its_calls() {
        let mut service = Service::new(1);
        let mut detector = service.detector(DetectorOptions::default());
        assert_eq!(n_opened(&mut service, &mut detector, 200), 0);
        // Calls four times as large take four times as long.
        service.size = 10.0;
        assert_eq!(n_opened(&mut service, &mut detector, 200), 0);
    }

    #[test]
    fn slower_calls_raise_an_alarm_that_closes_when_they_are_not() {
        let mut service = Service::new(2);
        let mut detector = service.detector(DetectorOptions::default());
        assert_eq!(n_opened(&mut service, &mut detector, 20), 0);
        service.slower = 1.15;
        let opened = (0..12).find_map(|_| match detector.observe(&service.window(), 10.0) {
            Signal::Opened(alarm) => Some(alarm),
            _ => None,
        });
        let alarm = opened.expect("fifteen percent are seen within twelve windows");
        assert!(alarm.change.interval[0] > 0.05 && (0.1..0.2).contains(&alarm.change.effect), "{alarm:?}");
        assert!(alarm.impact_nanos > 1e6 && detector.alarm().is_some());
        assert!(matches!(detector.observe(&service.window(), 10.0), Signal::Open(_)));
        service.slower = 1.0;
        let closed = (0..6).any(|_| matches!(detector.observe(&service.window(), 10.0), Signal::Closed(_)));
        assert!(closed && detector.alarm().is_none());
        assert_eq!(n_opened(&mut service, &mut detector, 50), 0);
    }

    #[test]
    fn what_is_rare_or_costs_little_raises_nothing() {
        let mut service = Service::new(3);
        let mut detector =
            service.detector(DetectorOptions { min_impact_nanos: 1e9, ..DetectorOptions::default() });
        service.slower = 1.5;
        assert_eq!(n_opened(&mut service, &mut detector, 20), 0);
        let mut detector = Service::new(4).detector(DetectorOptions::default());
        service.n_calls = 199;
        assert_eq!(detector.observe(&service.window(), 10.0), Signal::TooFewCalls);
        assert_eq!(n_opened(&mut service, &mut detector, 20), 0);
    }

    #[test]
    fn one_bad_window_raises_nothing() {
        let mut service = Service::new(5);
        let mut detector = service.detector(DetectorOptions::default());
        service.slower = 10.0;
        assert_eq!(n_opened(&mut service, &mut detector, 1), 0);
        service.slower = 1.0;
        assert_eq!(n_opened(&mut service, &mut detector, 20), 0);
    }
}
