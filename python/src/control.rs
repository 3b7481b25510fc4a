//! On, off and clear: the recorder of the SDK, and the areas that feed it. An area is turned on once and off once however
//! often Python asks, and what one of them cannot do is a note and no error.

use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering::Relaxed};
use std::sync::{Mutex, MutexGuard, PoisonError};

use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use pyo3::sync::MutexExt;

use calor::model::Profile;

use crate::notes::{self, Note};
use crate::{functions, memory, numpy, recording, scope, torch, words};

/// How functions of the program are recorded.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Functions {
    /// Not at all.
    Off,
    /// Each call, in the way that is safest for this interpreter.
    Trace,
    /// The same, of functions that are neither of the standard library nor of an installed package.
    Program,
    /// Each call, in the quickest way.
    Eval,
    /// Stacks at intervals.
    Sample,
}

impl Functions {
    const WORDS: [(Self, &'static str); 5] = [
        (Self::Off, "off"),
        (Self::Trace, "trace"),
        (Self::Program, "program"),
        (Self::Eval, "eval"),
        (Self::Sample, "sample"),
    ];

    fn of_word(word: &str) -> Option<Self> {
        Self::WORDS.into_iter().find(|known| known.1 == word).map(|known| known.0)
    }

    fn word(self) -> &'static str {
        Self::WORDS.into_iter().find(|known| known.0 == self).map_or("off", |known| known.1)
    }
}

/// How much of PyTorch is recorded.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Torch {
    /// Nothing.
    Off,
    /// Operations by their names alone, which is quickest.
    Names,
    /// And what they work on.
    Operations,
    /// And modules around them.
    Modules,
}

impl Torch {
    const WORDS: [(Self, &'static str); 4] = [
        (Self::Off, "off"),
        (Self::Names, "names"),
        (Self::Operations, "operations"),
        (Self::Modules, "modules"),
    ];

    fn of_word(word: &str) -> Option<Self> {
        Self::WORDS.into_iter().find(|known| known.1 == word).map(|known| known.0)
    }

    pub(crate) fn word(self) -> &'static str {
        Self::WORDS.into_iter().find(|known| known.0 == self).map_or("off", |known| known.1)
    }
}

/// How what is allocated is recorded.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub(crate) enum Memory {
    /// Not at all.
    Off,
    /// Scopes have their sums, and one block for every 512 KiB its call path.
    Sampled,
    /// Every block has its call path.
    Exact,
}

