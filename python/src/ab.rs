//! `calor.ab`: functions of a Python program that take turns. The plan and its engine are the SDK's; here a turn is a
//! batch of calls through the interpreter, and what a function raises ends the experiment.

use std::time::Duration;

use calor::ab::{Clock, Comparison, Plan, TryCalls};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyTuple};

/// After so many calls Python is asked whether somebody pressed Ctrl-C.
const CALLS_UNHEARD: u64 = 1_000;
/// Arguments that are made for one batch at most: they are all there at once.
const MOST_MADE: u64 = 1_000;

/// What a comparison of functions came to; it prints as a sentence. Made by ``calor.ab(old, new)``.
///
/// >>> import calor
/// >>> outcome = calor.ab(lambda: sum(range(100)), lambda: sum(range(10_000)))
/// >>> outcome.verdict, outcome.effect > 1
/// ('regressed', True)
#[pyclass(module = "calor", frozen)]
pub(crate) struct Outcome {
    outcome: calor::ab::Outcome,
    margin: f64,
}

/// How a function is called.
struct Call<'a, 'py> {
    function: &'a Bound<'py, PyAny>,
    arguments: &'a Bound<'py, PyTuple>,
    keywords: Option<&'a Bound<'py, PyDict>>,
    /// Makes the arguments of each call, where they are not the same.
    make: Option<&'a Bound<'py, PyAny>>,
}

impl<'py> Call<'_, 'py> {
    /// So many calls, timed without what makes their arguments.
    fn batch(&self, clock: Clock, n: u64) -> PyResult<f64> {
        let Some(make) = self.make else {
            return clock.try_timed(|| self.each(n, |_| self.arguments));
        };
        let (mut left, mut nanos) = (n, 0.0);
        while left > 0 {
            let made = (0..left.min(MOST_MADE)).map(|_| as_arguments(make.call0()?));
            let made: Vec<Bound<'py, PyTuple>> = made.collect::<PyResult<_>>()?;
            left -= made.len() as u64;
            nanos += clock.try_timed(|| self.each(made.len() as u64, |at| &made[at as usize]))?;
        }
        Ok(nanos)
    }

    fn each<'t>(&self, n: u64, arguments: impl Fn(u64) -> &'t Bound<'py, PyTuple>) -> PyResult<()>
    where
        'py: 't,
    {
        for at in 0..n {
            if at % CALLS_UNHEARD == CALLS_UNHEARD - 1 {
                self.function.py().check_signals()?;
            }
            self.function.call(arguments(at), self.keywords)?;
        }
        self.function.py().check_signals()
    }
}

