//! Sampling from inside: the sampler of the SDK looks at all threads of this process at intervals, Python's functions and
//! native ones together. Its samples join what scopes recorded.

use std::sync::{Mutex, MutexGuard, PoisonError};

use calor::model::Profile;
use calor::sampling::{Sampling, SamplingError, SamplingOptions, Source};

use crate::notes::Note;

/// Samples a second of a busy thread.
const RATE: u32 = 999;

static STATE: Mutex<State> = Mutex::new(State { under_way: None, earlier: None });

struct State {
    under_way: Option<Sampling>,
    /// What was sampled before it was last stopped.
    earlier: Option<Profile>,
}

/// Begins. What stands in the way, or makes it coarse, is told in a note.
pub(super) fn start() -> Option<Note> {
    let mut state = lock();
    if state.under_way.is_some() {
        return None;
    }
    match begin() {
        Ok(sampling) => {
            let is_coarse = sampling.progress().is_some_and(|progress| progress.source == Source::Timers);
            state.under_way = Some(sampling);
            is_coarse.then(|| {
                Note::new(
                    "functions_sampled_by_timers",
                    "the system refuses perf events, so only native functions are sampled, by timers: allow perf events \
                     (sysctl kernel.perf_event_paranoid=2, in a container the capability PERFMON or a seccomp profile \
                     that lets perf_event_open pass), or use functions=\"trace\", which needs no permission",
                )
            })
        }
        Err(error) => Some(Note::new(
            "functions_not_sampled",
            format!("functions are not sampled: {error}; functions=\"trace\" needs no permission"),
        )),
    }
}

fn begin() -> Result<Sampling, SamplingError> {
    calor::sampling::start_with(&SamplingOptions::new().rate(RATE).python(true))
}

/// Ends. What was sampled stays.
pub(super) fn stop() {
    let mut state = lock();
    if let Some(sampling) = state.under_way.take() {
        let sampled = sampling.stop();
        match &mut state.earlier {
            Some(earlier) => earlier.merge(&sampled),
            none => *none = Some(sampled),
        }
    }
}

/// Forgets what was sampled; sampling goes on if it was on.
pub(super) fn clear() {
    let mut state = lock();
    state.earlier = None;
    if state.under_way.take().is_some() {
        state.under_way = begin().ok();
    }
}

/// Adds what was sampled so far to a profile.
pub(super) fn add_to(profile: &mut Profile) {
    let state = lock();
    let now = state.under_way.as_ref().map(Sampling::snapshot);
    for sampled in state.earlier.iter().chain(&now) {
        profile.merge(sampled);
    }
}

fn lock() -> MutexGuard<'static, State> {
    STATE.lock().unwrap_or_else(PoisonError::into_inner)
}
