//! Functions of the program: each call of a Python function is a scope, or stacks are sampled from inside.
//!
//! There are three ways to hear of calls. `sys.monitoring` is the interpreter's own and safe beside anything else; it is
//! there since 3.12. Running frames ourselves is quicker, and what there is before. The profile function is slow and
//! always there. Whichever it is, a call is a [`calor::CallScope`] at the site of its code object: a function that is
//! already on the path is not put there again, generators and coroutines are open only while they run, and what does not
//! fit is counted.

mod callback;
mod codes;
mod eval_frame;
mod interpreter;
mod monitoring;
mod naming;
mod open_calls;
mod profile_function;
mod rows;
mod sampling;

use std::sync::atomic::Ordering::Relaxed;
use std::sync::{Mutex, MutexGuard, PoisonError};

use calor::model::{Profile, Warning};
use pyo3::prelude::*;

use crate::control::{Functions, Options};
use crate::notes::Note;
use crate::stack_room;
use eval_frame::EvalFrame;
pub(crate) use interpreter::symbol;
use monitoring::Monitoring;
use profile_function::ProfileFunction;
pub(crate) use rows::sample_rows;

/// What is on.
static TRACING: Mutex<Option<Tracing>> = Mutex::new(None);

#[derive(Debug)]
enum Tracing {
    Monitoring(Monitoring),
    EvalFrame(EvalFrame),
    ProfileFunction(ProfileFunction),
}

/// Begins to record; what cannot be had is told in notes.
pub(crate) fn enable(py: Python<'_>, options: &Options) -> PyResult<Vec<Note>> {
    match options.functions {
        Functions::Off => Ok(Vec::new()),
        // Starting waits for a thread that needs nothing of the interpreter's.
        Functions::Sample => Ok(py.detach(sampling::start).into_iter().collect()),
        Functions::Trace | Functions::Program | Functions::Eval => {
            naming::prepare(py, options.functions == Functions::Program)?;
            open_calls::next_turn();
            let is_quick_wanted = options.functions == Functions::Eval || !Monitoring::is_there(py);
            let mut notes = Vec::new();
            let tracing = start(py, is_quick_wanted, &mut notes)?;
            *lock() = tracing;
            Ok(notes)
        }
    }
}

/// Leaves everything as it was found.
pub(crate) fn disable(py: Python<'_>) -> PyResult<()> {
    py.detach(sampling::stop);
    let tracing = lock().take();
    let outcome = match &tracing {
        Some(Tracing::Monitoring(monitoring)) => monitoring.stop(py),
        Some(Tracing::ProfileFunction(function)) => function.stop(py),
        Some(Tracing::EvalFrame(eval_frame)) => {
            if !eval_frame.stop() {
                crate::notes::add(Note::new(
                    "functions_hidden",
                    "another tool began to run the frames of this interpreter while functions were traced, as \
                     torch.compile does: calls since then may be missing; functions=\"trace\" is safe beside it from \
                     Python 3.12 on",
                ));
            }
            Ok(())
        }
        None => Ok(()),
    };
    if tracing.is_some() {
        open_calls::next_turn();
        codes::forget();
    }
    outcome
}

/// Forgets what was sampled, and what was missed.
pub(crate) fn clear() {
    sampling::clear();
    stack_room::clear();
    open_calls::clear();
    crate::notes::remove("functions_hidden");
}

/// Adds what was sampled to a profile of scopes.
pub(crate) fn add_to(profile: &mut Profile) {
    sampling::add_to(profile);
}

/// Says what could not be recorded.
pub(crate) fn warn(profile: &mut Profile) {
    if let Some(note) = naming::note() {
        profile.warn(Warning { code: note.code.to_owned(), message: note.message, count: note.count });
    }
    if naming::is_of_all() && profile.warnings.iter().any(|warning| warning.code == "call_paths_over_limit") {
        profile.warn(Warning::new(
            "functions_of_libraries",
            "functions of the standard library and of packages take up call paths, and have no more than half of them, so \
             that those of the program have room: functions=\"program\" leaves them out, and so does turning profiling on \
             after the imports",
        ));
    }
    let n_refused = stack_room::TRACED.load(Relaxed);
    if n_refused > 0 {
        profile.warn(Warning::counted(
            "recursion_cut_short",
            "calls were refused with RecursionError because the machine's stack ended: the recursion limit was raised \
             after tracing began; raise it before, then a way of tracing is taken that needs no stack",
            n_refused,
        ));
    }
    let n_untraced = stack_room::UNTRACED.load(Relaxed);
    if n_untraced > 0 {
        profile.warn(Warning::counted(
            "deep_recursion_untraced",
            "deep calls, all that they called, and calls of other threads meanwhile, were not traced: the recursion limit was \
             raised above 3,000 after tracing began; raise it before, then a way of tracing is taken that needs no stack",
            n_untraced,
        ));
    }
    let n_refused = stack_room::DECORATED.load(Relaxed);
    if n_refused > 0 {
        profile.warn(Warning::counted(
            "decorated_recursion_cut_short",
            "calls of decorated functions were refused with RecursionError because the machine's stack ended: each of \
             them takes some of it; put @calor.profile on a function that calls the recursive one, or run it in a \
             thread with a larger stack (threading.stack_size)",
            n_refused,
        ));
    }
    let n_too_deep = open_calls::n_too_deep();
    if n_too_deep > 0 {
        profile.warn(Warning::counted(
            "calls_too_deep",
            "calls nested deeper than 65,536 are counted here only; their time is in the deepest one recorded",
            n_too_deep,
        ));
    }
}

/// The first way that is to be had. What was wanted and is not is told.
fn start(py: Python<'_>, is_quick_wanted: bool, notes: &mut Vec<Note>) -> PyResult<Option<Tracing>> {
    let mut reasons = Vec::new();
    if is_quick_wanted {
        match EvalFrame::start(py)? {
            Ok(eval_frame) => return Ok(Some(Tracing::EvalFrame(eval_frame))),
            Err(reason) => reasons.push(reason),
        }
    }
    if Monitoring::is_there(py) {
        if let Some(monitoring) = Monitoring::start(py)? {
            if let Some(reason) = reasons.first() {
                notes.push(fallback(&format!("sys.monitoring, at some 20 ns a call more, because {reason}")));
            }
            return Ok(Some(Tracing::Monitoring(monitoring)));
        }
        reasons.push("all numbers of sys.monitoring are taken by other tools".into());
    }
    match ProfileFunction::start(py)? {
        Ok(function) => {
            let reasons = reasons.join(", and ");
            notes.push(fallback(&format!(
                "the interpreter's profile function, which is slow, because {reasons}"
            )));
            Ok(Some(Tracing::ProfileFunction(function)))
        }
        Err(reason) => {
            reasons.push(reason.into());
            let reasons = reasons.join(", and ");
            notes.push(Note::new("functions_not_traced", format!("functions are not traced: {reasons}")));
            Ok(None)
        }
    }
}

fn fallback(how: &str) -> Note {
    Note::new("functions_fallback", format!("functions are traced by {how}"))
}

fn lock() -> MutexGuard<'static, Option<Tracing>> {
    TRACING.lock().unwrap_or_else(PoisonError::into_inner)
}
