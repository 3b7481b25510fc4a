//! Profiles by time: what services report part by part, kept as blocks and asked for by filter and range.
//!
//! A [`Series`] is one stream of parts: of a service, of one kind, with labels such as host and process. A *block* is what one
//! series has in one [`Window`]: first a part as it was appended, later, when its hour is sealed, all parts of the hour in one. Its
//! bytes are a `.calor` file either way.

mod appending;
mod expiry;
mod reading;
mod sealing;
mod series;
mod sink;

use calor_formats::parts::Window;
use calor_model::Profile;

use crate::{Encoded, Error, Store, SumKind};

pub use expiry::{Expired, Limits};
pub use sealing::Sealed;
pub use series::{KeptSeries, Series, SeriesFilter};
pub use sink::BlockSink;

/// Blocks are sealed by hours since 1970, and no part is longer than one.
pub(crate) const HOUR_NANOS: u64 = 3_600_000_000_000;

/// Where profiles are kept by series and time.
///
/// What every implementation promises, and its tests hold it to:
///
/// - What [`append`](Self::append) returned for is on the disk: whatever ends the process or the machine, it is found afterwards,
///   and once.
/// - Appending the same bytes again for the same series and window changes nothing, also after they were sealed. So whoever is not
///   sure whether a part arrived sends it again.
/// - [`seal`](Self::seal) changes how blocks lie, never what they add up to: a reader sees an hour before or after, not between.
/// - [`Limits`] hold whenever a call has returned: room is made before a part is written, the oldest blocks go first.
/// - Several processes may append, read, seal and expire at once.
pub trait Blocks {
    /// Keeps a part of a series, within limits.
    ///
    /// # Errors
    /// When the part is longer than an hour or larger than the limits allow for all, or cannot be written; nothing has changed then.
    fn append(
        &mut self,
        series: &Series,
        window: Window,
        part: &Encoded,
        limits: &Limits,
    ) -> Result<Appended, Error>;

    /// The series of a filter that have blocks, by service, kind and labels.
    ///
    /// # Errors
    /// When the store cannot be read.
    fn series(&self, filter: &SeriesFilter) -> Result<Vec<KeptSeries>, Error>;

    /// The sum of all blocks of a filter that overlap a range. Blocks are never cut: the answer says which window it is of.
    ///
    /// # Errors
    /// When the store cannot be read. A block that is damaged is left out, and the profile has a warning.
    fn merged(&self, filter: &SeriesFilter, range: Window) -> Result<Merged, Error>;

    /// What the series of a filter took in a range, step by step. A part counts for the step in which it begins. Steps begin at
    /// whole multiples of their length since 1970, so that those of a moving range stay the same; sealing does not coarsen them.
    ///
    /// # Errors
    /// When the store cannot be read.
    fn sums_by_step(
        &self,
        filter: &SeriesFilter,
        kind: SumKind,
        range: Window,
        step_nanos: u64,
    ) -> Result<Vec<SeriesSums>, Error>;

    /// Makes one block of all blocks of each hour that ended by a time, where there are several. Parts that come later for such an
    /// hour are kept, and sealed into it the next time.
    ///
    /// # Errors
    /// When the store cannot be read or written. Hours that were sealed before that stay so.
    fn seal(&mut self, until_unix_nanos: u64) -> Result<Sealed, Error>;

    /// Removes what is beyond limits, and gives its room back to the disk.
    ///
    /// # Errors
    /// When the store cannot be written.
    fn expire(&mut self, limits: &Limits) -> Result<Expired, Error>;
}

/// What became of a part.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub enum Appended {
    /// It is kept from now on.
    Kept,
    /// It was there before.
    Known,
    /// It ended before what the limits keep.
    TooOld,
}

/// A sum of blocks.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct Merged {
    /// The sum.
    pub profile: Profile,
    /// What the blocks cover, which may be more than was asked for; `None` where there is no block.
    pub window: Option<Window>,
    /// How many blocks it is of.
    pub n_blocks: usize,
}

/// What one series took, step by step.
#[derive(Clone, PartialEq, Eq, Debug)]
pub struct SeriesSums {
    /// The series.
    pub series: Series,
    /// In the order of time; steps of which nothing is known are left out.
    pub steps: Vec<StepSum>,
}

/// What a series took in one step.
#[derive(Clone, Copy, PartialEq, Eq, Debug)]
pub struct StepSum {
    /// When the step begins, in nanoseconds since 1970.
    pub from_unix_nanos: u64,
    /// What it took: nanoseconds, or bytes.
    pub value: u64,
    /// How long the parts are that this is of: a share is of this and not of the step, of which the first and the last are cut off.
    pub measured_nanos: u64,
}

impl Blocks for Store {
    fn append(
        &mut self,
        series: &Series,
        window: Window,
        part: &Encoded,
        limits: &Limits,
    ) -> Result<Appended, Error> {
        self.append_part(series, window, part, limits)
    }

    fn series(&self, filter: &SeriesFilter) -> Result<Vec<KeptSeries>, Error> {
        self.kept_series(filter)
    }

    fn merged(&self, filter: &SeriesFilter, range: Window) -> Result<Merged, Error> {
        self.merged_blocks(filter, range)
    }

    fn sums_by_step(
        &self,
        filter: &SeriesFilter,
        kind: SumKind,
        range: Window,
        step_nanos: u64,
    ) -> Result<Vec<SeriesSums>, Error> {
        self.sums_of_parts(filter, kind, range, step_nanos)
    }

    fn seal(&mut self, until_unix_nanos: u64) -> Result<Sealed, Error> {
        self.seal_hours(until_unix_nanos)
    }

    fn expire(&mut self, limits: &Limits) -> Result<Expired, Error> {
        self.expire_blocks(limits)
    }
}