/// Several arguments are a tuple; anything else is one argument.
fn as_arguments(given: Bound<'_, PyAny>) -> PyResult<Bound<'_, PyTuple>> {
    match given.cast_into::<PyTuple>() {
        Ok(arguments) => Ok(arguments),
        Err(other) => {
            let one = other.into_inner();
            PyTuple::new(one.py(), [&one])
        }
    }
}

/// Calls functions in turns until it is known whether they differ; `calor.ab` checks and names what it is given.
#[pyfunction]
#[pyo3(signature = (functions, names, arguments, keywords, make, *, margin, max_time, max_pairs, is_wall, seed))]
#[expect(clippy::too_many_arguments, reason = "one call from Python, where all of them have names")]
pub(crate) fn ab<'py>(
    functions: Vec<Bound<'py, PyAny>>,
    names: Vec<String>,
    arguments: Bound<'py, PyAny>,
    keywords: Option<Bound<'py, PyDict>>,
    make: Option<Bound<'py, PyAny>>,
    margin: f64,
    max_time: f64,
    max_pairs: usize,
    is_wall: bool,
    seed: Option<u64>,
) -> PyResult<Outcome> {
    let max_time = Duration::try_from_secs_f64(max_time)
        .map_err(|error| PyValueError::new_err(format!("max_time is no time ({error}): give seconds")))?;
    let mut plan = Plan::new().margin(margin).max_time(max_time).max_pairs(max_pairs).wall(is_wall);
    if let Some(seed) = seed {
        plan = plan.seed(seed);
    }
    let arguments = as_arguments(arguments)?;
    let mut batches: Vec<_> = functions
        .iter()
        .map(|function| {
            let (arguments, keywords, make) = (&arguments, keywords.as_ref(), make.as_ref());
            let call = Call { function, arguments, keywords, make };
            move |clock, n| call.batch(clock, n)
        })
        .collect();
    let mut turns: Vec<(Option<&str>, TryCalls<'_, PyErr>)> = names
        .iter()
        .zip(&mut batches)
        .map(|(name, batch)| (Some(name.as_str()), batch as TryCalls<'_, PyErr>))
        .collect();
    Ok(Outcome { outcome: plan.try_run(&mut turns)?, margin })
}

#[pymethods]
impl Outcome {
    /// What the second came to against the first: "regressed", "improved", "same" or "undecided".
    #[getter]
    fn verdict(&self) -> &'static str {
        self.outcome.verdict().word()
    }

    /// By how much the second differs from the first: 0.05 is 5 % more; None where too little was measured.
    #[getter]
    fn effect(&self) -> Option<f64> {
        self.outcome.effect()
    }

    /// Where that truly lies, in 95 of 100 such comparisons: (low, high), or None.
    #[getter]
    fn interval(&self) -> Option<(f64, f64)> {
        self.outcome.interval().map(|[low, high]| (low, high))
    }

    /// How many pairs that is from.
    #[getter]
    fn pairs(&self) -> usize {
        self.outcome.comparisons().first().map_or(0, |found| found.n_pairs)
    }

    /// What a call of each function took in the middle, in nanoseconds, by its name.
    #[getter]
    fn call_ns<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let times = PyDict::new(py);
        for (name, nanos) in self.outcome.names().iter().zip(self.outcome.call_nanos()) {
            times.set_item(name, nanos)?;
        }
        Ok(times)
    }

    /// The same as a dict, with the fields of `calor ab --format json` where they apply.
    fn to_dict<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyDict>> {
        let page = match self.outcome.comparisons().first() {
            Some(first) => self.comparison(py, first)?,
            None => PyDict::new(py),
        };
        let all = self.outcome.comparisons().iter().map(|found| self.comparison(py, found));
        page.set_item("schema", "calor/ab/1")?;
        page.set_item("calor", env!("CARGO_PKG_VERSION"))?;
        page.set_item("warnings", self.warnings(py)?)?;
        page.set_item("margin", self.margin)?;
        page.set_item("call_ns", self.call_ns(py)?)?;
        page.set_item("comparisons", all.collect::<PyResult<Vec<_>>>()?)?;
        Ok(page)
    }

    fn __str__(&self) -> String {
        self.outcome.to_string()
    }

    fn __repr__(&self) -> String {
        format!("<calor.Outcome: {}>", self.outcome)
    }
}

impl Outcome {
    /// Why something is None.
    fn warnings<'py>(&self, py: Python<'py>) -> PyResult<Vec<Bound<'py, PyDict>>> {
        let mut warnings = Vec::new();
        if self.outcome.comparisons().iter().any(|found| found.null_control.is_none()) {
            let warning = PyDict::new(py);
            warning.set_item("code", "too_few_runs")?;
            let message =
                "fewer than eight turns of the first cannot be compared with each other: give more max_time";
            warning.set_item("message", message)?;
            warnings.push(warning);
        }
        Ok(warnings)
    }

    fn comparison<'py>(&self, py: Python<'py>, found: &Comparison) -> PyResult<Bound<'py, PyDict>> {
        let names = self.outcome.names();
        let [name, first] = [found.variant, 0].map(|at| names.get(at).map_or("?", String::as_str));
        let row = PyDict::new(py);
        row.set_item("variant", name)?;
        row.set_item("verdict", found.verdict.word())?;
        row.set_item("sentence", found.sentence(name, first))?;
        row.set_item("metric", found.metric.word())?;
        row.set_item("effect", found.change.map(|change| change.effect))?;
        row.set_item("interval", found.change.map(|change| change.interval))?;
        row.set_item("pairs", found.n_pairs)?;
        row.set_item("null_control", found.null_control.map(|control| control.word()))?;
        row.set_item("smallest_detectable", found.smallest_detectable)?;
        Ok(row)
    }
}