impl Memory {
    const WORDS: [(Self, &'static str); 3] =
        [(Self::Off, "off"), (Self::Sampled, "sampled"), (Self::Exact, "exact")];

    fn of_word(word: &str) -> Option<Self> {
        Self::WORDS.into_iter().find(|known| known.1 == word).map(|known| known.0)
    }

    fn word(self) -> &'static str {
        Self::WORDS.into_iter().find(|known| known.0 == self).map_or("off", |known| known.1)
    }
}

/// What is recorded.
#[derive(Clone, PartialEq, Eq, Debug)]
pub(crate) struct Options {
    pub(crate) numpy: bool,
    pub(crate) torch: Torch,
    pub(crate) functions: Functions,
    pub(crate) memory: Memory,
    /// Every call is counted and one in so many is timed.
    pub(crate) sample_every: Option<u32>,
}

impl Default for Options {
    fn default() -> Self {
        Self {
            numpy: true,
            torch: Torch::Operations,
            functions: Functions::Off,
            memory: Memory::Off,
            sample_every: None,
        }
    }
}

/// What is recorded now.
static CURRENT: Mutex<Option<Options>> = Mutex::new(None);

/// Whether somebody turned the recorder on, and not only a block.
static IS_ON: AtomicBool = AtomicBool::new(false);
/// Blocks of `ProfileContext` that are open.
static BLOCKS: AtomicUsize = AtomicUsize::new(0);

/// Turns the recorder and its areas on; `calor.enable_profiling` checks what it is given.
#[pyfunction]
pub(crate) fn enable(
    py: Python<'_>,
    numpy: bool,
    torch: &str,
    functions: &str,
    memory: &str,
    sample_every: Option<u32>,
) -> PyResult<()> {
    let functions = Functions::of_word(functions)
        .ok_or_else(|| PyValueError::new_err(format!("there is no way {functions:?} to record functions")))?;
    let torch = Torch::of_word(torch)
        .ok_or_else(|| PyValueError::new_err(format!("there is no way {torch:?} to record PyTorch")))?;
    let memory = Memory::of_word(memory)
        .ok_or_else(|| PyValueError::new_err(format!("there is no way {memory:?} to record memory")))?;
    // Before anything is recorded: with the first scope it would seem to be the program that imports it.
    scope::load_rest(py)?;
    turn_on(py, Options { numpy, torch, functions, memory, sample_every })?;
    IS_ON.store(true, Relaxed);
    Ok(())
}

fn turn_on(py: Python<'_>, options: Options) -> PyResult<()> {
    let mut current = lock(py);
    if current.as_ref() == Some(&options) && calor::is_enabled() {
        memory::refresh();
        return Ok(());
    }
    if let Some(earlier) = current.take() {
        disable_areas(py, &earlier)?;
    }
    let was_on = calor::is_enabled();
    let one_in = options.sample_every.unwrap_or(1);
    calor::enable_with(&calor::Options::new().time_one_in(one_in).timeline(recording::has_timeline()));
    scope::follow_recorder(py);
    *current = Some(options.clone());
    for note in enable_areas(py, &options)? {
        notes::add(note);
    }
    if !was_on {
        calor::leave_out_since_enabled();
    }
    Ok(())
}

/// Turns the areas and the recorder off. What was recorded stays.
#[pyfunction]
pub(crate) fn disable(py: Python<'_>) -> PyResult<()> {
    let mut current = lock(py);
    let outcome = current.take().map_or(Ok(()), |earlier| disable_areas(py, &earlier));
    IS_ON.store(false, Relaxed);
    calor::disable();
    scope::follow_recorder(py);
    outcome
}

/// A `ProfileContext` begins: where the recorder is off, it is on for the block.
pub(crate) fn begin_block(py: Python<'_>) {
    if BLOCKS.fetch_add(1, Relaxed) == 0 && !IS_ON.load(Relaxed) {
        let is_set_up = lock(py).is_some();
        let outcome = if is_set_up { Ok(()) } else { turn_on(py, Options::default()) };
        // The block runs all the same.
        if let Err(error) = outcome {
            notes::add(Note::new("operations_not_recorded", format!("operations are not recorded: {error}")));
        }
        calor::enable();
        torch::resume_gpu(py);
        scope::follow_recorder(py);
    }
}

/// A `ProfileContext` ends. What records operations stays in place for the next one, and asks the recorder whether it is on; that
/// of GPUs would cost time with each launch, and ends.
pub(crate) fn end_block(py: Python<'_>) {
    if BLOCKS.fetch_sub(1, Relaxed) == 1 && !IS_ON.load(Relaxed) {
        calor::disable();
        torch::pause_gpu(py);
        scope::follow_recorder(py);
    }
}

/// Forgets what was recorded.
#[pyfunction]
pub(crate) fn clear(py: Python<'_>) {
    py.detach(|| {
        calor::reset();
        functions::clear();
        torch::clear();
    });
    numpy::forget_variants();
    // What is on goes on without what its notes tell of; what was on before tells nothing of what comes.
    if lock(py).is_none() {
        notes::clear();
    }
}

/// Whether scopes are recorded.
#[pyfunction]
pub(crate) fn is_enabled() -> bool {
    calor::is_enabled()
}

/// Whether somebody turned profiling on, and not only a block or a recording.
#[pyfunction]
pub(crate) fn is_set_up() -> bool {
    IS_ON.load(Relaxed)
}

/// What is recorded, in the words of `enable`.
type Told = (bool, &'static str, &'static str, &'static str, Option<u32>);

/// What is recorded now, as `enable` takes it; None while profiling is off.
#[pyfunction]
pub(crate) fn options(py: Python<'_>) -> Option<Told> {
    let current = lock(py);
    let options = current.as_ref().filter(|_| IS_ON.load(Relaxed))?;
    let Options { numpy, torch, functions, memory, sample_every } = *options;
    Some((numpy, torch.word(), functions.word(), memory.word(), sample_every))
}

/// Code and message of everything that could not be recorded as asked.
#[pyfunction]
pub(crate) fn warnings() -> Vec<(&'static str, String)> {
    notes::all()
}

/// What was recorded so far, with notes as warnings. The interpreter need not wait for it: `py.detach(control::snapshot)`.
pub(crate) fn snapshot() -> Profile {
    let mut profile = calor::snapshot();
    memory::add_to(&mut profile);
    functions::add_to(&mut profile);
    let has_scopes = !profile.scopes.is_empty();
    if has_scopes {
        numpy::add_to(&mut profile);
    }
    warn(&mut profile, has_scopes);
    words::translate(&mut profile.warnings);
    profile
}

/// Says what could not be recorded as asked. What was cleared, so that there are no scopes, has nothing to tell of.
pub(crate) fn warn(profile: &mut Profile, has_scopes: bool) {
    functions::warn(profile);
    notes::add_to(profile);
    if has_scopes {
        numpy::warn(profile);
        torch::warn(profile);
    }
}

/// Waits without the interpreter: whoever has the lock may need it.
fn lock(py: Python<'_>) -> MutexGuard<'static, Option<Options>> {
    CURRENT.lock_py_attached(py).unwrap_or_else(PoisonError::into_inner)
}

fn enable_areas(py: Python<'_>, options: &Options) -> PyResult<Vec<Note>> {
    let mut found = Vec::new();
    if options.numpy {
        found.extend(numpy::enable(py, options)?);
    }
    if options.torch != Torch::Off {
        found.extend(torch::enable(py, options)?);
    }
    if options.functions != Functions::Off {
        found.extend(functions::enable(py, options)?);
    }
    found.extend(memory::enable(py, options)?);
    Ok(found)
}

/// In the order opposite to that of enabling; one that fails does not keep the others on.
fn disable_areas(py: Python<'_>, options: &Options) -> PyResult<()> {
    let mut outcome = Ok(());
    if options.memory != Memory::Off {
        outcome = outcome.and(memory::disable(py));
    }
    if options.functions != Functions::Off {
        outcome = outcome.and(functions::disable(py));
    }
    if options.torch != Torch::Off {
        outcome = outcome.and(torch::disable(py));
    }
    if options.numpy {
        outcome = outcome.and(numpy::disable(py));
    }
    outcome
}
