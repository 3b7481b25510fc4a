//! The pprof format: not there yet.

use std::io::Write;

use calor_model::Profile;

use crate::opening::Opening;
use crate::{Error, Format, WriteOptions};

/// Whether an input is of this format.
pub(crate) fn detect(_: &Opening<'_>) -> bool {
    false
}

/// Reads a profile.
///
/// # Errors
/// Always: there is no reader yet.
pub fn read(_: &[u8]) -> Result<Profile, Error> {
    Err(Error::NotReadable { format: Format::Pprof })
}

/// Writes a profile.
///
/// # Errors
/// Always: there is no writer yet.
pub fn write(_: &Profile, _: &WriteOptions, _: impl Write) -> Result<(), Error> {
    Err(Error::NotWritable { format: Format::Pprof })
}
