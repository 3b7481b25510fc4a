//! `calor.compare`: runs before and after, by the engine of `calor compare`.

use calor_analysis::comparison::{CompareBy, CompareMetric, ComparedRun, ComparisonOptions};
use calor_report::{CompareFormat, CompareOptions, render_compared};
use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;

use super::{Snapshot, failed, refused};
use calor::model::Warning;

/// What a comparison came to; it prints as a page. Made by ``calor.compare(before, after)``.
///
/// >>> import calor
/// >>> calor.enable_profiling()
/// >>> with calor.scope("work"):
/// ...     total = sum(range(1000))
/// >>> found = calor.compare(calor.snapshot("before"), calor.snapshot("after"))
/// >>> found.metric, found.verdict != "regressed", found.report("markdown")[:1]
/// ('scopes', True, '#')
/// >>> calor.disable_profiling()
#[pyclass(module = "calor", frozen)]
pub(crate) struct Comparison {
    inner: calor_analysis::comparison::Comparison,
}

/// Compares runs of two sides; `calor.compare` turns what it is given into snapshots.
#[pyfunction]
#[pyo3(signature = (before, after, *, metric, margin, by, is_interleaved, is_same))]
#[expect(clippy::too_many_arguments, reason = "one call from Python, where all of them have names")]
pub(crate) fn compare(
    py: Python<'_>,
    before: Vec<Bound<'_, Snapshot>>,
    after: Vec<Bound<'_, Snapshot>>,
    metric: Option<&str>,
    margin: f64,
    by: &str,
    is_interleaved: bool,
    is_same: bool,
) -> PyResult<Comparison> {
    let parse = |text: &str| text.parse::<CompareMetric>().unwrap_or_else(|never| match never {});
    let mut options = ComparisonOptions {
        metric: metric.map(parse),
        margin: Some(margin),
        by: if by == "total" { CompareBy::Total } else { CompareBy::Own },
        is_interleaved,
        ..ComparisonOptions::default()
    };
    if is_same {
        let message = "the same profile is on both sides: it is compared with itself";
        options.remarks.push(Warning::new("same_run", message));
    }
    let runs = |side: &[Bound<'_, Snapshot>]| -> Vec<ComparedRun> {
        let run = |one: &Bound<'_, Snapshot>| {
            let one = one.get();
            ComparedRun::new(one.name.clone(), (*one.profile).clone())
        };
        side.iter().map(run).collect()
    };
    let (before, after) = (runs(&before), runs(&after));
    let compared = py.detach(|| calor_analysis::comparison::Comparison::new(&before, &after, &options));
    Ok(Comparison { inner: compared.map_err(|error| refused(&error))? })
}

impl Comparison {
    fn rendered(&self, format: CompareFormat, width: usize, color: bool) -> PyResult<String> {
        let options = CompareOptions { format, width, color, ..CompareOptions::default() };
        let mut page = Vec::new();
        render_compared(&self.inner, &options, &mut page).map_err(|error| failed(&error))?;
        Ok(String::from_utf8_lossy(&page).into_owned())
    }
}

#[pymethods]
impl Comparison {
    /// What the second side came to against the first: "regressed", "improved", "same" or "undecided".
    #[getter]
    fn verdict(&self) -> &str {
        self.inner.difference.verdict.word()
    }

    /// By how much it differs: 0.05 is 5 % more; None where that cannot be told.
    #[getter]
    fn effect(&self) -> Option<f64> {
        self.inner.effect()
    }

    /// Where that truly lies, in 95 of 100 such comparisons: (low, high), or None.
    #[getter]
    fn interval(&self) -> Option<(f64, f64)> {
        self.inner.difference.change.map(|change| change.interval.into())
    }

    /// What was compared, such as "scopes".
    #[getter]
    fn metric(&self) -> &str {
        self.inner.metric.word()
    }

    /// The same in a sentence.
    #[getter]
    fn sentence(&self) -> String {
        self.inner.headline()
    }

    /// The fields of `calor compare --format json`.
    fn to_dict<'py>(&self, py: Python<'py>) -> PyResult<Bound<'py, PyAny>> {
        let page = self.rendered(CompareFormat::Json, 100, false)?;
        py.import("json")?.call_method1("loads", (page,))
    }

    /// A page about it: "text", "markdown", "html" or "json".
    #[pyo3(signature = (format = "text", *, width = 100, color = false))]
    fn report(&self, format: &str, width: usize, color: bool) -> PyResult<String> {
        let format = match format {
            "text" => CompareFormat::Text,
            "md" | "markdown" => CompareFormat::Markdown,
            "html" => CompareFormat::Html,
            "json" => CompareFormat::Json,
            other => {
                return Err(PyValueError::new_err(format!(
                    "there is no format {other:?}: it is 'text', 'markdown', 'html' or 'json'"
                )));
            }
        };
        self.rendered(format, width, color)
    }

    fn __str__(&self) -> PyResult<String> {
        self.rendered(CompareFormat::Text, 100, false)
    }

    fn __repr__(&self) -> String {
        format!("<calor.Comparison: {}>", self.inner.headline())
    }
}
