//! Profiles from bytes of any format. What is read has a bound: a device or a pipe may never end.

use std::fs::File;
use std::io::Read;
use std::path::Path;
use std::sync::atomic::AtomicUsize;
use std::sync::atomic::Ordering::Relaxed;

use calor_analysis::quantity;
use calor_formats::Format;
use calor_model::Profile;
use calor_store::Encoded;

use crate::Error;

/// The most that is read: far above any profile, and what memory can be asked to hold.
pub const MOST_BYTES: u64 = 4 << 30;
/// So much of it tells what it is.
const BEGINNING_BYTES: u64 = 1 << 20;

/// Who shows how far reading is.
pub trait Progress {
    /// Does some work and shows how far it is. The work is given the counter of steps done; without `steps`, nobody knows
    /// how many there will be.
    fn shown<T>(&self, what: &str, steps: Option<usize>, work: impl FnOnce(&AtomicUsize) -> T) -> T;
}

/// Shows nothing.
#[derive(Clone, Copy, Debug)]
pub struct Silent;

impl Progress for Silent {
    fn shown<T>(&self, _: &str, _: Option<usize>, work: impl FnOnce(&AtomicUsize) -> T) -> T {
        work(&AtomicUsize::new(0))
    }
}

/// What is decoded of a file. Messages have its name.
pub(crate) fn of_file<T>(
    path: &Path,
    name: &str,
    progress: &impl Progress,
    decode: impl FnOnce(Vec<u8>) -> Result<T, Error>,
) -> Result<T, Error> {
    let failed = |cause: Error| Error::Read { name: name.to_owned(), cause: Box::new(cause) };
    let open = |cause| Error::Open { name: name.to_owned(), cause };
    let file = File::open(path).map_err(open)?;
    let about = file.metadata().map_err(open)?;
    if about.is_dir() {
        return Err(Error::Folder { name: name.to_owned() });
    }
    // A device or a pipe does not say how much there is.
    let steps = usize::try_from(about.len()).ok().filter(|length| *length > 0);
    let read = progress.shown(&format!("reading {name}"), steps, |done| {
        bounded(Counted { input: file, done }, about.len(), MOST_BYTES)
    });
    let bytes = read.map_err(failed)?;
    progress.shown(&format!("decoding {name}"), None, |_| decode(bytes)).map_err(failed)
}

/// The profile that bytes hold together with its own bytes, which are what is saved of it: those that are there if they are a
/// `.calor` file.
///
/// # Errors
/// When they are no profile, or a damaged one.
pub fn encoded(bytes: Vec<u8>) -> Result<Encoded, Error> {
    if !calor_formats::is_native(&bytes) {
        return Ok(Encoded::of(decoded(&bytes)?)?);
    }
    Encoded::read(bytes).map_err(|error| match error {
        calor_store::Error::Profile(error) => error.into(),
        error => error.into(),
    })
}

/// The profile that bytes hold, in whatever format.
///
/// # Errors
/// When they are no profile, or a damaged one.
pub fn decoded(bytes: &[u8]) -> Result<Profile, Error> {
    if is_perf_data(bytes) { perf_data(bytes) } else { Ok(calor_formats::read(bytes)?) }
}

/// Whether bytes are a file of `perf record`, of this kind of machine or another. It is no format of the library: its
/// stacks are still to be walked and its addresses to be named.
fn is_perf_data(bytes: &[u8]) -> bool {
    [b"PERFILE2", b"2ELIFREP", b"PERFFILE"].into_iter().any(|magic| bytes.starts_with(magic))
}

#[cfg(target_os = "linux")]
fn perf_data(bytes: &[u8]) -> Result<Profile, Error> {
    Ok(calor_record::perf_data::read(bytes, &calor_record::perf_data::ReadOptions::default())?)
}

#[cfg(not(target_os = "linux"))]
fn perf_data(_: &[u8]) -> Result<Profile, Error> {
    Err(Error::PerfDataElsewhere)
}

/// Counts the bytes that were read.
struct Counted<'c, R> {
    input: R,
    done: &'c AtomicUsize,
}

impl<R: Read> Read for Counted<'_, R> {
    fn read(&mut self, buffer: &mut [u8]) -> std::io::Result<usize> {
        let read = self.input.read(buffer)?;
        self.done.fetch_add(read, Relaxed);
        Ok(read)
    }
}

/// Everything there is to read, if that is not more than `most`. Of what begins like no profile only the beginning
/// is returned: it is all that is needed to say so.
///
/// # Errors
/// When the input fails or is larger, or memory does not hold it.
pub fn bounded(mut input: impl Read, expected: u64, most: u64) -> Result<Vec<u8>, Error> {
    let mut bytes = Vec::new();
    input.by_ref().take(BEGINNING_BYTES).read_to_end(&mut bytes)?;
    let is_known = || Format::detect(&bytes).is_some() || is_perf_data(&bytes);
    if bytes.len() as u64 == BEGINNING_BYTES && !is_known() {
        return Ok(bytes);
    }
    if expected <= most {
        let rest = usize::try_from(expected).unwrap_or(usize::MAX).saturating_sub(bytes.len());
        bytes.try_reserve(rest).map_err(Error::Memory)?;
        input.take(most + 1 - bytes.len() as u64).read_to_end(&mut bytes)?;
    }
    if expected > most || bytes.len() as u64 > most {
        return Err(Error::TooLarge { most: quantity::bytes(most) });
    }
    Ok(bytes)
}

#[cfg(test)]
mod tests {
    use super::*;

    /// A profile's first bytes, and then zeros without end.
    fn endless() -> impl Read {
        calor_formats::native::MAGIC.chain(std::io::repeat(0))
    }

    #[test]
    fn input_that_does_not_end_is_read_up_to_the_bound() {
        let most = 2 * BEGINNING_BYTES;
        for expected in [0, most + 1] {
            let error = bounded(endless(), expected, most).unwrap_err();
            assert!(error.to_string().starts_with("more than 2.00 MiB"), "{error}");
        }
    }

    #[test]
    fn what_begins_like_no_profile_is_not_read_any_further() {
        let bytes = bounded(std::io::repeat(0), 0, MOST_BYTES).unwrap();
        assert_eq!(bytes.len() as u64, BEGINNING_BYTES);
    }

    #[test]
    fn input_of_exactly_the_bound_is_read_whole() {
        let most = BEGINNING_BYTES + 7;
        assert_eq!(bounded(endless().take(most), 0, most).unwrap().len() as u64, most);
        assert_eq!(bounded(&b"short"[..], 5, most).unwrap(), b"short");
    }

    #[cfg(target_os = "linux")]
    #[test]
    fn files_of_perf_are_told_by_their_content_and_read_like_any_profile() {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../tests/fixtures/perf_data");
        for (name, n_samples) in [("frame-pointers.data", 23), ("pipe.data", 23)] {
            let profile = of_file(&folder.join(name), name, &Silent, |bytes| decoded(&bytes)).unwrap();
            assert_eq!(profile.samples.iter().map(|(_, weight)| weight.count).sum::<u64>(), n_samples);
        }
        let error = decoded(b"2ELIFREPxxxxxxxx").unwrap_err().whole();
        assert!(error.contains("big-endian") && error.contains("perf script"), "{error}");
    }
}
