//! What scopes have GPUs do: each kernel and each copy, under the scope that launched it.
//!
//! ```no_run
//! calor::enable();
//! if let Err(error) = calor::gpu::start() {
//!     eprintln!("{error}");
//! }
//! {
//!     calor::scope!("forward");
//!     // ... launches kernels
//! }
//! // ... waits for the GPU, as a program does that reads its results
//! let profile = calor::snapshot();
//! println!("{} kernels", profile.gpu.kernels.len());
//! ```
//!
//! **You get** rows of kernels and copies in every snapshot and recording: how often, how long, how many bytes, on which device,
//! under which call path. A GPU works beside the program, so its time is no part of that of scopes, and what it has not done by
//! the time of the snapshot is not in it. **You bring** a program that uses CUDA, and CUPTI beside it, which NVIDIA ships with
//! CUDA and PyTorch brings along. Each launch then costs the program some microseconds more.
//!
//! **Not for** more than one profiler at a time: CUPTI serves one, so this does not start beside another, and nothing is
//! told while another has taken it over.

mod naming;
mod paths;

use std::path::PathBuf;
use std::sync::Once;

use calor_gpu::Origin;
use calor_gpu::session::{self, COPIES_BETWEEN, Hooks, Sums};
use calor_model::{Profile, Recorder, Warning};

use crate::own_memory::as_own;
use crate::recorder::{registry, state};
use crate::{fork, process};

pub use calor_gpu::session::GpuError;

/// The examples of the document are compiled as tests.
#[cfg(doctest)]
#[doc = include_str!("../../../../docs/gpu.md")]
struct Document;

/// Begins to record what scopes have GPUs do. It may be called again, and before or after the program uses a GPU first.
///
/// # Errors
/// When CUPTI is not there, does not fit, serves another profiler, or is not allowed.
pub fn start() -> Result<(), GpuError> {
    start_in(&[])
}

/// The same where CUPTI lies in one of these folders, or the program has loaded it.
///
/// # Errors
/// As for [`start`].
pub fn start_in(folders: &[PathBuf]) -> Result<(), GpuError> {
    fork::handle();
    as_own(|| session::start(folders, Hooks { origin, around }))?;
    end_before_cuda_does();
    Ok(())
}

/// When the program ends, what is done is fetched before CUDA is torn down: what is registered last runs first.
fn end_before_cuda_does() {
    static ONCE: Once = Once::new();
    extern "C" fn at_exit() {
        stop();
    }
    ONCE.call_once(|| process::at_exit(at_exit));
}

/// Ends it. What was recorded stays; what GPUs have not done yet is not recorded any more.
pub fn stop() {
    as_own(session::stop);
}

/// Whether it is on.
#[must_use]
pub fn is_on() -> bool {
    session::is_on()
}

/// Where this thread launches something.
fn origin() -> Origin {
    if !state::is_on() {
        return Origin::NotRecorded;
    }
    let node = registry::current().current_node().filter(|node| node.depth() > 0);
    node.map_or(Origin::Unknown, |node| paths::number(node).map_or(Origin::NoRoom, Origin::Known))
}

/// Records are taken in on a thread of the program.
fn around(work: &mut dyn FnMut()) {
    as_own(work);
}

/// Adds what GPUs did since the last reset.
pub(crate) fn add_to(profile: &mut Profile) {
    add(session::sums, profile);
}

/// Adds what they did since the part before.
pub(crate) fn add_news_to(part: &mut Profile) {
    add(session::news, part);
}

/// The profile is the program's, and what it is made of is not.
fn add(sums: fn() -> Sums, profile: &mut Profile) {
    let sums = as_own(sums);
    tell(&sums, profile);
    as_own(|| drop(sums));
}

/// There are no more parts; the next one tells everything since the last reset.
pub(crate) fn end_news() {
    session::end_news();
}

fn tell(sums: &Sums, profile: &mut Profile) {
    if sums.is_empty() {
        return;
    }
    naming::add(sums, profile);
    for run in &mut profile.runs {
        run.recorders.insert(Recorder::Gpu);
    }
    for (count, code, message) in [
        (
            sums.n_unplaced,
            "gpu_unplaced",
            "kernels and copies on GPUs were launched outside of all scopes, or so long ago that nobody knows where",
        ),
        (
            sums.n_over_limit,
            "gpu_over_limit",
            "kernels and copies on GPUs are in no row or have no place, because there were more than 65,536 rows or places, or 16,384 \
             names",
        ),
        (
            sums.n_lost,
            "gpu_lost",
            "records of GPUs were lost: CUPTI had no room for them, they have no times, or they could not be read",
        ),
        (
            sums.n_unfinished,
            "gpu_unfinished",
            "kernels and copies on GPUs were not done when recording them ended, and are in no row: wait for the GPU before profiling \
             ends",
        ),
        (
            sums.n_on_host,
            "gpu_copies_on_host",
            "copies inside of the host's memory were made through CUDA, which no GPU has a part in: they are in no row",
        ),
    ] {
        if count > 0 {
            profile.warn(Warning::counted(code, message, count));
        }
    }
    let mut refused = session::refused();
    // Of one device nothing is missing.
    refused.retain(|what| what != COPIES_BETWEEN || sums.devices().len() > 1);
    if let Some(first) = refused.first() {
        let message = format!(
            "CUPTI does not tell of {first}{}: kernels and copies that come of that are missing, or their place is",
            if refused.len() > 1 { format!(" and {} others", refused.len() - 1) } else { String::new() }
        );
        profile.warn(Warning::new("gpu_refused", message));
    }
}

/// Forgets what GPUs did.
pub(crate) fn reset() {
    session::reset();
}

/// In the child of a fork.
pub(crate) fn forget() {
    session::forget();
    paths::forget();
}
