//! The classic object API, used the way its documentation shows it, and the ways it can be misused.

use std::sync::{Barrier, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::{Duration, Instant};

use calor::model::{FrameKind, HeapMode, Profile, ScopeStats};
use calor::{
    BottleneckAnalyzer, BottleneckKind, ComputeProfiler, Error, MemoryProfiler, ProfileGuard, Profiler,
    ReportFormat, Severity, Thresholds, TimelineProfiler, global_profiler, profile_scope,
};

mod basic_profiling;
mod bottlenecks;
mod compute;
mod global;
mod guards;
mod memory;
mod misuse;
mod reports;
mod threads;
mod timeline;

/// Holds off other tests that change what belongs to the whole process.
fn alone() -> MutexGuard<'static, ()> {
    static ALONE: Mutex<()> = Mutex::new(());
    ALONE.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Works for at least `time` by the clock on the wall.
fn spin(time: Duration) {
    let begin = Instant::now();
    while begin.elapsed() < time {
        std::hint::spin_loop();
    }
}

/// The statistics of a call path, given by names, in a profile.
fn scope<'p>(profile: &'p Profile, path: &[&str]) -> &'p ScopeStats {
    let mut rows = profile.scopes.iter().filter(|(key, _)| profile.path_names(key.stack) == path);
    let (_, stats) = rows.next().unwrap_or_else(|| panic!("no scope {path:?}"));
    assert!(rows.next().is_none(), "{path:?} is there twice");
    stats
}

fn warning(profile: &Profile, code: &str) -> Option<u64> {
    profile.warnings.iter().find(|warning| warning.code == code).and_then(|warning| warning.count)
}
