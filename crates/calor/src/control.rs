//! On, off, reset, and a look at any moment.

use calor_model::{Profile, Recorder, Warning};

use crate::own_memory::as_own;
use crate::recorder::{Options, calibrate, registry, state};
use crate::{causal, process, time_on};

/// Turns the recorder on.
pub fn enable() {
    as_own(|| {
        state::turn_on();
        calibrate::measure();
        causal::handover::begin();
    });
}

/// Turns the recorder on with the given options, which hold until others are given.
pub fn enable_with(options: &Options) {
    state::configure(options);
    enable();
}

/// Tells that what was done since the recorder was turned on was to set up others that feed it, and is no part of the run.
#[doc(hidden)]
pub fn leave_out_since_enabled() {
    time_on::leave_out_since_turned_on();
}

/// Turns the recorder off. Scopes that are open are still recorded when they close; what was recorded stays.
pub fn disable() {
    state::turn_off();
}

/// Whether the recorder is on.
#[must_use]
#[inline]
pub fn is_enabled() -> bool {
    state::is_on()
}

/// Forgets what was recorded. Scopes that are open now are not counted when they close. A recording to a
/// file keeps what it has written.
pub fn reset() {
    let nobody_reads = registry::lock();
    state::reset();
    registry::clear_losses();
    drop(nobody_reads);
    crate::gpu::reset();
    #[cfg(feature = "told-heap")]
    crate::heap::told::reset();
    #[cfg(feature = "report")]
    crate::classic::reset_global();
}

/// What was recorded so far, at any moment, while threads run. Scopes that are still open are in it with the
/// time they have been running for.
#[must_use]
pub fn snapshot() -> Profile {
    as_own(|| registry::lock().collect_ended());
    let mut profile = registry::lock().profile_with_running();
    profile.timeline.sort();
    process::warn_of_losses(&mut profile, registry::Losses::so_far());
    process::warn_of_clock(&mut profile);
    process::warn_of_experiments(&mut profile);
    let mut run = process::run([Recorder::Scopes]);
    run.cost.own_cpu_nanos = process::cost_of_scopes(&profile);
    // When scopes ran is told by a clock that goes on while the recorder is off.
    if !state::keeps_timeline() {
        time_on::tell(&mut run, &profile);
    }
    if !state::was_ever_on() {
        (run.duration_nanos, run.cpu_nanos) = (0, None);
        profile.warn(Warning::new(
            "never_enabled",
            "nothing was recorded because the recorder was never on: call calor::enable() or \
             calor::start_recording(..) before the scopes run",
        ));
    }
    profile.runs.push(run);
    crate::gpu::add_to(&mut profile);
    #[cfg(feature = "report")]
    crate::classic::add_global_to(&mut profile);
    profile
}
