//! Work of a known length, which can really be made shorter: that is the truth that experiments are measured by.

use std::time::{Duration, Instant};

use calor::{Scope, Site};

/// The timer wakes a thread this much later than it was asked to; the rest is waited for awake.
const SLACK: Duration = Duration::from_micros(150);

/// How a program works: as it is, or with one scope so many times as fast.
#[derive(Clone, Copy, Debug, Default)]
pub(crate) struct Work {
    pub(crate) faster: Option<(&'static str, f64)>,
}

impl Work {
    /// Works in a scope for so many milliseconds. It sleeps for most of them, so that programs of many threads are what
    /// they are on a machine of few cores, too.
    pub(crate) fn scope(self, name: &'static str, millis: f64) {
        let _scope = Scope::enter(Site::named(name));
        self.within(name, millis);
    }

    /// The same inside of a scope that is open.
    pub(crate) fn within(self, name: &'static str, millis: f64) {
        let factor = self.faster.filter(|(scope, _)| *scope == name).map_or(1.0, |(_, factor)| factor);
        let end = Instant::now() + Duration::from_secs_f64(millis / 1e3 / factor);
        std::thread::sleep(end.saturating_duration_since(Instant::now()).saturating_sub(SLACK));
        while Instant::now() < end {
            std::hint::spin_loop();
        }
    }
}
