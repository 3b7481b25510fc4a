//! The profiler of the whole process, for programs that do not want to hand one around. What it recorded is
//! also part of [`snapshot`](crate::snapshot).

use std::sync::OnceLock;
use std::time::Duration;

use calor_model::{Profile, Recorder, Warning};

use super::outcome::Outcome;
use super::profiler::Profiler;

static GLOBAL: OnceLock<Profiler> = OnceLock::new();

/// The profiler of the whole process, made by the first call.
pub fn global_profiler() -> &'static Profiler {
    GLOBAL.get_or_init(Profiler::new)
}

/// Starts an operation with the [`global_profiler`].
pub fn start(name: &str) {
    global_profiler().start(name);
}

/// Stops an operation of the [`global_profiler`]; see [`Profiler::stop`].
pub fn stop(name: &str) -> Outcome<Duration> {
    global_profiler().stop(name)
}

/// Tells the [`global_profiler`] of an allocation.
pub fn record_alloc(name: &str, bytes: usize) {
    global_profiler().record_alloc(name, bytes);
}

/// Tells the [`global_profiler`] of a free; see [`Profiler::record_free`].
pub fn record_free(name: &str, bytes: usize) -> Outcome<()> {
    global_profiler().record_free(name, bytes)
}

/// Adds what the global profiler recorded to a profile of this process.
pub(crate) fn add_global_to(profile: &mut Profile) {
    let Some(global) = GLOBAL.get() else { return };
    let mut part = Profile::default();
    global.compute().add_to(&mut part);
    if profile.heap.summary.is_none() {
        let has_heap = global.memory().add_to(&mut part);
        let recorders = profile.runs.iter_mut().map(|run| &mut run.recorders);
        recorders.filter(|_| has_heap).for_each(|recorders| {
            recorders.insert(Recorder::Heap);
        });
    } else if global.peak_memory() > 0 {
        // Told and seen would count the same memory twice.
        let message = "allocations told by record_alloc are not in this profile, because the heap itself was watched; \
                       see global_profiler().summary()";
        part.warn(Warning::new("told_memory_left_out", message));
    }
    profile.merge(&part);
}

/// Forgets what the global profiler recorded.
pub(crate) fn reset_global() {
    if let Some(global) = GLOBAL.get() {
        global.reset();
    }
}
