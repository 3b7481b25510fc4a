//! The detector for programs in production, as Python sees it.

use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

use calor_analysis::DetectorOptions;

/// Calls of one scope in one window of time, by how much work they did.
#[pyclass(module = "calor")]
#[derive(Clone, Default)]
pub(crate) struct CallWindow(calor_analysis::CallWindow);

#[pymethods]
impl CallWindow {
    #[new]
    fn new() -> Self {
        Self::default()
    }

    /// Adds a call that took so many nanoseconds and worked on so much: tokens, bytes, rows; 0 where that is not known.
    #[pyo3(signature = (ns, size = 0))]
    fn add(&mut self, ns: u64, size: u64) {
        self.0.add(size, ns);
    }

    /// Adds all calls of another window.
    fn merge(&mut self, other: &Bound<'_, Self>) -> PyResult<()> {
        // A window may be added to itself.
        let theirs = match other.try_borrow() {
            Ok(other) => other.0.clone(),
            Err(_) => self.0.clone(),
        };
        self.0.merge(&theirs);
        Ok(())
    }

    /// How many calls there were.
    #[getter]
    fn calls(&self) -> u64 {
        self.0.n_calls()
    }

    /// What they took together, in nanoseconds.
    #[getter]
    fn total_ns(&self) -> f64 {
        self.0.total_nanos()
    }

    fn __repr__(&self) -> String {
        format!("<calor.CallWindow: {} calls, {:.3} ms>", self.0.n_calls(), self.0.total_nanos() / 1e6)
    }
}

/// What calls of each size took when all was well.
#[pyclass(module = "calor", frozen)]
pub(crate) struct CallBaseline(calor_analysis::CallBaseline);

#[pymethods]
impl CallBaseline {
    #[new]
    fn new(windows: Vec<PyRef<'_, CallWindow>>) -> PyResult<Self> {
        let windows: Vec<calor_analysis::CallWindow> =
            windows.iter().map(|window| window.0.clone()).collect();
        let baseline = calor_analysis::CallBaseline::of(&windows);
        Ok(Self(baseline.map_err(|error| PyValueError::new_err(error.to_string()))?))
    }
}

/// Calls that are slower than they were.
#[pyclass(module = "calor", frozen, get_all)]
pub(crate) struct Alarm {
    /// By how much, over the last windows: 0.05 is 5 % more.
    effect: f64,
    /// Where that truly lies, in 95 of 100 such alarms.
    interval: (f64, f64),
    /// Nanoseconds more in each second.
    impact_ns: f64,
    /// How many windows, with enough calls, ago it began.
    windows: usize,
}

impl Alarm {
    fn of(alarm: &calor_analysis::Alarm) -> Self {
        let [low, high] = alarm.change.interval;
        Self {
            effect: alarm.change.effect,
            interval: (low, high),
            impact_ns: alarm.impact_nanos,
            windows: alarm.n_windows,
        }
    }
}

#[pymethods]
impl Alarm {
    fn __repr__(&self) -> String {
        let (low, high) = self.interval;
        format!(
            "<calor.Alarm: {:+.1} % ({:+.1} to {:+.1} %), {:.1} ms more in each second>",
            self.effect * 100.0,
            low * 100.0,
            high * 100.0,
            self.impact_ns / 1e6,
        )
    }
}

/// What a window came to.
#[pyclass(module = "calor", frozen, get_all)]
pub(crate) struct Signal {
    /// "too_few_calls", "quiet", "opened", "open" or "closed".
    kind: &'static str,
    /// The alarm that was opened, is open or was closed.
    alarm: Option<Py<Alarm>>,
}

#[pymethods]
impl Signal {
    fn __repr__(&self) -> String {
        match &self.alarm {
            Some(alarm) => format!("<calor.Signal: {}, {}>", self.kind, alarm.get().__repr__()),
            None => format!("<calor.Signal: {}>", self.kind),
        }
    }
}

/// Watches one scope: shown what its calls took in each window of time, it says when they became slower, and when that
/// went away.
///
/// >>> import calor
/// >>> def window(ns):
/// ...     calls = calor.CallWindow()
/// ...     for at in range(300):
/// ...         calls.add(ns + at)
/// ...     return calls
/// >>> detector = calor.Detector(calor.CallBaseline([window(1_000_000 + at) for at in range(30)]))
/// >>> "opened" in [detector.observe(window(2_000_000), seconds=10).kind for _ in range(20)]
/// True
#[pyclass(module = "calor")]
pub(crate) struct Detector(calor_analysis::Detector);

#[pymethods]
impl Detector {
    #[new]
    #[pyo3(signature = (baseline, *, min_calls = None, margin = None, min_impact_ns = None))]
    fn new(
        baseline: &CallBaseline,
        min_calls: Option<u64>,
        margin: Option<f64>,
        min_impact_ns: Option<f64>,
    ) -> PyResult<Self> {
        let usual = DetectorOptions::default();
        let margin = margin.unwrap_or(usual.margin);
        if !(0.0..1e3).contains(&margin) {
            return Err(PyValueError::new_err(format!(
                "a margin of {margin} is no part of anything: 0.05 is 5 %"
            )));
        }
        let options = DetectorOptions {
            min_calls: min_calls.unwrap_or(usual.min_calls),
            margin,
            min_impact_nanos: min_impact_ns.unwrap_or(usual.min_impact_nanos),
            ..usual
        };
        Ok(Self(calor_analysis::Detector::new(baseline.0.clone(), options)))
    }

    /// Takes the calls of a window that was so many seconds long, and says what they came to.
    fn observe(&mut self, py: Python<'_>, window: &CallWindow, seconds: f64) -> PyResult<Signal> {
        if !(seconds > 0.0 && seconds.is_finite()) {
            return Err(PyValueError::new_err(format!("a window of {seconds} seconds is none")));
        }
        let (kind, alarm) = match self.0.observe(&window.0, seconds) {
            calor_analysis::Signal::TooFewCalls => ("too_few_calls", None),
            calor_analysis::Signal::Quiet => ("quiet", None),
            calor_analysis::Signal::Opened(alarm) => ("opened", Some(alarm)),
            calor_analysis::Signal::Open(alarm) => ("open", Some(alarm)),
            calor_analysis::Signal::Closed(alarm) => ("closed", Some(alarm)),
        };
        let alarm = alarm.map(|alarm| Py::new(py, Alarm::of(&alarm))).transpose()?;
        Ok(Signal { kind, alarm })
    }

    /// The alarm that is open, or None.
    #[getter]
    fn alarm(&self) -> Option<Alarm> {
        self.0.alarm().map(Alarm::of)
    }
}
