//! The Calor SDK: see where the time of a Rust program goes, at about 22 ns a scope.
//!
//! ```
//! #[calor::profile]
//! fn step(batch: &[f32]) -> f32 {
//!     calor::scope!("sum");
//!     batch.iter().sum()
//! }
//!
//! calor::enable();
//! step(&[1.0, 2.0]);
//! let profile = calor::snapshot();
//! assert_eq!(profile.scopes.len(), 2);
//! ```
//!
//! **You get** exact count, total, self, min, max, standard deviation and percentiles for every call path, on
//! every thread; a timeline if asked for; async scopes with wall time, busy time and polls; recordings that
//! survive `SIGKILL`. **You bring** scopes: [`scope!`], [`open!`], [`context!`], `#[profile]`.
//!
//! **Promises to the program:** scopes never panic, wait or take a lock; memory is bounded (4,096 call paths a
//! thread, fixed rings), and what does not fit is counted and reported. While off, a scope costs one load.
//! Without the feature `record` there is nothing left: no code and no dependency.
//!
//! **Not for** signal handlers that interrupt the recorder itself (their scopes are kept, but may be folded
//! late), and not for holding a [`Scope`] across an `await`: the guard stays on its thread; use [`Scoped`].

mod clock;
mod macros;
mod process;
mod recorder;
mod recording;
mod site;

pub use calor_macros::{profile, skip};
pub use calor_model as model;
use calor_model::Profile;
pub use process::set_label;
pub use recorder::{InScope, Options, Scope, Scoped};
pub use recording::{
    Recorded, Recording, RecordingError, RecordingOptions, start_recording, stop_recording, try_start_recording,
};
pub use site::Site;

use recorder::{calibrate, registry, state};

/// Turns the recorder on.
pub fn enable() {
    state::turn_on();
    calibrate::measure();
}

/// Turns the recorder on with the given options, which hold until others are given.
pub fn enable_with(options: &Options) {
    state::configure(options);
    enable();
}

/// Turns the recorder off. Scopes that are open are still recorded when they close; what was recorded stays.
pub fn disable() {
    state::turn_off();
}

/// Whether the recorder is on.
#[must_use]
pub fn is_enabled() -> bool {
    state::is_on()
}

/// Forgets what was recorded. Scopes that are open now are not counted when they close. A recording to a
/// file keeps what it has written.
pub fn reset() {
    let _nobody_reads = registry::lock();
    state::reset();
    registry::clear_losses();
}

/// What was recorded so far, at any moment, while threads run. Scopes that are still open are in it with the
/// time they have been running for.
#[must_use]
pub fn snapshot() -> Profile {
    let mut profile = registry::lock().profile_with_running();
    profile.timeline.sort();
    let (late, stray) = registry::losses();
    process::warn_of_losses(&mut profile, late, stray);
    let mut run = process::run([model::Recorder::Scopes]);
    let calls: u64 = profile.scopes.iter().map(|(_, stats)| stats.calls).sum();
    run.cost.own_cpu_nanos =
        run.cost.per_scope_picos.map(|picos| (u128::from(calls) * u128::from(picos) / 1000) as u64);
    profile.runs.push(run);
    profile
}
