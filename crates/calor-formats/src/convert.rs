//! The two doors of the crate: bytes of any format to a profile, and a profile to bytes of any format.

use std::io::Write;

use calor_model::{Profile, Warning};

use crate::{Error, Format, Metric, compressed, detect, encoding};

/// Reads a profile of whichever format the bytes are of, gzip around it or not.
///
/// # Errors
/// When the format is not known, newer than this crate, or the content makes no sense.
pub fn read(bytes: &[u8]) -> Result<Profile, Error> {
    match Format::detect(bytes) {
        Some(format) => read_as(bytes, format),
        None => Err(Error::UnknownFormat { found: detect::looks_like(bytes) }),
    }
}

/// Reads a profile of a format that is known, gzip around it or not.
///
/// # Errors
/// When the format cannot be read, or the content makes no sense.
pub fn read_as(bytes: &[u8], format: Format) -> Result<Profile, Error> {
    let unpacked = compressed::unpack(bytes)?;
    let text = encoding::utf8(&unpacked.bytes);
    let mut profile = match format {
        #[cfg(feature = "native")]
        Format::Native => crate::embedded::unwrapped(&text).and_then(|file| crate::native::read(&file)),
        #[cfg(feature = "pprof")]
        Format::Pprof => crate::pprof::read(&text),
        #[cfg(feature = "folded")]
        Format::Folded => crate::folded::read(&text),
        #[cfg(feature = "speedscope")]
        Format::Speedscope => crate::speedscope::read(&text),
        #[cfg(feature = "perf-script")]
        Format::PerfScript => crate::perf_script::read(&text),
        #[cfg(feature = "json")]
        Format::Json => crate::report::read(&text),
        #[cfg(feature = "chrome")]
        Format::Chrome => crate::chrome::read(&text),
        #[cfg(feature = "firefox")]
        Format::Firefox => crate::firefox::read(&text),
        _ => Err(Error::NotReadable { format }),
    }?;
    if unpacked.is_cut {
        let message = "the compressed file ends too early, so all figures miss what came after; copy or \
                       download it again";
        profile.warn(Warning::new("file_truncated", message));
    }
    Ok(profile)
}

/// What shall be written of a profile.
#[derive(Clone, Copy, PartialEq, Eq, Debug, Default)]
#[non_exhaustive]
pub struct WriteOptions {
    /// The number that a format with one number for each call path is filled with; `None` for
    /// [`Metric::default_for`]. Formats that hold several write all there are, unless one is asked for.
    pub metric: Option<Metric>,
}

impl WriteOptions {
    /// Options that ask for one metric.
    #[must_use]
    pub fn with_metric(metric: Metric) -> Self {
        Self { metric: Some(metric) }
    }
}

/// Writes a profile in a format.
///
/// # Errors
/// When the format cannot be written, the profile has nothing of what was asked for, or `out` cannot be
/// written to.
pub fn write(
    profile: &Profile,
    format: Format,
    options: &WriteOptions,
    out: impl Write,
) -> Result<(), Error> {
    match format {
        #[cfg(feature = "native")]
        Format::Native => crate::native::write(profile, out),
        #[cfg(feature = "pprof")]
        Format::Pprof => crate::pprof::write(profile, options, out),
        #[cfg(feature = "folded")]
        Format::Folded => crate::folded::write(profile, options, out),
        #[cfg(feature = "speedscope")]
        Format::Speedscope => crate::speedscope::write(profile, options, out),
        #[cfg(feature = "csv")]
        Format::Csv => crate::csv::write(profile, out),
        #[cfg(feature = "chrome")]
        Format::Chrome => crate::chrome::write(profile, options, out),
        #[cfg(feature = "firefox")]
        Format::Firefox => crate::firefox::write(profile, options, out),
        _ => {
            let _ = (profile, options, out);
            Err(Error::NotWritable { format })
        }
    }
}
