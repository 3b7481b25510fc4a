//! Who holds memory at a moment, by file and line of Python, and what two moments differ in.

use std::sync::Arc;

use calor::model::{HeapMode, Profile, StackId};
use calor_analysis::{
    HeapChange, HeapGroup, HeapOrder, HeapPlaces, HeapSide, HeapTotals, ThreadChoice, heap_difference_by,
    heap_paths,
};
use calor_report::{HeapFormat, HeapOptions, HeapQuestion, render_heap, render_heap_difference};
use pyo3::exceptions::{PyRuntimeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyDict, PyList};

use crate::notes;

/// What is asked about a heap, in the words of the command.
const ORDERS: [(&str, HeapOrder, HeapQuestion); 4] = [
    ("live", HeapOrder::Live, HeapQuestion::Leaks),
    ("peak", HeapOrder::Peak, HeapQuestion::Peak),
    ("allocated", HeapOrder::Allocated, HeapQuestion::Allocated),
    ("temporary", HeapOrder::Temporary, HeapQuestion::Temporary),
];

/// Who held what at one moment, by file and line. Made by ``calor.heap_snapshot()``; it does not change.
///
/// >>> import calor
/// >>> calor.enable_profiling(numpy=False, torch=False, memory="exact")
/// >>> before = calor.heap_snapshot()
/// >>> kept = [bytes(1000) for _ in range(100)]
/// >>> sum(line["bytes"] for line in calor.heap_snapshot().since(before)) > 100_000
/// True
/// >>> calor.disable_profiling()
#[pyclass(module = "calor", frozen)]
pub(crate) struct HeapSnapshot {
    profile: Arc<Profile>,
    totals: HeapTotals,
}

#[pymethods]
impl HeapSnapshot {
    /// The heap as it is now.
    #[staticmethod]
    fn take(py: Python<'_>) -> PyResult<Self> {
        super::look(py);
        let taken = py.detach(|| {
            let mut profile = calor::heap::snapshot().ok()?;
            notes::add_to(&mut profile);
            let totals = HeapTotals::of(&profile, &ThreadChoice::All)?;
            Some(Self { profile: Arc::new(profile), totals })
        });
        taken.ok_or_else(|| {
            let outside = notes::all().into_iter().find(|(code, _)| code.starts_with("memory_"));
            PyRuntimeError::new_err(outside.map_or_else(
                || {
                    "memory was not recorded: call calor.enable_profiling(memory=True) before what is to be seen, or \
                     open calor.track_heap() around it"
                        .to_owned()
                },
                |(_, message)| message,
            ))
        })
    }

    /// Bytes that were held.
    #[getter]
    fn live_bytes(&self) -> u64 {
        self.held().0
    }

    /// Blocks that were held.
    #[getter]
    fn live_blocks(&self) -> u64 {
        self.held().1
    }

    /// The most bytes that were held until then.
    #[getter]
    fn peak_bytes(&self) -> u64 {
        self.profile.heap.summary.map_or(0, |summary| summary.peak_bytes)
    }

    /// Whether every block was counted; figures of lines are estimates otherwise.
    #[getter]
    fn is_exact(&self) -> bool {
        self.profile.heap.summary.is_some_and(|summary| summary.mode == HeapMode::Exact)
    }

    /// What could not be seen: pairs of a code and a sentence.
    #[getter]
    fn warnings(&self) -> Vec<(String, String)> {
        let told = |warning: &calor::model::Warning| (warning.code.clone(), warning.message.clone());
        self.profile.warnings.iter().map(told).collect()
    }

