//! What happened in a span of time.

use calor_model::{Profile, Warning};

use crate::{Error, native};

/// A span of time, in nanoseconds since 1970: from its beginning up to its end, which is not in it.
#[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash, Debug, Default)]
pub struct Window {
    /// When it begins.
    pub from_unix_nanos: u64,
    /// When it ends.
    pub until_unix_nanos: u64,
}

impl Window {
    /// From one time to another, which is not before it.
    #[must_use]
    pub fn new(from_unix_nanos: u64, until_unix_nanos: u64) -> Self {
        Self { from_unix_nanos, until_unix_nanos: until_unix_nanos.max(from_unix_nanos) }
    }

    /// How long it is.
    #[must_use]
    pub fn nanos(self) -> u64 {
        self.until_unix_nanos.saturating_sub(self.from_unix_nanos)
    }

    /// The shortest one with both in it.
    #[must_use]
    pub fn with(self, other: Self) -> Self {
        Self {
            from_unix_nanos: self.from_unix_nanos.min(other.from_unix_nanos),
            until_unix_nanos: self.until_unix_nanos.max(other.until_unix_nanos),
        }
    }
}

/// What happened in one window of time.
#[derive(Clone, Debug, Default)]
pub struct Part {
    /// When it happened.
    pub window: Window,
    /// What happened; merged with the other parts of its recording it gives the whole.
    pub profile: Profile,
}

impl Part {
    /// The part as a `.calor` file of its own, to be sent or kept.
    ///
    /// # Errors
    /// When it is too large for a file or has handles of another profile.
    pub fn to_file(&self) -> Result<Vec<u8>, Error> {
        let mut bytes = Vec::new();
        native::write(&self.profile, &mut bytes)?;
        Ok(bytes)
    }

    /// Takes the timeline out, and counts in a warning what was in it.
    pub fn drop_spans(&mut self, code: &str, message: &str) {
        let timeline = &mut self.profile.timeline;
        let dropped = timeline.n_spans() + timeline.links.len();
        if dropped > 0 {
            *timeline = Default::default();
            self.profile.warn(Warning::counted(code, message, dropped as u64));
        }
    }
}