    /// Lines of Python by the memory they hold, the one with the most first.
    ///
    /// ``order`` is "live" for what was held then, "peak" for what was held when the heap was largest, "allocated" for
    /// all that was allocated, "temporary" for what was freed at once (of every block alone). Each row is a dict:
    /// ``file``, ``line``, ``function``, ``bytes``, ``blocks``, ``share``, and ``interval`` of the bytes where they are
    /// estimated.
    #[pyo3(signature = (order = "live", *, top = None))]
    fn lines<'py>(&self, py: Python<'py>, order: &str, top: Option<usize>) -> PyResult<Bound<'py, PyList>> {
        let (_, order, _) = of_word(order)?;
        let found = py.detach(|| {
            let places = HeapPlaces::new(&self.profile, HeapGroup::Line);
            heap_paths(&self.profile, &ThreadChoice::All, order, &places)
        });
        let all: u64 = found.iter().map(|path| order.blocks(&path.site).bytes).sum();
        let rows = PyList::empty(py);
        for path in found.iter().take(top.unwrap_or(usize::MAX)) {
            let blocks = order.blocks(&path.site);
            let row = place_of(py, &self.profile, path.stack)?;
            row.set_item("bytes", blocks.bytes)?;
            row.set_item("blocks", blocks.count)?;
            row.set_item("share", (all > 0).then(|| blocks.bytes as f64 / all as f64))?;
            row.set_item("interval", order.interval(&path.site))?;
            rows.append(row)?;
        }
        Ok(rows)
    }

    /// What lines hold more, and what less, than in an earlier snapshot: the largest difference first.
    ///
    /// Each row is a dict: ``file``, ``line``, ``function``, ``bytes`` and ``blocks`` (differences: more than 0 for more),
    /// ``before_bytes``, ``after_bytes``, ``interval`` of the difference where it is estimated, and ``is_certain``:
    /// whether it is a difference at all, with 95 % certainty.
    fn since<'py>(&self, py: Python<'py>, earlier: &Self) -> PyResult<Bound<'py, PyList>> {
        self.check_pair(earlier)?;
        let (before, after) = (&earlier.profile, &self.profile);
        let found = py.detach(|| heap_difference_by(live(before), live(after), HeapGroup::Line));
        let rows = PyList::empty(py);
        for change in &found.changes {
            rows.append(change_row(py, before, after, change)?)?;
        }
        Ok(rows)
    }

    /// Lines that may leak: those that hold more than in an earlier snapshot, for certain, in more blocks. What is loaded
    /// once and kept looks the same: take the first snapshot when the program has warmed up.
    fn leaks<'py>(&self, py: Python<'py>, earlier: &Self) -> PyResult<Bound<'py, PyList>> {
        self.check_pair(earlier)?;
        let (before, after) = (&earlier.profile, &self.profile);
        let found = py.detach(|| heap_difference_by(live(before), live(after), HeapGroup::Line));
        let rows = PyList::empty(py);
        let may_leak = |change: &&HeapChange| {
            change.delta_bytes() > 0 && change.after.count > change.before.count && is_certain(change)
        };
        for change in found.changes.iter().filter(may_leak) {
            rows.append(change_row(py, before, after, change)?)?;
        }
        Ok(rows)
    }

    /// A page about it, that of `calor heap`: "text", "markdown", "html" or "json".
    ///
    /// With ``since``, an earlier snapshot, about what the two differ in.
    #[pyo3(signature = (format = "text", *, order = None, since = None, top = None, width = 100))]
    fn report(
        &self,
        py: Python<'_>,
        format: &str,
        order: Option<&str>,
        since: Option<&Self>,
        top: Option<usize>,
        width: usize,
    ) -> PyResult<String> {
        let format = match format {
            "text" => HeapFormat::Text,
            "md" | "markdown" => HeapFormat::Markdown,
            "html" => HeapFormat::Html,
            "json" => HeapFormat::Json,
            other => {
                return Err(PyValueError::new_err(format!(
                    "there is no format {other:?}: it is 'text', 'markdown', 'html' or 'json'"
                )));
            }
        };
        let question = order.map(of_word).transpose()?.map_or(HeapQuestion::Overview, |order| order.2);
        let options = HeapOptions { format, question, top, width, ..HeapOptions::default() };
        if let Some(earlier) = since {
            self.check_pair(earlier)?;
        }
        py.detach(|| {
            let mut page = Vec::new();
            let outcome = match since {
                None => render_heap(&self.profile, &options, &mut page),
                Some(earlier) => {
                    let sides = (live(&earlier.profile), live(&self.profile));
                    render_heap_difference(sides.0, sides.1, "memory held", &options, &mut page)
                }
            };
            outcome.map_err(|error| PyValueError::new_err(error.to_string()))?;
            Ok(String::from_utf8_lossy(&page).into_owned())
        })
    }

    /// Keeps it in a `.calor` file, which `calor heap` reads.
    fn save(&self, py: Python<'_>, path: std::path::PathBuf) -> PyResult<()> {
        py.detach(|| calor::save(&self.profile, &path))
            .map_err(|error| pyo3::exceptions::PyOSError::new_err(error.to_string()))
    }

    fn __repr__(&self) -> String {
        let (bytes, blocks) = self.held();
        let how = if self.is_exact() { "" } else { "about " };
        format!("<calor.HeapSnapshot: {how}{bytes} bytes in {blocks} blocks>")
    }
}

impl HeapSnapshot {
    /// Bytes and blocks that were held.
    fn held(&self) -> (u64, u64) {
        (self.totals.sum.live_bytes(), self.totals.sum.live_count())
    }

    fn check_pair(&self, earlier: &Self) -> PyResult<()> {
        if self.is_exact() == earlier.is_exact() {
            return Ok(());
        }
        Err(PyValueError::new_err(
            "one snapshot counted every block and the other some: take both with memory=True, or both with memory='exact'",
        ))
    }
}

fn live(profile: &Profile) -> HeapSide<'_> {
    HeapSide::Run(profile, HeapOrder::Live)
}

fn of_word(word: &str) -> PyResult<(&'static str, HeapOrder, HeapQuestion)> {
    ORDERS.into_iter().find(|(known, _, _)| *known == word).ok_or_else(|| {
        PyValueError::new_err(format!(
            "there is no order {word:?}: it is 'live', 'peak', 'allocated' or 'temporary'"
        ))
    })
}

/// Whether two sides differ, with 95 % certainty.
fn is_certain(change: &HeapChange) -> bool {
    change.interval().is_none_or(|[low, high]| low > 0 || high < 0)
}

fn change_row<'py>(
    py: Python<'py>,
    before: &Profile,
    after: &Profile,
    change: &HeapChange,
) -> PyResult<Bound<'py, PyDict>> {
    let is_gone = change.moved == calor_analysis::HeapMove::Gone;
    let row = place_of(py, if is_gone { before } else { after }, change.stack)?;
    row.set_item("bytes", change.delta_bytes())?;
    row.set_item("blocks", i128::from(change.after.count) - i128::from(change.before.count))?;
    row.set_item("before_bytes", change.before.bytes)?;
    row.set_item("after_bytes", change.after.bytes)?;
    row.set_item("interval", change.interval())?;
    row.set_item("is_certain", is_certain(change))?;
    Ok(row)
}

/// File, line and function of a place.
fn place_of<'py>(py: Python<'py>, profile: &Profile, stack: StackId) -> PyResult<Bound<'py, PyDict>> {
    let frame = profile.frames.get(profile.stacks.get(stack).frame);
    let text = |id| profile.strings.get(id);
    let row = PyDict::new(py);
    row.set_item("file", frame.file.map(text).filter(|file| !file.is_empty()))?;
    row.set_item("line", frame.line)?;
    row.set_item("function", text(frame.name))?;
    Ok(row)
}
